/** Folding before the context is full, where reading on costs more. Prices as of Anthropic: reading 0.1, writing 1.25. */
import { expect, test } from "vitest";
import { viewOf } from "../../src/apply/view.ts";
import type { Compaction } from "../../src/plan/ledger.ts";
import { isWorthALook } from "../../src/plan/pays.ts";
import { makePlan, type PlanInput } from "../../src/plan/plan.ts";
import type { Policy } from "../../src/plan/policy.ts";
import { rentAndPrice } from "../../src/plan/rent.ts";
import type { Message, Part } from "../../src/transcript/message.ts";
import { assistant, call, gets, thinks, transcript, user } from "../say.ts";
import { committed, planFor, planInput, situation, small, totalOf } from "./plans.ts";

const LONG = "some words of output, nothing special\n".repeat(30);
const step = (n: number, ...before: readonly Part[]): readonly Message[] => [
  assistant(...before, `step ${n}`, call(`c${n}`, "Bash", { command: `make ${n}` })),
  gets(`c${n}`, `${n} ${LONG}`),
];
const steps = (count: number) => Array.from({ length: count }, (_, n) => step(n)).flat();

/** Down to 2,000 tokens, in a window that never fills. */
const paying = (patience: number): Policy => ({
  ...small,
  prune: [],
  trigger: { ...small.trigger, pays: { keep: { share: 1, atMostTokens: 2_000 }, patience } },
  tail: { folds: "steps", minSteps: 1 },
  summary: { ...small.summary, maxTokens: { share: 0, atLeastTokens: 10 }, table: { share: 0 } },
});
const roomy: Partial<PlanInput> = { windowTokens: 10_000_000, outputTokens: 0 };

/** After how many steps it folds first. */
function firstFold(patience: number, more: Partial<PlanInput> = {}): number {
  for (let count = 1; count <= 80; count += 1)
    if (
      planFor(transcript(user("go"), ...steps(count)), { ...roomy, policy: paying(patience), ...more }).page
    )
      return count;
  return Number.POSITIVE_INFINITY;
}

test("rent is what was read over the size a fold leaves, by every request; price is writing that anew", () => {
  const tokensOf = () => 100;
  const given = transcript(user("go"), assistant("a"), user("b"), assistant("c"), user("d"));
  const of = situation(given, { tokensOf, totalTokens: 1_500 });
  // 1,000 of it stand before the messages. The two responses were asked for with 1,100 and 1,300.
  const cache = { isCold: false, readPrice: 1, writePrice: 10 };
  expect(rentAndPrice(of, { afterTokens: 1_150, fromMessage: 1 }, cache)).toEqual({
    rent: 150,
    price: 50 * 9,
  });
  // Cold, all 1,500 are about to be written.
  const cold = rentAndPrice(of, { afterTokens: 1_150, fromMessage: 1 }, { ...cache, isCold: true });
  expect(cold).toEqual({ rent: 150 + 350 * 10, price: 50 * 9 * 0.3 });
});

test("folds when the rent reaches so many times the price, and not without the rule", () => {
  const [one, two, four] = [firstFold(1), firstFold(2), firstFold(4)];
  expect(one).toBeLessThan(two);
  expect(two).toBeLessThan(four);
  // 300 tokens a step: rent grows with the square, so four times the patience is twice the growth.
  const over = (count: number) => totalOf(transcript(user("go"), ...steps(count))) - 2_000;
  expect(over(four) / over(one)).toBeGreaterThan(1.7);
  expect(over(four) / over(one)).toBeLessThan(2.3);
  const { pays: _, ...trigger } = small.trigger;
  expect(firstFold(1, { policy: { ...small, prune: [], trigger } })).toBe(Number.POSITIVE_INFINITY);
});

test("what stands before the conversation is no reason to fold: it cannot leave", () => {
  const given = transcript(user("go"), ...steps(5));
  const policy = paying(1);
  expect(planFor(given, { ...roomy, policy, totalTokens: totalOf(given) + 50_000 }).edits).toEqual([]);
});

test("the tail stays, also where the user's words alone are more than is kept", () => {
  const given = transcript(user("word ".repeat(3_000)), ...steps(40));
  const policy = { ...paying(1), tail: { folds: "steps", minSteps: 3 } as const };
  const plan = planFor(given, { ...roomy, policy });
  expect(plan.page).toBeDefined();
  expect(Math.max(...plan.folded)).toBe(given.messages.length - 2 * 3 - 1);
});

test("a cold cache is the time: what is about to be written anew counts as rent, and is no price", () => {
  const cold = firstFold(2, { cache: { isCold: true } });
  expect(cold).toBeLessThan(firstFold(2));
  // Nor for every token over: something leaves the sight.
  expect(totalOf(transcript(user("go"), ...steps(cold - 1)))).toBeGreaterThan(2_000 + 300);
});

test("where nothing is cached it folds sooner, but not for every token over", () => {
  const uncached = { cache: { isCold: false, readPrice: 1, writePrice: 1 } };
  expect(firstFold(2, uncached)).toBeLessThan(firstFold(2));
  const fits = transcript(user("go"), ...steps(firstFold(2, uncached) - 1));
  expect(totalOf(fits)).toBeGreaterThan(3_000);
});

test("while the model waits for results it thought about, it waits; when the turn has ended, it folds", () => {
  const worked = [user("go"), ...steps(40), ...step(40, thinks("hm", "sealed"))];
  const options = { ...roomy, policy: paying(1) };
  expect(planFor(transcript(...worked), options).edits).toEqual([]);
  const ended = transcript(...worked, assistant("done"), user("next"));
  expect(planFor(ended, options)).toMatchObject({ because: "reading on would cost more than folding" });
});

/** What the requests of 100 steps cost, in the price of a token, folding whenever `folds` says. */
function bill(policy: Policy, folds: (input: PlanInput, since: number) => boolean): number {
  const all: Message[] = [user("go")];
  let ledger: readonly Compaction[] = [];
  let cached = 0;
  let since = 0;
  let cost = 0;
  for (let n = 0; n < 100; n += 1) {
    const input = planInput(transcript(...all), { ...roomy, policy }, ledger);
    since += 1;
    const plan = folds(input, since) ? makePlan(input) : undefined;
    if (plan?.page) {
      ledger = committed(plan, ledger);
      since = 0;
      cached = 0;
    }
    const sent = totalOf(viewOf(transcript(...all), ledger).transcript);
    cost += cached * 0.1 + (sent - cached) * 1.25;
    cached = sent;
    all.push(...step(n));
  }
  return cost;
}

test("with steady growth it costs within a tenth of the best period there is", () => {
  const always = paying(1e-9);
  const periods = [5, 8, 12, 16, 20, 25, 30, 40, 60].map((period) =>
    bill(always, (_, since) => since >= period),
  );
  const never = bill(always, () => false);
  const best = Math.min(...periods);
  const ours = bill(paying(1), () => true);
  expect(best).toBeLessThan(never * 0.5);
  expect(ours).toBeLessThan(best * 1.1);
  // And twice the patience costs little more.
  expect(bill(paying(2), () => true)).toBeLessThan(ours * 1.12);
});

test("a plan is made as the context grows, when the cache is cold, and where a turn ends over what a fold keeps", () => {
  const glance = { tokens: 50_000, lookedAtTokens: 48_000, isBoundary: false, isCold: false };
  const room = { windowTokens: 1_000_000, outputTokens: 8_000 };
  const looks = (more: Partial<typeof glance>, policy = paying(2)) =>
    isWorthALook(policy, room, { ...glance, ...more });
  expect(looks({})).toBe(false);
  expect(looks({ lookedAtTokens: 39_000 })).toBe(true);
  expect(looks({ isCold: true })).toBe(true);
  expect(looks({ isBoundary: true })).toBe(true);
  // Not for every word a huge history grows by.
  expect(looks({ isBoundary: true, lookedAtTokens: 49_900 })).toBe(false);
  expect(looks({ tokens: 5_000_000, lookedAtTokens: 4_950_000 })).toBe(false);
  expect(looks({ isBoundary: true, tokens: 1_900, lookedAtTokens: 1_800 })).toBe(false);
  const { pays: _, ...trigger } = small.trigger;
  expect(looks({ isBoundary: true }, { ...small, trigger })).toBe(false);
});
