/**
 * What never folds: steps with a pinned part (whole, because parallel calls live and die together), what the harness
 * said before the model first spoke (rules and instructions live there), a provider's own compaction block, and system
 * messages. The user's words are a matter of the policy.
 */
import { object } from "../transcript/json.ts";
import type { Message, Part } from "../transcript/message.ts";
import type { Place } from "../transcript/pairs.ts";
import type { TailRule } from "./policy.ts";
import { addressAt, isPage, isPinned, isUserPart, type Situation } from "./situation.ts";

/** Whether the part at a place may fold, were the cut behind it. */
export function foldability(
  situation: Situation,
  { folds, headMessages = 0 }: TailRule,
): (place: Place) => boolean {
  const { messages } = situation.transcript;
  const kept = keptSteps(situation);
  const opening = messages.findIndex(({ role }) => role === "assistant");
  return (place) => {
    const message = messages[place.messageIndex];
    const part = message?.parts[place.partIndex];
    if (!message || !part || folds === "nothing" || isPage(situation, place.messageIndex)) return false;
    if (place.messageIndex < headMessages || addressAt(situation, place) === undefined) return false;
    if (kept.has(situation.stepOf[place.messageIndex] ?? -1) && !isUserPart(message, part)) return false;
    if (isPinned(situation, place)) return false;
    return mayFold(message, part, { folds, isOpening: opening < 0 || place.messageIndex < opening });
  };
}

function mayFold(
  message: Message,
  part: Part,
  { folds, isOpening }: { readonly folds: TailRule["folds"]; readonly isOpening: boolean },
): boolean {
  if (message.role === "system" || isProviderCompaction(message)) return false;
  if (message.role === "assistant" || part.type === "tool-result") return true;
  if (isUserPart(message, part)) return folds === "everything";
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
