/**
 * The one home of call/result pairing: which result answers which call. Every rule about pairs (what is legal,
 * what may be cut, what is superseded) asks here and nowhere else.
 *
 * A result answers a call with its id that came before it and has no answer yet: of the latest message with such a
 * call, the first. Hosts without ids, and hosts that reuse them, are handled by the same sentence.
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

/** The calls of one message that share an id (or have none), how many are answered, and those of a message before. */
type Sharing = {
  readonly messageIndex: number;
  readonly slots: Slot[];
  answered: number;
  readonly before: Sharing | undefined;
};

export function pairUp(transcript: Transcript): Pairing {
  const slots: Slot[] = [];
  const open = new Map<string, Sharing>();
  const orphans: Pairing["orphans"][number][] = [];
  transcript.messages.forEach((message, messageIndex) => {
    message.parts.forEach((part, partIndex) => {
      if (part.type === "tool-call") {
        const slot: Slot = { call: { messageIndex, partIndex, part } };
        slots.push(slot);
        waitFor(open, slot);
      } else if (part.type === "tool-result") {
        const slot = nextOpen(open, part.callId);
        if (slot) slot.result = { messageIndex, partIndex, part };
        else orphans.push({ messageIndex, partIndex, part });
      }
    });
  });
  return { pairs: slots, orphans };
}

function waitFor(open: Map<string, Sharing>, slot: Slot): void {
  const { messageIndex, part } = slot.call;
  const latest = open.get(part.callId);
  if (latest?.messageIndex === messageIndex) latest.slots.push(slot);
  else open.set(part.callId, { messageIndex, slots: [slot], answered: 0, before: latest });
}

function nextOpen(open: Map<string, Sharing>, callId: string): Slot | undefined {
  const latest = open.get(callId);
  if (!latest) return undefined;
  const slot = latest.slots[latest.answered];
  latest.answered += 1;
  if (latest.answered < latest.slots.length) return slot;
  if (latest.before) open.set(callId, latest.before);
  else open.delete(callId);
  return slot;
}

/** For each result part, the call it answers. */
export function callsByResult(pairing: Pairing): ReadonlyMap<ToolResultPart, ToolCallPart> {
  const calls = new Map<ToolResultPart, ToolCallPart>();
  for (const { call, result } of pairing.pairs) if (result) calls.set(result.part, call.part);
  return calls;
}
