/** What a tool of ours answers, and what it needs to. The same for the library, MCP, the agent and the gateway. */
import { estimatorFor } from "./measure/count.ts";
import type { Compaction } from "./plan/ledger.ts";
import type { Store } from "./store/store.ts";
import type { Json, JsonObject } from "./transcript/json.ts";
import type { Ref } from "./transcript/ref.ts";

/** `text` is for the model; `structured` says the same as data, for hosts that take it. */
export interface ToolAnswer {
  readonly text: string;
  /** Final: the text says what to do instead, and trying the same again will not help. */
  readonly isError: boolean;
  readonly tokens: number;
  readonly structured: JsonObject;
}

export interface ToolContext {
  readonly store: Store;
  readonly sessionId: string;
  /** Absent where the host does not let the agent compact. */
  readonly compact?: (focus: string | undefined) => Promise<ToolOutcome | undefined>;
  /** Default: the estimate. */
  readonly tokensOf?: (text: string) => number;
  /** An original was read back: savings are net of it. */
  readonly onRecalled?: (recalled: { readonly ref: Ref; readonly tokens: number }) => void;
}

/** As much of an outcome of `compact` as the model is told. */
export type ToolOutcome =
  | {
      readonly kind: "compacted";
      readonly compaction: Pick<Compaction, "tokensBefore" | "tokensAfter" | "edits">;
    }
  | { readonly kind: "unchanged"; readonly detail: string };

export type ToolErrorCode =
  | "unknown-tool"
  | "bad-input"
  | "mistyped-ref"
  | "unknown-ref"
  | "foreign-ref"
  | "expired-ref"
  | "not-offered";

export function tokensIn(text: string, { tokensOf }: ToolContext): number {
  return Math.ceil(tokensOf ? tokensOf(text) : estimatorFor().text(text));
}

export function answered(text: string, structured: JsonObject, context: ToolContext): ToolAnswer {
  return { text, isError: false, tokens: tokensIn(text, context), structured };
}

/** A refusal is part of the conversation, not an exception: the model reads it and goes on. */
export class ToolRefusal {
  readonly code: ToolErrorCode;
  readonly message: string;
  readonly more: JsonObject;

  constructor(code: ToolErrorCode, message: string, more: JsonObject = {}) {
    this.code = code;
    this.message = message;
    this.more = more;
  }
}

export function refused({ code, message, more }: ToolRefusal, context: ToolContext): ToolAnswer {
  const structured = { error: { code, message, ...more } };
  return { text: message, isError: true, tokens: tokensIn(message, context), structured };
}

/** A field that is a text, or absent; models also send "" and null for what they leave out. */
export function textField(input: JsonObject, name: string): string | undefined | ToolRefusal {
  const value = input[name];
  if (value === undefined || value === null || value === "") return undefined;
  return typeof value === "string" ? value : wrongField(name, "a string", value);
}

/** A whole number above 0, or absent. Models send "500" for 500. */
export function countField(input: JsonObject, name: string): number | undefined | ToolRefusal {
  const value = input[name];
  if (value === undefined || value === null || value === "") return undefined;
  const count = typeof value === "string" ? Number(value) : value;
  return typeof count === "number" && Number.isFinite(count) && count >= 1
    ? Math.floor(count)
    : wrongField(name, "a whole number above 0", value);
}

export function wrongField(name: string, wanted: string, value: Json): ToolRefusal {
  return new ToolRefusal(
    "bad-input",
    `${name} must be ${wanted}, not ${(JSON.stringify(value) ?? "").slice(0, 80)}.`,
    { field: name },
  );
}

export function counted(count: number): string {
  return count.toLocaleString("en-US");
}
