/**
 * What was changed that may only be kept or left out: sealed thinking, what stands before it, and opaque items.
 * The original is indexed once and the transcript is walked once, so the cost is the sum of both.
 */
import type { Message, OpaquePart, Part, ThinkingPart, Transcript } from "./message.ts";
import { addPart, isSealed, openPrefix, type PrefixDigest } from "./prefix.ts";
import { refOf } from "./ref.ts";
import type { Problem } from "./rules.ts";
import { lastResponse } from "./turns.ts";

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
 * While the model waits for results it is still thinking: the response with the calls must keep what it thought, until the
 * model itself has spoken again. Words of the user behind the results do not end that: providers join them with the results.
 */
function findMissingThinking(transcript: Transcript, original: Transcript): readonly Problem[] {
  const response = lastResponse(transcript);
  if (!response) return [];
  const messages = transcript.messages.slice(response.start, response.end);
  const ids = new Set(messages.flatMap(callIdsOf));
  if (ids.size === 0 || hasSealedThinking(...messages)) return [];
  const isCalling = (message: Message) => callIdsOf(message).some((id) => ids.has(id));
  if (!hasSealedThinking(...responseAt(original, original.messages.findLastIndex(isCalling)))) return [];
  const why = "The thinking that led to the last calls was left out while the model waits for their results.";
  return [{ code: "missing-thinking", messageIndex: response.start, why }];
}

/** All messages of the model around one of them. */
function responseAt({ messages }: Transcript, index: number): readonly Message[] {
  const isOther = ({ role }: Message) => role !== "assistant";
  const after = messages.slice(index).findIndex(isOther);
  const response = lastResponse({ messages: after < 0 ? messages : messages.slice(0, index + after) });
  return index < 0 || !response ? [] : messages.slice(response.start, response.end);
}

function hasSealedThinking(...messages: readonly Message[]): boolean {
  return messages.some(({ parts }) => parts.some(isSealedThinking));
}

function callIdsOf(message: Message): readonly string[] {
  return message.parts.flatMap((part) =>
    part.type === "tool-call" && part.callId !== "" ? [part.callId] : [],
  );
}

function findEditedOpaque(transcript: Transcript, original: Transcript): readonly Problem[] {
  const shown = opaqueParts(transcript);
  if (shown.length === 0) return [];
  const known = new Set(opaqueParts(original).map(({ part }) => refOf(part)));
  return shown
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
