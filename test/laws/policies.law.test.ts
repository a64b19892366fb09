/** Whatever a policy says, in whatever combination: what comes out is legal, smaller, the same each time, and can be read back. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { compact } from "../../src/compact.ts";
import { policyNamed } from "../../src/plan/policies.ts";
import type { Leave, Policy, PruneRule, Size, TailRule } from "../../src/plan/policy.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { check } from "../../src/transcript/check.ts";
import { hasUserWords, type Transcript } from "../../src/transcript/message.ts";
import { lawRuns, legalRecords, legalRequests } from "./conversations.ts";

const RUNS = lawRuns(250);
const AT = Date.UTC(2026, 10, 18);

/** Fields that may be missing are missing half of the time. */
const partly = <T>(fields: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<T, never>(fields, { requiredKeys: [] });

const share = fc.constantFrom(0, 0.15, 0.3, 0.5, 1);
const few = fc.nat(4);
const size: fc.Arbitrary<Size> = fc.nat(60).map((atMostTokens) => ({ share: 1, atMostTokens }));

const leaves: fc.Arbitrary<Leave> = fc.constantFrom<Leave>(
  { kind: "text", text: "[x]" },
  { kind: "stub", format: "opaque" },
  { kind: "ends-by-characters", headChars: 2, tailChars: 1, between: "…" },
);

const when = fc.constantFrom("request" as const, "full" as const, "pays" as const);
const always = { when, minTokens: fc.constant(0) };
const maybe = { tier: few, isPersistent: fc.boolean() };

const aged = fc
  .tuple(
    fc.record({ ...always, leave: leaves }),
    partly({
      ...maybe,
      keepAssistantMessages: few,
      keepMessages: few,
      keepResults: few,
      downToShare: share,
      does: fc.constant(["read", "run"] as const),
      aboveResultTokens: fc.nat(10),
    }),
  )
  .map(([rule, more]): PruneRule => ({ strategy: "aged-results", ...rule, ...more }));

const texts = fc
  .tuple(fc.record({ ...always, leave: leaves }), partly(maybe))
  .map(([rule, more]): PruneRule => ({ strategy: "assistant-texts", ...rule, ...more }));

const inputs = fc.tuple(fc.record(always), partly(maybe)).map(
  ([rule, more]): PruneRule => ({
    ...{ strategy: "call-inputs", does: ["read", "edit", "run", "other"], maxChars: 1, keepChars: 0 },
    ...{ mark: "", keepMessages: 0, ...rule, ...more },
  }),
);

const tails: fc.Arbitrary<TailRule> = fc
  .tuple(
    fc.constantFrom("steps" as const, "everything" as const, "nothing" as const),
    partly({
      headMessages: few,
      userTokens: size,
      userHeadTokens: size,
      keepsAnswers: fc.boolean(),
      minMessages: few,
      shareOfMessages: share,
      shareOfMessagesAtLeast: share,
      shareOfTokens: share,
      cutsAt: fc.constant("user" as const),
    }),
  )
  .map(([folds, more]) => ({ folds, ...more }));

const base = policyNamed("palimpsest");

const policies: fc.Arbitrary<Policy> = fc
  .record({
    prune: fc.array(fc.oneof(aged, texts, inputs), { maxLength: 3 }),
    tail: tails,
    placement: fc.record({
      role: fc.constantFrom("user" as const, "assistant" as const),
      at: fc.constantFrom("fold" as const, "end" as const),
    }),
    scope: fc.constantFrom("total" as const, "growth" as const),
    hasTable: fc.boolean(),
    isPageFree: fc.boolean(),
  })
  .map(({ prune, tail, placement, scope, hasTable, isPageFree }) => ({
    ...base,
    name: "random",
    trigger: { at: [{ share: 0.1 }], target: { share: 0.05 }, scope },
    prune,
    tail,
    placement,
    summary: {
      by: "none",
      maxTokens: { share: 0 },
      update: "merge",
      files: "none",
      ...(hasTable ? { table: { share: 0.1 } } : {}),
    },
    safety: { ...base.safety, minFoldTokens: 1, minSavedTokens: 1, isPageFree, waitsUpTo: { share: 0 } },
  }));

const cases = (conversations: fc.Arbitrary<Transcript>) =>
  fc.record({
    // A page takes some hundred characters: without long words nothing would ever be smaller.
    transcript: conversations.map(lengthened),
    policy: policies,
    trigger: fc.constantFrom("auto" as const, "manual" as const, "overflow" as const, "idle" as const),
  });

const LONG = " and so on, as it was said before".repeat(20);

function lengthened(transcript: Transcript): Transcript {
  const messages = transcript.messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => {
      if (part.type !== "tool-result") return part;
      return {
        ...part,
        output: part.output.map((o) => (o.type === "text" ? { ...o, text: o.text + LONG } : o)),
      };
    }),
  }));
  return { ...transcript, messages };
}

type Given = ReturnType<typeof cases> extends fc.Arbitrary<infer C> ? C : never;

async function run({ transcript, policy, trigger }: Given) {
  const store = memoryStore();
  await store.openSession({ id: "s", at: AT });
  const outcome = await compact(transcript, {
    ...{ store, sessionId: "s", policy, trigger, at: AT, windowTokens: 600 },
  });
  return { outcome, store };
}

test.each([
  ["requests", legalRequests, "request"],
  ["records", legalRecords, "record"],
] as const)("whatever a policy says, %s stay legal and get smaller, and what left is there", (_, given, as) =>
  fc.assert(
    fc.asyncProperty(cases(given), async (one) => {
      const { outcome, store } = await run(one);
      if (outcome.kind === "unchanged") {
        // What the plan asks for is legal to begin with: the objection is a net, not a sieve.
        expect(outcome.because, outcome.detail).not.toBe("not-legal");
        expect(outcome.transcript).toBe(one.transcript);
        return;
      }
      const { compaction } = outcome;
      expect(check(outcome.transcript, { as, original: one.transcript })).toEqual([]);
      expect(compaction.tokensAfter).toBeLessThan(compaction.tokensBefore);
      for (const { at } of compaction.edits)
        expect((await store.recall("s", at.ref)).kind, at.ref).toBe("found");
      const ledger = (await store.ledger("s")).filter(({ kind }) => kind === "compaction");
      expect(ledger).toEqual(compaction.isTransient ? [] : [compaction]);
    }),
    { numRuns: RUNS },
  ),
);

test("the same conversation and the same policy give the same, and what is asked now is still there", () =>
  fc.assert(
    fc.asyncProperty(cases(legalRequests), async (one) => {
      const before = JSON.stringify(one);
      const [first, again] = [await run(one), await run(JSON.parse(before))];
      expect(JSON.stringify(again.outcome)).toBe(JSON.stringify(first.outcome));
      expect(JSON.stringify(one)).toBe(before);
      const last = one.transcript.messages.at(-1);
      if (!last || !hasUserWords(last)) return;
      const words = last.parts.flatMap((part) =>
        part.type === "text" && !part.synthetic ? [part.text] : [],
      );
      // Behind it at most the page and the line that leads into it.
      const shown = JSON.stringify(first.outcome.transcript.messages.slice(-3));
      for (const text of words) expect(shown).toContain(JSON.stringify(text).slice(1, -1));
    }),
    { numRuns: RUNS },
  ));
