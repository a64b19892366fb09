/**
 * A request body is there to be sent, and no provider takes one that ends in a call nobody answered: a session that was
 * interrupted, or is waiting. The file keeps the call; the body goes without it, and `compact --to` says so.
 */
import { check } from "../transcript/check.ts";
import type { Message, Part, Transcript } from "../transcript/message.ts";

export interface Sendable {
  readonly transcript: Transcript;
  /** Names of the tools whose calls were left out. */
  readonly leftOut: readonly string[];
}

export function sendable(transcript: Transcript): Sendable {
  const open = new Set<Part>(
    check(transcript).flatMap(({ code, messageIndex, partIndex }) => {
      const part = transcript.messages[messageIndex]?.parts[partIndex ?? -1];
      return code === "open-call" && part ? [part] : [];
    }),
  );
  if (open.size === 0) return { transcript, leftOut: [] };
  const messages = transcript.messages.flatMap((message) => without(message, open));
  const leftOut = [...open].flatMap((part) => (part.type === "tool-call" ? [part.name] : []));
  return { transcript: { ...transcript, messages }, leftOut };
}

function without(message: Message, open: ReadonlySet<Part>): readonly Message[] {
  if (!message.parts.some((part) => open.has(part))) return [message];
  const parts = message.parts.filter((part) => !open.has(part));
  // Thinking alone is no message.
  return parts.every(({ type }) => type === "thinking" || type === "opaque") ? [] : [{ ...message, parts }];
}
