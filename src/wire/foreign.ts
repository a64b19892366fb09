/**
 * Messages from elsewhere, for a body that is written in a wire they were not read from. What came from this wire
 * goes out one by one, as it came; the rest is brought into the shape the provider asks for, which mostly means
 * that messages of one role become one message.
 */
import type { Message, Spelling, ToolCallPart } from "../transcript/message.ts";

export function isNative(message: Message, of: Spelling): boolean {
  return message.native?.of === of;
}

/** System messages from elsewhere that open the conversation: they belong where the wire keeps its system prompt. */
export function leadingSystem(messages: readonly Message[], of: Spelling): readonly Message[] {
  const end = messages.findIndex((message) => message.role !== "system" || isNative(message, of));
  return messages.slice(0, end < 0 ? messages.length : end);
}

export interface Grouping {
  readonly of: Spelling;
  readonly roleOf: (message: Message) => string;
}

/** Native messages alone; from elsewhere, neighbours of one role together. */
export function groupsOf(
  messages: readonly Message[],
  { of, roleOf }: Grouping,
): readonly (readonly Message[])[] {
  const groups: Message[][] = [];
  for (const message of messages) {
    const open = groups.at(-1)?.[0];
    const joins = open && !isNative(open, of) && !isNative(message, of) && roleOf(open) === roleOf(message);
    if (joins) groups.at(-1)?.push(message);
    else groups.push([message]);
  }
  return groups;
}

/** A result names only the call it answers; wires that want the tool's name beside it find it here. */
export function callsById(messages: readonly Message[]): ReadonlyMap<string, ToolCallPart> {
  const calls = new Map<string, ToolCallPart>();
  for (const message of messages)
    for (const part of message.parts) if (part.type === "tool-call") calls.set(part.callId, part);
  return calls;
}
