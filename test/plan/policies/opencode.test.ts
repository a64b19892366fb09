/** Seed 003 on Open Code: what the text says of it, on conversations compacted for real. */
import { expect, test } from "vitest";
import { policyNamed } from "../../../src/plan/policies.ts";
import { marksOf } from "../../../src/plan/size.ts";
import { openSession } from "../../../src/session.ts";
import { memoryStore } from "../../../src/store/memory.ts";
import type { Json } from "../../../src/transcript/json.ts";
import { conversation as spoken, step as spokenStep } from "../../anthropic-conversation.ts";
import { assistant, transcript, user } from "../../say.ts";
import { AT, act, steps, text, timed } from "./acting.ts";

const CLEARED = "[Old tool result content cleared]";

const conversation = transcript(...timed([user("Go."), ...steps(10, 1_200)]));

test('seed 003: "older than 5 minutes get soft-trimmed (first 1,500 chars and last 1,500 chars kept, middle replaced with an ellipsis)"; "The last 3 assistant messages are never touched"', async () => {
  const { outcome, said } = await act(conversation, "opencode", { windowTokens: 40_000 });
  expect(outcome.kind).toBe("compacted");
  const whole = text(1_200, "file 0");
  expect(said[2]).toBe(`user: ${whole.slice(0, 1_500)}\n…\n${whole.slice(-1_500)}`);
  const trimmed = said.flatMap((line, index) => (line.includes("\n…\n") ? [(index - 2) / 2] : []));
  // The newest three responses and what came with them stay; the others are older than five minutes.
  expect(trimmed).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test("the same, all within the last five minutes: nothing is old", async () => {
  const recent = transcript(...timed([user("Go."), ...steps(10, 1_200)], 0.2));
  expect((await act(recent, "opencode", { windowTokens: 40_000 })).outcome.kind).toBe("unchanged");
});

test('seed 003: "or hard-cleared to a placeholder", over OpenClaw\'s hardClearRatio', async () => {
  const full = transcript(...timed([user("Go."), ...steps(14, 1_200)]));
  const { said } = await act(full, "opencode", { windowTokens: 30_000 });
  expect(said[2]).toBe(`user: ${CLEARED}`);
  expect(said.filter((line) => line.endsWith(CLEARED))).toHaveLength(11);
});

test('seed 003: "in-memory, per-request, non-persistent"; "not the transcript on disk"', async () => {
  const { outcome, store } = await act(conversation, "opencode", { windowTokens: 40_000 });
  expect(outcome.kind).toBe("compacted");
  expect(await store.ledger("s")).toEqual([]);
});

test('seed 003: "context window minus a 20k reserve floor"', () => {
  const room = { windowTokens: 200_000, outputTokens: 8_000 };
  expect(marksOf(policyNamed("opencode"), room).full).toBe(180_000);
});

test('seed 003: "roughly 40% of recent messages are preserved intact, 60% of older messages are summarized"', async () => {
  const messages = [user("Fix it."), ...steps(49, 100), assistant("Done.")];
  const { outcome } = await act(transcript(...messages), "opencode", {
    trigger: "manual",
    windowTokens: 200_000,
  });
  // Of a hundred forty stay behind the page; one more, where the cut would part a pair.
  expect(outcome.transcript.messages.length).toBeGreaterThanOrEqual(41);
  expect(outcome.transcript.messages.length).toBeLessThanOrEqual(42);
  expect(outcome.transcript.messages.slice(-40)).toEqual(messages.slice(-40));
});

test('seed 003: "If individual messages are large …, the preserved portion shrinks (down to a floor of 15%)"', async () => {
  const messages = [user("Fix it."), ...steps(49, 5_000), assistant("Done.")];
  const kept = async (windowTokens: number) =>
    (await act(transcript(...messages), "opencode", { trigger: "manual", windowTokens })).outcome.transcript
      .messages.length - 1;
  expect(await kept(1_000_000)).toBeGreaterThanOrEqual(40);
  expect(await kept(8_000)).toBeLessThanOrEqual(16);
  expect(await kept(8_000)).toBeGreaterThanOrEqual(15);
});

test('seed 003: "preserve decisions, TODOs, open questions, and any constraints"', async () => {
  const messages = [user("Fix it. Never touch the lexer."), ...steps(49, 100), assistant("Done.")];
  const { said } = await act(transcript(...messages), "opencode", { trigger: "manual" });
  const page = said.find((line) => line.includes("## Decisions")) ?? "";
  for (const heading of ["Decisions", "TODOs", "Open Questions", "Constraints"])
    expect(page).toContain(`## ${heading}`);
  expect(page).toContain("Never touch the lexer.");
});

test('seed 003: "Before compaction, Open Code can run a memory flush, a silent agentic turn"', async () => {
  const asked: string[] = [];
  const session = await openSession({
    policy: "opencode",
    windowTokens: 25_000,
    onFlush: async (instruction) => {
      asked.push(instruction);
    },
  });
  const { outcome } = await session.prepare(spoken(40));
  expect(outcome?.kind).toBe("compacted");
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain("Write what must outlast it into files");
});

test('seed 003: "in-memory, per-request, non-persistent", in a running session: what is five minutes old is trimmed for each request anew, and the ledger stays empty', async () => {
  const store = memoryStore();
  let minutes = 0;
  const session = await openSession({
    ...{ store, id: "s", policy: "opencode", windowTokens: 100_000, model: "claude-sonnet-4-5" },
    now: () => AT + minutes * 60_000,
  });
  const messages: Json[] = [{ role: "user", content: "Go." }];
  const trims: number[] = [];
  for (let id = 0; id < 12; id += 1) {
    messages.push(...spokenStep(id, 200));
    const before = JSON.stringify(messages);
    const prepared = await session.prepare(messages);
    trims.push(JSON.stringify(prepared.messages).split("\\n…\\n").length - 1);
    expect(JSON.stringify(messages)).toBe(before);
    minutes += 1;
  }
  expect((await store.ledger("s")).filter(({ kind }) => kind === "compaction")).toEqual([]);
  // Over 30 % of the window, results older than five minutes; the last three responses and what they got are untouched.
  expect(trims.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
  expect(trims.at(-1)).toBe(6);
  minutes -= 12;
  // Rewound to where nothing is old, nothing is cut.
  expect((await session.prepare(messages.slice(0, 3))).messages).toEqual(messages.slice(0, 3));
});
