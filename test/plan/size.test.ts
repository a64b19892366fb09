import { expect, test } from "vitest";
import { isDueAt } from "../../src/plan/plan.ts";
import { policyNamed } from "../../src/plan/policies.ts";
import { marksOf, tokensIn } from "../../src/plan/size.ts";

/** Formulas of the field, as `facts/harnesses.md` §2 evaluates them: the schema can say each. */
test.each([
  ["layered", { share: 1, reserveOutputUpToTokens: 20_000, minusTokens: 13_000 }, 200_000, 16_384, 170_616],
  ["opencode", { share: 1, reserveOutputUpToTokens: 32_000 }, 200_000, 64_000, 168_000],
  ["pi", { share: 1, minusTokens: 16_384 }, 200_000, 32_000, 183_616],
  ["gemini", { share: 0.5 }, 1_000_000, 32_000, 500_000],
  ["roo", { share: 0.9, minusTokens: 8_192 }, 200_000, 8_192, 171_808],
  ["anthropic", { share: 0, atLeastTokens: 150_000 }, 200_000, 32_000, 150_000],
  ["mastra", { share: 1, atMostTokens: 30_000 }, 200_000, 32_000, 30_000],
] as const)("%s", (_, size, windowTokens, outputTokens, tokens) => {
  expect(tokensIn(size, { windowTokens, outputTokens })).toBe(tokens);
});

test("the default policy: full at 0.8 of what can be sent, between turns at 0.7, down to 0.5", () => {
  const room = { windowTokens: 200_000, outputTokens: 64_000 };
  expect(marksOf(policyNamed("palimpsest"), room)).toEqual({
    full: 134_400,
    boundary: 117_600,
    target: 84_000,
  });
});

test("nucleic is due strictly over 80 %, and none never", () => {
  const due = (name: string, totalTokens: number) =>
    isDueAt(policyNamed(name), { totalTokens, windowTokens: 1_000, outputTokens: 100 });
  expect(due("nucleic", 800)).toBe(false);
  expect(due("nucleic", 801)).toBe(true);
  expect(due("none", 5_000)).toBe(false);
});

test("a model's own mark between turns holds for it alone", () => {
  const policy = policyNamed("palimpsest");
  const size = (share: number) => ({ share });
  const models = [
    { startsWith: "gpt", at: [size(0.9)], atBoundary: size(0.3) },
    { startsWith: "claude", at: [size(0.9)] },
  ];
  const own = { ...policy, trigger: { ...policy.trigger, at: [size(0.8)], atBoundary: size(0.6), models } };
  const room = { windowTokens: 1_000, outputTokens: 0 };
  expect(marksOf(own, room, "gpt-5").boundary).toBe(300);
  expect(marksOf(own, room, "claude-opus").boundary).toBe(600);
  expect(marksOf(own, room, "other").boundary).toBe(600);
});

test("a model can have marks of its own, and the largest of several can count", () => {
  const policy = policyNamed("palimpsest");
  const trigger = {
    at: [{ share: 0.8 }, { share: 1, minusTokens: 20 }],
    pick: "largest",
    models: [{ startsWith: "deepseek", at: [{ share: 0.7 }] }],
  } as const;
  const room = { windowTokens: 1_000, outputTokens: 0 };
  expect(marksOf({ ...policy, trigger }, room).full).toBe(980);
  expect(marksOf({ ...policy, trigger }, room, "deepseek-v3").full).toBe(700);
});
