/**
 * A compaction that is ours, inside two hosts, on some 120,000 tokens. Claude Code: the process its mod asks, which reads the
 * conversation twice (rows and request), against a Node that parses and spells the same JSON. pi: the handler in pi's own
 * process, the store written to, against parsing and hashing every line of the session file and compressing it once. A model would take tens of seconds.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { ratioAwaited } from "./ratio.mjs";

const DIST = join(dirname(fileURLToPath(import.meta.url)), "../dist");
const STEPS = 30;
const printed = (number) => Array.from({ length: 1200 }, (_, line) => `${number}${10_000 + line}`).join("\n");
let count = 0;

export async function benchTakeOver(home) {
  return [await inClaudeCode(home), await inPi(home)];
}

function inClaudeCode(home) {
  const floor = () =>
    spawnSync(process.execPath, ["-e", "JSON.stringify(JSON.parse(require('fs').readFileSync(0, 'utf8')))"], {
      input: asked("floor"),
    });
  const work = () => {
    count += 1;
    const ran = spawnSync(
      process.execPath,
      [join(DIST, "cli/bin.js"), "hook", "claude-code", "session.compact"],
      {
        input: asked(`s${count}`),
        env: { ...process.env, PALIMPSEST_HOME: home },
        encoding: "utf8",
        maxBuffer: 1 << 26,
      },
    );
    if (!ran.stdout.includes("# Earlier work, folded"))
      throw new Error("nothing was folded: this measures nothing");
  };
  const name = "Claude Code: a compaction of 120,000 tokens taken over";
  return ratioAwaited({ name, limit: 8, floor, work, rounds: 9, warm: 1 });
}

function asked(session_id) {
  const rows = [{ role: "user", text: "look into it", toolUses: [], handle: "row" }];
  const request = [{ role: "user", content: [{ type: "text", text: "look into it\n" }] }];
  for (let index = 0; index < STEPS; index += 1) {
    const [id, input, text] = [`toolu_${index}`, { command: `seq ${index}` }, printed(index)];
    rows.push({
      role: "assistant",
      text: "",
      toolUses: [{ tool_use_id: id, tool: "Bash", input }],
      handle: `c${index}`,
    });
    const toolResults = [{ tool_use_id: id, text, isError: false }];
    rows.push({ role: "user", text: "", toolUses: [], toolResults, handle: `r${index}` });
    request.push({ role: "assistant", content: [{ type: "tool_use", id, name: "Bash", input }] });
    request.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: text, is_error: false }],
    });
  }
  const about = { session_id, cwd: "/", trigger: "auto", model: "claude-sonnet-4-5", window_tokens: 200_000 };
  return JSON.stringify({ ...about, rows, request });
}

async function inPi(home) {
  process.env.PALIMPSEST_HOME = home;
  const file = sessionFile(home);
  const handlers = new Map();
  const none = () => [];
  const pi = {
    on: (event, handler) => handlers.set(event, handler),
    ...{ registerTool: none, registerCommand: none, getAllTools: none, getCommands: none },
  };
  (await import("../dist/hosts/pi/extension.js")).default(pi);
  const contextOf = (id) => ({
    cwd: "/",
    sessionManager: { getSessionId: () => id, getSessionFile: () => file },
    ui: { notify: none },
  });
  const preparation = { firstKeptEntryId: "m0", tokensBefore: 120_000 };
  const floor = () => {
    const bytes = readFileSync(file);
    for (const line of bytes.toString().split("\n").filter(Boolean))
      createHash("sha256")
        .update(JSON.stringify(JSON.parse(line)))
        .digest();
    deflateSync(bytes);
  };
  const work = async () => {
    count += 1;
    const answer = await handlers.get("session_before_compact")({ preparation }, contextOf(`p${count}`));
    if (!answer?.compaction) throw new Error("nothing was taken over: this measures nothing");
  };
  const name = "pi: a compaction of 120,000 tokens taken over";
  const row = await ratioAwaited({ name, limit: 8, floor, work, rounds: 9, warm: 2 });
  await handlers.get("session_shutdown")({}, contextOf("p1"));
  return row;
}

function sessionFile(home) {
  const timestamp = "2026-11-18T00:00:00.000Z";
  const lines = [{ type: "session", version: 3, id: "s", timestamp, cwd: "/" }];
  const say = (message) =>
    lines.push({
      type: "message",
      id: `m${lines.length}`,
      parentId: `m${lines.length - 1}`,
      timestamp,
      message,
    });
  say({ role: "user", content: [{ type: "text", text: "look into it" }], timestamp: 1 });
  for (let index = 0; index < STEPS; index += 1) {
    const call = { type: "toolCall", id: `c${index}`, name: "bash", arguments: { command: `seq ${index}` } };
    say({ role: "assistant", content: [call], stopReason: "toolUse", timestamp: 1 });
    const content = [{ type: "text", text: printed(index) }];
    say({
      role: "toolResult",
      toolCallId: `c${index}`,
      toolName: "bash",
      content,
      isError: false,
      timestamp: 1,
    });
  }
  mkdirSync(home, { recursive: true });
  const path = join(home, "pi.jsonl");
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  return path;
}
