/** What each field of a policy does to a plan, on conversations that fit on a page. */
import { describe, expect, test } from "vitest";
import { viewOf } from "../../src/apply/view.ts";
import { makePlan, type PlanInput } from "../../src/plan/plan.ts";
import type { AgedResultsRule, Policy, PruneRule, TailRule } from "../../src/plan/policy.ts";
import { check } from "../../src/transcript/check.ts";
import type { Message, Transcript } from "../../src/transcript/message.ts";
import { assistant, call, calls, gets, thinks, transcript, user } from "../say.ts";
import { applied, committed, planFor, planInput, small, tokensOf, totalOf } from "./plans.ts";

const LONG = "some words of output, nothing special\n".repeat(30);
const step = (n: number): readonly Message[] => [
  assistant(`step ${n}`, call(`c${n}`, "Bash", { command: `make ${n}` })),
  gets(`c${n}`, `${n} ${LONG}`),
];
const steps = (count: number, from = 0) => Array.from({ length: count }, (_, n) => step(from + n)).flat();
const said = ({ messages }: Transcript) =>
  messages.map(
    ({ role, parts }) =>
      `${role}:${parts.map((part) => (part.type === "text" ? part.text : part.type)).join("+")}`,
  );

const policyOf = (tail: TailRule, prune: readonly PruneRule[] = [], more: Partial<Policy> = {}): Policy => ({
  ...small,
  trigger: { at: [{ share: 0.8 }], target: { share: 0.5 } },
  prune,
  tail,
  ...more,
});
const asked = (policy: Policy): Partial<PlanInput> => ({
  policy,
  trigger: "manual",
  windowTokens: 4_000,
  outputTokens: 0,
});
const view = (given: Transcript, policy: Policy) => applied(given, planFor(given, asked(policy)));

describe("tiers", () => {
  const rule: AgedResultsRule = {
    strategy: "aged-results",
    when: "full",
    minTokens: 10,
    keepResults: 2,
    leave: { kind: "ends", headTokens: 40, tailTokens: 40 },
  };
  const first: PruneRule = { ...rule, tier: 1, keepResults: 6 };
  const second: PruneRule = { ...rule, tier: 2, leave: { kind: "text", text: "[gone]" } };
  const given = transcript(user("go"), ...steps(10), user("on"));
  const policy = policyOf({ folds: "steps", minSteps: 2 }, [second, first]);
  const kinds = (targetTokens: number, more: Partial<PlanInput> = {}) =>
    planFor(given, { policy, windowTokens: 3_200, outputTokens: 0, targetTokens, ...more }).edits.map(
      ({ kind }) => kind,
    );

  test("the next runs only where those before did not reach the target, and takes parts again", () => {
    expect(totalOf(given)).toBeGreaterThan(0.8 * 3_200);
    expect(new Set(kinds(2_500))).toEqual(new Set(["trim"]));
    expect(kinds(1_200)).toEqual(Array(7).fill("stub"));
  });

  test("of a tier the oldest go first, and no more than reach the target", () => {
    const edits = (targetTokens: number) =>
      planFor(given, { policy, windowTokens: 3_200, outputTokens: 0, targetTokens }).edits;
    const [one, more] = [edits(totalOf(given) - 10), edits(2_500)];
    expect(one).toHaveLength(1);
    expect(more.length).toBeLessThan(4);
    expect(more[0]).toEqual(one[0]);
    const saved = (of: typeof more) => of.reduce((sum, { tokens }) => sum + tokens, 0);
    expect(totalOf(given) - saved(more)).toBeLessThanOrEqual(2_500);
    expect(totalOf(given) - saved(more.slice(0, -1))).toBeGreaterThan(2_500);
  });

  test("the fold comes after the last, and after all of them where it is asked for", () => {
    expect(kinds(700)).toContain("fold");
    const forced = kinds(2_500, { trigger: "manual" });
    expect(forced).toContain("fold");
    expect(forced).not.toContain("trim");
  });
});

describe("the trigger", () => {
  test("may count only what came since the page", () => {
    const before = transcript(user("go"), ...steps(8), user("next"));
    const policy = policyOf({ folds: "steps", minSteps: 1 });
    const ledger = committed(planFor(before, asked(policy)));
    const after = { messages: [...before.messages, ...steps(2, 20), user("and?")] };
    const scoped = (scope: "growth" | "total") =>
      makePlan(
        planInput(
          { ...after, system: [{ type: "text", text: LONG.repeat(9) }] },
          {
            policy: { ...policy, trigger: { ...policy.trigger, scope } },
            windowTokens: 3_000,
            outputTokens: 0,
          },
          ledger,
        ),
      ).edits.length;
    expect(scoped("growth")).toBe(0);
    expect(scoped("total")).toBeGreaterThan(0);
  });
});

describe("the user's words", () => {
  const words = (n: number) => `${n}: ${`please ${n} do this and that. `.repeat(40)}`;
  const given = transcript(
    user(words(1)),
    ...step(1),
    user(words(2)),
    ...step(2),
    user(words(3)),
    ...step(3),
    user(words(4)),
    ...step(4),
    user("and now?"),
  );
  const each = tokensOf({ type: "text", text: words(1) });
  const within = (newest: number, first?: number): TailRule => ({
    folds: "steps",
    userTokens: { share: 1, atMostTokens: Math.round(each * newest) },
    ...(first === undefined ? {} : { userHeadTokens: { share: 1, atMostTokens: Math.round(each * first) } }),
  });

  test("the newest stay up to a limit; the oldest of them is shortened, and names its original", () => {
    const shown = view(given, policyOf(within(1.6)));
    expect(said(shown)).toHaveLength(4);
    expect(said(shown)[0]).toMatch(/^user:⟦ref_\w+ [^⟧]*Use read_ref\.⟧\n3: /);
    expect(said(shown)[1]).toBe(`user:${words(4)}`);
    expect(said(shown).at(-1)).toBe("user:and now?");
    expect(check(shown, { original: given })).toEqual([]);
  });

  test("and so do the first ones, up to another; those between fold", () => {
    const shown = view(given, policyOf(within(1.1, 1)));
    expect(said(shown)).toEqual([`user:${words(1)}`, `user:${words(4)}`, "user:p", "user:and now?"]);
  });

  test("nothing more happens the next time", () => {
    const options = asked(policyOf(within(1.6, 0.6)));
    const ledger = committed(planFor(given, options));
    expect(makePlan(planInput(given, options, ledger)).edits).toEqual([]);
  });

  test("what is asked now never folds, whatever the policy", () => {
    for (const tail of [{ folds: "everything" }, within(0), { folds: "everything", minMessages: 0 }] as const)
      expect(said(view(given, policyOf(tail)))).toEqual(["user:p", "user:and now?"]);
  });
});

test("of each folded turn the closing answer stays, without its sealed thinking", () => {
  const given = transcript(
    user("one"),
    ...step(1),
    assistant(thinks("hm", "seal"), "first is done"),
    user("two"),
    ...step(2),
    user("three"),
    ...step(3),
    assistant("third is done"),
    user("four"),
  );
  const shown = view(given, policyOf({ folds: "steps", keepsAnswers: true }));
  expect(said(shown)).toEqual([
    "user:one",
    "assistant:first is done",
    "user:two",
    "user:three",
    "user:p",
    "assistant:third is done",
    "user:four",
  ]);
  expect(check(shown, { original: given })).toEqual([]);
});

describe("the tail", () => {
  const given = transcript(user("go"), ...steps(9), user("on"));
  const kept = (tail: TailRule, windowTokens = 100_000) => {
    const plan = planFor(given, { ...asked(policyOf(tail)), windowTokens });
    return given.messages.length - 1 - Math.max(...plan.folded);
  };

  test("is a share of the messages, and a smaller one where messages are large", () => {
    const tail: TailRule = { folds: "steps", shareOfMessages: 0.4, shareOfMessagesAtLeast: 0.15 };
    // 0.4 of 20 messages are 8; a cut may not part a step, so 9 stay.
    expect(kept(tail)).toBe(9);
    // An average of 150 tokens is 0.18 of a thousand: more than a tenth, and twice that is more than there is to give.
    expect(kept(tail, 1_000)).toBe(3);
  });

  test("is a share of the tokens", () => {
    const sizes = given.messages.map(({ parts }) => parts.reduce((sum, part) => sum + tokensOf(part), 0));
    const total = sizes.reduce((a, b) => a + b, 0);
    const count = kept({ folds: "steps", shareOfTokens: 0.3 });
    expect(sizes.slice(-count).reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(total * 0.3);
    // Three of nine steps would be a third.
    expect(count).toBe(5);
  });

  test("begins with the user's words where the policy cuts only there", () => {
    const turns = transcript(user("one"), ...steps(3), user("two"), ...steps(3, 3), user("three"));
    const first = (tail: TailRule, of = turns) => Math.max(...planFor(of, asked(policyOf(tail))).folded) + 1;
    expect(first({ folds: "everything", minMessages: 4 })).toBe(10);
    expect(first({ folds: "everything", minMessages: 4, cutsAt: "user" })).toBe(14);
    expect(first({ folds: "everything", minMessages: 12, cutsAt: "user" })).toBe(7);
    // None behind it: all of what is answered, or up to the last words of the user.
    const answered = transcript(...turns.messages, assistant("done"));
    expect(first({ folds: "everything", minMessages: 0, cutsAt: "user" }, answered)).toBe(16);
    const working = transcript(...turns.messages, ...steps(3, 6));
    expect(first({ folds: "everything", minMessages: 2, cutsAt: "user" }, working)).toBe(14);
    // The user said nothing more: any legal cut.
    const single = transcript(user("one"), ...steps(6));
    expect(first({ folds: "everything", minMessages: 4, cutsAt: "user" }, single)).toBe(9);
  });
});

test("a page that is free is not counted against the fold", () => {
  const given = transcript(user("go"), ...steps(3), user("on"));
  const safety = { ...small.safety, minSavedTokens: 600 };
  const summary = { ...small.summary, maxTokens: { share: 1 } };
  const folds = (isPageFree: boolean) =>
    planFor(given, asked(policyOf({ folds: "steps" }, [], { summary, safety: { ...safety, isPageFree } })))
      .folded.length > 0;
  expect(folds(false)).toBe(false);
  expect(folds(true)).toBe(true);
});

describe("edits for one request alone", () => {
  const rule: PruneRule = {
    strategy: "aged-results",
    when: "request",
    minTokens: 10,
    keepResults: 1,
    isPersistent: false,
    leave: { kind: "text", text: "[cut]" },
  };
  const given = transcript(user("go"), ...steps(6), user("on"));
  const policy = policyOf({ folds: "steps", minSteps: 1 }, [rule]);

  test("are a plan of their own", () => {
    const plan = planFor(given, { policy });
    expect(plan.isTransient).toBe(true);
    expect(plan.edits).toHaveLength(5);
  });

  test("count as not sent, and are not part of a fold", () => {
    const size = totalOf(given);
    const full = planFor(given, { policy, windowTokens: Math.round(size / 0.9), outputTokens: 0 });
    expect(full.isTransient).toBe(true);
    const fold = planFor(given, asked(policy));
    expect(fold.isTransient).toBeUndefined();
    expect(fold.edits.every(({ kind }) => kind === "fold")).toBe(true);
  });
});

describe("a page without a fold", () => {
  const leave = { kind: "stub" } as const;
  const aged: PruneRule = { strategy: "aged-results", when: "full", minTokens: 20, keepMessages: 1, leave };
  const summary: Policy["summary"] = { ...small.summary, by: "none", table: { share: 0.1 } };
  const policy = policyOf({ folds: "nothing" }, [aged], { summary });
  const given = transcript(
    user("go"),
    ...steps(3),
    assistant("both", call("a", "Bash", { n: 1 }), call("b", "Bash", { n: 2 })),
    gets("a", LONG),
    gets("b", "short"),
    assistant("done"),
    user("on"),
  );

  test("stands behind the last step it tells of, never between a call and its result", () => {
    const plan = planFor(given, asked(policy));
    expect(plan.folded).toEqual([]);
    expect(plan.page).toEqual({ role: "user" });
    expect(said(applied(given, plan)).slice(-6)).toEqual([
      "assistant:both+tool-call+tool-call",
      "user:tool-result",
      "user:tool-result",
      "user:p",
      "assistant:done",
      "user:on",
    ]);
  });

  test("the next one takes its place", () => {
    const ledger = committed(planFor(given, asked(policy)));
    const later = { messages: [...given.messages, ...steps(3, 10), user("and?")] };
    const plan = makePlan(planInput(later, asked(policy), ledger));
    const shown = said(viewOf(later, committed(plan, ledger)).transcript);
    expect(shown.filter((line) => line === "user:p")).toHaveLength(1);
    expect(shown.slice(-2)).toEqual(["user:p", "user:and?"]);
  });

  test("is not asked for where it would take what was saved", () => {
    const little = transcript(user("go"), calls("1", "Bash"), gets("1", "words ".repeat(60)), user("on"));
    const plan = planFor(little, asked(policy));
    expect(plan.edits).toHaveLength(1);
    expect(plan.page).toBeUndefined();
  });
});
