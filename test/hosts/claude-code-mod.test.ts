/**
 * Our mod as Claude Code runs it, around it an engine that only dispatches: hooks are called with `$`, the event and `next`,
 * and `$.process.run` starts the real process. The real engine is in `npm run conformance`.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { JsonObject } from "../../src/transcript/json.ts";
import { scratchFolder } from "../cli/run.ts";
import { type Handback, handed, work } from "./claude-code-conversation.ts";

const BIN = resolve(import.meta.dirname, "../../dist/cli/bin.js");
const FOLDER = scratchFolder();
const BIG = Array.from({ length: 3000 }, (_, index) => `${index} line of a log, ünï ${index * 7}`).join("\n");
let count = 0;

type Hook = (
  $: unknown,
  event: JsonObject,
  next: (event: JsonObject) => Promise<unknown>,
) => Promise<unknown>;
interface Registered {
  readonly event: string;
  readonly matcher: JsonObject;
  readonly hook: Hook;
}

interface Starting {
  readonly env?: Record<string, string>;
  readonly isInteractive?: boolean;
  /** Whether our process can be started. */
  readonly isReachable?: boolean;
}

/** A session with the mod in it; each has its own copy of the module, as each process of Claude Code has. */
async function started({ env = {}, isInteractive = false, isReachable = true }: Starting = {}) {
  count += 1;
  const home = join(FOLDER, `home-${count}`);
  const said: string[] = [];
  const tools: string[] = [];
  const compacted: JsonObject[] = [];
  const state = { isReachable, window: 200_000, request: [] as readonly JsonObject[] };
  const engine = {
    session: {
      id: async () => "s1",
      cwd: async () => FOLDER,
      model: async () => "claude-sonnet-4-5",
      info: async () => ({ transcriptPath: join(home, "s1.jsonl") }),
      usage: async () => ({ context: { window: state.window } }),
      messages: async () => state.request,
      compact: async (how: JsonObject) => {
        compacted.push(how);
        return {};
      },
    },
    tool: {
      register: async (tool: { name: string; isDeferred: boolean }) =>
        tools.push(`${tool.name} ${tool.isDeferred}`),
    },
    command: { register: async () => undefined },
    process: {
      hookEnv: async () => ({ CLAUDE_PID: `77${count}` }),
      run: async (
        argv: readonly string[],
        { stdin, env: own }: { stdin: string; env: Record<string, string> },
      ) => {
        if (!state.isReachable) throw new Error("spawn palimpsest ENOENT");
        const ran = spawnSync(process.execPath, [BIN, ...argv.slice(1)], {
          input: stdin,
          env: { PATH: process.env["PATH"] ?? "", PALIMPSEST_HOME: home, ...own },
          encoding: "utf8",
          maxBuffer: 1 << 26,
        });
        return { exitCode: ran.status ?? 1, stdout: ran.stdout, stderr: ran.stderr };
      },
    },
    env: { get: async (name: string) => env[name] },
    ui: { log: (text: string) => said.push(text) },
  };
  vi.resetModules();
  const { register } = await import("../../plugins/claude-code/hooks/register.ts");
  const hooks: Registered[] = [];
  const on = (event: string, ...rest: readonly unknown[]) => {
    const [matcher, hook] = rest.length === 2 ? rest : [{}, rest[0]];
    hooks.push({ event, matcher: matcher as JsonObject, hook: hook as Hook });
  };
  register(on as never);
  const dispatch = async (event: string, e: JsonObject, core: (e: JsonObject) => unknown = () => "core") => {
    const found = hooks.find(
      (one) =>
        one.event === event &&
        Object.entries(one.matcher).every(([key, value]) => key === "command" || e[key] === value),
    );
    return found ? found.hook(engine, e, async (passed) => core(passed)) : core(e);
  };
  await dispatch("session.start", { cwd: FOLDER, isInteractive });
  return { dispatch, said, tools, compacted, state, home };
}

const appended = (content: string, more: JsonObject = {}) => ({
  door: "tool-result",
  origin: { kind: "tool", tool: "Bash" },
  message: { type: "user", content: [{ type: "tool_result", tool_use_id: "t1", content, ...more }] },
});
const contentOf = (e: unknown) => (e as ReturnType<typeof appended>).message.content[0];
const refIn = (text: string) => /ref_[0-9a-hjkmnp-tv-z]{12}/.exec(text)?.[0] ?? "";

describe("our mod in Claude Code", () => {
  test("the tools are in sight; compacting on request only where somebody sits", async () => {
    expect((await started()).tools).toEqual(["read_ref false", "list_refs false"]);
    expect((await started({ isInteractive: true })).tools).toContain("compact false");
  });

  test("a giant result is stored short, a failing one too and stays a failure; read_ref has it whole", async () => {
    const { dispatch } = await started();
    await dispatch("tool.check", { tool: "Bash", tool_use_id: "t1", input: { command: "cat big.log" } });
    const block = contentOf(await dispatch("session.append", appended(BIG, { is_error: true }), (e) => e));
    expect(block).toMatchObject({ tool_use_id: "t1", is_error: true });
    expect(block?.content).toContain("⟦ref_");
    expect(block?.content).toContain("File: big.log");
    expect(block?.content.length).toBeLessThan(BIG.length / 4);
    const tool = "mcp__palimpsest__read_ref";
    const call = { tool, tool_use_id: "t2", ref: refIn(block?.content ?? ""), lines: "1500-1501" };
    const answer = JSON.stringify(await dispatch("tool.run", call));
    expect(answer).toContain("1499 line of a log, ünï 10493");
  });

  test("of an output Claude Code has put into a file, that file is the original, if it is one of this session's", async () => {
    const { dispatch, home } = await started();
    const note = (path: string) =>
      appended(
        `<persisted-output>\nOutput too large (99KB). Full output saved to: ${path}\n\nPreview (first 2KB):\n0 line\n...`,
      );
    const put = (path: string) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, BIG);
      return path;
    };
    const own = put(join(home, "s1/tool-results/b1.txt"));
    const foreign = put(join(home, "elsewhere/secret.txt"));
    expect(contentOf(await dispatch("session.append", note(own), (e) => e))?.content).toContain("⟦ref_");
    expect(contentOf(await dispatch("session.append", note(foreign), (e) => e))?.content).toContain(
      "<persisted-output>",
    );
  });

  test("small results and what our own tools answered pass as they are", async () => {
    const { dispatch } = await started();
    const small = appended("small");
    expect(await dispatch("session.append", small, (e) => e)).toBe(small);
    const ours = { ...appended(BIG), origin: { kind: "tool", tool: "mcp__palimpsest__read_ref" } };
    expect(await dispatch("session.append", ours, (e) => e)).toBe(ours);
  });

  test("a call that would write a stub is refused, our own are allowed, others are not ours to judge", async () => {
    const { dispatch } = await started();
    const write = (content: string) => ({
      tool: "Write",
      tool_use_id: "t",
      input: { file_path: "a", content },
    });
    const stub = "⟦ref_ysz3h89hw4zw File: big.log; 34223 tokens; too large to show whole. Use read_ref.⟧";
    const refused = await dispatch("tool.check", write(stub));
    expect(refused).toMatchObject({ decision: "deny", reason: expect.stringContaining("ref_ysz3h89hw4zw") });
    expect(await dispatch("tool.check", write("see ref_ysz3h89hw4zw"))).toBe("core");
    expect(await dispatch("tool.check", { tool: "mcp__palimpsest__read_ref", input: {} })).toEqual({
      decision: "allow",
    });
  });

  test("a compaction is answered without the engine's own, and the user is told what left", async () => {
    const { dispatch, said, state } = await started();
    const { rows, request } = handed(["never touch the port 48213", ...work(10, 20)]);
    state.request = request;
    const answer = (await dispatch("session.compact", { trigger: "auto", messages: rows })) as {
      messages: Handback[];
    };
    expect(answer.messages.length).toBeLessThan(rows.length);
    expect(answer.messages.some(({ text }) => text.startsWith("# Earlier work, folded"))).toBe(true);
    expect(said).toEqual([expect.stringMatching(/compacted .* no model asked/)]);
    expect(await dispatch("session.compact", { trigger: "precompute", messages: rows })).toHaveProperty(
      "skip",
    );
  });

  test("a subagent's is its own session's, which reads its parent's refs and the other way round", async () => {
    const { dispatch, state, home } = await started();
    const { rows, request } = handed(["look", ...work(10, 20)]);
    state.request = request;
    const answer = (await dispatch("session.compact", {
      trigger: "auto",
      agentId: "a7",
      messages: rows,
    })) as {
      messages: Handback[];
    };
    const page = answer.messages.find(({ text }) => text.startsWith("# Earlier work"))?.text ?? "";
    const tool = "mcp__palimpsest__read_ref";
    const call = { tool, tool_use_id: "t", ref: refIn(page.slice(page.indexOf("## What can be read back"))) };
    for (const agentId of [undefined, "a7"])
      expect(await dispatch("tool.run", { ...call, ...(agentId ? { agentId } : {}) })).toHaveProperty(
        "result",
      );
    expect(readFileSync(join(home, "store.db")).length).toBeGreaterThan(0);
  });

  test("compacting on request waits for the turn's end", async () => {
    const { dispatch, compacted } = await started({ isInteractive: true });
    const call = { tool: "mcp__palimpsest__compact", tool_use_id: "t", focus: "the ports" };
    expect(await dispatch("tool.run", call)).toHaveProperty("result");
    expect(compacted).toEqual([]);
    await dispatch("turn.complete", { agentId: "a7" });
    expect(compacted).toEqual([]);
    await dispatch("turn.complete", {});
    await dispatch("turn.complete", {});
    expect(compacted).toEqual([{ instructions: "the ports" }]);
  });

  test("the twins of our tools on the MCP server are out of sight, and hook processes leave the work to us", async () => {
    const { dispatch, home } = await started();
    const pool = { value: [{ name: "Bash" }, { name: "mcp__plugin_palimpsest_palimpsest__read_ref" }] };
    expect(await dispatch("tool.list", {}, () => pool)).toEqual({ value: [{ name: "Bash" }] });
    const input = JSON.stringify({
      session_id: "s1",
      cwd: FOLDER,
      tool_name: "Bash",
      tool_use_id: "t1",
      tool_input: { command: "cat big.log" },
      tool_response: { stdout: BIG, stderr: "", interrupted: false },
    });
    const hook = (pid: string) =>
      spawnSync(process.execPath, [BIN, "hook", "claude-code", "PostToolUse"], {
        input,
        env: { PATH: process.env["PATH"] ?? "", PALIMPSEST_HOME: home, CLAUDE_PID: pid },
        encoding: "utf8",
      }).stdout;
    expect(hook(`77${count}`)).toBe("");
    expect(hook("1")).toContain("updatedToolOutput");
  });

  test("where our process cannot be asked, everything passes as it is, and that is said once", async () => {
    const { dispatch, said, state } = await started();
    state.isReachable = false;
    const giant = appended(BIG);
    const { rows } = handed(["look", ...work(10, 20)]);
    const compact = { trigger: "auto", messages: rows };
    expect(await dispatch("session.append", giant, (e) => e)).toBe(giant);
    expect(await dispatch("session.compact", compact, (e) => e)).toBe(compact);
    expect(await dispatch("session.append", giant, (e) => e)).toBe(giant);
    expect(said).toEqual([expect.stringContaining("Everything goes through as it is")]);
  });

  test("switched off, or never reached, it is as if we were not there", async () => {
    for (const how of [{ env: { PALIMPSEST_OFF: "1" } }, { isReachable: false }]) {
      const { dispatch, tools } = await started(how);
      const giant = appended(BIG);
      const { rows } = handed(["look", ...work(10, 20)]);
      const compact = { trigger: "auto", messages: rows };
      expect(tools).toEqual([]);
      expect(await dispatch("session.append", giant, (e) => e)).toBe(giant);
      expect(await dispatch("session.compact", compact, (e) => e)).toBe(compact);
      expect(
        await dispatch("tool.list", {}, () => ({ value: [{ name: "mcp__plugin_palimpsest_x__read_ref" }] })),
      ).toEqual({
        value: [{ name: "mcp__plugin_palimpsest_x__read_ref" }],
      });
    }
  });
});
