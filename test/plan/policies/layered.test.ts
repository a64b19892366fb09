/** Seed 002: what the text promises, on conversations compacted for real. Its tokens are four for three characters. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { accountingOf } from "../../../src/accounting.ts";
import { policyNamed } from "../../../src/plan/policies.ts";
import { marksOf } from "../../../src/plan/size.ts";
import { openSession } from "../../../src/session.ts";
import { memoryStore } from "../../../src/store/memory.ts";
import { openSpool } from "../../../src/store/spool.ts";
import { extractive } from "../../../src/summarize/extractive.ts";
import type { SummarizeInput, Summarizer } from "../../../src/summarize/summarize.ts";
import type { Message } from "../../../src/transcript/message.ts";
import { openWorkspace } from "../../../src/workspace.ts";
import { conversation as spoken } from "../../anthropic-conversation.ts";
import { assistant, system, transcript, user } from "../../say.ts";
import { act, step, text, textOf } from "./acting.ts";

const COMPACTED = "[Output compacted - re-read if needed]";
const scratch = mkdtempSync(join(tmpdir(), "palimpsest-layered-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** So many of its tokens: `len(text) * 4 // 3`. */
const chars = (tokens: number) => "x".repeat(Math.ceil((tokens * 3) / 4));

test('seed 002: "For 200K window: 200000 - 16384 - 13000 = 170616"; the cap "prevents models with very large max_output from triggering … too early"', () => {
  const fullAt = (outputTokens: number) =>
    marksOf(policyNamed("layered"), { windowTokens: 200_000, outputTokens }).full;
  expect([fullAt(16_384), fullAt(64_000)]).toEqual([170_616, 167_000]);
});

test('seed 002: "Keep last 3 tool results. Replace older results"; "> 1000" tokens; COMPACTABLE_TOOLS; "only the content is cleared"', async () => {
  const conversation = transcript(
    user("Go."),
    ...step(1, chars(1_004), { name: "read_file", input: { path: "a.ts" } }),
    ...step(2, chars(999), { name: "bash", input: { command: "ls" } }),
    ...step(3, chars(5_000), { name: "grep_search", input: { pattern: "x" } }),
    ...step(4, chars(2_000), { name: "edit_file", input: { path: "a.ts" } }),
    ...step(5, chars(2_000), { name: "read_file", input: { path: "b.ts" } }),
    ...step(6, chars(2_000), { name: "read_file", input: { path: "c.ts" } }),
    ...step(7, chars(2_000), { name: "bash", input: { command: "make" } }),
  );
  const { outcome, said } = await act(conversation, "layered", { windowTokens: 200_000 });
  const isCleared = said.flatMap((line, index) => (line.includes(COMPACTED) ? [index] : []));
  // Results stand at 2, 4, …; of the seven the first and the fourth are old, large and of a compactable tool.
  expect(isCleared).toEqual([2, 8]);
  expect(said[1]).toContain('read_file({"path":"a.ts"})');
  expect(outcome.kind === "compacted" && outcome.originals.length).toBe(2);
});

test('seed 002: "Every agent turn"; "Microcompact … Invisible", the auto-compact notice', async () => {
  const notices: string[] = [];
  const session = await openSession({
    policy: "layered",
    windowTokens: 200_000,
    onNotice: (notice) => notices.push(notice),
  });
  const cleared: number[] = [];
  for (const steps of [3, 4, 5, 6]) {
    const { messages } = await session.prepare(spoken(steps));
    cleared.push(JSON.stringify(messages).split(COMPACTED).length - 1);
  }
  expect(cleared).toEqual([0, 1, 2, 3]);
  await session.compact();
  expect(notices.at(-1)).toMatch(/^Compacted: \d+ → \d+ tokens/);
});

/** Over its threshold at a window of 60,000: 60,000 − 13,000 − what the model answers, in its own tokens. */
const filler = (count: number, tokensEach: number): readonly Message[] =>
  Array.from({ length: count }, (_, index) =>
    step(index, text(tokensEach, `part ${index}`), { name: "search_docs", input: { query: `q${index}` } }),
  ).flat();

const long = transcript(
  system("You are the agent."),
  user("Port the parser to Rust. Keep the tests green."),
  ...filler(20, 800),
  assistant("That is all of the documentation."),
  user("Now write it."),
);
const OVER = { windowTokens: 60_000 };

test('seed 002: "compaction is skipped if the estimated savings are too small"', async () => {
  const recent = transcript(user("Read it all."), ...filler(1, 200), ...filler(2, 9_000));
  const { outcome } = await act(recent, "layered", OVER);
  expect(outcome.kind).toBe("unchanged");
  expect((await act(long, "layered", OVER)).outcome.kind).toBe("compacted");
});

test('seed 002: user "[Conversation compressed]", assistant "Understood. …", messages[-5:]; "not into the system prompt"', async () => {
  const { outcome, said } = await act(long, "layered", OVER);
  const { messages } = outcome.transcript;
  expect(messages[0]).toBe(long.messages[0]);
  expect(said[1]).toMatch(/^user: \[Conversation compressed\]\n/);
  expect(said[2]).toBe("assistant: Understood. Continuing with compressed context.");
  expect(messages.slice(-4)).toEqual(long.messages.slice(-4));
  // Five would begin with a result whose call is gone: its call stays with it.
  expect(said.slice(3)).toEqual(long.messages.slice(-6).map(textOf));
  for (const heading of ["Goals", "Actions", "Decisions", "Current State"])
    expect(said[1]).toContain(`## ${heading}`);
});

test('seed 002: "Save full transcript to disk (never lost)", JSONL, before anything', async () => {
  const spool = openSpool(join(scratch, "spool"));
  const { outcome } = await act(long, "layered", { ...OVER, spool });
  if (outcome.kind !== "compacted") throw new Error(outcome.detail);
  const saved = outcome.files.find(({ path }) => path.endsWith(".jsonl"));
  const lines = readFileSync(saved?.path ?? "", "utf8")
    .trim()
    .split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(long.messages);
});

test('seed 002: MAX_RESTORE_FILES 5, 5000 tokens per file; "Walk messages backward, collect unique file paths"; inside the workspace', async () => {
  const root = join(scratch, "work");
  mkdirSync(join(root, "src"), { recursive: true });
  for (let id = 0; id < 8; id += 1)
    writeFileSync(join(root, `src/file${id}.ts`), `export const now${id} = ${id};\n`);
  writeFileSync(join(root, "src/file7.ts"), `export const now7 = 7;\n${text(20_000)}`);
  writeFileSync(join(scratch, "secret.txt"), "outside");
  const reads = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((id) => step(id, `then ${id}`));
  const outside = step("x", "outside", { input: { file_path: "../secret.txt" } });
  const conversation = transcript(
    ...long.messages,
    ...reads,
    ...step("again", "then 5", { input: { file_path: "src/file5.ts" } }),
    ...outside,
    ...filler(4, 10),
    user("Go on."),
  );
  const { said } = await act(conversation, "layered", { ...OVER, workspace: openWorkspace(root) });
  const page = said.find((line) => line.includes("[Conversation compressed]")) ?? "";
  const restored = [...page.matchAll(/export const now(\d)/g)].map(([, id]) => id);
  expect(restored).toEqual(["5", "7", "6", "4", "3"]);
  expect(page).not.toContain("outside");
  // 5,000 of its tokens are 3,750 characters.
  expect(page.length).toBeLessThan(12_000);
});

test('seed 002: "Output too large. Saved to: {path}", the first 2,000 characters as preview', async () => {
  const spool = openSpool(join(scratch, "large"));
  const giant = text(20_000, "log");
  const conversation = transcript(
    user("Run it."),
    ...step(1, giant, { name: "bash", input: { command: "make" } }),
  );
  const { outcome, said } = await act(conversation, "layered", {
    windowTokens: 200_000,
    trigger: "arrival",
    spool,
  });
  const [, path = "", head = ""] =
    /^user: Output too large\. Saved to: (\S+)\nPreview:\n([\s\S]*)\.\.\.$/.exec(said[2] ?? "") ?? [];
  expect(head).toBe(giant.slice(0, 2_000));
  expect(outcome.kind).toBe("compacted");
  expect(readFileSync(path, "utf8")).toBe(giant);
});

test('seed 002: "User-specified focus. Same mechanism, custom prompt."', async () => {
  const asked: SummarizeInput[] = [];
  const listening: Summarizer = {
    name: "listening",
    write: (input) => {
      asked.push(input);
      return extractive.write(input);
    },
  };
  await act(long, "layered", {
    windowTokens: 1_000_000,
    trigger: "manual",
    focus: "the grammar",
    summarizer: listening,
  });
  expect(asked[0]).toMatchObject({
    focus: "the grammar",
    form: { prompt: expect.stringContaining("goals, actions") },
  });
});

test('seed 002: "subagents have their own context windows, and run compression independently"; "Resume from summary or transcript"', async () => {
  const store = memoryStore();
  const parent = await openSession({ store, id: "parent", policy: "layered", windowTokens: 60_000 });
  const child = await openSession({
    store,
    id: "child",
    parent: "parent",
    policy: "layered",
    windowTokens: 60_000,
  });
  const task = spoken(40);
  const prepared = await child.prepare(task);
  expect(prepared.outcome?.kind).toBe("compacted");
  expect(await store.ledger("parent")).toEqual([]);
  await parent.prepare(spoken(2));
  const resumed = await openSession({ store, id: "child", policy: "layered", windowTokens: 60_000 });
  expect((await resumed.prepare(task)).messages).toEqual(prepared.messages);
  // From the transcript: the compaction is taken back, and all of it is there again.
  const wide = await openSession({ store, id: "child", policy: "none", windowTokens: 60_000 });
  await wide.prepare(task);
  while (await wide.undo());
  expect((await wide.prepare(task)).messages).toEqual(task);
});

test('seed 002: "len(text) * 4 // 3 … a conservative overestimate"; what is reported is measured as for everybody', async () => {
  const counted = accountingOf(policyNamed("layered"), { model: undefined, calibration: undefined });
  expect(counted.tokensOfText("x".repeat(3_000))).toBe(4_000);
  const { outcome } = await act(long, "layered", OVER);
  if (outcome.kind !== "compacted") throw new Error(outcome.detail);
  expect(outcome.compaction.tokensBefore).toBeLessThan(counted.totalOf(long) / 3);
});
