/** The rows of a table of contents. Each list is sorted by tokens, the largest first, but for the turns. */
import type { Ref } from "../transcript/ref.ts";
import type { SupersededRead } from "../transcript/superseded.ts";

export interface Contents {
  readonly byKind: readonly KindRow[];
  readonly byTool: readonly ToolRow[];
  readonly byFile: readonly FileRow[];
  readonly byTurn: readonly TurnRow[];
  /** Results that are in the context more than once, to the byte. */
  readonly repeats: readonly RepeatRow[];
  /** Reads that a later read or edit of the same file has overtaken. */
  readonly superseded: readonly SupersededRow[];
  readonly largest: readonly LargeRow[];
}

export interface KindRow {
  readonly kind: Kind;
  readonly count: number;
  readonly tokens: number;
}
export interface ToolRow {
  readonly tool: string;
  readonly calls: number;
  readonly errors: number;
  readonly callTokens: number;
  readonly resultTokens: number;
  readonly tokens: number;
}
export interface FileRow {
  readonly path: string;
  readonly reads: number;
  readonly edits: number;
  readonly tokens: number;
}
export interface TurnRow {
  readonly turn: number;
  /** The user's first words, shortened. */
  readonly says: string;
  readonly messages: number;
  readonly tokens: number;
}
export interface RepeatRow {
  readonly ref: Ref;
  readonly what: string;
  readonly times: number;
  /** Tokens of all occurrences but one. */
  readonly tokens: number;
}
export interface SupersededRow {
  readonly ref: Ref;
  readonly path: string;
  readonly by: SupersededRead["by"];
  readonly messageIndex: number;
  readonly tokens: number;
}
export interface LargeRow {
  readonly ref: Ref;
  readonly kind: Kind;
  readonly what: string;
  readonly messageIndex: number;
  readonly tokens: number;
}

export type Kind =
  | "system prompt"
  | "tool schemas"
  | "user words"
  | "harness text"
  | "assistant text"
  | "thinking"
  | "tool calls"
  | "tool results"
  | "images and documents"
  | "opaque";
