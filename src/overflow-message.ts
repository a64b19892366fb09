/**
 * An overflow in a wire's own words, for a gateway that has to tell its client. Harnesses recover from the words they know
 * (Claude Code, OpenCode, pi and Cline were seen to), so these are the providers' sentences, not ours.
 */
import type { JsonObject } from "./transcript/json.ts";

export type OverflowWire = "anthropic-messages" | "openai-chat" | "openai-responses" | "gemini";

export function overflowMessage(wire: OverflowWire, tokens: number, limit: number): string {
  switch (wire) {
    case "anthropic-messages":
      return `prompt is too long: ${tokens} tokens > ${limit} maximum`;
    case "openai-chat":
      return `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
    case "openai-responses":
      return "Your input exceeds the context window of this model. Please adjust your input and try again.";
    case "gemini":
      return `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${limit}).`;
  }
}

/** The whole error body; all four send it with status 400. */
export function overflowBody(wire: OverflowWire, tokens: number, limit: number): JsonObject {
  const message = overflowMessage(wire, tokens, limit);
  switch (wire) {
    case "anthropic-messages":
      return { type: "error", error: { type: "invalid_request_error", message } };
    case "openai-chat":
      return openaiError(message, "messages");
    case "openai-responses":
      return openaiError(message, "input");
    case "gemini":
      return { error: { code: 400, message, status: "INVALID_ARGUMENT" } };
  }
}

function openaiError(message: string, param: string): JsonObject {
  return { error: { message, type: "invalid_request_error", param, code: "context_length_exceeded" } };
}
