/**
 * What never folds: steps with a pinned part (whole, because parallel calls live and die together), what the harness
 * said before the model first spoke (rules and instructions live there), a provider's own compaction block, system
 * messages, and what the user said last and nobody answered. The user's other words are a matter of the policy.
 */
import { object } from "../transcript/json.ts";
import type { Message, Part } from "../transcript/message.ts";
import type { Place } from "../transcript/pairs.ts";
import { closingAnswers, type KeptWords, unansweredFrom } from "./kept-words.ts";
import type { TailRule } from "./policy.ts";
import { addressAt, isOwnPage, isPage, isPinned, isUserPart, placeKey, type Situation } from "./situation.ts";

/** Whether the part at a place may fold, were the cut behind it. */
export function foldability(
  situation: Situation,
  tail: TailRule,
  words: KeptWords | undefined,
): (place: Place) => boolean {
  const { messages } = situation.transcript;
  const { folds, headMessages = 0 } = tail;
  const kept = keptSteps(situation);
  const unanswered = unansweredFrom(situation);
  const answers = closingAnswers(situation, tail, words);
  // A page stands for what the model said: what the harness says behind one is no opening.
  const opening = messages.findIndex(({ role }, index) => role === "assistant" || isPage(situation, index));
  return (place) => {
    const message = messages[place.messageIndex];
    const part = message?.parts[place.partIndex];
    if (!message || !part || folds === "nothing" || isPage(situation, place.messageIndex)) return false;
    if (place.messageIndex < headMessages || addressAt(situation, place) === undefined) return false;
    if (kept.has(situation.stepOf[place.messageIndex] ?? -1) && !isUserPart(message, part)) return false;
    if (isPinned(situation, place) || answers.has(placeKey(place))) return false;
    if (isUserPart(message, part))
      return place.messageIndex < unanswered && areWordsFolded(tail, words, place);
    const isOpening = opening < 0 || place.messageIndex < opening;
    return mayFold(message, part, isOpening && !isOwnPage(situation, place));
  };
}

function areWordsFolded({ folds }: TailRule, words: KeptWords | undefined, place: Place): boolean {
  return folds === "everything" || (words !== undefined && !words.places.has(placeKey(place)));
}

function mayFold(message: Message, part: Part, isOpening: boolean): boolean {
  if (message.role === "system" || isProviderCompaction(message)) return false;
  if (message.role === "assistant" || part.type === "tool-result") return true;
  return !isOpening;
}

/** Steps that hold something pinned. */
function keptSteps(situation: Situation): ReadonlySet<number> {
  const kept = new Set<number>();
  if (situation.pinned.size === 0) return kept;
  situation.transcript.messages.forEach(({ parts }, messageIndex) => {
    const step = situation.stepOf[messageIndex] ?? -1;
    if (step >= 0 && parts.some((_, partIndex) => isPinned(situation, { messageIndex, partIndex })))
      kept.add(step);
  });
  return kept;
}

/** It stands for what the provider compacted, and is sealed: without it that is lost to the model. */
function isProviderCompaction({ role, parts: [first] }: Message): boolean {
  return role === "assistant" && first?.type === "opaque" && object(first.value)["type"] === "compaction";
}
