/**
 * What `palimpsest inspect` knows about a session, as data: the contents of the whole conversation, the context as it
 * is now, what was recorded as used and paid, and what the harness's own compactions removed.
 */
import { type Contents, contentsOf, type TokensOf } from "./measure/contents.ts";
import { type Message, promptTokens, type Transcript, type Usage } from "./transcript/message.ts";
import { stepsOf, turnsOf } from "./transcript/turns.ts";
import type { NativeCompaction, Session, Skipped } from "./wire/wire.ts";

export interface Inspection extends Contents {
  readonly wire: string;
  readonly model?: string;
  readonly messages: number;
  readonly turns: number;
  readonly steps: number;
  readonly toolCalls: number;
  /** Of everything that was said; `context` has what of it is sent now. */
  readonly tokens: number;
  readonly basis: string;
  readonly basisNote: string;
  readonly context: ContextNow;
  readonly usage?: UsageTotals;
  /** The recorded size of each prompt, in order: how the window filled and emptied. */
  readonly prompts: readonly { readonly messageIndex: number; readonly tokens: number }[];
  readonly compactions: readonly InspectedCompaction[];
  readonly asides: readonly {
    readonly kind: string;
    readonly name: string;
    readonly messages: number;
    readonly tokens: number;
  }[];
  readonly skipped: readonly Skipped[];
}

export interface ContextNow {
  readonly messages: number;
  readonly tokens: number;
  readonly windowTokens: number;
  /** Where the window is a guess: why. */
  readonly windowNote?: string;
  readonly share: number;
}

export interface UsageTotals extends Usage {
  readonly requests: number;
  readonly peakPromptTokens: number;
  readonly costNote: string;
}

export interface InspectedCompaction {
  readonly kind: NativeCompaction["kind"];
  readonly at: number;
  readonly trigger?: "auto" | "manual";
  readonly removedMessages: number;
  readonly removedTokens: number;
  readonly summaryTokens?: number;
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}
