/**
 * What stays of a conversation's words where its steps fold: of the user's the newest and the first, where a policy
 * has limits for them, and of each folded turn the model's closing answer, where it wants that. The words at a limit
 * are shortened, not lost; those between the two limits fold.
 */
import type { Message } from "../transcript/message.ts";
import type { TailRule } from "./policy.ts";
import { endsOf } from "./previews/ends.ts";
import {
  isPage,
  isPinned,
  isUserPart,
  type PlacedPart,
  type Proposal,
  placeKey,
  type Situation,
} from "./situation.ts";
import { tokensIn } from "./size.ts";
import { proposeShortened } from "./strategies/user-pastes.ts";
import { withoutStubs } from "./stub.ts";

export interface KeptWords {
  /** By `placeKey`. */
  readonly places: ReadonlySet<number>;
  /** Of those that stay, the ones that stay in part. */
  readonly trims: readonly Proposal[];
}

/** Undefined where all of the user's words stay, or none has a claim to. */
export function keptWords(
  situation: Situation,
  { folds, userTokens, userHeadTokens }: TailRule,
): KeptWords | undefined {
  if (folds !== "steps" || !userTokens) return undefined;
  const words = userWords(situation);
  const newest = within(situation, words.toReversed(), tokensIn(userTokens, situation.room));
  const rest = words.filter(({ place }) => !newest.places.has(placeKey(place)));
  const first = within(situation, rest, userHeadTokens ? tokensIn(userHeadTokens, situation.room) : 0);
  return {
    places: new Set([...newest.places, ...first.places]),
    trims: [...newest.trims, ...first.trims],
  };
}

function userWords(situation: Situation): readonly PlacedPart[] {
  return situation.parts.filter(
    ({ message, part, place }) => isUserPart(message, part) && !isPinned(situation, place),
  );
}

/** As many as fit, in the order given; the one that does not is shortened to what is left. */
function within(situation: Situation, words: readonly PlacedPart[], maxTokens: number): KeptWords {
  const open = unansweredFrom(situation);
  const places = new Set<number>();
  let left = maxTokens;
  for (const { part, place, tokens } of words) {
    // The request being worked on stays whole, whatever it takes.
    if (tokens > left && place.messageIndex < open) {
      const trim = shortenedTo(situation, { part, place }, left);
      if (trim) places.add(placeKey(place));
      return { places, trims: trim ? [trim] : [] };
    }
    places.add(placeKey(place));
    left -= tokens;
  }
  return { places, trims: [] };
}

/** What a stub takes, and the least beside it that is worth showing. */
const STUB_TOKENS = 60;
const LEAST_TOKENS = 40;

function shortenedTo(
  situation: Situation,
  { part, place }: Pick<PlacedPart, "part" | "place">,
  maxTokens: number,
): Proposal | undefined {
  const each = (maxTokens - STUB_TOKENS) / 2;
  if (part.type !== "text" || each * 2 < LEAST_TOKENS) return undefined;
  const kept = endsOf(withoutStubs(part.text), { headTokens: each, tailTokens: each });
  const [made] = proposeShortened(situation, { part, place }, { why: "only the newest words stay", kept });
  return made && situation.tokensOf(part) - made.edit.tokens <= maxTokens ? made : undefined;
}

/** Behind the model's last word: what the user asks for now. */
export function unansweredFrom(situation: Situation): number {
  const { messages } = situation.transcript;
  return messages.findLastIndex(({ role }, index) => role === "assistant" && !isPage(situation, index)) + 1;
}

/** Of each turn the text of its last response, where that closes the turn and does not work on. */
export function closingAnswers(
  situation: Situation,
  { folds, keepsAnswers }: TailRule,
  words: KeptWords | undefined,
): ReadonlySet<number> {
  if (folds !== "steps" || !keepsAnswers) return new Set();
  // An answer before anything the user said would make the model speak first.
  const first = userWords(situation).find(({ place }) => !words || words.places.has(placeKey(place)));
  const from = first?.place.messageIndex ?? Number.POSITIVE_INFINITY;
  return new Set(
    situation.turns.flatMap(({ start, end }) => {
      const messageIndex = lastResponse(situation, start, end);
      const message = situation.transcript.messages[messageIndex];
      if (!message || messageIndex < from || isWorking(message)) return [];
      return message.parts.flatMap(({ type }, partIndex) =>
        type === "text" ? [placeKey({ messageIndex, partIndex })] : [],
      );
    }),
  );
}

function lastResponse(situation: Situation, start: number, end: number): number {
  const { messages } = situation.transcript;
  for (let index = end - 1; index >= start; index -= 1)
    if (messages[index]?.role === "assistant" && !isPage(situation, index)) return index;
  return -1;
}

function isWorking({ parts }: Message): boolean {
  return parts.some(({ type }) => type === "tool-call");
}
