/**
 * Writes a session down as Claude Code 2.1 does: one record per block, chained by uuid, results below their calls,
 * usage as a prompt cache with a life of five minutes would report it. The clock moves as the work would take.
 */
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { createRandom } from "./random.mjs";

const PREFIX_TOKENS = 21_000; // system prompt and tool schemas, which no session file holds
const TOKENS_PER_O200K = 1.15;
const CACHE_LIFE_MS = 5 * 60_000;
const HEX = "0123456789abcdef";
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BASE64 = `${BASE58}0OIl+/`;
const SLOW = { Bash: [420, 2600], Task: [48_000, 61_000] };

export const think = (thinking) => ({ type: "thinking", thinking });
export const say = (text) => ({ type: "text", text });
export const call = (name, input, more = {}) => ({ type: "tool_use", name, input, ...more });

export function createRecorder({ tools }) {
  const random = createRandom(8477);
  const records = [];
  const tracked = {};
  let now = Date.parse("2026-02-11T08:12:04.118Z");
  let leaf = null;
  let turnStartedAt = now;
  let promptUuid;
  /** o200k tokens on the live path, and what the cache holds of it. */
  let tokens = 0;
  let totalTokens = 0;
  let cached = { tokens: 0, at: 0 };

  const pass = (from, to = from) => {
    now += random.int(from, to);
  };
  const uuid = () => `${random.letters(HEX, 8)}-${random.letters(HEX, 4)}-4${random.letters(HEX, 3)}-${random.pick([..."89ab"])}${random.letters(HEX, 3)}-${random.letters(HEX, 12)}`;
  const sessionId = uuid();
  const count = (text) => {
    const n = encode(text, { disallowedSpecial: new Set() }).length;
    tokens += n;
    totalTokens += n;
    return n;
  };
  const stamp = () => new Date(now).toISOString();

  /** A record of the chain; `parent` is the leaf unless said otherwise. */
  function chain(type, fields, { parent = leaf, isLeaf = true } = {}) {
    const id = fields.uuid ?? uuid();
    const head = {
      parentUuid: parent, isSidechain: false, userType: "external", cwd: "/home/dev/hookline", sessionId, version: "2.1.17",
      gitBranch: branch, slug: "patient-mending-heron",
    };
    records.push({ ...head, type, ...fields, uuid: id, timestamp: stamp() });
    if (isLeaf) leaf = id;
    return id;
  }
  let branch = "main";

  function start(title) {
    records.push({ type: "summary", summary: title, leafUuid: null });
    const id = uuid();
    chain("progress", {
      data: { type: "hook_progress", hookEvent: "SessionStart", hookName: "SessionStart:startup", command: "scripts/hooks/session-start.sh" },
      parentToolUseID: id, toolUseID: id,
    });
    pass(2400);
  }

  /** What the user types. */
  function user(text, { after = 0 } = {}) {
    pass(after * 60_000 + random.int(0, 900));
    turnStartedAt = now;
    promptUuid = uuid();
    snapshot(false);
    count(text);
    chain("user", {
      message: { role: "user", content: text }, uuid: promptUuid,
      thinkingMetadata: { level: "high", disabled: false, triggers: [] }, todos: tools.todos(), permissionMode: "acceptEdits",
    });
    pass(40);
  }

  /** What Claude Code says in the user's name. */
  function reminder(text) {
    const content = `<system-reminder>\n${text}\n</system-reminder>`;
    count(content);
    chain("user", { message: { role: "user", content }, isMeta: true });
  }

  function snapshot(isSnapshotUpdate, messageId = promptUuid) {
    const trackedFileBackups = Object.fromEntries(Object.entries(tracked).map(([name, { backup }]) => [name, backup]));
    records.push({ type: "file-history-snapshot", messageId, snapshot: { messageId: promptUuid, trackedFileBackups, timestamp: stamp() }, isSnapshotUpdate });
  }

  /** One response of the model and the results of its calls. Gives the texts of the results. */
  function agent(...blocks) {
    pass(1900, 5200);
    const before = usageBefore();
    const id = `msg_01${random.letters(BASE58, 22)}`;
    const requestId = `req_011C${random.letters(BASE58, 20)}`;
    const sizes = blocks.map((block) => count(textOf(block)));
    const output = Math.round(sizes.reduce((sum, size) => sum + size, 0) * TOKENS_PER_O200K) + 4;
    const calls = [];
    blocks.forEach((block, index) => {
      pass(Math.round(sizes[index] * 14), Math.round(sizes[index] * 19) + 30);
      const isLast = index === blocks.length - 1;
      const content = contentOf(block);
      const usage = { ...before, output_tokens: isLast ? output : random.int(1, 9), service_tier: "standard" };
      const at = chain("assistant", {
        message: { model: "claude-opus-4-5-20251101", id, type: "message", role: "assistant", content: [content], stop_reason: null, stop_sequence: null, usage },
        requestId,
      });
      if (block.type === "tool_use") calls.push({ block, content, at, messageId: id });
    });
    return calls.map(answer);
  }

  function usageBefore() {
    const prompt = PREFIX_TOKENS + Math.round(tokens * TOKENS_PER_O200K);
    const isAlive = now - cached.at < CACHE_LIFE_MS;
    const input = random.pick([3, 4, 8, 9, 10]);
    const read = isAlive ? Math.min(cached.tokens, prompt) : 0;
    const write = Math.max(0, prompt - read - input);
    cached = { tokens: read + write, at: now };
    return {
      input_tokens: input, cache_creation_input_tokens: write, cache_read_input_tokens: read,
      cache_creation: { ephemeral_5m_input_tokens: write, ephemeral_1h_input_tokens: 0 },
    };
  }

  function contentOf(block) {
    if (block.type === "thinking") return { ...block, signature: `E${random.letters(BASE64, 180 + Math.min(220, block.thinking.length >> 2))}==` };
    if (block.type === "text") return block;
    return { type: "tool_use", id: `toolu_01${random.letters(BASE58, 22)}`, name: block.name, input: block.input };
  }

  function answer({ block, content, at, messageId }) {
    const [from, to] = block.took ?? SLOW[block.name] ?? [18, 140];
    const startedAt = now;
    pass(from, to);
    const done = outcomeOf(block, { at, id: content.id, messageId, startedAt });
    const text = typeof done.content === "string" ? done.content : done.content.map((part) => part.text).join("\n");
    count(text);
    const result = done.isError
      ? { type: "tool_result", content: done.content, is_error: true, tool_use_id: content.id }
      : { tool_use_id: content.id, type: "tool_result", content: done.content, ...(done.isError === false ? { is_error: false } : {}) };
    chain("user", { message: { role: "user", content: [result] }, toolUseResult: done.result, sourceToolAssistantUUID: at }, { parent: at });
    if (["Edit", "Write"].includes(block.name) && !done.isError) track(block.input.file_path);
    return text;
  }

  function outcomeOf(block, place) {
    if (block.deny !== undefined) {
      const content = `The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n${block.deny}`;
      return { content, isError: true, result: `Error: ${content}` };
    }
    if (block.name === "Task") return task(block, place);
    const done = tools.run(block.name, block.input, now);
    if (block.name === "Bash" && (block.took?.[0] ?? 0) > 2000) bashProgress(done, place);
    return done;
  }

  function bashProgress(done, { at, id, startedAt }) {
    const lines = (typeof done.result === "string" ? done.result : done.result.stdout).split("\n").slice(0, 5);
    let parent = at;
    for (let second = 2; second * 1000 < now - startedAt && second < 5; second += 1) {
      const data = { type: "bash_progress", output: lines.join("\n"), fullOutput: lines.join("\n"), elapsedTimeSeconds: second, totalLines: lines.length, timeoutMs: 120_000 };
      parent = chain("progress", { data, toolUseID: `bash-progress-${second - 2}`, parentToolUseID: id }, { parent, isLeaf: false });
    }
  }

  /** A subagent: its own calls are executed too, and only its report comes back. */
  function task({ input, steps, report }, { at, id, messageId, startedAt }) {
    const agentId = random.letters(HEX, 7);
    let parent = at;
    const results = steps.map(({ name, input: stepInput }, index) => {
      const message = { type: "assistant", message: { role: "assistant", content: [{ type: "tool_use", id: `toolu_01${random.letters(BASE58, 22)}`, name, input: stepInput }] }, uuid: uuid(), timestamp: new Date(startedAt + 4000 * (index + 1)).toISOString() };
      const data = { message, normalizedMessages: [], type: "agent_progress", prompt: index === 0 ? input.prompt : "", agentId };
      parent = chain("progress", { data, toolUseID: `agent_${messageId}`, parentToolUseID: id }, { parent, isLeaf: false });
      return tools.run(name, stepInput, now);
    });
    const text = report(results.map(({ content }) => content));
    const content = [{ type: "text", text }, { type: "text", text: `agentId: ${agentId} (for resuming to continue this agent's work if needed)` }];
    const totalTokens = 14_210 + 3 * text.length;
    const usage = { input_tokens: 5, cache_creation_input_tokens: 1204, cache_read_input_tokens: totalTokens - 2400, cache_creation: { ephemeral_5m_input_tokens: 1204, ephemeral_1h_input_tokens: 0 }, output_tokens: 640, service_tier: "standard" };
    return { content, result: { status: "completed", prompt: input.prompt, agentId, content: content.slice(0, 1), totalDurationMs: now - startedAt, totalTokens, totalToolUseCount: steps.length, usage } };
  }

  function track(path) {
    const name = tools.relative(path);
    // Backed up once per prompt, before the first change.
    if (tracked[name]?.prompt === promptUuid) return;
    const version = (tracked[name]?.version ?? 0) + 1;
    tracked[name] = { prompt: promptUuid, backup: { backupFileName: `${random.letters(HEX, 16)}@v${version}`, version, backupTime: stamp() } };
    snapshot(true, uuid());
  }

  /** The turn is over. */
  function done() {
    pass(30, 90);
    chain("system", { subtype: "turn_duration", durationMs: now - turnStartedAt, isMeta: false });
  }

  function interrupted() {
    pass(900);
    const text = "[Request interrupted by user]";
    count(text);
    chain("user", { message: { role: "user", content: [{ type: "text", text }] } });
  }

  const mark = () => ({ leaf, tokens, cached: { ...cached } });
  function rewind(to) {
    leaf = to.leaf;
    tokens = to.tokens;
    cached = { ...to.cached, at: cached.at };
  }

  function lines() {
    records[0].leafUuid = records.findLast((record) => record.type === "assistant").uuid;
    return records;
  }

  function report() {
    return `${records.length} records, ${tokens} o200k tokens on the live path, ${totalTokens} in all,`;
  }

  const onBranch = (name) => {
    branch = name;
  };
  return { start, user, reminder, agent, done, interrupted, mark, rewind, onBranch, lines, report };
}

function textOf(block) {
  if (block.type === "thinking") return block.thinking;
  return block.type === "text" ? block.text : `${block.name} ${JSON.stringify(block.input)}`;
}
