import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/transcript/json.ts";
import { type Handback, handed, work } from "./claude-code-conversation.ts";
import { BIN, compacting, FOLDER, started } from "./claude-code-engine.ts";

const BIG = Array.from({ length: 3000 }, (_, index) => `${index} line of a log, ünï ${index * 7}`).join("\n");

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
    const own = compacting(dispatch);
    const answer = (await dispatch("session.compact", { trigger: "auto", messages: rows }, own)) as {
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
    const due = { trigger: "auto", agentId: "a7", messages: rows };
    const answer = (await dispatch("session.compact", due, compacting(dispatch))) as { messages: Handback[] };
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
    const { dispatch, home, pid } = await started();
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
    const hook = (host: string) =>
      spawnSync(process.execPath, [BIN, "hook", "claude-code", "PostToolUse"], {
        input,
        env: { PATH: process.env["PATH"] ?? "", PALIMPSEST_HOME: home, CLAUDE_PID: host },
        encoding: "utf8",
      }).stdout;
    expect(hook(pid)).toBe("");
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
