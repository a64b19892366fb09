import { expect, test } from "vitest";
import { cacheStateOf, worthClearing } from "../../src/plan/rent.ts";
import type { Proposal } from "../../src/plan/situation.ts";
import { addressParts } from "../../src/transcript/ref.ts";
import { assistant, calls, gets, transcript, user } from "../say.ts";
import { situation } from "./plans.ts";

/** 1,000 tokens of result, then as many short answers as asked for; every message otherwise counts 1. */
function session(answers: number) {
  const talk = Array.from({ length: answers }, (_, index) => [
    user(`q${index}`),
    assistant(`a${index}`),
  ]).flat();
  const conversation = transcript(user("hi"), calls("1", "Read"), gets("1", "big"), ...talk);
  const tokens = { text: 1, "tool-call": 1, "tool-result": 1_000 } as Record<string, number>;
  return situation(conversation, { tokensOf: (part) => tokens[part.type] ?? 0 });
}

function clearable(of: ReturnType<typeof session>, since = 2): readonly Proposal[] {
  const [, , part] = addressParts(of.transcript);
  if (!part) throw new Error("no such part");
  const edit = { kind: "stub", at: part, why: "old", tokens: 960, text: "s" } as const;
  return [{ edit, place: { messageIndex: 2, partIndex: 0 }, since }];
}

test("clears once the rent paid has reached the price", () => {
  // Behind the edit stand 1,000 − 960 = 40 tokens of the stub and two for each question and answer.
  // Price with 4 answers: (40 + 8) × (1.25 − 0.1) = 55.2; rent: 960 × 4 requests × 0.1 = 384.
  const batch = worthClearing(session(4), clearable(session(4)));
  expect(batch.proposals).toHaveLength(1);
  expect(batch.price).toBeCloseTo(55.2);
  expect(batch.rent).toBeCloseTo(384);
});

test("waits while the suffix would cost more to write than reading the rest has cost", () => {
  // One answer since, and writing costs 10 a token: (40 + 2) × 9.9 = 415.8 against 960 × 1 × 0.1 = 96.
  const cache = { isCold: false, readPrice: 0.1, writePrice: 10 };
  expect(worthClearing(session(1), clearable(session(1)), cache).proposals).toEqual([]);
});

test("nobody has paid rent for what became clearable just now", () => {
  const given = session(3);
  expect(worthClearing(given, clearable(given, given.transcript.messages.length - 1)).proposals).toEqual([]);
});

test("a cold cache costs nothing to edit", () => {
  const given = session(1);
  const cache = { isCold: true, readPrice: 0.1, writePrice: 10 };
  const batch = worthClearing(given, clearable(given), cache);
  expect(batch.proposals).toHaveLength(1);
  expect(batch.price).toBe(0);
});

test("a small thing far up does not make the batch dear: it waits", () => {
  const given = session(4);
  const [first] = addressParts(given.transcript);
  const small: Proposal = {
    edit: { kind: "stub", at: first as NonNullable<typeof first>, why: "old", tokens: 1, text: "s" },
    place: { messageIndex: 0, partIndex: 0 },
    since: 0,
  };
  const cache = { isCold: false, readPrice: 0.1, writePrice: 2 };
  expect(worthClearing(given, [small, ...clearable(given)], cache).proposals).toEqual(clearable(given));
});

test("the cache is cold when its time has passed or the model is another", () => {
  const model = {
    prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWrite1h: 6 },
    cache: { kind: "marked", ttlMinutes: 5, longTtlMinutes: 60, minimumTokens: 1024 },
  } as const;
  const minutes = (idle: number, isModelSwitched = false, isLong = false) =>
    cacheStateOf(model, { idleMs: idle * 60_000, isModelSwitched, isLong });
  expect(minutes(4)).toEqual({ isCold: false, readPrice: 0.3, writePrice: 3.75 });
  expect(minutes(6).isCold).toBe(true);
  expect(minutes(1, true).isCold).toBe(true);
  expect(minutes(59, false, true)).toEqual({ isCold: false, readPrice: 0.3, writePrice: 6 });
  expect(minutes(61, false, true).isCold).toBe(true);
});
