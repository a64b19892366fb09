/**
 * The neutral conversation: transcript › message › part.
 *
 * The neutral fields are the truth; `native` is where they came from, with everything we have no word for.
 * A wire that writes looks at both: where they agree it sends the native value exactly as it came in, where
 * they differ (an edit) it changes only the fields that differ. So nothing needs an "edited" flag, and
 * unknown fields ride along.
 */
import type { Json } from "./json.ts";

/** Who spelled a native value. A wire only uses natives it can read; from others it writes anew. */
export type Spelling = string;

export interface Transcript {
  /** What stands outside the messages: Anthropic `system`, Responses `instructions`, Gemini `systemInstruction`. */
  readonly system?: readonly Part[];
  readonly tools?: readonly ToolSchema[];
  readonly messages: readonly Message[];
  readonly model?: string;
  readonly native?: Native;
}

export interface Message {
  /** `tool` is a message of results only, where the wire has such a role; elsewhere results sit in `user`. */
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly native?: Native;
  /** Milliseconds since 1970, where the wire says when. Never part of a ref. */
  readonly at?: number;
  readonly model?: string;
  /** What the provider reported for the request this message answered; on the response, once. */
  readonly usage?: Usage;
  /** How the response ended, where known. Usage of `failed` and `aborted` responses is not trusted. */
  readonly ended?: "done" | "failed" | "aborted";
}

export type Role = "system" | "user" | "assistant" | "tool";

export interface Native {
  readonly of: Spelling;
  readonly value: Json;
}

/** The smallest thing an edit acts on. `type` says what a thing is. */
export type Part =
  | TextPart
  | ThinkingPart
  | ToolCallPart
  | ToolResultPart
  | ImagePart
  | DocumentPart
  | OpaquePart;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** Written by the harness in the user's name (reminders, environment, summaries): not the user's words. */
  readonly synthetic?: true;
  readonly native?: Json;
}

export interface ThinkingPart {
  readonly type: "thinking";
  readonly text: string;
  /** The provider's seal. It is bound to what came before: see `check`. */
  readonly signature?: string;
  /** Thinking the provider hides from us (redacted, encrypted): carried, never looked into. */
  readonly encrypted?: string;
  readonly native?: Json;
}

export interface ToolCallPart {
  readonly type: "tool-call";
  readonly callId: string;
  readonly name: string;
  /** A string for tools that take free text (Codex `apply_patch`), an object for all others. */
  readonly input: Json;
  readonly native?: Json;
}

export interface ToolResultPart {
  readonly type: "tool-result";
  readonly callId: string;
  readonly output: readonly ResultPart[];
  readonly isError: boolean;
  readonly native?: Json;
}

export type ResultPart = TextPart | ImagePart | DocumentPart | OpaquePart;

export interface ImagePart {
  readonly type: "image";
  readonly source: MediaSource;
  readonly native?: Json;
}

export interface DocumentPart {
  readonly type: "document";
  readonly source: MediaSource;
  readonly title?: string;
  readonly native?: Json;
}

export type MediaSource =
  | { readonly kind: "data"; readonly mediaType: string; readonly base64: string }
  | { readonly kind: "text"; readonly mediaType: string; readonly text: string }
  | { readonly kind: "url"; readonly url: string; readonly mediaType?: string }
  | { readonly kind: "file"; readonly id: string; readonly mediaType?: string };

/** No word for it: carried, never looked into, never edited. */
export interface OpaquePart {
  readonly type: "opaque";
  readonly of: Spelling;
  readonly value: Json;
  readonly native?: Json;
}

export interface ToolSchema {
  readonly name: string;
  readonly description?: string;
  readonly input?: Json;
  readonly native?: Json;
}

export interface Usage {
  /** Prompt tokens that were neither read from the cache nor written to it. */
  readonly uncachedTokens: number;
  readonly cacheReadTokens: number;
  /** All cache writes; `cacheWrite1hTokens` of them with the long TTL, the rest with the short one. */
  readonly cacheWriteTokens: number;
  readonly cacheWrite1hTokens?: number;
  readonly outputTokens: number;
  /** What the host itself says it cost, where it does. */
  readonly costUsd?: number;
}

/** The size of the prompt: what fills the window before the answer is written. */
export function promptTokens(usage: Usage): number {
  return usage.uncachedTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** Whether a person said something here: a turn starts with such a message. */
export function hasUserWords(message: Message): boolean {
  return (
    message.role === "user" &&
    message.parts.some(isUserWords) &&
    !message.parts.some((part) => part.type === "tool-result")
  );
}

function isUserWords(part: Part): boolean {
  if (part.type === "text") return part.synthetic !== true && part.text.trim() !== "";
  return part.type === "image" || part.type === "document";
}

/** The text of a result, as the model reads it; images and the like say what they are. */
export function resultText(result: ToolResultPart): string {
  const [first] = result.output;
  if (result.output.length === 1 && first?.type === "text") return first.text;
  return result.output.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}
