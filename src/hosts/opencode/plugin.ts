/**
 * OpenCode, from inside. OpenCode runs on Bun, which has neither of our SQLite drivers, so whatever needs the store is done
 * by a process of ours on Node: only giant results and compactions do. The tools come over MCP. What is small never leaves this file.
 *
 * Whatever goes wrong, OpenCode goes on as if we were not there, and it is said once.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { guardCall } from "../../guard.ts";
import { isObject, type JsonObject, parseJson } from "../../transcript/json.ts";
import type { AfterTool, Hooks, OpenCode, ToolUsed } from "./opencode.ts";

const BIN = fileURLToPath(new URL("../../cli/bin.js", import.meta.url));
/** As for hooks: below this nothing is giant. */
const LIGHT_CHARS = 16_000;

export const Palimpsest = async (host: OpenCode): Promise<Hooks> => {
  if (process.env["PALIMPSEST_OFF"] === "1") return {};
  const asked = (event: string, given: JsonObject) => ask(event, { cwd: host.directory, ...given });
  /** What was said after the last compaction; it stands in the system prompt until the next, the same bytes each time. */
  const pages = new Map<string, string>();
  return {
    "tool.execute.before": async ({ tool }, { args }) => {
      const refusal = guardCall({ name: tool, input: args });
      // OpenCode refuses a call whose hook throws, and tells the model why.
      if (refusal) throw new Error(refusal.text);
    },
    "tool.execute.after": failingOpen((used, output) => shorten(used, output, asked)),
    "experimental.session.compacting": failingOpen(async ({ sessionID }, output) => {
      const kept = await keepMessages(host, sessionID, asked);
      if (kept.context !== "") output.context.push(kept.context);
      if (kept.page !== "") pages.set(sessionID, kept.page);
    }),
    "experimental.chat.system.transform": failingOpen(async ({ sessionID = "" }, { system }) => {
      const page = pages.get(sessionID);
      if (page !== undefined) system.push(page);
    }),
  };
};

type Ask = (event: string, given: JsonObject) => Promise<JsonObject>;

async function shorten(
  { tool, sessionID, callID, args }: ToolUsed,
  output: AfterTool,
  asked: Ask,
): Promise<void> {
  const blocks = Array.isArray(output.content) ? output.content : undefined;
  const texts = blocks?.map((block) => (block.type === "text" ? block.text : undefined)) ?? [output.output];
  if (!texts.every((text) => typeof text === "string")) return;
  const text = wholeOf(output) ?? texts.join("\n");
  if (text.length < LIGHT_CHARS) return;
  const given = { session_id: sessionID, tool_use_id: callID, tool_name: tool, tool_input: args ?? {} };
  const { shown } = await asked("tool.execute.after", { ...given, tool_response: text });
  if (typeof shown !== "string") return;
  // An MCP result is given raw: its blocks, not its text, are what the model is shown.
  if (blocks) output.content = [{ type: "text", text: shown }];
  else output.output = shown;
}

/** Larger files than this are not read into the agent. */
const MOST_BYTES = 64 * 1024 * 1024;

/** OpenCode cuts long outputs and keeps the whole in a file, which it names. */
function wholeOf({ metadata }: AfterTool): string | undefined {
  const path = metadata?.outputPath;
  if (typeof path !== "string" || !existsSync(path) || statSync(path).size > MOST_BYTES) return undefined;
  return readFileSync(path, "utf8");
}

/** OpenCode keeps no file of a session: what its own export would say is written to one. */
async function keepMessages(host: OpenCode, sessionID: string, asked: Ask) {
  const { data } = await host.client.session.messages({ path: { id: sessionID } });
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-opencode-"));
  try {
    const path = join(folder, "session.json");
    const text = JSON.stringify({ info: { id: sessionID, directory: host.directory }, messages: data ?? [] });
    writeFileSync(path, text, { mode: 0o600 });
    const { context, page } = await asked("session.compacting", {
      session_id: sessionID,
      transcript_path: path,
    });
    return {
      context: typeof context === "string" ? context : "",
      page: typeof page === "string" ? page : "",
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function ask(event: string, given: JsonObject): Promise<JsonObject> {
  return new Promise((done, fail) => {
    const child = spawn("node", [BIN, "hook", "opencode", event], { stdio: ["pipe", "pipe", "ignore"] });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
    });
    child.once("error", fail).once("close", () => {
      const answer = parseJson(out);
      done(isObject(answer) ? answer : {});
    });
    child.stdin.on("error", () => undefined).end(JSON.stringify(given));
  });
}

let isSaid = false;

function failingOpen<Input, Output>(handler: (input: Input, output: Output) => Promise<void>) {
  return async (input: Input, output: Output): Promise<void> => {
    try {
      await handler(input, output);
    } catch (error) {
      if (!isSaid) console.error(`palimpsest: ${error}. Everything goes through as it is.`);
      isSaid = true;
    }
  };
}
