/**
 * Processes a host starts, against a Node that does nothing: the hook at every tool call (2 KB, the usual result), the hook
 * that shortens a giant one, and the MCP server until it has answered `initialize`. And what OpenCode waits for before a request
 * while edits stand: its whole list through the companion and back, against the JSON of it alone. Alternately, medians.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { benchTakeOver } from "./take-over.mjs";

const BIN = join(dirname(fileURLToPath(import.meta.url)), "../dist/cli/bin.js");
const ROUNDS = 21;

export async function benchHosts() {
  const home = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
  const env = { ...process.env, PALIMPSEST_HOME: home };
  const hook = (input) => () =>
    spawnSync(process.execPath, [BIN, "hook", "claude-code", "PostToolUse"], { input, env });
  try {
    const floor = () => spawnSync(process.execPath, ["-e", "0"], { input: result(2_000), env });
    const works = {
      "hook process for a 2 KB result": { limit: 1.5, work: hook(result(2_000)) },
      "hook process that keeps and shortens a 100 KB result": { limit: 8, work: hook(result(100_000)) },
      "MCP server, cold, to its first answer": { limit: 8, work: () => initialize(env) },
    };
    const rows = [];
    for (const [name, { limit, work }] of Object.entries(works))
      rows.push(await ratio({ name, limit, floor, work }));
    rows.push(await viewThroughCompanion(home));
    rows.push(...(await benchTakeOver(home)));
    return rows;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** 200,000 tokens of which half has been folded: the list is read, seen through the ledger, and its places sent back. */
async function viewThroughCompanion(home) {
  process.env.PALIMPSEST_HOME = home;
  const { Link } = await import("../dist/hosts/opencode/link.js");
  const link = new Link(process.execPath);
  const messages = Array.from({ length: 60 }, (_, index) => step(index));
  const given = { session: "bench", cwd: "/", model: "bench", window: 180_000, messages };
  const first = await link.ask("show", given);
  if (!Array.isArray(first.list)) throw new Error("nothing was folded: this measures nothing");
  const floor = () => JSON.parse(JSON.stringify(JSON.parse(JSON.stringify(messages))));
  const name = "OpenCode: 200,000 tokens seen through the companion";
  const row = await ratio({ name, limit: 8, floor, work: () => link.ask("show", given) });
  link.close();
  return row;
}

function step(index) {
  const lines = Array.from(
    { length: 300 },
    (_, line) => `step ${index} line ${line} says ${line * 7919} and ${index * 104729}`,
  );
  const state = {
    status: "completed",
    input: { command: `cat ${index}` },
    output: lines.join("\n"),
    time: { start: 1, end: 2 },
  };
  const info = {
    id: `msg_${index}`,
    sessionID: "bench",
    role: "assistant",
    time: { created: 1 },
    finish: "tool-calls",
  };
  const parts = [{ id: `prt_${index}`, type: "tool", tool: "bash", callID: `c${index}`, state }];
  if (index > 0) return { info, parts };
  return { info: { ...info, role: "user" }, parts: [{ id: "prt", type: "text", text: "read them all" }] };
}

async function ratio({ name, limit, floor, work }) {
  const [floors, works] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    floors.push(await time(floor));
    works.push(await time(work));
  }
  const [floorMs, workMs] = [median(floors.slice(1)), median(works.slice(1))];
  return { name, value: workMs / floorMs, limit, floorMs, workMs, isOver: workMs / floorMs > limit };
}

function result(chars) {
  const lines = Array.from(
    { length: chars / 40 },
    (_, index) => `${index} some output of a command ${index * 31}`,
  );
  const stdout = lines.join("\n").slice(0, chars);
  const tool_response = { stdout, stderr: "", interrupted: false };
  return JSON.stringify({
    session_id: "bench",
    cwd: "/",
    tool_name: "Bash",
    tool_input: { command: "x" },
    tool_response,
  });
}

function initialize(env) {
  return new Promise((done) => {
    const child = spawn(process.execPath, [BIN, "mcp"], { env, stdio: ["pipe", "pipe", "ignore"] });
    child.stdout.once("data", () => child.kill());
    child.once("exit", done);
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })}\n`);
  });
}

async function time(run) {
  const start = process.hrtime.bigint();
  await run();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
