import { spawnSync } from "node:child_process";
import { realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { toldBy } from "../../src/hosts/hook-host.ts";
import type { HostName } from "../../src/hosts/host.ts";
import type { AfterTool, Hooks, OpenCode } from "../../src/hosts/opencode/opencode.ts";
import type { Pi, PiContext } from "../../src/hosts/pi/pi.ts";
import { type JsonObject, list, object, string } from "../../src/transcript/json.ts";
import { scratchFolder } from "../cli/run.ts";
import { type HostDriver, type HostSituation, testHost } from "../contracts/host.ts";

const DIST = resolve(import.meta.dirname, "../../dist");
const FOLDER = realpathSync(scratchFolder());
let count = 0;
const fresh = () => join(FOLDER, `home-${++count}`);

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  for (let index = 0; index <= count; index += 1)
    rmSync(join(tmpdir(), `palimpsest-failed-contract-${process.pid}-${index}`), { force: true });
});

/** How a host with hook processes spells a result, and what it does with our answer. */
interface Spelling {
  readonly after: string;
  readonly before: string;
  response(text: string): JsonObject | string;
  shownIn(answer: JsonObject): string | undefined;
  refusedIn(answer: JsonObject): string | undefined;
}

const specific = (answer: JsonObject) => object(answer["hookSpecificOutput"]);
const denied = (answer: JsonObject) => string(specific(answer)["permissionDecisionReason"]);
const spellings: Readonly<Partial<Record<HostName, Spelling>>> = {
  "claude-code": {
    after: "PostToolUse",
    before: "PreToolUse",
    response: (stdout) => ({ stdout, stderr: "", interrupted: false }),
    shownIn: (answer) => string(object(specific(answer)["updatedToolOutput"])["stdout"]),
    refusedIn: denied,
  },
  codex: {
    after: "PostToolUse",
    before: "PreToolUse",
    response: (text) => text,
    shownIn: (answer) => (answer["decision"] === "block" ? string(answer["reason"]) : undefined),
    refusedIn: denied,
  },
  "gemini-cli": {
    after: "AfterTool",
    before: "BeforeTool",
    response: (text) => ({ llmContent: text, returnDisplay: text }),
    shownIn: (answer) => (answer["decision"] === "deny" ? string(answer["reason"]) : undefined),
    refusedIn: (answer) => string(answer["reason"]),
  },
};

function byProcess(host: HostName, spelling: Spelling, { home, isOff }: HostSituation): HostDriver {
  const session = `contract-${process.pid}-${++count}`;
  let said = "";
  const hook = (event: string, given: JsonObject): JsonObject => {
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: FOLDER,
      PALIMPSEST_HOME: home,
      PALIMPSEST_OFF: isOff ? "1" : "",
    };
    // What we have no word for rides along and disturbs nothing.
    const input = JSON.stringify({
      session_id: session,
      cwd: FOLDER,
      tool_use_id: "t",
      a_field_of_tomorrow: { x: 1 },
      ...given,
    });
    const ran = spawnSync(process.execPath, [join(DIST, "cli/bin.js"), "hook", host, event], {
      input,
      env,
      encoding: "utf8",
    });
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    const answer = ran.stdout === "" ? {} : object(JSON.parse(ran.stdout));
    said += string(answer["systemMessage"]) ?? "";
    return answer;
  };
  return {
    session,
    born: async (text, tool = "Bash") =>
      spelling.shownIn(
        hook(spelling.after, { tool_name: tool, tool_input: {}, tool_response: spelling.response(text) }),
      ),
    guard: async (content) =>
      spelling.refusedIn(hook(spelling.before, { tool_name: "Write", tool_input: { content } })),
    said: () => said,
  };
}

for (const [name, spelling] of Object.entries(spellings))
  testHost(name as HostName, {
    open: async (situation) => byProcess(name as HostName, spelling, situation),
    fresh,
    readRef: name === "gemini-cli" ? "mcp_palimpsest_read_ref" : "mcp__palimpsest__read_ref",
  });

testHost("opencode", { open: openCode, fresh, readRef: "read_ref" });

async function openCode({ home, isOff }: HostSituation): Promise<HostDriver> {
  vi.stubEnv("PALIMPSEST_HOME", home);
  vi.stubEnv("PALIMPSEST_OFF", isOff ? "1" : "");
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
  type Module = { Palimpsest: (host: OpenCode, options: JsonObject) => Promise<Hooks> };
  const { Palimpsest } = (await import(`${DIST}/hosts/opencode/plugin.js?${++count}`)) as Module;
  // Born results and the guard ask OpenCode for nothing.
  const hooks = await Palimpsest({ directory: FOLDER } as OpenCode, { node: process.execPath });
  const used = (tool: string) => ({ tool, sessionID: "ses_1", callID: "c", args: {} });
  return {
    session: "ses_1",
    async born(text, tool = "bash") {
      const output: AfterTool = { output: text };
      await hooks["tool.execute.after"]?.(used(tool), output);
      return output.output === text ? undefined : output.output;
    },
    guard: async (content) => {
      const before = hooks["tool.execute.before"]?.(used("write"), { args: { content } });
      return before?.then(
        () => undefined,
        (error: Error) => error.message,
      );
    },
    said: () => said.mock.calls.flat().join("\n"),
  };
}

testHost("pi", { open: openPi, fresh, readRef: "read_ref" });

async function openPi({ home, isOff }: HostSituation): Promise<HostDriver> {
  vi.stubEnv("PALIMPSEST_HOME", home);
  vi.stubEnv("PALIMPSEST_OFF", isOff ? "1" : "");
  const handlers = new Map<string, (event: unknown, context: PiContext) => Promise<unknown>>();
  const pi = {
    on: (event: string, handler: never) => void handlers.set(event, handler),
    registerTool: () => undefined,
    registerCommand: () => undefined,
  };
  const { default: extension } = (await import(`${DIST}/hosts/pi/extension.js?${++count}`)) as {
    default: (pi: Pi) => void;
  };
  extension(pi as unknown as Pi);
  let said = "";
  const context: PiContext = {
    cwd: FOLDER,
    sessionManager: { getSessionId: () => "s", getSessionFile: () => undefined },
    ui: {
      notify(message) {
        said += message;
      },
    },
  };
  const tell = async (event: string, given: JsonObject) =>
    object((await handlers.get(event)?.(given, context)) as JsonObject);
  return {
    session: "s",
    async born(text, toolName = "bash") {
      const given = { toolName, toolCallId: "t", input: {}, content: [{ type: "text", text }] };
      return string(object(list((await tell("tool_result", given))["content"])[0])["text"]);
    },
    guard: async (content) =>
      string((await tell("tool_call", { toolName: "write", input: { content } }))["reason"]),
    said: () => said,
  };
}

test("the event as the host said it rides along", () => {
  const raw = { session_id: "s", tool_name: "Bash", a_field_of_tomorrow: [1] };
  expect(toldBy("PostToolUse", raw).raw).toBe(raw);
});
