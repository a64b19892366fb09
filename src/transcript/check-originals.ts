/**
 * What was changed that may only be kept or left out: sealed thinking, what stands before it, and opaque items.
 * The original is indexed once and the transcript is walked once, so the cost is the sum of both.
 */
import type { Message, OpaquePart, Part, ThinkingPart, Transcript } from "./message.ts";
import { addPart, isSealed, openPrefix, type PrefixDigest } from "./prefix.ts";
import { refOf } from "./ref.ts";
import type { Problem } from "./rules.ts";
import { stepsOf } from "./turns.ts";

export function findAgainstOriginal(transcript: Transcript, original: Transcript): readonly Problem[] {
  return [
    ...findEditedThinking(transcript, original),
    ...findMissingThinking(transcript, original),
    ...findEditedOpaque(transcript, original),
  ];
}

/** Thinking with the prefix it stands behind. */
interface Bound {
  readonly part: ThinkingPart;
  readonly prefix: PrefixDigest;
  readonly messageIndex: number;
  readonly partIndex: number;
}

function findEditedThinking(transcript: Transcript, original: Transcript): readonly Problem[] {
  const shown = sealedThinking(transcript);
  // Hashing the original is most of what a check costs, and after a fold there is often nothing to compare it with.
  if (shown.length === 0) return [];
  const made = new Map<string, Set<string>>();
  for (const { part, prefix } of sealedThinking(original)) {
    const prefixes = made.get(exactly(part));
    if (prefixes) prefixes.add(prefix);
    else made.set(exactly(part), new Set([prefix]));
  }
  return shown.flatMap(({ part, prefix, messageIndex, partIndex }): readonly Problem[] => {
    const place = { messageIndex, partIndex };
    const prefixes = made.get(exactly(part));
    if (!prefixes)
      return [{ code: "thinking-edited", ...place, why: "Thinking differs from what the provider sealed." }];
    if (prefixes.has(prefix)) return [];
    return [{ code: "prefix-changed", ...place, why: "What stands before sealed thinking was changed." }];
  });
}

/** A seal holds for its text to the last blank. */
function exactly(part: ThinkingPart): string {
  return JSON.stringify([part.text, part.signature ?? null, part.encrypted ?? null]);
}

function sealedThinking(transcript: Transcript): readonly Bound[] {
  const isAny = transcript.messages.some(({ parts }) => parts.some(isSealedThinking));
  if (!isAny) return [];
  const found: Bound[] = [];
  let prefix = openPrefix(transcript);
  transcript.messages.forEach(({ role, parts }, messageIndex) => {
    parts.forEach((part, partIndex) => {
      if (isSealedThinking(part)) found.push({ part, prefix, messageIndex, partIndex });
      prefix = addPart(prefix, role, part);
    });
  });
  return found;
}

function isSealedThinking(part: Part): part is ThinkingPart {
  return part.type === "thinking" && isSealed(part);
}

/**
 * While the model waits for results it is still thinking: the response with the calls must keep what it thought. Once
 * the user speaks again a new turn begins, and the thinking of the old one may go.
 */
function findMissingThinking(transcript: Transcript, original: Transcript): readonly Problem[] {
  const { messages } = transcript;
  const step = stepsOf(transcript).at(-1);
  const response = step && messages[step.start];
  if (!response || step.end !== messages.length || response.parts.some(isSealedThinking)) return [];
  const ids = new Set(callIdsOf(response));
  const source = original.messages.findLast((message) => callIdsOf(message).some((id) => ids.has(id)));
  if (!source?.parts.some(isSealedThinking)) return [];
  const why = "The thinking that led to the last calls was left out while the model waits for their results.";
  return [{ code: "missing-thinking", messageIndex: step.start, why }];
}

function callIdsOf(message: Message): readonly string[] {
  return message.parts.flatMap((part) =>
    part.type === "tool-call" && part.callId !== "" ? [part.callId] : [],
  );
}

function findEditedOpaque(transcript: Transcript, original: Transcript): readonly Problem[] {
  const known = new Set(opaqueParts(original).map(({ part }) => refOf(part)));
  return opaqueParts(transcript)
    .filter(({ part }) => !known.has(refOf(part)))
    .map(({ part, messageIndex, partIndex }) => ({
      code: "opaque-edited" as const,
      messageIndex,
      partIndex,
      why: `An opaque item of ${part.of} is not in the original conversation.`,
    }));
}

interface PlacedOpaque {
  readonly part: OpaquePart;
  readonly messageIndex: number;
  readonly partIndex: number;
}

function opaqueParts(transcript: Transcript): readonly PlacedOpaque[] {
  return transcript.messages.flatMap((message, messageIndex) =>
    message.parts.flatMap((part, partIndex) => {
      const inside: readonly Part[] = part.type === "tool-result" ? part.output : [part];
      return inside.flatMap((item) =>
        item.type === "opaque" ? [{ part: item, messageIndex, partIndex }] : [],
      );
    }),
  );
}
