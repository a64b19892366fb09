/**
 * Where a conversation may be cut in two: before which messages. A cut never parts a call from its result, parallel
 * calls from each other, a response from the rest of its run, or an open call at the end from the end. It may stand in
 * the middle of a turn, between two steps, because a single turn can be as long as the window.
 */
import type { Transcript } from "../transcript/message.ts";
import type { Pairing } from "../transcript/pairs.ts";
import type { Range } from "../transcript/turns.ts";

export interface Uncut {
  readonly transcript: Transcript;
  readonly pairing: Pairing;
  readonly steps: readonly Range[];
}

/** For each index from 0 to the number of messages: whether what stands before may leave and what stands from there stay. */
export function cutsOf({ transcript, pairing, steps }: Uncut): readonly boolean[] {
  const { messages } = transcript;
  // How many things would be cut in two before each message, as differences: one pass, however far a pair reaches.
  const changes = new Array<number>(messages.length + 2).fill(0);
  const forbid = (after: number, upTo: number) => {
    changes[after + 1] = (changes[after + 1] ?? 0) + 1;
    changes[upTo + 1] = (changes[upTo + 1] ?? 0) - 1;
  };
  for (const { call, result } of pairing.pairs)
    if (result) forbid(call.messageIndex, result.messageIndex);
    else if (isAtEnd(call.messageIndex, steps, messages.length)) forbid(call.messageIndex, messages.length);
  for (const { start, end } of steps) {
    forbid(start, end - 1);
    if (end === start + 1 && messages[end]?.role === "assistant") forbid(start, end);
  }
  let crossing = 0;
  return Array.from({ length: messages.length + 1 }, (_, index) => {
    crossing += changes[index] ?? 0;
    return crossing === 0;
  });
}

function isAtEnd(messageIndex: number, steps: readonly Range[], length: number): boolean {
  const last = steps.at(-1);
  return last?.end === length && messageIndex >= last.start;
}
