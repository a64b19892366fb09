/** What is wrong with calls and results: who answers whom comes from `pairs.ts`, where a response's results end from `turns.ts`. */
import type { Part, Transcript } from "./message.ts";
import { type Pair, type Pairing, type Place, pairUp } from "./pairs.ts";
import type { Problem } from "./rules.ts";
import { type Range, stepsOf } from "./turns.ts";

export function findInPairs(transcript: Transcript): readonly Problem[] {
  const pairing = pairUp(transcript);
  const steps = stepsOf(transcript);
  const ends = new Map(steps.map(({ start, end }) => [start, end]));
  const length = transcript.messages.length;
  return [
    ...pairing.pairs.flatMap((pair) => findInPair(pair, ends.get(pair.call.messageIndex), length)),
    ...findOrphans(pairing),
    ...findRepeatedIds(pairing),
    ...steps.flatMap((step) => findAfterWords(transcript, step)),
  ];
}

/** `end` is where the results of the call's response end; a call that is not the model's has none, and is found elsewhere. */
function findInPair({ call, result }: Pair, end: number | undefined, length: number): readonly Problem[] {
  if (end === undefined) return [];
  const name = `${call.part.callId} (${call.part.name})`;
  if (!result) {
    const place = { messageIndex: call.messageIndex, partIndex: call.partIndex };
    return end === length
      ? [{ code: "open-call", ...place, why: `Call ${name} has no result yet.` }]
      : [
          {
            code: "unanswered-call",
            ...place,
            why: `Call ${name} has no result, and the conversation goes on.`,
          },
        ];
  }
  if (result.messageIndex < end) return [];
  const why = `The result of call ${name} does not follow it directly.`;
  return [{ code: "late-result", ...placeOf(result), why }];
}

function findOrphans({ pairs, orphans }: Pairing): readonly Problem[] {
  const firstCalls = new Map<string, number>();
  for (const { call } of pairs)
    if (!firstCalls.has(call.part.callId)) firstCalls.set(call.part.callId, call.messageIndex);
  return orphans.map((orphan): Problem => {
    const calledAt = firstCalls.get(orphan.part.callId);
    return calledAt !== undefined && calledAt < orphan.messageIndex
      ? {
          code: "repeated-result",
          ...placeOf(orphan),
          why: `Call ${orphan.part.callId} was answered before.`,
        }
      : {
          code: "orphan-result",
          ...placeOf(orphan),
          why: `No call ${orphan.part.callId} came before its result.`,
        };
  });
}

function findRepeatedIds({ pairs }: Pairing): readonly Problem[] {
  const seen = new Set<string>();
  return pairs.flatMap(({ call }): readonly Problem[] => {
    const { callId, name } = call.part;
    const isRepeated = callId !== "" && seen.has(callId);
    seen.add(callId);
    if (!isRepeated) return [];
    return [
      { code: "repeated-call-id", ...placeOf(call), why: `A second call (${name}) has the id ${callId}.` },
    ];
  });
}

/** The messages behind a response count as one: once words were said there, no result may follow. */
function findAfterWords({ messages }: Transcript, { start, end }: Range): readonly Problem[] {
  const found: Problem[] = [];
  let words: Part | undefined;
  for (let messageIndex = start + 1; messageIndex < end; messageIndex += 1) {
    messages[messageIndex]?.parts.forEach((part, partIndex) => {
      if (part.type !== "tool-result") words ??= part;
      else if (words)
        found.push({
          code: "result-after-words",
          messageIndex,
          partIndex,
          why: `The result of call ${part.callId} comes after a part of type ${words.type}.`,
        });
    });
  }
  return found;
}

function placeOf({ messageIndex, partIndex }: Place): Place {
  return { messageIndex, partIndex };
}
