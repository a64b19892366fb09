/**
 * A fold whose target is one budget (`allocation-rule.ts`). In this order: what cannot leave; the user's words, the
 * oldest of them shortened where they would take more than their share; the page; and with the rest the newest steps.
 * What the steps leave over goes to results that would have been cleared, newest first, and then to the page.
 *
 * A target can be smaller than the last step alone. Then its results are shortened, and where that is not enough the
 * step folds too and the page quotes what the model was waiting for.
 */
import { isRecall } from "../transcript/own-tools.ts";
import type { Range } from "../transcript/turns.ts";
import type { AllocationRule } from "./allocation-rule.ts";
import { type Deciding, isForced, tokensOf, withoutRepeats } from "./deciding.ts";
import { FRAME_TOKENS, pageCap } from "./page-share.ts";
import { foldability } from "./pins.ts";
import {
  isPage,
  isSealedThinking,
  lastStep,
  type Proposal,
  placeKey,
  type Situation,
  tokensWhere,
} from "./situation.ts";
import { type Fold, proposeFold } from "./strategies/fold.ts";
import { proposeShorterResults } from "./strategies/shorter-results.ts";
import { proposeThinking } from "./strategies/thinking.ts";
import { proposeShorterOpening, proposeShorterWords, wordsTokens } from "./strategies/user-pastes.ts";
import { sum } from "./tail.ts";

export interface SharedFold {
  readonly fold: Fold;
  /** Everything that is done, the fold among it. */
  readonly proposals: readonly Proposal[];
  readonly pageTokens: number;
  /** What the prompt then comes to, the page at its largest. */
  readonly tokensAfter: number;
  /** The step that folded although the model was not done with it. */
  readonly withStep?: Range;
}

interface Aim {
  readonly target: number;
  /** What must hold. A target of our own is a wish: beyond it, but not full, nothing the model is working with is cut. */
  readonly most: number;
  /** Somebody asked although there is room: everything up to the tail folds, and the page may be generous. */
  readonly isOnlyAsked: boolean;
}

/** Less where somebody asked, because they want room, or the provider found it too long. */
function aimOf({ input, situation, marks }: Deciding, rule: AllocationRule, isStrict: boolean): Aim {
  const wish = Math.max(marks.full, marks.target);
  if (!isForced(input.trigger))
    return { target: marks.target, most: input.targetTokens ?? wish, isOnlyAsked: false };
  // System prompt and tools stay whatever is asked, wherever a wire keeps them: the share is one of what can change.
  const spoken = allTokens(situation) - systemTokens(situation);
  const around = input.totalTokens - spoken;
  const asked = around + rule.askedShare * Math.max(0, marks.target - around);
  const target = input.targetTokens ?? asked;
  const share = around + rule.askedShareOfPrompt * spoken;
  if (target >= share && !isStrict) return { target: share, most: wish, isOnlyAsked: true };
  const holds = input.targetTokens !== undefined || input.trigger === "overflow";
  return { target, most: holds ? target : wish, isOnlyAsked: false };
}

/** `isStrict`: the target that was asked for is kept, whatever of the tail it takes. */
export function foldShared(
  decision: Deciding,
  clears: readonly Proposal[],
  rule: AllocationRule,
  isStrict = false,
): SharedFold {
  const { situation, bound } = decision;
  const made = foldTo(decision, clears, { rule, isStrict, ...(bound ? { withStep: bound.range } : {}) });
  const last = lastStep(situation);
  if (made.isFitting || bound || !last || !isClosed(situation, last)) return made;
  // What the model just asked to see again is not cut while it fits: it would ask once more.
  if (!isForced(decision.input.trigger) && isReadingBack(situation, last)) return made;
  const again = foldTo(decision, clears, { rule, isStrict, withStep: last });
  return again.fold.tokens > made.fold.tokens ? again : made;
}

interface Folding {
  readonly rule: AllocationRule;
  readonly isStrict: boolean;
  readonly withStep?: Range;
}

function foldTo(
  decision: Deciding,
  clears: readonly Proposal[],
  folding: Folding,
): SharedFold & { readonly isFitting: boolean } {
  const { input, situation } = decision;
  const { target, most, isOnlyAsked, words, reserve } = sharesOf(decision, folding);
  const { withStep } = folding;
  const fold = proposeFold(situation, {
    policy: input.policy,
    targetTokens: target,
    isForced: isOnlyAsked,
    isTailKept: isOnlyAsked,
    savedAt: savedByMessage(decision, withoutRepeats([...words, ...clears]), withStep),
    pageTokens: reserve,
    messageTokens: input.messageTokens ?? 0,
    ...(withStep ? { withStep } : {}),
  });
  const leaving = withoutRepeats([...fold.proposals, ...fold.trims, ...words]);
  // Where there is room, nothing is shortened only because somebody asked.
  const within = isOnlyAsked ? Number.POSITIVE_INFINITY : target - reserve;
  const proposals = fitting(decision, leaving, { clears, target: within, most: most - reserve });
  const after = tokensAfter(decision, proposals);
  const left = PAGE_MARGIN * Math.max(target - after, Math.min(reserve, most - after));
  const page = Math.min(pageCap(input.policy, situation.room), fold.tokens * PAGE_OF_FOLDED, left);
  const pageTokens = Math.round(Math.max(LEAST_PAGE, page));
  const made = { fold, proposals, pageTokens, tokensAfter: after + pageTokens };
  return { ...made, isFitting: left >= LEAST_PAGE, ...(withStep ? { withStep } : {}) };
}

interface Shares extends Aim {
  readonly words: readonly Proposal[];
  /** The page's. */
  readonly reserve: number;
}

function sharesOf(decision: Deciding, { rule, isStrict }: Folding): Shares {
  const aim = aimOf(decision, rule, isStrict);
  const { words, room, claim } = wordsWithin(decision, aim, rule);
  const share = rule.pageShare * room;
  const reserve = pageReserve(decision, Math.max(share, claim));
  // What the page claims over its share goes beyond the wish: the newest steps are not cut for it.
  const target = Math.min(aim.most, aim.target + Math.max(0, reserve - share));
  return { ...aim, target, words, reserve };
}

/**
 * Of the policy's own target, whatever words and the step in hand take of it, and as long as that holds what must: half of
 * the results and half a page say more than either alone.
 */
const PAGE_CLAIM = 0.55;

/** What is set aside for the page before the newest steps are counted: no more than what could fold is worth. */
function pageReserve(decision: Deciding, wanted: number): number {
  const { input, situation } = decision;
  const most = Math.min(pageCap(input.policy, situation.room), PAGE_OF_FOLDED * foldableTokens(decision));
  return Math.max(LEAST_PAGE, Math.min(most, wanted));
}

interface Fitting {
  readonly clears: readonly Proposal[];
  readonly target: number;
  readonly most: number;
}

/** With what folds: the oldest that can be cleared, until the target is met, and shorter results where it is not. */
function fitting(
  decision: Deciding,
  folding: readonly Proposal[],
  { clears, target, most }: Fitting,
): readonly Proposal[] {
  const all = withoutRepeats([...folding, ...clears]);
  const fixed = new Set(folding.map(({ place }) => placeKey(place)));
  const kept = withoutSpare(all, target - tokensAfter(decision, all), fixed);
  const over = tokensAfter(decision, kept) - Math.max(target, most);
  if (over <= 0) return kept;
  return withoutRepeats([...proposeShorterResults(decision.situation, kept, over), ...kept]);
}

/** Headings, and a line or two under each. */
const LEAST_PAGE = 2 * FRAME_TOKENS;
/** What may not be left out of a page is known once it is written: it comes out a few in a hundred over what was asked. */
const PAGE_MARGIN = 0.95;
/** A page nearly as large as what it stands for would only be a worse copy. */
const PAGE_OF_FOLDED = 0.6;

interface WordsWithin {
  readonly words: readonly Proposal[];
  /** What they leave of the target. */
  readonly room: number;
  readonly claim: number;
}

/** What a harness says first is no word of the user: of a small room it may take this much. */
const OPENING_SHARE = 0.25;

/** The words that have to be shortened, and what they leave for page and tail. Law 2: the user's only where they do not fit. */
function wordsWithin(
  { input, situation, marks }: Deciding,
  { target, most }: Pick<Aim, "target" | "most">,
  { wordsShare }: AllocationRule,
): WordsWithin {
  const staying = stayingOf(situation, input.policy.tail);
  const said = wordsTokens(situation);
  const wrapping = (input.messageTokens ?? 0) * (situation.transcript.messages.length - staying.messages);
  const fixed = input.totalTokens - allTokens(situation) - wrapping + staying.tokens - said;
  const open = Math.max(0, most - fixed);
  const words =
    said > wordsShare * open
      ? proposeShorterWords(situation, said - wordsShare * open)
      : proposeShorterOpening(situation, OPENING_SHARE * open);
  const taken = fixed + said - tokensOf(words);
  const claim = PAGE_CLAIM * Math.max(0, Math.min(marks.target - fixed, most - taken));
  return { words, room: Math.max(0, target - taken), claim };
}

interface Staying {
  readonly tokens: number;
  /** Messages of which something stays, and the page's own. */
  readonly messages: number;
}

function stayingOf(situation: Situation, tail: Parameters<typeof foldability>[1]): Staying {
  const mayFold = foldability(situation, tail, undefined);
  const messages = new Set<number>();
  const tokens = tokensWhere(situation, ({ part, place }) => {
    if (isPage(situation, place.messageIndex) || isSealedThinking(part) || mayFold(place)) return false;
    messages.add(place.messageIndex);
    return true;
  });
  return { tokens, messages: 1 + messages.size };
}

/** All that could leave: everything up to the last step. */
function foldableTokens({ input, situation }: Deciding): number {
  const last = situation.steps.at(-1)?.start ?? 0;
  const before = tokensWhere(situation, ({ place }) => place.messageIndex < last);
  return Math.max(0, before - stayingOf(situation, input.policy.tail).tokens);
}

function systemTokens(situation: Situation): number {
  return tokensWhere(situation, ({ message }) => message.role === "system");
}

function allTokens(situation: Situation): number {
  return tokensWhere(situation, () => true);
}

/** The prompt without the page: that of an earlier fold goes too. */
function tokensAfter({ input, situation }: Deciding, proposals: readonly Proposal[]): number {
  const pages = tokensWhere(situation, ({ place }) => isPage(situation, place.messageIndex));
  const thinking = proposeThinking(situation, proposals, { movesPage: true });
  const wrapping = (input.messageTokens ?? 0) * emptied(situation, [...proposals, ...thinking]);
  return input.totalTokens - pages - tokensOf(proposals) - tokensOf(thinking) - wrapping;
}

/** Messages that leave whole, less the one the page is. */
function emptied({ transcript }: Situation, proposals: readonly Proposal[]): number {
  const leaving = new Map<number, number>();
  for (const { edit, place } of proposals)
    if (edit.kind === "fold" || edit.kind === "drop")
      leaving.set(place.messageIndex, (leaving.get(place.messageIndex) ?? 0) + 1);
  let whole = 0;
  for (const [index, parts] of leaving) if (transcript.messages[index]?.parts.length === parts) whole += 1;
  return Math.max(0, whole - 1);
}

/** The newest stay whole, as many as `spare` tokens hold. */
function withoutSpare(
  proposals: readonly Proposal[],
  spare: number,
  fixed: ReadonlySet<number>,
): readonly Proposal[] {
  let left = spare;
  const dropped = new Set<Proposal>();
  const newest = proposals.toSorted((a, b) => b.place.messageIndex - a.place.messageIndex);
  for (const proposal of newest) {
    if (fixed.has(placeKey(proposal.place)) || proposal.edit.tokens > left) continue;
    left -= proposal.edit.tokens;
    dropped.add(proposal);
  }
  return proposals.filter((proposal) => !dropped.has(proposal));
}

/** What other edits save, by message; of a step that folds in any case everything. */
function savedByMessage(
  { input, situation: { transcript, tokensOf: of } }: Deciding,
  proposals: readonly Proposal[],
  withStep: Range | undefined,
): ReadonlyMap<number, number> {
  const saved = new Map<number, number>();
  for (const { edit, place } of proposals)
    saved.set(place.messageIndex, (saved.get(place.messageIndex) ?? 0) + edit.tokens);
  for (let index = withStep?.start ?? 0; index < (withStep?.end ?? 0); index += 1) {
    const parts = transcript.messages[index]?.parts ?? [];
    const said = parts.filter((part) => !isSealedThinking(part));
    saved.set(index, sum(said.map(of)) + (input.messageTokens ?? 0));
  }
  return saved;
}

function isReadingBack({ pairing }: Situation, { start }: Range): boolean {
  return pairing.pairs.some(({ call }) => call.messageIndex >= start && isRecall(call.part.name));
}

/** The last thing said, and every call of it answered. */
function isClosed({ transcript, pairing }: Situation, { start, end }: Range): boolean {
  const isOpen = pairing.pairs.some(({ call, result }) => call.messageIndex >= start && !result);
  return end === transcript.messages.length && !isOpen;
}
