/** What it means to write a summary: what goes in, what comes out, and how a bad answer is told. */
import { PalimpsestError } from "../errors.ts";
import type { Summary } from "../plan/summary.ts";
import type { JsonObject } from "../transcript/json.ts";
import type { Message, Usage } from "../transcript/message.ts";
import type { SummaryForm } from "./form.ts";

export interface SummarizeInput {
  /**
   * What is folded, originals, in order. The user's messages of the stretch may stand among them (best: then it is
   * known what each of them answered); those that do not are put in by their time, or in front where they have none.
   */
  readonly messages: readonly Message[];
  /** The user's own messages of the same stretch; they stay verbatim in the context. */
  readonly userMessages: readonly Message[];
  /** Merged into, never summarized again. */
  readonly previous?: Summary;
  readonly focus?: string;
  /** How the policy wants it; our own twelve sections where not said. */
  readonly form?: SummaryForm;
  /** A first answer, to be checked against the material and written again. */
  readonly draft?: Summary;
  readonly maxTokens: number;
  readonly tokensOf: (text: string) => number;
  /** Where exact lines of what folds are to be quoted: what the model sees beside the page, and the room for them. */
  readonly lines?: LinesWanted;
  /** For a summarizer that asks on the host's cached prefix. Absent on a smaller try: a prefix cannot be shrunk. */
  readonly live?: LiveRequest;
}

export interface LinesWanted {
  /** Words that stay, as they will be shown. */
  readonly staying: readonly Message[];
  /** Everything behind the fold, as it will be shown. */
  readonly behind: readonly Message[];
  /** For the summary and its lines together. */
  readonly maxTokens: number;
}

/** The request the host would send next. */
export interface LiveRequest {
  /** The wire the host speaks. */
  readonly wire: string;
  /** The body in a wire: in the host's own as the host sends it, in another written anew. */
  in(wire: string): JsonObject;
}

export interface Written {
  readonly summary: Summary;
  /** What this compaction itself has to say, before it was merged into what was known. */
  readonly added?: Summary;
  /** Who wrote it: `extractive`, `command …`, a model's name. */
  readonly by: string;
  readonly usage?: Usage;
  readonly costUsd?: number;
  /** What was struck, added, refused or retried, for the ledger and for people. */
  readonly notes: readonly string[];
}

export interface Summarizer {
  readonly name: string;
  /** Whether it must be given the input in full: it asks no model, so nothing can be too large for it. */
  readonly isLocal?: boolean;
  write(input: SummarizeInput, options?: { readonly signal?: AbortSignal }): Promise<Written>;
}

export type Refusal =
  | "empty"
  | "truncated"
  | "refused"
  | "tool-calling"
  | "analysis-only"
  | "too-large"
  | "unparseable"
  | "failed";

/** An answer that is never stored. It may have cost something all the same. */
export class BadAnswer extends PalimpsestError {
  readonly kind: Refusal;
  readonly usage?: Usage;
  readonly costUsd?: number;

  constructor(
    kind: Refusal,
    message: string,
    spent: { readonly usage?: Usage; readonly costUsd?: number } = {},
  ) {
    super("summary", message);
    this.kind = kind;
    if (spent.usage) this.usage = spent.usage;
    if (spent.costUsd !== undefined) this.costUsd = spent.costUsd;
  }
}
