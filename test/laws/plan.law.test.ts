/** The laws of a plan, over random conversations: whatever is planned, what comes out can be sent. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { viewOf } from "../../src/apply/view.ts";
import type { Compaction } from "../../src/plan/ledger.ts";
import { makePlan, type PlanInput } from "../../src/plan/plan.ts";
import { none } from "../../src/plan/policies/none.ts";
import { nucleic } from "../../src/plan/policies/nucleic.ts";
import type { Policy } from "../../src/plan/policy.ts";
import { isUserPart } from "../../src/plan/situation.ts";
import { check } from "../../src/transcript/check.ts";
import type { Transcript } from "../../src/transcript/message.ts";
import { committed, planInput, small, totalOf } from "../plan/plans.ts";
import { lawRuns, legalRecords, legalRequests } from "./conversations.ts";

const RUNS = lawRuns(200);

const smallNucleic: Policy = { ...nucleic, safety: { ...nucleic.safety, minFoldTokens: 12 } };
const policies: readonly Policy[] = [small, smallNucleic, none];
const triggers: readonly PlanInput["trigger"][] = ["auto", "manual", "overflow", "idle", "arrival"];

const cases = (conversations: fc.Arbitrary<Transcript>) =>
  fc.record({
    transcript: conversations,
    policy: fc.constantFrom(...policies),
    trigger: fc.constantFrom(...triggers),
    windowTokens: fc.integer({ min: 10, max: 400 }),
    isCold: fc.boolean(),
  });

type Case = typeof cases extends (conversations: fc.Arbitrary<Transcript>) => fc.Arbitrary<infer C>
  ? C
  : never;

/** As many compactions as the policy wants; fails where it never has enough. */
function settle({ transcript, policy, trigger, windowTokens, isCold }: Case) {
  let ledger: readonly Compaction[] = [];
  for (let round = 0; round < 12; round += 1) {
    const input = planInput(
      transcript,
      { policy, trigger, windowTokens, outputTokens: 2, cache: { isCold } },
      ledger,
    );
    const plan = makePlan(input);
    if (plan.edits.length === 0) return { ledger, view: viewOf(transcript, ledger).transcript };
    ledger = committed(plan, ledger);
  }
  throw new Error("it never ends");
}

test.each([
  ["requests", legalRequests, "request"],
  ["records", legalRecords, "record"],
] as const)("after any plan %s are legal, and no larger", (_, conversations, as) => {
  fc.assert(
    fc.property(cases(conversations), (given) => {
      const { view } = settle(given);
      expect(check(view, { as, original: given.transcript })).toEqual([]);
      expect(totalOf(view)).toBeLessThanOrEqual(totalOf(given.transcript));
    }),
    { numRuns: RUNS },
  );
});

test("the user's words are there to the letter, in order", () => {
  fc.assert(
    fc.property(cases(legalRequests), (given) => {
      const { view } = settle({ ...given, policy: small });
      expect(wordsOf(view)).toEqual(wordsOf(given.transcript));
    }),
    { numRuns: RUNS },
  );
});

function wordsOf({ messages }: Transcript): readonly string[] {
  return messages.flatMap((message) =>
    message.parts.flatMap((part) => (part.type === "text" && isUserPart(message, part) ? [part.text] : [])),
  );
}

test("the same conversation gets the same plan, and is not touched by it", () => {
  fc.assert(
    fc.property(cases(legalRequests), (given) => {
      const before = JSON.stringify(given.transcript);
      const copy: Transcript = JSON.parse(before);
      const { windowTokens, policy, trigger } = given;
      const first = makePlan(planInput(given.transcript, { windowTokens, policy, trigger, outputTokens: 2 }));
      const again = makePlan(planInput(copy, { windowTokens, policy, trigger, outputTokens: 2 }));
      expect(again).toEqual(first);
      expect(JSON.stringify(given.transcript)).toBe(before);
    }),
    { numRuns: RUNS },
  );
});

test("no edit leaves more than it takes, and edits stand in order, each part once", () => {
  fc.assert(
    fc.property(cases(legalRequests), ({ transcript, policy, trigger, windowTokens }) => {
      const input = planInput(transcript, { windowTokens, policy, trigger, outputTokens: 2 });
      const { edits } = makePlan(input);
      const order = input.addresses.flat().map(({ ref, occurrence }) => `${ref}#${occurrence}`);
      const places = edits.map(({ at }) => order.indexOf(`${at.ref}#${at.occurrence}`));
      expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
      for (const { tokens } of edits) expect(tokens).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: RUNS },
  );
});
