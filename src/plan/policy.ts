/**
 * A policy: what a compaction does, in which order, with which numbers. It is data (JSON), so that every system of the
 * seeds and the field is a value here and users can write their own; `parse-policy.ts` reads one and names the field
 * that is wrong. Units are in the names. What a policy does not say, it does not do.
 */
import type { SectionName } from "./summary.ts";

export interface Policy {
  readonly name: string;
  /** One line for people: what it does. */
  readonly about: string;
  /** Where its numbers come from. */
  readonly source?: string;
  /** Environment variables that set a field, as `{ "COMPRESSION_THRESHOLD": "trigger.at.0.share" }`. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly trigger: TriggerRule;
  readonly accounting: AccountingRule;
  /** In this order; of two rules that want the same part, the first has it. */
  readonly prune: readonly PruneRule[];
  readonly tail: TailRule;
  readonly summary: SummaryRule;
  readonly restore: RestoreRule;
  readonly placement: PlacementRule;
  readonly continuation: ContinuationRule;
  readonly safety: SafetyRule;
}

/**
 * A number of tokens that follows the model:
 * `share × (window − min(output, reserveOutputUpToTokens)) − minusTokens`, then held between the two bounds.
 */
export interface Size {
  readonly share: number;
  /** How much of the model's answer is set aside first, at most; 0 where not said. */
  readonly reserveOutputUpToTokens?: number;
  readonly minusTokens?: number;
  readonly atLeastTokens?: number;
  readonly atMostTokens?: number;
}

export interface TriggerRule {
  /** Fold when the prompt is strictly over this; the smallest of several counts. None: never by itself. */
  readonly at: readonly Size[];
  /** Crush and its kin take the largest of several. */
  readonly pick?: "smallest" | "largest";
  /** Where a turn just ended or the host is idle, this lower mark holds: better between tasks than in one. */
  readonly atBoundary?: Size;
  /** Fold also when there are more messages than this. */
  readonly maxMessages?: number;
  /** How far down. Not said: as far as the tail allows. */
  readonly target?: Size;
  /** Models whose name begins so have other marks. */
  readonly models?: readonly {
    readonly startsWith: string;
    readonly at: readonly Size[];
    readonly target?: Size;
  }[];
}

/** How the prompt is counted. */
export interface AccountingRule {
  /** `usage`: corrected by what the provider reports; `estimate`: never; `characters`: by their number alone. */
  readonly basis: "usage" | "estimate" | "characters";
  readonly charsPerToken?: number;
  /** Besides the messages. */
  readonly counts: readonly ("system" | "tools" | "call-inputs")[];
}

/** What stands where the content was. */
export type Leave =
  /** Our stub. `opaque` names the ref alone, `titled` says what it was, `preview` shows the first characters too. */
  | {
      readonly kind: "stub";
      readonly format?: "opaque" | "titled" | "preview";
      readonly previewChars?: number;
    }
  /** Words of the policy's own, without a ref. */
  | { readonly kind: "text"; readonly text: string }
  /** Head and tail. */
  | { readonly kind: "ends"; readonly headTokens: number; readonly tailTokens: number }
  /** A preview made for its kind: failures of a test run, shape of JSON, outline of a file. */
  | { readonly kind: "preview"; readonly maxTokens: number };

/**
 * When a rule runs. `arrival`: on the newest step, before it was ever sent. `pays`: when the rent paid for leaving it
 * in reaches the price of the edit (`rent.ts`), and whenever the context is full. `request`: before each. `full`: over
 * the trigger only.
 */
export type When = "arrival" | "pays" | "request" | "full";

interface PruneRuleOf<S extends string> {
  readonly strategy: S;
  readonly when: When;
  /** Only results of at least this size. */
  readonly minTokens: number;
}

export type PruneRule =
  | (PruneRuleOf<"superseded-reads"> & { readonly leave: Leave })
  | (PruneRuleOf<"repeated-outputs"> & { readonly leave: Leave })
  | GiantResultsRule
  | AgedResultsRule
  | UserPastesRule;

export interface GiantResultsRule extends PruneRuleOf<"giant-results"> {
  readonly leave: Leave;
  /** In small windows this share of the window is giant already; a preview is then a quarter of it at most. */
  readonly orShareOfWindow?: number;
}

export interface AgedResultsRule extends PruneRuleOf<"aged-results"> {
  readonly leave: Leave;
  /** A result is old when every limit that is given says so. */
  readonly keepSteps?: number;
  readonly keepTurns?: number;
  readonly keepResults?: number;
  /** The newest results up to this many tokens together. */
  readonly keepTokens?: number;
  readonly keepMinutes?: number;
  /** Do nothing unless it saves this much in all. */
  readonly minSavedTokens?: number;
  /** Only these tools; all where not said. Names as the host spells them. */
  readonly tools?: readonly string[];
  readonly exceptTools?: readonly string[];
  /** What went wrong is often what matters. */
  readonly areErrorsKept?: boolean;
  /** Runs only in a prompt over this. */
  readonly above?: Size;
}

export interface UserPastesRule extends PruneRuleOf<"user-pastes"> {
  readonly headTokens: number;
  readonly tailTokens: number;
  /** When the user's words alone no longer fit: the oldest keep their directives and a ref to the rest. */
  readonly isReducedToDirectives: boolean;
}

export interface TailRule {
  /** `steps`: assistant and tools; the user's words stay. `everything`: theirs too. `nothing`: only pruning. */
  readonly folds: "steps" | "everything" | "nothing";
  /** Messages at the start that never fold. */
  readonly headMessages?: number;
  /** What stays at the end, at least; of several limits the one that keeps most. */
  readonly minMessages?: number;
  readonly minSteps?: number;
  readonly minTurns?: number;
  readonly shareOfMessages?: number;
  /** The newest messages up to this many tokens. */
  readonly tokens?: Size;
  /** To end at the start of a turn, this much more than needed may fold. */
  readonly boundarySlack?: Size;
}

export interface SummaryRule {
  /** Which model writes it, where one is configured; `extractive` never asks one. `none`: no summary. */
  readonly by: "none" | "extractive" | "fast-model" | "same-model";
  /** The sections asked for, in this order; all twelve where not said. */
  readonly sections?: readonly SectionName[];
  readonly maxTokens: Size;
  /** `merge`: into the one before; `rewrite`: that one is read as a message like any other. */
  readonly update: "merge" | "rewrite";
  /** Cumulative lists of files, in sections or as `<read-files>` and `<modified-files>`. */
  readonly files: "sections" | "tags" | "none";
  /** The table of refs shown with it; none where not said. */
  readonly table?: Size;
  /** In place of our instructions to the model. */
  readonly prompt?: string;
}

/** Files put back after a fold, newest first. */
export interface RestoreRule {
  readonly maxFiles: number;
  readonly maxTokensEach?: number;
  readonly maxTokens?: number;
}

export interface PlacementRule {
  /** Whose message the page is, where that is legal: it is the user's when it would stand first or last. */
  readonly role: "user" | "assistant";
  /** Said before the summary. */
  readonly opening?: string;
  /** A second message, by the model. */
  readonly acknowledgement?: string;
}

export interface ContinuationRule {
  /** Prompt too long: compact and send again, this often. */
  readonly overflowRetries: number;
  /** Said to the model after an automatic fold in the middle of its work; nothing where not said. */
  readonly text?: string;
}

export interface SafetyRule {
  /** Less is not worth a page. */
  readonly minFoldTokens: number;
  /** What a fold must save, the page counted at its largest. */
  readonly minSavedTokens: number;
  /** Failures in a row before automatic compaction stops and says so. */
  readonly maxFailures: number;
  /**
   * While the model waits for results, its sealed thinking forbids edits before it. Up to this mark the fold waits for the
   * turn to end; over it the step in progress folds too, and the page quotes its results.
   */
  readonly waitsUpTo: Size;
}
