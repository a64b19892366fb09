/**
 * Claude Code, from inside: compaction is taken over without a model call, giant results are shortened before they are stored
 * (failing ones too), our tools are in sight, and a call that would write a stub is refused. Subagents get the same.
 *
 * This runs in a worker without Node: whatever needs the store is asked of a process of ours, and only giant results,
 * compactions and our own tools need it. Whatever goes wrong, Claude Code goes on as if we were not there, and it is said once.
 */
import { COMMAND } from "./command.ts";
import type {
  Appended,
  Block,
  Compacted,
  Compacting,
  Engine,
  Fields,
  Next,
  Register,
  Value,
} from "./engine.ts";

/** Below this nothing is giant: 8,000 tokens take more characters in any language. */
const LIGHT_CHARS = 16_000;
/** A session of a million tokens takes seconds, not minutes. */
const TIMEOUT_MS = 120_000;
const OURS = /^mcp__palimpsest__/;
/** The same tools from the plugin's MCP server, which is there for versions without function hooks. */
const TWINS = /^mcp__plugin_palimpsest_/;

export const register: Register = (on) => {
  on("session.start", async ($, e, next) => {
    await failingOpen($, async () => {
      if ((await $.env.get("PALIMPSEST_OFF")) === "1") return;
      const { tools } = await ask($, "session.start", {});
      if (!Array.isArray(tools)) return;
      isOn = true;
      for (const tool of tools) {
        // Only a session somebody sits at can be compacted between two turns.
        if (tool.name === "compact" && e.isInteractive !== true) continue;
        await $.tool.register({
          name: tool.name,
          description: tool.description,
          inputSchema: tool.input,
          isDeferred: false,
        });
      }
      await $.command.register({ name: "refs", description: "What left the context, and where it is" });
    });
    return next(e);
  });

  on("tool.list", async (_, e, next) => {
    const { value } = await next(e);
    return { value: isOn ? value.filter(({ name }) => !TWINS.test(name)) : value };
  });

  on("tool.check", async ($, e, next) => {
    if (!isOn) return next(e);
    if (OURS.test(e.tool)) return { decision: "allow" as const };
    remember(e.tool_use_id, e.input);
    const text = JSON.stringify(e.input);
    if (!text.includes("ref_") && !text.includes("read_ref")) return next(e);
    const given = { tool_name: e.tool, tool_input: e.input };
    const answer = await failingOpen($, () => ask($, "tool.check", given, e.agentId));
    return typeof answer?.refused === "string"
      ? { decision: "deny" as const, reason: answer.refused }
      : next(e);
  });

  on("tool.run", { tool: "mcp__palimpsest__read_ref" }, async ($, e) => runTool($, e, e.agentId));
  on("tool.run", { tool: "mcp__palimpsest__list_refs" }, async ($, e) => runTool($, e, e.agentId));

  on("tool.run", { tool: "mcp__palimpsest__compact" }, async (_, e) => {
    if (e.agentId !== undefined)
      return { deny: "A subagent is compacted when it is full. Go on with the task." };
    wanted = { instructions: typeof e.focus === "string" ? e.focus : "" };
    return { result: "The context is shortened as soon as this turn ends. Finish the turn." };
  });

  on("turn.complete", async ($, e, next) => {
    const completed = await next(e);
    if (wanted === undefined || e.agentId !== undefined) return completed;
    const { instructions } = wanted;
    wanted = undefined;
    await failingOpen($, () => $.session.compact(instructions === "" ? {} : { instructions }));
    return completed;
  });

  on("command.run", { command: "refs" }, async ($, e) => {
    const contains = typeof e.args === "string" ? e.args.trim() : "";
    const given = { tool_name: "list_refs", tool_input: contains === "" ? {} : { contains } };
    const answer = await failingOpen($, () => ask($, "tool.run", given));
    return { text: typeof answer?.text === "string" ? answer.text : "Nothing has left the context." };
  });

  on("session.append", { door: "tool-result" }, async ($, e, next) => {
    const content = isOn ? await failingOpen($, () => shortened($, e, e.agentId)) : undefined;
    return next(content === undefined ? e : { ...e, message: { ...e.message, content } });
  });

  on("session.compact", async ($, e, next) => {
    if (!isOn) return next(e);
    const isLeft = (await $.env.get("PALIMPSEST_COMPACTION")) === "host";
    // Ours is made in no time when it is due; a model would be asked for one that may never be.
    if (e.trigger === "precompute") return isLeft ? next(e) : { skip: "palimpsest compacts when it is due" };
    const answer = await failingOpen($, () => asked($, e, isLeft));
    if (Array.isArray(answer?.messages)) {
      const others = await othersFirst(e, next);
      if (others !== undefined) return others;
      if (typeof answer.notice === "string") $.ui.log(answer.notice);
      return { messages: answer.messages };
    }
    // Too little for a page, not ours to do, or we failed: Claude Code writes its own summary, and is told what may not be left out.
    const instructions = typeof answer?.instructions === "string" ? answer.instructions : "";
    isPageDue = instructions !== "" && e.agentId === undefined;
    const told = [e.instructions, instructions].filter((text) => text !== undefined && text !== "");
    return next(told.length === 0 ? e : { ...e, instructions: told.join("\n\n") });
  });

  on("classic.PreCompact", async (_, e, next) => {
    const said = await next(e);
    const loop = e.agent_id ?? "";
    if (!held.has(loop) || said.block !== undefined) return said;
    held.set(loop, true);
    return { ...said, block: "palimpsest compacts" };
  });

  on("classic.SessionStart", async ($, e, next) => {
    const said = await next(e);
    if (!isPageDue || e.source !== "compact") return said;
    isPageDue = false;
    const answer = await failingOpen($, () => ask($, "session.compacted", {}));
    if (typeof answer?.page !== "string") return said;
    return { ...said, additionalContext: [...(said.additionalContext ?? []), answer.page] };
  });

  on("session.end", async ($, e, next) => {
    if (isOn) await failingOpen($, () => ask($, "session.end", { session_id: e.sessionId }));
    return next(e);
  });
};

/** Off until our process has answered: without it nothing could be kept. */
let isOn = false;
let wanted: { readonly instructions: string } | undefined;

/** Compactions of ours that wait for what stands beneath us, by loop: true once Claude Code's own was reached. */
const held = new Map<string, boolean>();
/** Claude Code is writing a summary of its own: our page follows it. */
let isPageDue = false;

async function asked($: Engine, e: Compacting, isLeft: boolean): Promise<Fields> {
  const { context } = await $.session.usage();
  const request = await $.session.messages(
    e.agentId === undefined ? { as: "api" } : { as: "api", agentId: e.agentId },
  );
  const given = {
    trigger: e.trigger,
    focus: e.instructions,
    model: await $.session.model(),
    window_tokens: context.window,
    context_tokens: e.agentId === undefined ? context.tokens : undefined,
    is_left: isLeft,
    rows: e.messages.map(withoutRecords),
    request,
  };
  return ask($, "session.compact", given, e.agentId);
}

/**
 * Who stands beneath us is heard before ours is handed out: another plugin that compacts, and the user's PreCompact hooks,
 * which may say no. Only Claude Code's own summarizer is held back, where it asks those hooks. Undefined: nobody else did it.
 */
async function othersFirst(e: Compacting, next: Next<"session.compact">): Promise<Compacted | undefined> {
  const loop = e.agentId ?? "";
  held.set(loop, false);
  try {
    const answered = await next(e);
    return held.get(loop) === true ? undefined : answered;
  } catch (error) {
    if (held.get(loop) === true) return undefined;
    throw error;
  } finally {
    held.delete(loop);
  }
}

/** What was asked of a tool, until its result is there; a result says only which call it answers. */
const inputs = new Map<string, Fields>();
const MOST_CALLS = 500;

function remember(id: string | undefined, input: Fields): void {
  if (id === undefined) return;
  inputs.set(id, input);
  const [oldest] = inputs.keys();
  if (inputs.size > MOST_CALLS && oldest !== undefined) inputs.delete(oldest);
}

/** The row's blocks with giant results shortened; undefined where there is none. */
async function shortened(
  $: Engine,
  { message, origin }: Appended,
  agentId: string | undefined,
): Promise<readonly Block[] | undefined> {
  const name = origin.tool ?? "";
  if (OURS.test(name)) return undefined;
  let isChanged = false;
  const content: Block[] = [];
  for (const block of message.content) {
    const text = block.type === "tool_result" ? textOf(block.content) : undefined;
    const id = typeof block.tool_use_id === "string" ? block.tool_use_id : "";
    const input = inputs.get(id) ?? {};
    inputs.delete(id);
    const isGiant =
      text !== undefined && (text.length >= LIGHT_CHARS || text.startsWith("<persisted-output>"));
    const given = {
      tool_name: name,
      tool_use_id: id,
      tool_input: input,
      tool_response: text,
      is_error: block.is_error === true,
    };
    const { shown } = isGiant ? await ask($, "session.append", given, agentId) : {};
    isChanged ||= typeof shown === "string";
    content.push(typeof shown === "string" ? { ...block, content: shown } : block);
  }
  return isChanged ? content : undefined;
}

/** Undefined where there is more than text: an image is not shortened. */
function textOf(content: Value): string | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((block) => (block?.type === "text" ? block.text : undefined));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : undefined;
}

async function runTool($: Engine, e: Fields & { readonly tool: string }, agentId: string | undefined) {
  const { tool, tool_use_id: _, agentId: __, ...input } = e;
  const answer = await failingOpen($, () =>
    ask($, "tool.run", { tool_name: tool, tool_input: input }, agentId),
  );
  if (answer === undefined || typeof answer.text !== "string")
    return { deny: 'palimpsest could not be asked; "palimpsest doctor claude-code" looks into it.' };
  if (answer.isError === true) return { deny: answer.text };
  return { result: Array.isArray(answer.blocks) ? answer.blocks : answer.text };
}

/** The record beside a result is what the screen draws: the text is what was said. */
function withoutRecords(row: Fields): Fields {
  const bare = (entries: Value): Value =>
    Array.isArray(entries) ? entries.map(({ result: _, meta: __, ...entry }) => entry) : entries;
  const { toolUses, toolResults, ...rest } = row;
  const uses = Array.isArray(toolUses) ? toolUses.map(({ result: _, text: __, ...use }) => use) : toolUses;
  return {
    ...rest,
    toolUses: uses,
    ...(toolResults === undefined ? {} : { toolResults: bare(toolResults) }),
  };
}

/** A process of ours with the store at hand. What it says first when something fails is thrown here, to be told once. */
async function ask($: Engine, event: string, given: Fields, agentId?: string): Promise<Fields> {
  const session = await $.session.id();
  const path = (await $.session.info()).transcriptPath;
  const whose =
    agentId === undefined
      ? { session_id: session, transcript_path: path }
      : {
          session_id: `${session}:${agentId}`,
          parent_id: session,
          transcript_path: path.replace(/\.jsonl$/, `/subagents/agent-${agentId}.jsonl`),
        };
  const stdin = JSON.stringify({ ...whose, cwd: await $.session.cwd(), ...given });
  const env = await $.process.hookEnv();
  const ran = await $.process.run([...COMMAND, "hook", "claude-code", event], {
    stdin,
    env,
    timeoutMs: TIMEOUT_MS,
  });
  if (ran.exitCode !== 0) throw new Error(ran.stderr.trim().slice(-300) || `${COMMAND.join(" ")} failed`);
  const answer: Fields = ran.stdout === "" ? {} : JSON.parse(ran.stdout);
  if (typeof answer.systemMessage === "string") throw new Error(answer.systemMessage);
  return answer;
}

const PASSES = "Everything goes through as it is";
let isSaid = false;

async function failingOpen<Answer>($: Engine, work: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await work();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    // The host puts our name before it; a process of ours that failed has said the rest.
    const said = why.replace(/^palimpsest: /, "");
    if (!isSaid) $.ui.log(said.includes(PASSES) ? said : `${said}. ${PASSES}.`);
    isSaid = true;
    return undefined;
  }
}
