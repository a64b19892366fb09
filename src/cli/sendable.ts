/**
 * A request body is there to be sent, and no provider takes one that ends in a call nobody answered, or in a thought: a
 * session that was interrupted, or is waiting. The file keeps them; the body goes without, and `compact --to` says so.
 */
import { check } from "../transcript/check.ts";
import type { Message, Part, Transcript } from "../transcript/message.ts";

export interface Sendable {
  readonly transcript: Transcript;
  /** Names of the tools whose calls were left out, and what was only thought. */
  readonly leftOut: readonly string[];
}

export function sendable(transcript: Transcript): Sendable {
  const open = new Set<Part>(
    check(transcript).flatMap(({ code, messageIndex, partIndex }) => {
      const part = transcript.messages[messageIndex]?.parts[partIndex ?? -1];
      return (code === "open-call" || code === "thinking-last") && part ? [part] : [];
    }),
  );
  if (open.size === 0) return { transcript, leftOut: [] };
  const messages = transcript.messages.flatMap((message) => without(message, open));
  const leftOut = [...open].map((part) => (part.type === "tool-call" ? part.name : "thinking"));
  // Without its call, a thought may be what stands last.
  const rest = sendable({ ...transcript, messages });
  return { ...rest, leftOut: [...leftOut, ...rest.leftOut] };
}

function without(message: Message, open: ReadonlySet<Part>): readonly Message[] {
  if (!message.parts.some((part) => open.has(part))) return [message];
  const parts = message.parts.filter((part) => !open.has(part));
  // Thinking alone is no message.
  return parts.every(({ type }) => type === "thinking" || type === "opaque") ? [] : [{ ...message, parts }];
}
