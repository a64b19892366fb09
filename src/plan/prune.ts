/** Runs the prune rules of a policy that are due, in its order. */
import { smallest } from "../transcript/extremes.ts";
import type { Policy, PruneRule, When } from "./policy.ts";
import { type Proposal, placeKey, type Situation } from "./situation.ts";
import { proposeAgedResults } from "./strategies/aged-results.ts";
import { proposeAssistantTexts } from "./strategies/assistant-texts.ts";
import { proposeCallInputs } from "./strategies/call-inputs.ts";
import { giantTokens, proposeGiantResults, stepInProgress } from "./strategies/giant-results.ts";
import { proposeRepeatedOutputs } from "./strategies/repeated-outputs.ts";
import { proposeSupersededReads } from "./strategies/superseded-reads.ts";
import { proposeUserPastes } from "./strategies/user-pastes.ts";

export interface Choice {
  readonly when: readonly When[];
  /** The rules whose edits are never recorded; those whose are, where not said. The two never mix in one plan. */
  readonly isTransient?: boolean;
}

export function rulesOf({ prune }: Policy, { when, isTransient = false }: Choice): readonly PruneRule[] {
  return prune.filter((rule) => when.includes(rule.when) && (rule.isPersistent === false) === isTransient);
}

/** Whether some of its edits are made for each request anew. */
export function isPassing({ prune }: Policy): boolean {
  return prune.some(({ isPersistent }) => isPersistent === false);
}

export interface Pruning {
  /** A full context is searched whole, also for what was missed on arrival. */
  readonly isFull: boolean;
}

/** Of two rules that want the same part the first has it. */
export function proposalsFor(
  situation: Situation,
  rules: readonly PruneRule[],
  { isFull }: Pruning,
): readonly Proposal[] {
  const first = new Map<number, Proposal>();
  for (const rule of rules) {
    for (const proposal of proposed(situation, rule, isFull)) {
      const key = placeKey(proposal.place);
      if (!first.has(key)) first.set(key, proposal);
    }
  }
  return [...first.values()];
}

/** What a rule wants of a situation is asked for more than once while a plan is made: to clear with, and to fold beside. */
function proposed(situation: Situation, rule: PruneRule, isFull: boolean): readonly Proposal[] {
  const byRule = known.get(situation) ?? [new Map(), new Map()];
  known.set(situation, byRule);
  const ofThese = byRule[isFull ? 1 : 0];
  const found = ofThese.get(rule) ?? propose(situation, rule, isFull);
  ofThese.set(rule, found);
  return found;
}

type ByRule = Map<PruneRule, readonly Proposal[]>;
/** A situation is made for one plan, and this goes with it. */
const known = new WeakMap<Situation, readonly [ByRule, ByRule]>();

function propose(situation: Situation, rule: PruneRule, isFull: boolean): readonly Proposal[] {
  switch (rule.strategy) {
    case "giant-results":
      return proposeGiantResults(situation, rule, { fromMessage: isFull ? 0 : stepInProgress(situation) });
    case "superseded-reads":
      return proposeSupersededReads(situation, rule);
    case "repeated-outputs":
      return proposeRepeatedOutputs(situation, rule);
    case "aged-results":
      return proposeAgedResults(situation, rule);
    case "assistant-texts":
      return proposeAssistantTexts(situation, rule);
    case "call-inputs":
      return proposeCallInputs(situation, rule);
    case "user-pastes":
      return proposeUserPastes(situation, rule);
  }
}

/**
 * Whether a policy has to be asked before each request: it clears each time, or decides by something else than the size
 * the session keeps count of. Looking costs the length of the history; the default policy is not asked.
 */
export function looksEachTime({ prune, accounting, trigger }: Policy): boolean {
  return (
    accounting.basis !== "usage" ||
    trigger.maxMessages !== undefined ||
    trigger.scope === "growth" ||
    prune.some(({ when }) => when === "request")
  );
}

/** From this size on a result is shortened when it arrives; undefined where the policy does not. */
export function arrivalTokens({ prune }: Policy, windowTokens: number): number | undefined {
  const sizes = prune.flatMap((rule) =>
    rule.strategy === "giant-results" && rule.when === "arrival" && rule.isPersistent !== false
      ? [giantTokens(rule, windowTokens)]
      : [],
  );
  return sizes.length === 0 ? undefined : smallest(sizes);
}
