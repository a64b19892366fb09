/** Seed 004's metrics, computed: each from a conversation of which one can count by hand what they must be. */
import { describe, expect, test } from "vitest";
import { estimatorFor } from "../src/measure/count.ts";
import { measure } from "../src/measure/measure.ts";
import { policyNamed } from "../src/plan/policies.ts";
import { type Quality, qualityOf } from "../src/quality.ts";
import type { Message, Transcript } from "../src/transcript/message.ts";
import { act, step, steps, text } from "./plan/policies/acting.ts";
import { assistant, transcript, user } from "./say.ts";

const counter = estimatorFor(undefined);
const totalOf = (of: Transcript) => measure(of, { counter }).total;

async function judged(before: Transcript, policy: string): Promise<Quality> {
  const { outcome } = await act(before, policy, { trigger: "manual", windowTokens: 20_000 });
  if (outcome.kind !== "compacted") throw new Error(outcome.detail);
  return qualityOf({
    policy: policyNamed(policy),
    before,
    after: outcome.transcript,
    tokensBefore: totalOf(before),
    tokensAfter: totalOf(outcome.transcript),
    overheadTokens: 0,
    compactions: [outcome.compaction],
    tokensOf: counter.part,
  });
}

const failing = [
  ...step("try", "error: unknown flag --short", {
    name: "Bash",
    input: { command: "bd status --short" },
    isError: true,
  }),
  ...step("ok", "three open", { name: "Bash", input: { command: "bd list" } }),
];
const long = transcript(
  user("Find out how many are open."),
  ...failing,
  assistant("Three are open."),
  user("Now read the rest. Never push."),
  ...steps(30, 400),
  assistant("All read."),
  user("And tell me the sum."),
);

describe("the metrics", () => {
  test("the ratio is of the prompt, and of what was replaced alone", async () => {
    const { compressionRatio, replaced } = await judged(long, "ion");
    const { outcome } = await act(long, "ion", { trigger: "manual", windowTokens: 20_000 });
    expect(compressionRatio).toBeCloseTo(totalOf(long) / totalOf(outcome.transcript), 1);
    expect(replaced?.ratio ?? 0).toBeGreaterThan(compressionRatio);
    const saved = (replaced?.tokensBefore ?? 0) - (replaced?.tokensAfter ?? 0);
    expect(Math.abs(saved - (totalOf(long) - totalOf(outcome.transcript)))).toBeLessThan(totalOf(long) / 20);
  });

  test("a failed approach is kept where the page states it, lost where the policy has no place for it", async () => {
    expect((await judged(long, "ion")).failedApproaches).toEqual({ found: 1, kept: 1 });
    expect((await judged(long, "nucleic")).failedApproaches).toEqual({ found: 1, kept: 0 });
  });

  test("a failure whose remedy stands behind the cut is stated all the same", async () => {
    const late = transcript(
      user("Read the rest."),
      ...steps(30, 400),
      ...failing,
      ...steps(1, 10, 80),
      assistant("Three are open."),
    );
    // The last five messages begin with the call that worked.
    const { said } = await act(late, "layered", { trigger: "manual", windowTokens: 200_000 });
    expect(said.at(-5)).toContain("bd list");
    expect(said[0]).toMatch(/Tried `bd status --short`.*instead `bd list`/);
  });

  test("sections are read off the page: filled, or marked empty", async () => {
    const { sections } = await judged(long, "ion");
    expect(sections?.missing).toEqual([]);
    expect([...(sections?.filled ?? []), ...(sections?.empty ?? [])]).toHaveLength(8);
    expect(sections?.filled).toContain("Failed Approaches");
    expect(sections?.empty).toContain("Files Modified");
    expect((await judged(long, "gemini-classic")).sections?.filled).toContain("overall_goal");
    expect((await judged(long, "pointerize")).sections).toBeNull();
  });

  test("the cache: what the provider reported, and how much of the next prompt begins as before", async () => {
    const usage = { uncachedTokens: 10, cacheReadTokens: 80, cacheWriteTokens: 10, outputTokens: 5 };
    const recorded = transcript(
      ...long.messages.map(
        (message): Message => (message.role === "assistant" ? { ...message, usage } : message),
      ),
    );
    const { cacheHitRate } = await judged(recorded, "pointerize");
    expect(cacheHitRate.recorded).toBe(0.8);
    // The first words and the two small steps stand; the first large result does not.
    expect(cacheHitRate.keptPrefix).toBeGreaterThan(0);
    expect(cacheHitRate.keptPrefix).toBeLessThan(0.1);
    expect((await judged(long, "pointerize")).cacheHitRate.recorded).toBeNull();
  });

  test("whether the task goes on is not claimed; whether the last request is there is seen", async () => {
    const verbatim = (await judged(long, "ion")).taskContinuation;
    expect(verbatim).toMatchObject({ successRate: null, lastRequest: "verbatim" });
    const answered = transcript(...long.messages, assistant(text(50)));
    expect((await judged(answered, "claude-code")).taskContinuation.lastRequest).toBe("quoted");
  });
});
