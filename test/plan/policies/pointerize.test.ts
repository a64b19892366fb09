/** Seed 003, the three arms: what the experiments did, on conversations compacted for real. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { view } from "../../../src/apply/view.ts";
import { openSession } from "../../../src/session.ts";
import { openSqliteStore } from "../../../src/store/sqlite.ts";
import { check } from "../../../src/transcript/check.ts";
import { resultText, type Transcript } from "../../../src/transcript/message.ts";
import { refOf } from "../../../src/transcript/ref.ts";
import { scratchFolder } from "../../cli/run.ts";
import { assistant, call, result, transcript, user } from "../../say.ts";
import { act, step, steps, text, textOf } from "./acting.ts";

const analysis = `The pool never closes, because end() is not awaited. ${text(400, "thought")}`;

/** Ten messages of the old 60 %, then as many as are kept. */
const conversation: Transcript = transcript(
  user("Why does the migration time out?"),
  ...step("config", text(400, "config"), { input: { file_path: "src/config.ts" } }),
  ...step("small", text(220, "small"), { input: { file_path: "src/small.ts" } }),
  ...step("tests", text(400, "test"), { name: "Bash", input: { command: "npx vitest run" } }),
  ...step("failed", `Error: database connection timeout\n${text(400, "trace")}`, {
    name: "Bash",
    input: { command: "npm run migrate" },
    isError: true,
  }),
  assistant(analysis),
  user("And then?"),
  ...steps(4, 400),
);
const ASKED = { trigger: "manual", windowTokens: 100_000 } as const;

test('seed 003: "intercepts tool results exceeding 300 tokens"; "150 and 500 both performed worse"', async () => {
  const cleared = async (policy: string) => {
    const { outcome } = await act(conversation, policy, ASKED);
    return outcome.kind === "compacted"
      ? outcome.compaction.edits.filter(({ kind }) => kind === "stub").length
      : 0;
  };
  // Of the old part: config, tests, failed and the analysis; small has about 200 tokens.
  expect(await cleared("pointerize")).toBe(4);
  expect(await cleared("pointerize:threshold=150")).toBe(5);
});

test('seed 003: "a markdown table at the end of context listing all refs"', async () => {
  const { said, store } = await act(conversation, "pointerize", ASKED);
  expect(said.at(-1)?.match(/^\| ref_/gm)).toHaveLength(4);
  // The recent 40 % stands before it, as it was.
  expect(said.slice(-7, -1)).toEqual(conversation.messages.slice(-6).map(textOf));
  // What comes later comes behind it: a table that moved with each request would break thinking made before.
  const later = transcript(...conversation.messages, ...steps(1, 50, 90));
  const seen = view(later, await store.ledger("s")).messages.map(textOf);
  expect(seen.slice(0, said.length)).toEqual(said);
  expect(seen.slice(said.length)).toEqual(later.messages.slice(-2).map(textOf));
  // The next one takes its place, again at the end, and lists all refs there are.
  const again = await act(transcript(...later.messages, ...steps(8, 400, 30)), "pointerize", {
    ...ASKED,
    store,
  });
  const tables = again.said.flatMap((line, index) => (/^\| ref_/m.test(line) ? [index] : []));
  expect(tables).toEqual([again.said.length - 1]);
  expect(again.said.at(-1)?.match(/^\| ref_/gm)?.length).toBeGreaterThan(4);
});

test("law 3: while a call waits for its result, the table stands before that call", async () => {
  const open = transcript(...conversation.messages, assistant(call("open", "Bash", { command: "make" })));
  const { said, outcome } = await act(open, "pointerize", ASKED);
  expect(said.at(-2)).toMatch(/^\| ref_/m);
  expect(said.at(-1)).toContain("make");
  expect(check(outcome.transcript, { as: "record", original: open })).toEqual([]);
});

test("law 3: in the middle of a step with sealed thinking, that step alone leaves too, and the table's page quotes its results", async () => {
  const [thinking, answer] = [
    { type: "thinking", text: "hm", signature: "seal" } as const,
    result("now", "the newest output, which the model waits for"),
  ];
  const working = transcript(
    ...conversation.messages,
    { role: "assistant", parts: [thinking, call("now", "Bash", { command: "make" })] },
    user(answer),
  );
  const { outcome, said, store } = await act(working, "pointerize", ASKED);
  if (outcome.kind !== "compacted") throw new Error(outcome.detail);
  expect(check(outcome.transcript, { as: "request", original: working })).toEqual([]);
  expect(outcome.compaction.edits.filter(({ kind }) => kind === "stub")).toHaveLength(4);
  expect(said.at(-1)).toMatch(/^user: [\s\S]*^\| ref_[\s\S]*the newest output, which the model waits for/m);
  expect((await store.recall("s", refOf(answer))).kind).toBe("found");
});

test('seed 003: semantic descriptions "File: src/config.ts", "Command output: npx vitest run", "Error: database connection timeout"', async () => {
  const { all } = await act(conversation, "pointerize", ASKED);
  expect(all).toContain("File: src/config.ts");
  expect(all).toContain("Command output: npx vitest run");
  expect(all).toContain("Error: database connection timeout");
});

test('seed 003: "Storing assistant messages as refs. The biggest single win"', async () => {
  const { all, store } = await act(conversation, "pointerize", ASKED);
  expect(all).not.toContain("thought 7 holds");
  const recalled = await store.recall("s", refOf({ type: "text", text: analysis }));
  expect(recalled.kind === "found" && recalled.original.part).toEqual({ type: "text", text: analysis });
});

test('seed 003: "four pointer formats: opaque IDs, titled …, preview (first 200 chars …), and a markdown table"', async () => {
  const stubOf = async (format: string) => {
    const { said } = await act(conversation, `pointerize:format=${format}`, ASKED);
    return { stub: said[2] ?? "", hasTable: said.some((line) => /^\| ref_/m.test(line)) };
  };
  const config = text(400, "config");
  const [opaque, titled, preview, table] = [
    await stubOf("opaque"),
    await stubOf("titled"),
    await stubOf("preview"),
    await stubOf("table"),
  ];
  expect(opaque.stub).toMatch(/ref_[0-9a-f]+/);
  expect(opaque.stub).not.toContain("config");
  expect(titled.stub).toContain("File: src/config.ts");
  expect(preview.stub).toContain(config.slice(0, 200));
  expect(preview.stub).not.toContain(config.slice(0, 260));
  expect([opaque, titled, preview, table].map(({ hasTable }) => hasTable)).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect(table.stub).toBe(opaque.stub);
});

test.each([
  ["read", ["read_ref"]],
  ["read+list", ["read_ref", "list_refs"]],
  ["read+search", ["read_ref", "search_refs"]],
  ["all", ["read_ref", "list_refs", "search_refs"]],
])('seed 003: "four tool configurations": %s', async (tools, names) => {
  const session = await openSession({ policy: `pointerize:interface=${tools}` });
  const given = session.tools.schemas
    .map(({ name }) => name)
    .filter((name) => name.endsWith("_ref") || name.endsWith("_refs"));
  expect(given.sort()).toEqual([...names].sort());
  // Nor does the table name a tool the model does not have.
  const many = transcript(user("Go."), ...steps(200, 320));
  const { all } = await act(many, `pointerize:interface=${tools}`, { ...ASKED, windowTokens: 20_000 });
  const named = ["list_refs", "search_refs"].filter((name) => all.includes(name));
  expect(names).toEqual(expect.arrayContaining(named));
  expect(named).toHaveLength(names.length > 1 ? 1 : 0);
});

test('seed 003: "read the ref, evaluate whether you have enough, read more if not, then answer", or passively', async () => {
  expect((await act(conversation, "pointerize", ASKED)).all).toMatch(
    /read its ref[\s\S]*read more[\s\S]*then answer/,
  );
  expect((await act(conversation, "pointerize:prompt=passive", ASKED)).all).toMatch(
    /if you need more detail/,
  );
});

test('seed 003: "stores the full content in SQLite keyed by content hash"; "Pointerize … the originals stay retrievable"', async () => {
  const path = join(scratchFolder(), "refs.sqlite");
  const store = await openSqliteStore({ path });
  const again = transcript(...conversation.messages, ...steps(8, 400, 30));
  await act(conversation, "pointerize", { ...ASKED, store });
  await act(again, "pointerize", { ...ASKED, store });
  for (const message of conversation.messages)
    for (const part of message.parts) {
      if (part.type !== "tool-result" || resultText(part).length < 2_000) continue;
      const recalled = await store.recall("s", refOf(part));
      expect(recalled.kind === "found" && recalled.original.part).toMatchObject({ output: part.output });
    }
  expect(refOf(result("a", "same"))).toBe(refOf(result("b", "same")));
  await store.close();
  rmSync(path, { force: true });
});

test('seed 003: "Summarize — the baseline. An LLM rewrites the conversation as a condensed summary": nothing to read back', async () => {
  const { all, outcome, store } = await act(conversation, "summarize", ASKED);
  expect(all).not.toMatch(/^\| ref_/m);
  expect(all).not.toContain("ref_");
  const session = await openSession({ policy: "summarize" });
  expect(session.tools.schemas.map(({ name }) => name)).toEqual(["compact"]);
  expect(outcome.transcript.messages.slice(-6)).toEqual(conversation.messages.slice(-6));
  // Lossy in what the model sees; nothing is lost in the store.
  expect((await store.list("s", { limit: 100 })).rows.length).toBeGreaterThan(4);
});

test('seed 003: "Hybrid — LLM summary with the pointer table appended"', async () => {
  const { said } = await act(conversation, "hybrid", ASKED);
  const page = said.find((line) => line.includes("## Session Intent")) ?? "";
  expect(page.indexOf("## Session Intent")).toBeLessThan(page.search(/^\| ref_/m));
});

test('seed 003: "Session-scoped cleanup: SQLite entries expire when the session ends"', async () => {
  const { store } = await act(conversation, "pointerize", ASKED);
  const ref = refOf({ type: "text", text: analysis });
  expect((await store.recall("s", ref)).kind).toBe("found");
  await store.endSession("s", 1);
  await store.collect({ now: Date.UTC(2030, 0), graceMs: 1, isDryRun: false });
  expect((await store.recall("s", ref)).kind).not.toBe("found");
});
