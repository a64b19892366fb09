/** Builders, so that a test reads like the conversation it is about. */
import type { Json } from "../src/transcript/json.ts";
import type { Message, Part, Transcript } from "../src/transcript/message.ts";

export const transcript = (...messages: readonly Message[]): Transcript => ({ messages });
export const user = (...parts: readonly (string | Part)[]): Message => ({
  role: "user",
  parts: parts.map(part),
});
export const system = (text: string): Message => ({ role: "system", parts: [{ type: "text", text }] });
export const assistant = (...parts: readonly (string | Part)[]): Message => ({
  role: "assistant",
  parts: parts.map(part),
});
/** The model calls one tool and says nothing else. */
export const calls = (callId: string, name: string, input: Json = {}): Message =>
  assistant(call(callId, name, input));
/** The tool answers. */
export const gets = (callId: string, text: string): Message => user(result(callId, text));

export const call = (callId: string, name: string, input: Json = {}): Part => ({
  type: "tool-call",
  callId,
  name,
  input,
});
export const result = (callId: string, text: string, isError = false): Part => ({
  type: "tool-result",
  callId,
  output: [{ type: "text", text }],
  isError,
});
export const thinks = (text: string, signature?: string): Part => ({
  type: "thinking",
  text,
  ...(signature === undefined ? {} : { signature }),
});

function part(value: string | Part): Part {
  return typeof value === "string" ? { type: "text", text: value } : value;
}
