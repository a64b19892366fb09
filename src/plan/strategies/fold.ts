/**
 * Fold when full: the oldest steps leave, and one page stands for all of them. The user's words stay (unless the policy
 * says otherwise); assistant texts, thinking, calls and results go whole, step by step.
 *
 * The cut is the first that reaches the target, moved on to the start of a turn where one is near; never beyond the
 * tail. Where even that is not enough, only the last step is kept.
 */
import { hasUserWords } from "../../transcript/message.ts";
import type { Place } from "../../transcript/pairs.ts";
import type { Range } from "../../transcript/turns.ts";
import { keptWords } from "../kept-words.ts";
import { foldability } from "../pins.ts";
import type { Policy } from "../policy.ts";
import {
  addressAt,
  isOwnPage,
  isPage,
  isPinned,
  isSealedThinking,
  isUserPart,
  type PlacedPart,
  type Proposal,
  placeKey,
  type Situation,
  tokensWhere,
} from "../situation.ts";
import { tokensIn } from "../size.ts";
import { cutsUpTo, type SavedAt, tailStart } from "../tail.ts";

export interface FoldOptions {
  readonly policy: Policy;
  readonly targetTokens: number;
  /** Asked for: everything up to the tail, whether or not the target needs it. */
  readonly isForced: boolean;
  /** The tail stays whatever the target: to come far down is a wish here, not a need. */
  readonly isTailKept?: boolean;
  /** What else will be saved, by message: edits of parts that do not fold. */
  readonly savedAt: SavedAt;
  /** What the page may come to. */
  readonly pageTokens: number;
  /** What a message costs besides its parts, where that is counted; it leaves with the last of them. */
  readonly messageTokens?: number;
  /** The step in progress folds too: see `bound.ts`. */
  readonly withStep?: Range;
}

export interface Fold {
  readonly proposals: readonly Proposal[];
  /** Messages of which something folds. */
  readonly folded: readonly number[];
  readonly tokens: number;
  /** Words of the user that stay in part. */
  readonly trims: readonly Proposal[];
}

export function proposeFold(situation: Situation, options: FoldOptions): Fold {
  const words = keptWords(situation, options.policy.tail);
  const mayFold = foldability(situation, options.policy.tail, words);
  const cut = withUserFirst(situation, chooseCut(situation, mayFold, options), options);
  const isInside = (messageIndex: number) => messageIndex < cut || isWithin(messageIndex, options.withStep);
  const isLeaving = (place: Place) => isInside(place.messageIndex) || isOwnPage(situation, place);
  const leaving = situation.parts.filter(({ place }) => isLeaving(place) && mayFold(place));
  // A page of ours goes with what folds, wherever the file has put it; alone it would only be written again.
  const folding = leaving.every(({ place }) => isOwnPage(situation, place)) ? [] : leaving;
  const trims = (words?.trims ?? []).filter(({ place }) => isInside(place.messageIndex));
  return { ...foldOf(situation, withoutHalfPairs(situation, folding)), trims };
}

/** One step alone, whole; undefined where something in it is pinned. The user's words beside its results stay. */
export function proposeStep(situation: Situation, { start, end }: Range): Fold | undefined {
  const leaving = situation.parts.filter(
    ({ message, part, place }) => isWithin(place.messageIndex, { start, end }) && !isUserPart(message, part),
  );
  if (leaving.some(({ place }) => isPinned(situation, place))) return undefined;
  return { ...foldOf(situation, leaving), trims: [] };
}

/**
 * Where the step in progress folds too, the page stands last. What is kept before it must then begin with the user, as
 * every conversation does: where the user's words fold, less is kept, or nothing.
 */
function withUserFirst(situation: Situation, cut: number, { policy, withStep }: FoldOptions): number {
  const { folds, headMessages = 0 } = policy.tail;
  if (!withStep || folds !== "everything" || headMessages > 0) return cut;
  const { messages } = situation.transcript;
  const isUsers = (index: number) => messages[index] !== undefined && hasUserWords(messages[index]);
  const cuts = cutsUpTo(situation, policy.tail)(withStep.start);
  return cuts.find((index) => index >= cut && isUsers(index)) ?? Math.max(cut, withStep.start);
}

function foldOf(situation: Situation, folding: readonly PlacedPart[]): Omit<Fold, "trims"> {
  const proposals: Proposal[] = [];
  for (const { place, tokens } of folding) {
    const at = addressAt(situation, place);
    if (!at) continue;
    const edit = { kind: "fold", at, why: "folded with its step", tokens } as const;
    proposals.push({ edit, place, since: place.messageIndex });
  }
  return {
    proposals,
    folded: [...new Set(proposals.map(({ place }) => place.messageIndex))],
    tokens: proposals.reduce((sum, { edit }) => sum + edit.tokens, 0),
  };
}

function isWithin(messageIndex: number, range: Range | undefined): boolean {
  return range !== undefined && messageIndex >= range.start && messageIndex < range.end;
}

/** What is kept of a pair keeps the other half: late results may stand far from their call. */
function withoutHalfPairs({ pairing }: Situation, folding: readonly PlacedPart[]): readonly PlacedPart[] {
  const folds = new Set(folding.map(({ place }) => placeKey(place)));
  const half = new Set<number>();
  for (const { call, result } of pairing.pairs)
    if (result && folds.has(placeKey(call)) !== folds.has(placeKey(result)))
      half.add(placeKey(call)).add(placeKey(result));
  return half.size === 0 ? folding : folding.filter(({ place }) => !half.has(placeKey(place)));
}

function chooseCut(situation: Situation, mayFold: (place: Place) => boolean, options: FoldOptions): number {
  const after = tokensAfter(situation, mayFold, options);
  const allowed = cutsUpTo(situation, options.policy.tail);
  const tail = tailStart(situation, options.policy.tail, options.savedAt);
  for (const limit of options.isTailKept ? [tail] : [tail, lastStepStart(situation)]) {
    const candidates = allowed(limit);
    const enough = candidates.find((cut) => (after[cut] ?? 0) <= options.targetTokens);
    if (enough !== undefined && !options.isForced && options.policy.tail.foldsTo !== "tail")
      return nearTurn(situation, candidates, { enough, after, options });
    if (enough !== undefined || options.targetTokens === 0) return candidates.at(-1) ?? 0;
  }
  return allowed(options.isTailKept ? tail : Math.max(lastStepStart(situation), tail)).at(-1) ?? 0;
}

/** The prompt after a fold at each cut, the page counted at its largest. */
function tokensAfter(
  situation: Situation,
  mayFold: (place: Place) => boolean,
  { savedAt, pageTokens, messageTokens = 0 }: FoldOptions,
): readonly number[] {
  const { tokensOf } = situation;
  const after: number[] = [];
  // Before the first cut everything stays but what other edits save and the thinking they cost.
  const isGone = ({ part, place }: PlacedPart) =>
    isSealedThinking(part) || isPage(situation, place.messageIndex);
  let tokens = situation.totalTokens + pageTokens - tokensWhere(situation, isGone);
  for (const saved of savedAt.values()) tokens -= saved;
  for (const [messageIndex, { parts }] of situation.transcript.messages.entries()) {
    after.push(tokens);
    let folding = 0;
    let isWhole = true;
    for (const [partIndex, part] of parts.entries()) {
      if (isSealedThinking(part)) continue;
      if (mayFold({ messageIndex, partIndex })) folding += tokensOf(part);
      else isWhole = false;
    }
    const saved = savedAt.get(messageIndex) ?? 0;
    tokens -= Math.max(folding + (isWhole ? messageTokens : 0), saved) - saved;
  }
  return [...after, tokens];
}

interface Near {
  readonly enough: number;
  readonly after: readonly number[];
  readonly options: FoldOptions;
}

/** A cut between two tasks is better than one inside: a little more may fold for it. */
function nearTurn(
  situation: Situation,
  candidates: readonly number[],
  { enough, after, options }: Near,
): number {
  const { boundarySlack } = options.policy.tail;
  if (!boundarySlack) return enough;
  const least = (after[enough] ?? 0) - tokensIn(boundarySlack, situation.room);
  const starts = new Set(situation.turns.map(({ start }) => start));
  return candidates.find((cut) => cut >= enough && starts.has(cut) && (after[cut] ?? 0) >= least) ?? enough;
}

function lastStepStart({ steps, transcript }: Situation): number {
  return steps.at(-1)?.start ?? transcript.messages.length;
}
