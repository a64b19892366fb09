/** One budget for the user's words, the page and the newest steps: none takes what it cannot use, and none of it is lost. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { viewOf } from "../../src/apply/view.ts";
import { boundStep } from "../../src/plan/bound.ts";
import type { Deciding, PlanInput } from "../../src/plan/deciding.ts";
import { pageCap } from "../../src/plan/page-share.ts";
import { palimpsest } from "../../src/plan/policies/palimpsest.ts";
import { foldShared, type SharedFold } from "../../src/plan/share-out.ts";
import { answeredPairs, type Proposal, savingOf, situationOf } from "../../src/plan/situation.ts";
import { marksOf } from "../../src/plan/size.ts";
import { proposeThinking } from "../../src/plan/strategies/thinking.ts";
import type { Message, Transcript } from "../../src/transcript/message.ts";
import { assistant, call, gets, thinks, transcript, user } from "../say.ts";
import { planInput, totalOf } from "./plans.ts";

/** What the code under test takes as given. */
const rule = palimpsest.allocation as NonNullable<typeof palimpsest.allocation>;
const LEAST_PAGE = 400;

function decisionOf(given: Transcript, options: Partial<PlanInput>): Deciding {
  const input = planInput(given, { outputTokens: 8_000, trigger: "manual", ...options });
  const situation = situationOf({ ...input, room: input });
  const marks = marksOf(input.policy, input, undefined);
  const target = input.targetTokens ?? marks.target;
  return { input, situation, marks: { ...marks, target }, bound: boundStep(situation, false) };
}

/** The prompt as it would be, without the page. */
function tokensLeft({ input, situation }: Deciding, { proposals }: SharedFold): number {
  const all = [...proposals, ...proposeThinking(situation, proposals, { movesPage: true })];
  const edits = all.map(({ edit }) => edit);
  const compaction = { kind: "compaction", id: "1", at: 0, policy: "", trigger: "manual", edits } as const;
  return totalOf(viewOf(input.transcript, [{ ...compaction, tokensBefore: 0, tokensAfter: 0 }]).transcript);
}

const line = (n: number) => `line ${n} of what a tool printed, long enough to be worth something`;
const lines = (count: number, from = 0) => Array.from({ length: count }, (_, n) => line(from + n)).join("\n");
const step = (n: number, size = 20): readonly Message[] => [
  assistant(`step ${n}`, call(`c${n}`, "Bash", { command: `make ${n}` })),
  gets(`c${n}`, lines(size, n * 100)),
];
const steps = (count: number, size = 20) => Array.from({ length: count }, (_, n) => step(n, size)).flat();
const talk = (count: number, size = 20) =>
  transcript(user("go"), ...steps(count, size), assistant("Done."), user("thanks"));

/** Every result as somebody would clear it. */
function clearsOf({ situation }: Deciding): readonly Proposal[] {
  return answeredPairs(situation).flatMap(({ result }): readonly Proposal[] => {
    const at = situation.addresses[result.messageIndex]?.[result.partIndex];
    if (!at) return [];
    const tokens = savingOf(situation, result.part, "[gone]");
    if (tokens <= 0) return [];
    const edit = { kind: "stub", at, why: "old", tokens, text: "[gone]" } as const;
    return [{ edit, place: result, since: 0 }];
  });
}

describe("a target that was asked for", () => {
  const WINDOW = 100_000;
  test.each([2_000, 4_000, 8_000, 12_000])("of %i tokens is kept, and most of it is used", (targetTokens) => {
    const decision = decisionOf(talk(60), { windowTokens: WINDOW, targetTokens });
    expect(decision.input.totalTokens).toBeGreaterThan(1.5 * 12_000);
    const shared = foldShared(decision, [], rule);
    const after = tokensLeft(decision, shared) + shared.pageTokens;
    expect(after).toBeLessThanOrEqual(targetTokens);
    // Also what the messages that left took besides their parts: 240 tokens and more.
    expect(after).toBeGreaterThan(0.85 * targetTokens);
  });

  test("smaller than the last step shortens its results first, and folds it where that is not enough", () => {
    const given = transcript(user("go"), ...steps(10), ...step(99, 300));
    const roomy = decisionOf(given, { windowTokens: WINDOW, targetTokens: 3_000 });
    const shortened = foldShared(roomy, [], rule);
    expect(shortened.withStep).toBeUndefined();
    expect(shortened.proposals.some(({ edit }) => edit.kind === "trim")).toBe(true);
    expect(tokensLeft(roomy, shortened) + shortened.pageTokens).toBeLessThanOrEqual(3_000);
    const tight = decisionOf(given, { windowTokens: WINDOW, targetTokens: 450 });
    const folded = foldShared(tight, [], rule);
    expect(folded.withStep).toEqual({ start: 21, end: 23 });
    expect(folded.fold.folded).toEqual(expect.arrayContaining([21, 22]));
  });

  test("takes a step whose thinking is sealed whole, or not at all", () => {
    const thoughtful = assistant(thinks("hm", "seal"), call("t", "Bash"));
    const given = transcript(user("go"), ...steps(40), thoughtful, gets("t", lines(20)));
    const decision = decisionOf(given, { windowTokens: WINDOW, targetTokens: 4_000 });
    expect(foldShared(decision, [], rule).withStep).toEqual({ start: 81, end: 83 });
  });
});

describe("the page", () => {
  test("is no larger than what folds is worth, however much room there is", () => {
    const given = talk(12);
    const targetTokens = Math.round(0.65 * totalOf(given));
    const { fold, pageTokens } = foldShared(
      decisionOf(given, { windowTokens: 100_000, targetTokens }),
      [],
      rule,
    );
    expect(fold.tokens).toBeGreaterThan(1_000);
    expect(pageTokens).toBeGreaterThan(LEAST_PAGE);
    expect(pageTokens).toBeLessThanOrEqual(0.6 * fold.tokens + 1);
  });

  test("claims room beyond the wish, not of the newest steps", () => {
    // Around the conversation stands half of what is wished for, so what is asked for leaves less than the page claims.
    const system: Message = { role: "system", parts: [{ type: "text", text: lines(1_700) }] };
    const given = transcript(system, user("go"), ...steps(120), assistant("Done."), user("thanks"));
    const decision = decisionOf(given, { windowTokens: 100_000 });
    const { fold } = foldShared(decision, [], rule);
    const staying = given.messages.length - 4 - fold.folded.length;
    expect(fold.folded.length).toBeGreaterThan(100);
    expect(staying).toBeGreaterThanOrEqual(2 * 3);
  });

  test("is no larger than the policy makes one", () => {
    const decision = decisionOf(talk(900), { windowTokens: 100_000, targetTokens: 60_000 });
    const { pageTokens } = foldShared(decision, [], rule);
    expect(pageTokens).toBeLessThanOrEqual(pageCap(palimpsest, decision.situation.room));
  });
});

describe("what is left over", () => {
  test("goes to results that would have been cleared, the newest first", () => {
    const decision = decisionOf(talk(40), { windowTokens: 100_000, targetTokens: 10_000 });
    const clears = clearsOf(decision);
    const shared = foldShared(decision, clears, rule);
    const { proposals, fold, pageTokens } = shared;
    const folded = new Set(fold.folded);
    const staying = clears.filter(({ place }) => !folded.has(place.messageIndex));
    const cleared = staying.filter((one) => proposals.includes(one));
    const whole = staying.filter((one) => !proposals.includes(one));
    expect(whole.length).toBeGreaterThan(1);
    const newestCleared = Math.max(-1, ...cleared.map(({ place }) => place.messageIndex));
    const oldestWhole = Math.min(...whole.map(({ place }) => place.messageIndex));
    expect(newestCleared).toBeLessThan(oldestWhole);
    const used = tokensLeft(decision, shared) + pageTokens;
    expect(used).toBeLessThanOrEqual(10_000);
  });

  test("and nothing is cleared where everything fits", () => {
    const decision = decisionOf(talk(40), { windowTokens: 100_000, targetTokens: 60_000 });
    const { proposals } = foldShared(decision, clearsOf(decision), rule);
    expect(proposals.filter(({ edit }) => edit.kind !== "fold")).toEqual([]);
  });
});

test("the user's words are shortened only where they do not fit, the oldest first", () => {
  const essay = (n: number) =>
    `${`Part ${n} of what I want, at some length. `.repeat(60)}\nNever delete ${n}.`;
  const given = transcript(
    ...Array.from({ length: 8 }, (_, n) => [user(essay(n)), ...step(n), assistant(`done ${n}`)]).flat(),
    user("and now?"),
  );
  const words = ({ proposals }: SharedFold) =>
    proposals.flatMap(({ edit, place }) => (edit.kind === "trim" ? [place.messageIndex] : []));
  const roomy = decisionOf(given, { windowTokens: 100_000, targetTokens: totalOf(given) });
  expect(words(foldShared(roomy, [], rule))).toEqual([]);
  const tight = decisionOf(given, { windowTokens: 100_000, targetTokens: 3_000 });
  const shared = foldShared(tight, [], rule);
  const cut = words(shared);
  expect(cut.length).toBeGreaterThan(2);
  expect(cut).toEqual(Array.from({ length: cut.length }, (_, n) => n * 4));
  expect(tokensLeft(tight, shared) + shared.pageTokens).toBeLessThanOrEqual(3_000);
});

test("on any conversation: within the target, or nothing more could leave; no page beyond its caps", () => {
  const sizes = fc.array(fc.record({ size: fc.integer({ min: 1, max: 60 }), says: fc.boolean() }), {
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(
      sizes,
      fc.integer({ min: 500, max: 12_000 }),
      fc.boolean(),
      (shape, targetTokens, isCleared) => {
        const messages = shape.flatMap(({ size, says }, n) => [
          ...(says ? [user(`also ${n}`)] : []),
          ...step(n, size),
        ]);
        const decision = decisionOf(transcript(user("go"), ...messages, assistant("Done."), user("thanks")), {
          windowTokens: 100_000,
          targetTokens,
        });
        fc.pre(decision.input.totalTokens > targetTokens);
        const shared = foldShared(decision, isCleared ? clearsOf(decision) : [], rule);
        const { fold, pageTokens } = shared;
        const left = tokensLeft(decision, shared);
        expect(pageTokens).toBeLessThanOrEqual(
          Math.max(LEAST_PAGE, Math.min(pageCap(palimpsest, decision.situation.room), 0.6 * fold.tokens + 1)),
        );
        if (left + pageTokens <= targetTokens) return;
        // Over it only where the least page is too much beside what cannot leave.
        expect(pageTokens).toBe(LEAST_PAGE);
        expect(left).toBeGreaterThan(targetTokens - LEAST_PAGE);
      },
    ),
    { numRuns: 200 },
  );
});

describe("the step that was just done", () => {
  const withStep = (name: string, trigger: PlanInput["trigger"]) => {
    const last = [assistant("again", call("r", name, { ref: "ref_0123456789ab" })), gets("r", lines(300))];
    const given = transcript(user("go"), ...[1, 2, 3, 4, 5].flatMap((n) => step(n)), ...last);
    return foldShared(decisionOf(given, { windowTokens: 100_000, targetTokens: 450, trigger }), [], rule)
      .withStep;
  };

  test("folds where nothing else can, but not what was read back: it would be asked for again", () => {
    expect(withStep("Bash", "auto")).toEqual({ start: 11, end: 13 });
    expect(withStep("read_ref", "auto")).toBeUndefined();
  });

  test("folds all the same where the provider refused it", () => {
    expect(withStep("read_ref", "overflow")).toEqual({ start: 11, end: 13 });
  });
});
