/** Seed 004: what the design promises, on conversations compacted for real. */
import { expect, test } from "vitest";
import { policyNamed } from "../../../src/plan/policies.ts";
import { marksOf, tokensIn } from "../../../src/plan/size.ts";
import { openSession } from "../../../src/session.ts";
import { extractive } from "../../../src/summarize/extractive.ts";
import type { Summarizer } from "../../../src/summarize/summarize.ts";
import type { Message } from "../../../src/transcript/message.ts";
import { conversation as spoken } from "../../anthropic-conversation.ts";
import { assistant, system, transcript, user } from "../../say.ts";
import { act, step, steps, text, textOf } from "./acting.ts";

const ion = policyNamed("ion");
const ROOM = { windowTokens: 200_000, outputTokens: 64_000 };

test('seed 004: "Trigger: 55% (~101K)", "Target: 45% (~83K)", "85% capacity, safety net"', () => {
  expect(marksOf(ion, ROOM)).toEqual({ full: 156_400, boundary: 101_200, target: 82_800 });
});

test('seed 004: "DeepSeek/Grok: Can trigger at 70%, target 60%", "Gemini: Conservative 50% trigger"', () => {
  const of = (model: string) => {
    const { boundary, target } = marksOf(ion, ROOM, model);
    return [boundary / 184_000, target / 184_000];
  };
  expect(of("deepseek-v3.2")).toEqual([0.7, 0.6]);
  expect(of("grok-4.20")).toEqual([0.7, 0.6]);
  expect(of("gemini-3-pro")[0]).toBe(0.5);
});

/** The model's answer takes a quarter of a window this small: 184,000 of 200,000 are 24,000 of 32,000. */
const WINDOW = 32_000;
const RULES = system("You are ion. Never push.");
const turn = (...messages: readonly Message[]) =>
  transcript(RULES, user("Fix the parser."), ...messages, user("Next task."));

test('seed 004: "Truncate tool outputs >2K to head+tail (~500 each)", tier 1, and no more where that is enough', async () => {
  const conversation = turn(...steps(3, 6_000), ...step("small", text(1_000, "small")), ...steps(2, 300, 10));
  const { outcome, said } = await act(conversation, "ion", { windowTokens: WINDOW });
  if (outcome.kind !== "compacted") throw new Error(outcome.detail);
  expect(outcome.compaction.page).toBeUndefined();
  expect(said[3]).toContain("file 0 0 holds 0 of them");
  expect(said[3]).toContain("file 0 599 holds");
  expect(said[3]?.length).toBeLessThan(4_500);
  expect(said[9]).toBe(`user: ${text(1_000, "small")}`);
});

test('seed 004: "Remove old tool output content (keep path/command reference)", tier 2', async () => {
  const conversation = turn(...steps(16, 1_800), ...steps(2, 300, 20));
  const { outcome, said } = await act(conversation, "ion", { windowTokens: WINDOW });
  if (outcome.kind !== "compacted") throw new Error(outcome.detail);
  expect(outcome.compaction.page).toBeUndefined();
  expect(said[3]).toMatch(/src\/file0\.ts/);
  expect(said[3]).not.toContain("holds");
});

const PROSE = "This part is like the others and needs no change. ".repeat(15);

/** Many small steps: only a summary helps. */
const long = transcript(
  RULES,
  user("Hello! Port the parser, please. Never touch the lexer."),
  ...step("edit", "updated", {
    name: "Edit",
    input: { file_path: "src/parse.rs", old_string: "a", new_string: "b" },
  }),
  ...step("fail", "error[E0502]: cannot borrow `x` as mutable", {
    name: "Bash",
    input: { command: "cargo test" },
    isError: true,
  }),
  assistant(
    "The direct borrow does not work here. I decided to use Arc, because the tool executor is shared.",
  ),
  user("Thanks!"),
  ...Array.from({ length: 120 }, (_, id) => step(id, text(30), { says: PROSE })).flat(),
  assistant("The parser is ported."),
  user("Thank you. Now the printer."),
);
const OVER = { windowTokens: WINDOW };

test('seed 004: "Stable Prefix (cached, never modified)"', async () => {
  const { outcome } = await act(long, "ion", OVER);
  expect(outcome.kind).toBe("compacted");
  expect(outcome.transcript.messages[0]).toBe(RULES);
});

test('seed 004: "Recent Window (~5-8K, message-aware)", "verbatim"', async () => {
  const { outcome, said } = await act(long, "ion", { ...OVER, trigger: "manual" });
  const page = said.findIndex((line) => line.includes("## Session Intent"));
  const recent = outcome.transcript.messages.slice(page + 1);
  expect(recent).toEqual(long.messages.slice(-recent.length));
  const characters = recent.map(textOf).join("").length;
  expect(characters / 4).toBeGreaterThan(3_000);
  expect(characters / 4).toBeLessThan(8_000);
});

test('seed 004: "Target: 45% (~83K) - small gap for frequent, invisible compactions": down to it, and no further', async () => {
  const { outcome, said } = await act(long, "ion", OVER);
  if (outcome.kind !== "compacted") throw new Error(outcome.detail);
  const room = { windowTokens: WINDOW, outputTokens: 8_000 };
  const { target } = marksOf(ion, room);
  const { tokensAfter, edits, page } = outcome.compaction;
  expect(tokensAfter).toBeLessThanOrEqual(target);
  // The page is counted at its largest before it is written.
  expect(tokensAfter).toBeGreaterThan(target - tokensIn(ion.summary.maxTokens, room));
  expect(page).toBeDefined();
  // "Usable: History + summaries": what did not have to fold stands between the summary and the recent window.
  const asked = (await act(long, "ion", { ...OVER, trigger: "manual" })).outcome;
  if (asked.kind !== "compacted") throw new Error(asked.detail);
  const folds = (of: readonly { readonly kind: string }[]) => of.filter(({ kind }) => kind === "fold").length;
  expect(folds(edits)).toBeLessThan(folds(asked.compaction.edits));
  expect(said.at(-1)).toBe("user: Thank you. Now the printer.");
});

test('seed 004: "Tool outputs truncated to ~500 tokens each" in the recent window', async () => {
  const conversation = transcript(
    ...long.messages.slice(0, -1),
    ...step("last", text(1_500, "tail")),
    ...steps(1, 100, 500),
    user("Go on."),
  );
  const { said } = await act(conversation, "ion", OVER);
  const cut = said.find((line) => line.includes("tail 0 holds")) ?? "";
  expect(cut).not.toBe("");
  expect(cut.length).toBeLessThan(2_600);
});

test("seed 004: the eight sections, in order, each filled or explicitly marked empty", async () => {
  const { said } = await act(long, "ion", OVER);
  const page = said.find((line) => line.includes("## Session Intent")) ?? "";
  expect([...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title).slice(0, 8)).toEqual([
    ...["Session Intent", "Current Task", "Files Modified", "Files Read (reference only)", "Key Decisions"],
    ...["Failed Approaches", "Errors Encountered", "Next Steps"],
  ]);
  for (const section of page.split(/^## /m).slice(1, 9))
    expect(section.split("\n")[1]).toMatch(/^(- |\(none\))/);
});

test('seed 004: "ALWAYS preserve failed approaches", "error messages (exact wording matters)", decisions with rationale; paths, not contents', async () => {
  const { said } = await act(long, "ion", OVER);
  const page = said.find((line) => line.includes("## Session Intent")) ?? "";
  expect(page).toMatch(/## Failed Approaches\n- .*direct borrow/);
  expect(page).toContain("cannot borrow `x` as mutable");
  expect(page).toMatch(/Arc, because the tool executor is shared/);
  expect(page).toMatch(/## Files Modified\n- `src\/parse\.rs`/);
  // "Scope by default": no file is pre-loaded; "Drop entirely: Greetings/pleasantries".
  expect(page).not.toContain("holds");
  expect(page).not.toContain("Thanks!");
});

test.each(["manual", "agent"] as const)(
  'seed 004: "Compression ratio | 3-5x | tokens_before / tokens_after", asked for (%s) in a context that fills the window',
  async (trigger) => {
    const { outcome } = await act(long, "ion", { ...OVER, trigger });
    if (outcome.kind !== "compacted") throw new Error(outcome.detail);
    const { tokensBefore, tokensAfter } = outcome.compaction;
    expect(tokensBefore).toBeGreaterThan(
      marksOf(ion, { windowTokens: WINDOW, outputTokens: 8_000 }).boundary,
    );
    expect(tokensBefore / tokensAfter).toBeGreaterThan(3);
    expect(tokensBefore / tokensAfter).toBeLessThan(5);
  },
);

test('seed 004: below the safety net it waits for a boundary: "Proactive > Reactive"', async () => {
  const between = { windowTokens: 45_000 };
  const working = transcript(...long.messages.slice(0, -2));
  expect((await act(working, "ion", between)).outcome.kind).toBe("unchanged");
  expect((await act(long, "ion", between)).outcome.kind).toBe("compacted");
});

test('seed 004: "Agent-initiated", "User command", "Fast model … Full model: User-triggered /compact with focus"', async () => {
  const writer = (name: string): Summarizer => ({
    name,
    write: async (input) => ({ ...(await extractive.write(input)), by: name }),
  });
  const options = { ...OVER, summarizer: writer("fast"), fullSummarizer: writer("full") };
  const by = async (trigger: "auto" | "manual" | "idle") => {
    const { outcome } = await act(long, "ion", { ...options, trigger });
    return outcome.kind === "compacted" ? outcome.compaction.summarizing?.by : outcome.because;
  };
  expect([await by("auto"), await by("idle"), await by("manual")]).toEqual(["fast", "fast", "full"]);
});

test('seed 004: "Compaction runs async, doesn\'t block agent … When result ready, swap compacted summary into context"', async () => {
  const session = await openSession({ policy: "ion", windowTokens: 40_000 });
  const messages = spoken(40);
  await session.prepare(messages);
  const ready = session.prepareAhead();
  // Nothing waits for it.
  expect((await session.prepare(messages)).outcome).toBeUndefined();
  await ready;
  const { outcome } = await session.prepare(messages);
  expect(outcome?.kind === "compacted" && outcome.compaction.trigger).toBe("idle");
});

test('seed 004: "Drop entirely: … Superseded code versions, Raw diffs (keep edited lines reference)"; "Full file contents (agent can re-read)"', async () => {
  const write = (id: string, body: string) =>
    step(id, "written", { name: "Write", input: { file_path: "src/lex.rs", content: body } });
  const diff =
    "diff --git a/src/lex.rs b/src/lex.rs\n@@ -1,2 +1,2 @@\n-fn first_version() {}\n+fn second_version() {}";
  const given = transcript(
    RULES,
    user("Write the lexer."),
    ...write("one", `fn first_version() {}\n${text(300, "old")}`),
    ...write("two", `fn second_version() {}\n${text(300, "new")}`),
    ...step("diff", diff, { name: "Bash", input: { command: "git diff" } }),
    ...Array.from({ length: 120 }, (_, id) => step(id, text(30), { says: PROSE })).flat(),
    assistant("Done."),
    user("Next."),
  );
  const { said, store } = await act(given, "ion", { ...OVER, trigger: "manual" });
  const page = said.find((line) => line.includes("## Session Intent")) ?? "";
  expect(page).toMatch(/## Files Modified\n- `src\/lex\.rs`/);
  for (const dropped of [
    "fn first_version() {}",
    "fn second_version() {}",
    "@@ -1,2",
    "old 1 holds",
    "new 1 holds",
  ])
    expect(page).not.toContain(dropped);
  // Dropped for the model; in the store all the same.
  const { rows } = await store.list("s", { limit: 1_000 });
  expect(rows.some(({ description }) => description.includes("git diff"))).toBe(true);
});
