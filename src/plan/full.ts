/**
 * The context is full, or somebody asked: clear tier by tier, and fold where that does not reach the target. Where the
 * policy folds nothing but shows a table of what can be read back, that table is the page.
 */
import type { Place } from "../transcript/pairs.ts";
import type { Range } from "../transcript/turns.ts";
import type { AllocationRule } from "./allocation-rule.ts";
import type { BoundStep } from "./bound.ts";
import {
  allowedNow,
  askedTarget,
  type Deciding,
  isEnough,
  isForced,
  type Plan,
  planOf,
  tokensOf,
  withoutRepeats,
} from "./deciding.ts";
import { pageForm, tableBehindStep, tableForm } from "./page-form.ts";
import { pageCap } from "./page-share.ts";
import type { Policy } from "./policy.ts";
import { proposalsFor, rulesOf } from "./prune.ts";
import { foldShared, type SharedFold } from "./share-out.ts";
import { byPlace, type Proposal, placeKey, type Situation } from "./situation.ts";
import { tokensIn } from "./size.ts";
import { type Fold, type FoldOptions, proposeFold, proposeStep } from "./strategies/fold.ts";
import { proposeThinking } from "./strategies/thinking.ts";
import { proposeDirectives, userTokens } from "./strategies/user-pastes.ts";

export function planFull(decision: Deciding): Plan {
  const { input, situation, bound } = decision;
  if (bound && mustWait(decision, bound)) {
    const clears = clearInTiers(decision, (proposals) => allowedNow(proposals, bound));
    return planOf(situation, clears, "the model waits for results it thought about");
  }
  const clears = clearInTiers(decision);
  if (input.policy.tail.folds === "nothing") return planTable(decision, clears);
  if (isEnough(decision, tokensOf(clears)) && !bound)
    return planOf(situation, clears, "full; clearing is enough");
  return input.policy.allocation
    ? planShared(decision, clears, input.policy.allocation)
    : planFold(decision, clears);
}

/**
 * Each tier only where those before were not enough, and of each tier the oldest first, until it is. What a later tier
 * takes again is the later tier's.
 */
function clearInTiers(
  decision: Deciding,
  allowed: (proposals: readonly Proposal[]) => readonly Proposal[] = (all) => all,
): readonly Proposal[] {
  const { input, situation } = decision;
  const rules = rulesOf(input.policy, { when: WHEN_FULL });
  const tiers = [...new Set(rules.flatMap(({ tier }) => tier ?? []))].sort((a, b) => a - b);
  const taken = new Map<number, Proposal>();
  let saved = 0;
  for (const tier of [undefined, ...tiers]) {
    if (tier !== undefined && isEnough(decision, saved)) break;
    const due = rules.filter((rule) => rule.tier === tier);
    for (const proposal of allowed(proposalsFor(situation, due, { isFull: true })).toSorted(byPlace)) {
      if (tier !== undefined && isEnough(decision, saved)) break;
      const key = placeKey(proposal.place);
      saved += proposal.edit.tokens - (taken.get(key)?.edit.tokens ?? 0);
      taken.set(key, proposal);
    }
  }
  return [...taken.values()];
}

const WHEN_FULL = ["arrival", "request", "pays", "full"] as const;

function mustWait({ input, situation }: Deciding, { isOpen }: BoundStep): boolean {
  if (isOpen || (input.policy.tail.folds === "nothing" && !input.policy.summary.table)) return true;
  return (
    !isForced(input.trigger) && input.totalTokens <= tokensIn(input.policy.safety.waitsUpTo, situation.room)
  );
}

/**
 * Nothing folds; where enough was cleared, the table of it stands at the end. Only the step in progress must leave where
 * its sealed thinking would forbid everything: its results are told by the table's page.
 */
function planTable({ input, situation, bound }: Deciding, clears: readonly Proposal[]): Plan {
  const page = tableForm(situation, clears, input.policy);
  const because = clears.length === 0 ? "nothing is old or large enough to be cleared" : "full; cleared";
  const step = bound && page && proposeStep(situation, bound.range);
  if (bound && !step)
    return planOf(situation, allowedNow(clears, bound), "the model waits for results it thought about");
  if (!page) return planOf(situation, clears, because);
  const proposals = withoutRepeats([...(step?.proposals ?? []), ...clears]);
  const plan = { ...planOf(situation, proposals, because, { movesPage: true }), page };
  if (!step) return plan;
  const told = { folded: step.folded, carried: carriedBy(step, situation, bound?.range) };
  return { ...plan, ...told, page: tableBehindStep(situation, page, step) };
}

function planShared(decision: Deciding, clears: readonly Proposal[], rule: AllocationRule): Plan {
  const { input, situation, bound } = decision;
  const shared = sharedFold(decision, clears, rule);
  const { fold, proposals, pageTokens, withStep } = shared;
  if (!isWorthIt(decision, shared)) {
    const others = proposals.filter(({ edit }) => edit.kind !== "fold");
    return planOf(situation, allowedNow(others, bound), "too little could be folded to be worth a page");
  }
  return {
    ...planOf(situation, proposals, `${reasonOf(decision)}; the oldest steps fold`, { movesPage: true }),
    folded: fold.folded,
    carried: carriedBy(fold, situation, withStep),
    page: pageForm(situation, fold, input.policy),
    pageTokens,
  };
}

/** Asked for, a page is written where it can be: what it quotes of old results says more than their stubs. */
function sharedFold(decision: Deciding, clears: readonly Proposal[], rule: AllocationRule): SharedFold {
  const { input, situation } = decision;
  if (isForced(input.trigger)) {
    const rules = rulesOf(input.policy, { when: WHEN_FULL }).filter(({ tier }) => tier === undefined);
    const due = proposalsFor(situation, rules, { isFull: true });
    const most = input.targetTokens ?? Number.POSITIVE_INFINITY;
    const isGood = (shared: SharedFold) => isWorthIt(decision, shared);
    const asked = foldShared(decision, due, rule);
    if (isGood(asked) && asked.tokensAfter <= most) return asked;
    // Somebody named a size: where keeping the tail does not come to it, less of the tail is kept.
    const strict = input.totalTokens > most ? foldShared(decision, due, rule, true) : asked;
    if (isGood(strict) || strict.tokensAfter <= most) return strict;
    if (isGood(asked)) return asked;
  }
  return foldShared(decision, clears, rule);
}

function planFold(decision: Deciding, clears: readonly Proposal[]): Plan {
  const { input, situation, bound } = decision;
  const pageTokens = pageCap(input.policy, situation.room);
  const fold = proposeFold(situation, {
    policy: input.policy,
    ...depthOf(decision, tokensOf(clears) - pageTokens),
    savedAt: savedByMessage(clears),
    pageTokens,
    ...(bound ? { withStep: bound.range } : {}),
  });
  if (!isWorthAPage(fold, input.policy, pageTokens))
    return planOf(situation, allowedNow(clears, bound), "too little could be folded to be worth a page");
  const proposals = withoutRepeats([...fold.proposals, ...fold.trims, ...clears]);
  const words = shortenedWords(decision, proposals, pageTokens);
  const plan = planOf(
    situation,
    withoutRepeats([...proposals, ...words]),
    `${reasonOf(decision)}; the oldest steps fold`,
    { movesPage: true },
  );
  return {
    ...plan,
    folded: fold.folded,
    carried: carriedBy(fold, situation, bound?.range),
    page: pageForm(situation, fold, input.policy),
  };
}

/** How far down a fold goes. Asked for, a summary is written even where clearing alone came so far. */
function depthOf(
  decision: Deciding,
  saved: number,
): Pick<FoldOptions, "targetTokens" | "isForced" | "isTailKept"> {
  const { input, marks } = decision;
  const asked = askedTarget(decision);
  if (asked === undefined)
    return {
      targetTokens: marks.target,
      isForced: isForced(input.trigger),
      isTailKept: decision.isTailKept ?? false,
    };
  const isTailKept = input.targetTokens === undefined;
  return { targetTokens: asked, isForced: input.totalTokens - saved <= asked, isTailKept };
}

function savedByMessage(proposals: readonly Proposal[]): ReadonlyMap<number, number> {
  const saved = new Map<number, number>();
  for (const { edit, place } of proposals)
    saved.set(place.messageIndex, (saved.get(place.messageIndex) ?? 0) + edit.tokens);
  return saved;
}

function reasonOf({ input }: Deciding): string {
  return isForced(input.trigger) ? `asked for (${input.trigger})` : "the context is full";
}

/** Where the step in progress must fold before anything else may change, its page pays for all that then leaves. */
function isWorthIt({ input, bound }: Deciding, { fold, proposals, pageTokens }: SharedFold): boolean {
  const tokens = bound ? tokensOf(proposals) : fold.tokens;
  return isWorthAPage({ ...fold, tokens }, input.policy, pageTokens);
}

/** A page is seldom as large as it may be: of little that folds little can be told. */
function isWorthAPage({ tokens, proposals }: Fold, { safety }: Policy, pageTokens: number): boolean {
  const page = safety.isPageFree ? 0 : Math.min(pageTokens, tokens / 3);
  return proposals.length > 0 && tokens >= safety.minFoldTokens && tokens - page >= safety.minSavedTokens;
}

/** From this share of the room on, the user's words themselves are what no longer fits. */
const USER_WORDS_SHARE = 0.25;

/** When the user's own words no longer fit, the oldest keep their directives. */
function shortenedWords(
  { input, situation, marks }: Deciding,
  proposals: readonly Proposal[],
  pageTokens: number,
): readonly Proposal[] {
  const rule = input.policy.prune.find(({ strategy }) => strategy === "user-pastes");
  if (rule?.strategy !== "user-pastes" || !rule.isReducedToDirectives) return [];
  const after =
    input.totalTokens + pageTokens - tokensOf(proposals) - tokensOf(proposeThinking(situation, proposals));
  const room = Math.min(marks.full, input.windowTokens);
  // A large system prompt or tail is no reason to shorten what the user said: it would save next to nothing.
  if (after <= room || userTokens(situation) < room * USER_WORDS_SHARE) return [];
  const taken = new Set(proposals.map(({ place }) => placeKey(place)));
  return proposeDirectives(situation, after - marks.target).filter(
    ({ place }) => !taken.has(placeKey(place)),
  );
}

function carriedBy(
  { proposals }: Fold,
  { transcript }: Situation,
  step: Range | undefined,
): readonly Place[] {
  if (!step) return [];
  return proposals
    .map(({ place }) => place)
    .filter(
      ({ messageIndex, partIndex }) =>
        messageIndex > step.start &&
        transcript.messages[messageIndex]?.parts[partIndex]?.type === "tool-result",
    );
}
