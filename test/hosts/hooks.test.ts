/** Hooks through their front door: the process a host starts, its standard input and what it prints. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { resultText } from "../../src/transcript/message.ts";
import { EXAMPLE, scratchFolder } from "../cli/run.ts";

const BIN = resolve(import.meta.dirname, "../../dist/cli/bin.js");
const FOLDER = scratchFolder();
const BIG = Array.from({ length: 3000 }, (_, index) => `${index} line "of" a log, ünï ${index * 7}`).join(
  "\n",
);
let count = 0;

function home(): string {
  count += 1;
  return join(FOLDER, `home-${count}`);
}

function hook(host: string, event: string, given: unknown, env: Record<string, string>) {
  const input = typeof given === "string" ? given : JSON.stringify(given);
  const ran = spawnSync(process.execPath, [BIN, "hook", host, event], {
    input,
    env: { PATH: process.env["PATH"] ?? "", HOME: FOLDER, ...env },
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
}

const base = { session_id: "s1", cwd: FOLDER, transcript_path: "/nowhere.jsonl" };
const bash = (stdout: string) => ({
  ...base,
  tool_name: "Bash",
  tool_use_id: "t1",
  tool_input: { command: "cat big.log" },
  tool_response: { stdout, stderr: "", interrupted: false },
});

async function textOf(folder: string, ref: string, session = "s1"): Promise<string | undefined> {
  const store = await openSqliteStore({ path: join(folder, "store.db") });
  const recall = await store.recall(session, ref);
  await store.close();
  if (recall.kind !== "found" || recall.original.part.type !== "tool-result") return undefined;
  return resultText(recall.original.part);
}

const refIn = (text: string) => /ref_[0-9a-hjkmnp-tv-z]{12}/.exec(text)?.[0] ?? "";

test("Codex: what a script of the model's asked for is the script's; blocking it would make the script fail", () => {
  const given = (id: string) => ({
    ...base,
    tool_name: "Bash",
    tool_use_id: id,
    tool_input: {},
    tool_response: BIG,
  });
  const env = { PALIMPSEST_HOME: home() };
  expect(hook("codex", "PostToolUse", given("exec-062e2efb"), env).out).toBe("");
  expect(hook("codex", "PostToolUse", given("call_1"), env).out).toContain('"decision":"block"');
});

describe("Claude Code", () => {
  test("a giant result is replaced in the tool's own shape, and its original is in the store", async () => {
    const folder = home();
    const { out } = hook("claude-code", "PostToolUse", bash(BIG), { PALIMPSEST_HOME: folder });
    const { hookSpecificOutput } = JSON.parse(out);
    expect(Object.keys(hookSpecificOutput.updatedToolOutput)).toEqual(["stdout", "stderr", "interrupted"]);
    expect(hookSpecificOutput.updatedToolOutput.stdout.length).toBeLessThan(BIG.length / 4);
    expect(await textOf(folder, refIn(out))).toBe(BIG);
  });

  test("of a result the host has cut, the file it kept is the original", async () => {
    const folder = home();
    const path = join(FOLDER, "whole.txt");
    writeFileSync(path, BIG);
    const cut = bash(BIG.slice(0, 30_000));
    const given = { ...cut, tool_response: { ...cut.tool_response, persistedOutputPath: path } };
    const { out } = hook("claude-code", "PostToolUse", given, { PALIMPSEST_HOME: folder });
    expect(await textOf(folder, refIn(out))).toBe(BIG);
  });

  test("a small result, an unknown shape, what was just read back, and nonsense are left alone without a word", () => {
    const env = { PALIMPSEST_HOME: home() };
    const quiet = { code: 0, out: "", err: "" };
    expect(hook("claude-code", "PostToolUse", bash("small"), env)).toEqual(quiet);
    expect(hook("claude-code", "PostToolUse", { ...bash(BIG), tool_name: "Grep" }, env)).toEqual(quiet);
    const ours = { ...bash(BIG), tool_name: "mcp__palimpsest__read_ref", tool_response: BIG };
    expect(hook("claude-code", "PostToolUse", ours, env)).toEqual(quiet);
    expect(hook("claude-code", "PostToolUse", "x".repeat(20_000), env)).toEqual(quiet);
    expect(hook("claude-code", "NoSuchEvent", {}, env)).toEqual(quiet);
    expect(hook("no-such-host", "PostToolUse", bash(BIG), env)).toEqual(quiet);
  });

  test("a call that would write a stub is refused; one that names a ref is not", () => {
    const env = { PALIMPSEST_HOME: home() };
    const write = (content: string) => ({
      ...base,
      tool_name: "Write",
      tool_input: { file_path: "a", content },
    });
    const stub = "⟦ref_ysz3h89hw4zw File: big.log; 34223 tokens; too large to show whole. Use read_ref.⟧";
    const { out } = hook("claude-code", "PreToolUse", write(stub), env);
    expect(JSON.parse(out).hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
    expect(out).toContain("ref_ysz3h89hw4zw");
    expect(hook("claude-code", "PreToolUse", write("see ref_ysz3h89hw4zw"), env).out).toBe("");
  });

  test("around a compaction everything is kept, the summarizer is told, and the page follows", async () => {
    const folder = home();
    const env = { PALIMPSEST_HOME: folder };
    const given = { ...base, transcript_path: EXAMPLE, trigger: "auto" };
    const before = hook("claude-code", "PreCompact", given, env).out;
    expect(before).toContain("Do not leave out or reword any of these");
    const after = JSON.parse(hook("claude-code", "SessionStart", { ...given, source: "compact" }, env).out);
    const page: string = after.hookSpecificOutput.additionalContext;
    for (const title of [
      "What the user said, in their words",
      "Constraints and Preferences",
      "Files Modified",
      "What can be read back",
    ])
      expect(page).toContain(title);
    expect(page.length).toBeLessThan(40_000);
    const store = await openSqliteStore({ path: join(folder, "store.db") });
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await store.source("s1"))?.chunks() ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(readFileSync(EXAMPLE))).toBe(true);
    expect((await store.recall("s1", refIn(page))).kind).toBe("found");
    await store.close();
  });

  test("the end of a session starts its grace period, and makes no store where there is none", async () => {
    const folder = home();
    const env = { PALIMPSEST_HOME: folder };
    hook("claude-code", "SessionEnd", base, env);
    expect(() => readFileSync(join(folder, "store.db"))).toThrow();
    hook(
      "claude-code",
      "SessionStart",
      { ...base, source: "startup" },
      { ...env, CLAUDE_PID: "4242", PALIMPSEST_PARENT: "p" },
    );
    expect(JSON.parse(readFileSync(join(folder, "live/4242.json"), "utf8"))).toEqual({
      session: "s1",
      cwd: FOLDER,
    });
    hook("claude-code", "SessionEnd", base, { ...env, CLAUDE_PID: "4242" });
    const store = await openSqliteStore({ path: join(folder, "store.db") });
    expect(await store.session("s1")).toMatchObject({
      parent: "p",
      cwd: FOLDER,
      endedAt: expect.any(Number),
    });
    await store.close();
    expect(() => readFileSync(join(folder, "live/4242.json"))).toThrow();
  });

  test("told to go on with the latest work of the folder, a session is its child, and stays that", async () => {
    const folder = home();
    const start = (session_id: string, cwd: string, parent?: string) =>
      hook(
        "codex",
        "SessionStart",
        { ...base, session_id, cwd, source: "startup" },
        { PALIMPSEST_HOME: folder, ...(parent === undefined ? {} : { PALIMPSEST_PARENT: parent }) },
      );
    start("first", FOLDER);
    start("elsewhere", "/");
    start("second", FOLDER, "latest");
    start("third", FOLDER);
    start("second", FOLDER, "latest");
    const store = await openSqliteStore({ path: join(folder, "store.db") });
    expect((await store.session("second"))?.parent).toBe("first");
    expect((await store.session("third"))?.parent).toBeUndefined();
    await store.close();
  });

  test("a store that cannot be opened is said once, and nothing is blocked", () => {
    const session_id = `broken-${process.pid}`;
    const env = { PALIMPSEST_HOME: "/dev/null/nowhere" };
    const first = hook("claude-code", "PostToolUse", { ...bash(BIG), session_id }, env);
    const again = hook("claude-code", "PostToolUse", { ...bash(BIG), session_id }, env);
    rmSync(join(tmpdir(), `palimpsest-failed-${session_id}`));
    expect(JSON.parse(first.out).systemMessage).toContain("Everything goes through as it is");
    expect([first.code, again.code, again.out]).toEqual([0, 0, ""]);
  });

  test("switched off, it does nothing", () => {
    const env = { PALIMPSEST_HOME: home(), PALIMPSEST_OFF: "1" };
    expect(hook("claude-code", "PostToolUse", bash(BIG), env)).toEqual({ code: 0, out: "", err: "" });
  });
});

describe("Codex", () => {
  test("a giant result is replaced by blocking it with the preview", async () => {
    const folder = home();
    const given = { ...bash(BIG), tool_response: BIG };
    const { out } = hook("codex", "PostToolUse", given, { PALIMPSEST_HOME: folder });
    expect(JSON.parse(out)).toMatchObject({ decision: "block" });
    expect(await textOf(folder, refIn(out))).toBe(BIG);
  });
});
