/**
 * Messages from elsewhere, for a body that is written in a wire they were not read from. What came from this wire
 * goes out one by one, as it came; the rest is brought into the shape the provider asks for, which mostly means
 * that messages of one role become one message.
 */
import { createHash } from "node:crypto";
import type { Message, Part, Spelling, ToolCallPart, Transcript } from "../transcript/message.ts";

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

/** Chat Completions refuses longer ids (40); Anthropic refuses other characters. pi joins two ids with `|`. */
const SENDABLE_ID = /^[a-zA-Z0-9_-]{1,40}$/;

/** Ids from elsewhere that a provider would refuse are replaced, the same way on both sides of a pair. */
export function withSendableIds(transcript: Transcript, of: Spelling): Transcript {
  const messages = transcript.messages.map((message) => (isNative(message, of) ? message : withIds(message)));
  return { ...transcript, messages };
}

function withIds(message: Message): Message {
  if (!message.parts.some(hasOddId)) return message;
  return {
    ...message,
    parts: message.parts.map((part) => (hasOddId(part) ? { ...part, callId: idFor(part.callId) } : part)),
  };
}

function hasOddId(part: Part): part is Extract<Part, { callId: string }> {
  return "callId" in part && part.callId !== "" && !SENDABLE_ID.test(part.callId);
}

function idFor(callId: string): string {
  return `call_${createHash("sha256").update(callId).digest("hex").slice(0, 24)}`;
}
