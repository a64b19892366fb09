/**
 * The requests behind a session file: for every response, what the model had been sent. Told as differences (what
 * joined since the request before), because the contexts themselves would be quadratic to write down; a compaction
 * between two requests starts the context anew.
 *
 * What a harness adds without writing it to the file (system prompt, tools, reminders) is not here; see `calibrate.ts`.
 */
import type { Message, Part, Transcript } from "../transcript/message.ts";

/** As much of a session as is needed; every `Session` of `wire/` is one. */
export interface Recording {
  readonly whole: Transcript;
  readonly compactions: readonly RecordedCompaction[];
}

export interface RecordedCompaction {
  readonly kind: "summary" | "clear";
  /** How many messages of `whole` had been said when it happened. */
  readonly at: number;
  readonly summary?: Message;
  readonly removed: readonly number[];
}

export interface Request {
  /** The message that answered it, and where it stands in `whole`. */
  readonly response: Message;
  readonly responseIndex: number;
  /** What joined the context since the request before. */
  readonly added: readonly Message[];
  /** Where a compaction came in between: its kind, and the whole context after it. `added` is empty then. */
  readonly restart?: { readonly kind: RecordedCompaction["kind"]; readonly messages: readonly Message[] };
}

const CLEARED: readonly [{ readonly type: "text"; readonly text: string }] = [
  { type: "text", text: "[Old tool result content cleared]" },
];

export function* requestsOf(recording: Recording): Generator<Request> {
  const compactions = [...recording.compactions].sort((a, b) => a.at - b.at);
  let context: Placed[] = [];
  let sent = 0;
  let restart: RecordedCompaction["kind"] | undefined;
  let next = 0;
  for (const [index, message] of recording.whole.messages.entries()) {
    for (let due = compactions[next]; due && due.at <= index; due = compactions[++next]) {
      context = compacted(context, due);
      restart = restart === "summary" ? restart : due.kind;
    }
    // A failed response is shown to the person, and not sent again.
    if (message.ended === "failed") continue;
    if (message.role === "assistant") {
      const messages = context.slice(restart ? 0 : sent).map((placed) => placed.message);
      const told = restart ? { added: [], restart: { kind: restart, messages } } : { added: messages };
      yield { response: message, responseIndex: index, ...told };
      sent = context.length;
      restart = undefined;
    }
    context.push({ index, message });
  }
}

interface Placed {
  /** Where it stands in `whole`; −1 for a summary. */
  readonly index: number;
  readonly message: Message;
}

function compacted(context: readonly Placed[], compaction: RecordedCompaction): Placed[] {
  const removed = new Set(compaction.removed);
  if (compaction.kind === "clear")
    return context.map((placed) =>
      removed.has(placed.index) ? { ...placed, message: cleared(placed.message) } : placed,
    );
  const kept = context.filter(({ index }) => index >= 0 && !removed.has(index));
  return compaction.summary ? [{ index: -1, message: compaction.summary }, ...kept] : kept;
}

function cleared(message: Message): Message {
  const parts = message.parts.map(
    (part): Part => (part.type === "tool-result" ? { ...part, output: CLEARED } : part),
  );
  return { ...message, parts };
}
