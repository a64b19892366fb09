/** What tests of plans share: a plan for a conversation, and the conversation as it leaves it. */
import { viewOf } from "../../src/apply/view.ts";
import { estimatorFor } from "../../src/measure/count.ts";
import { measure } from "../../src/measure/measure.ts";
import type { Compaction } from "../../src/plan/ledger.ts";
import { makePlan, type Plan, type PlanInput } from "../../src/plan/plan.ts";
import { palimpsest } from "../../src/plan/policies/palimpsest.ts";
import type { Policy } from "../../src/plan/policy.ts";
import type { Situation } from "../../src/plan/situation.ts";
import { situationOf } from "../../src/plan/situation.ts";
import type { Part, Transcript } from "../../src/transcript/message.ts";

const counter = estimatorFor();

export const tokensOf = (part: Part): number => counter.part(part);

export const totalOf = (transcript: Transcript): number => measure(transcript, { counter }).total;

export function planInput(
  transcript: Transcript,
  options: Partial<PlanInput> = {},
  ledger: readonly Compaction[] = [],
): PlanInput {
  const view = viewOf(transcript, ledger);
  return {
    transcript: view.transcript,
    addresses: view.addresses,
    tokensOf,
    messageTokens: counter.messageTokens,
    totalTokens: totalOf(view.transcript),
    windowTokens: 100_000,
    outputTokens: 8_000,
    policy: palimpsest,
    trigger: "auto",
    at: 0,
    ...options,
  };
}

export function situation(transcript: Transcript, options: Partial<PlanInput> = {}): Situation {
  const input = planInput(transcript, options);
  return situationOf({ ...input, room: input });
}

export function planFor(transcript: Transcript, options: Partial<PlanInput> = {}): Plan {
  return makePlan(planInput(transcript, options));
}

/** The ledger after a plan, with a page that says next to nothing. */
export function committed(plan: Plan, ledger: readonly Compaction[] = []): readonly Compaction[] {
  const after = ledger.findLast(({ edits }) => edits.some(({ kind }) => kind === "fold"))?.id;
  return [
    ...ledger,
    {
      kind: "compaction",
      id: String(ledger.length),
      at: 0,
      policy: "test",
      trigger: "auto",
      edits: plan.edits,
      tokensBefore: 0,
      tokensAfter: 0,
      ...(plan.page ? { page: { ...plan.page, text: "p" } } : {}),
      ...(plan.folded.length > 0 && after !== undefined ? { after } : {}),
    },
  ];
}

export function applied(transcript: Transcript, plan: Plan): Transcript {
  return viewOf(transcript, committed(plan)).transcript;
}

const { allocation: _, ...withoutAllocation } = palimpsest;

/** The default policy with small numbers, and limits of their own for page and tail: it acts on conversations that fit on a page. */
export const small: Policy = {
  ...withoutAllocation,
  prune: palimpsest.prune.map((rule) => {
    const minTokens = rule.strategy === "giant-results" ? 100 : rule.strategy === "user-pastes" ? 60 : 5;
    if (rule.strategy === "aged-results") return { ...rule, minTokens, keepSteps: 2 };
    if (rule.strategy === "user-pastes") return { ...rule, minTokens, headTokens: 10, tailTokens: 5 };
    return { ...rule, minTokens };
  }),
  tail: { ...palimpsest.tail, minSteps: 1, tokens: { share: 0.2 } },
  summary: { ...palimpsest.summary, maxTokens: { share: 0.01 }, table: { share: 0.01 } },
  safety: { ...palimpsest.safety, minFoldTokens: 4, minSavedTokens: 1 },
};
