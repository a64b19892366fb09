/**
 * The one home of call/result pairing: which result answers which call. Every rule about pairs (what is legal,
 * what may be cut, what is superseded) asks here and nowhere else.
 *
 * A result answers the latest call with its id that came before it and has no answer yet. Hosts without ids, and
 * hosts that reuse them, are handled by the same sentence.
 */
import type { ToolCallPart, ToolResultPart, Transcript } from "./message.ts";

export interface Place {
  readonly messageIndex: number;
  readonly partIndex: number;
}

/** A tool call and its result: they live and die together. No `result`: the call is still open. */
export interface Pair {
  readonly call: Place & { readonly part: ToolCallPart };
  readonly result?: Place & { readonly part: ToolResultPart };
}

export interface Pairing {
  /** In the order of the calls. */
  readonly pairs: readonly Pair[];
  /** Results that answer nothing: their call is missing, comes later, or was answered before. */
  readonly orphans: readonly (Place & { readonly part: ToolResultPart })[];
}

type Slot = { call: Pair["call"]; result?: NonNullable<Pair["result"]> };

export function pairUp(transcript: Transcript): Pairing {
  const slots: Slot[] = [];
  const open = new Map<string, Slot[]>();
  const orphans: Pairing["orphans"][number][] = [];
  transcript.messages.forEach((message, messageIndex) => {
    message.parts.forEach((part, partIndex) => {
      if (part.type === "tool-call") {
        const slot: Slot = { call: { messageIndex, partIndex, part } };
        slots.push(slot);
        const waiting = open.get(part.callId);
        if (waiting) waiting.push(slot);
        else open.set(part.callId, [slot]);
      } else if (part.type === "tool-result") {
        const slot = open.get(part.callId)?.pop();
        if (slot) slot.result = { messageIndex, partIndex, part };
        else orphans.push({ messageIndex, partIndex, part });
      }
    });
  });
  return { pairs: slots, orphans };
}

/** For each result part, the call it answers. */
export function callsByResult(pairing: Pairing): ReadonlyMap<ToolResultPart, ToolCallPart> {
  const calls = new Map<ToolResultPart, ToolCallPart>();
  for (const { call, result } of pairing.pairs) if (result) calls.set(result.part, call.part);
  return calls;
}
