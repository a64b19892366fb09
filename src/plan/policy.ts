/**
 * A policy: what a compaction does, in which order, with which numbers. It is data (JSON), so that every system of the
 * seeds and the field is a value here and users can write their own; `parse-policy.ts` reads one and names the field
 * that is wrong. Units are in the names. What a policy does not say, it does not do.
 */
import type { Json } from "../transcript/json.ts";
import type { Doing } from "../transcript/tool-use.ts";
import type { AllocationRule } from "./allocation-rule.ts";
import type { SectionName } from "./summary.ts";

export interface Policy {
  readonly name: string;
  /** One line for people: what it does. */
  readonly about: string;
  /** Where its numbers come from. */
  readonly source?: string;
  /** Environment variables that set a field, as `{ "COMPRESSION_THRESHOLD": "trigger.at.0.share" }`. */
  readonly variables?: Readonly<Record<string, string>>;
  /**
   * Variants somebody may ask for by name, as `pointerize:threshold=150`: for each value the fields it sets. `null` takes
   * a field away.
   */
  readonly options?: Readonly<Record<string, OptionRule>>;
  /** Where single numbers come from, by the path of their field, for `policies show`. */
  readonly notes?: Readonly<Record<string, string>>;
  readonly trigger: TriggerRule;
  readonly accounting: AccountingRule;
  /** In this order; of two rules that want the same part, the first has it. */
  readonly prune: readonly PruneRule[];
  readonly tail: TailRule;
  readonly allocation?: AllocationRule;
  readonly summary: SummaryRule;
  readonly retrieval?: RetrievalRule;
  readonly restore: RestoreRule;
  readonly placement: PlacementRule;
  readonly continuation: ContinuationRule;
  readonly safety: SafetyRule;
}

export interface OptionRule {
  readonly about: string;
  /** For each value what it sets: path of the field → value. */
  readonly values: Readonly<Record<string, Readonly<Record<string, Json>>>>;
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
  /** `growth`: only what came after the page is counted, not system prompt, tools and the page itself. */
  readonly scope?: "total" | "growth";
  /** How far down. Not said: as far as the tail allows. */
  readonly target?: Size;
  /** Fold below the mark, too, where reading on costs more; not said: only when full. */
  readonly pays?: PaysRule;
  /** Somebody asked for it: down to this share of the prompt as it is. Not said: as far as the tail allows. */
  readonly targetWhenAsked?: { readonly shareOfPrompt: number };
  /** Models whose name begins so have other marks. */
  readonly models?: readonly {
    readonly startsWith: string;
    readonly at: readonly Size[];
    readonly atBoundary?: Size;
    readonly target?: Size;
  }[];
}

/**
 * Rent or buy, of a fold: what is over `keep` is paid for with every request; folding down to it is paid for once, by writing
 * what stands behind the cut into the cache anew. Fold when the rent paid reaches `patience` times the price. With steady growth
 * 1 is the cheapest saw there is; 2 folds two thirds as often for 6 % more.
 */
export interface PaysRule {
  /** What stays of the conversation, the page counted; system prompt and tools stand before it whatever we do. */
  readonly keep: Size;
  readonly patience: number;
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
  /**
   * Words of the policy's own. `{ref}`, `{description}`, `{tokens}`, `{tool}`, `{path}` (where the original lies as a file, or
   * its ref where no files are written) and `{head}` (the first `headChars` characters) stand for what they name.
   */
  | { readonly kind: "text"; readonly text: string; readonly headChars?: number }
  /** Head and tail, behind our stub. */
  | { readonly kind: "ends"; readonly headTokens: number; readonly tailTokens: number }
  /** Head and tail by characters, with the policy's own words between them and no ref. */
  | {
      readonly kind: "ends-by-characters";
      readonly headChars: number;
      readonly tailChars: number;
      readonly between: string;
    }
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
  /**
   * Of several tiers the next one runs only where those before did not reach the target; folding comes after the last.
   * Rules without one run at once.
   */
  readonly tier?: number;
  /** False: made anew for each request and never recorded; the next request begins from the whole. */
  readonly isPersistent?: boolean;
}

export type PruneRule =
  | (PruneRuleOf<"superseded-reads"> & { readonly leave: Leave })
  | (PruneRuleOf<"repeated-outputs"> & { readonly leave: Leave })
  | GiantResultsRule
  | AgedResultsRule
  | AssistantTextsRule
  | CallInputsRule
  | UserPastesRule;

export interface GiantResultsRule extends PruneRuleOf<"giant-results"> {
  readonly leave: Leave;
  /** In small windows this share of the window is giant already; a preview is then a quarter of it at most. */
  readonly orShareOfWindow?: number;
}

/** What the model itself said. */
export interface AssistantTextsRule extends PruneRuleOf<"assistant-texts"> {
  readonly leave: Leave;
  /** The newest messages. */
  readonly keepMessages?: number;
  /** Of all messages the newest, by this share. */
  readonly keepShareOfMessages?: number;
}

export interface AgedResultsRule extends PruneRuleOf<"aged-results"> {
  readonly leave: Leave;
  /** A result is old when every limit that is given says so. */
  readonly keepSteps?: number;
  readonly keepTurns?: number;
  readonly keepResults?: number;
  /** What came with or after the newest assistant messages, this many. */
  readonly keepAssistantMessages?: number;
  /** The newest messages. */
  readonly keepMessages?: number;
  /** Of all messages the newest, by this share. */
  readonly keepShareOfMessages?: number;
  /** The newest results up to this many tokens together. */
  readonly keepTokens?: number;
  readonly keepMinutes?: number;
  /** Do nothing unless it saves this much in all. */
  readonly minSavedTokens?: number;
  /** The oldest go first, and no more of them than bring the results down to this share of what they were. */
  readonly downToShare?: number;
  /** Only these tools, by name as the host spells it or by what they do; all where neither is said. */
  readonly tools?: readonly string[];
  readonly does?: readonly Doing[];
  readonly exceptTools?: readonly string[];
  /** What went wrong is often what matters. */
  readonly areErrorsKept?: boolean;
  /** Runs only in a prompt over this. */
  readonly above?: Size;
  /** Runs only where the results come to more than this together. */
  readonly aboveResultTokens?: number;
}

/** Long arguments of old writes and edits: the words stand in files by now. The call stays, its arguments are cut. */
export interface CallInputsRule extends PruneRuleOf<"call-inputs"> {
  readonly does: readonly Doing[];
  /** Strings longer than this are cut to `keepChars`, with `mark` behind them. */
  readonly maxChars: number;
  readonly keepChars: number;
  readonly mark: string;
  readonly keepMessages: number;
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
  /**
   * How much of it: only as much as the target needs, or everything up to what stays. With `tail` the target says no more
   * than when clearing alone is enough. Default: target.
   */
  readonly foldsTo?: "target" | "tail";
  /** Messages at the start that never fold. */
  readonly headMessages?: number;
  /** With `steps`: the newest words of the user up to this; older ones fold too. The oldest kept is shortened. */
  readonly userTokens?: Size;
  /** And the first ones up to this. */
  readonly userHeadTokens?: Size;
  /** With `steps`: of each folded turn the model's closing answer stays. */
  readonly keepsAnswers?: boolean;
  /** What stays at the end, at least; of several limits the one that keeps most. */
  readonly minMessages?: number;
  readonly minSteps?: number;
  readonly minTurns?: number;
  readonly shareOfMessages?: number;
  /** Large messages leave less room: the share shrinks by twice what an average message takes of the window, down to this. */
  readonly shareOfMessagesAtLeast?: number;
  /** The share counted in characters, not in messages. */
  readonly shareOfTokens?: number;
  /** The cut stands only before a message of the user. */
  readonly cutsAt?: "user";
  /** The newest messages up to this many tokens; with `isCountedCleared` as other edits leave them. */
  readonly tokens?: Size;
  readonly isCountedCleared?: boolean;
  /** To end at the start of a turn, this much more than needed may fold. */
  readonly boundarySlack?: Size;
}

export interface SummaryRule {
  /**
   * Who writes it. `none`: no summary. `extractive`: never a model. `configured`: whoever is configured, extractive where
   * nobody is. `fast-model`, `same-model`: a model; where none is configured the extractor stands in and it is said.
   */
  readonly by: "none" | "extractive" | "configured" | "fast-model" | "same-model";
  /** For a compaction the user asked for, or a handoff. */
  readonly byWhenAsked?: "fast-model" | "same-model";
  /** The sections asked for, in this order; all twelve where not said. A heading of the policy's own may hold several. */
  readonly sections?: readonly (SectionName | HeadingRule)[];
  /** How they are written: markdown headings, or elements of this name. */
  readonly element?: string;
  readonly maxTokens: Size;
  /**
   * `merge`: into the one before; `rewrite`: that one is read as a message like any other; `append`: behind the page before,
   * which stays as it is, until it is over `appendUpTo`.
   */
  readonly update: "merge" | "rewrite" | "append";
  readonly appendUpTo?: Size;
  /** Cumulative lists of files, in sections or as `<read-files>` and `<modified-files>`. */
  readonly files: "sections" | "tags" | "none";
  /** The table of refs shown with it; none where not said. */
  readonly table?: Size;
  /** The newest messages that folded, quoted on the page as text, up to this. */
  readonly recent?: Size;
  /** Only the newest tokens of what folds are shown to the summarizer. */
  readonly source?: Size;
  /** A second call asks the model to check its summary and write it again. */
  readonly isVerified?: boolean;
  /** In place of our instructions to the model. */
  readonly prompt?: string;
}

export interface HeadingRule {
  readonly title: string;
  /** Our sections that stand under it. A model's lines under this heading go to the first of them. */
  readonly of: readonly SectionName[];
  /** Every message of the user that folded, word for word. */
  readonly holdsUserMessages?: boolean;
}

/** How the model is told of what can be read back, and with which tools. */
export interface RetrievalRule {
  readonly tools: readonly ("read_ref" | "list_refs" | "search_refs")[];
  /** `prescriptive`: reading back is the expected way; `passive`: it is possible. */
  readonly prompt: "prescriptive" | "passive";
  /** `outcome`: `Command: npx vitest run → 3 failed`; `semantic`: `Command output: npx vitest run`, `Error: …`. */
  readonly descriptions: "outcome" | "semantic";
}

/** Files put back after a fold, newest first. */
export interface RestoreRule {
  readonly maxFiles: number;
  readonly maxTokensEach?: number;
  readonly maxTokens?: number;
  /** What is larger than `maxTokensEach`: cut, or named only. Default: cut. */
  readonly larger?: "cut" | "path";
  /** `contents` of the file, or only its `outline`: what it declares. Default: contents. */
  readonly as?: "contents" | "outline";
}

export interface PlacementRule {
  /** Whose message the page is, where that is legal: it is the user's when it would stand first or last. */
  readonly role: "user" | "assistant";
  /** Behind what folded, or at the end as that is now. Later words follow: one that moved would break the thinking before it. */
  readonly at?: "fold" | "end";
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
  /** A silent turn before the fold in which durable notes are written: what the model is asked there. */
  readonly flush?: string;
}

export interface SafetyRule {
  /** Less is not worth a page. */
  readonly minFoldTokens: number;
  /** What a fold must save, the page counted at its largest. */
  readonly minSavedTokens: number;
  /** The page not counted. */
  readonly isPageFree?: boolean;
  /** The whole transcript is written to a file (JSONL) before anything is done. */
  readonly isTranscriptSaved?: boolean;
  /** Failures in a row before automatic compaction stops and says so. */
  readonly maxFailures: number;
  /**
   * While the model waits for results, its sealed thinking forbids edits before it. Up to this mark the fold waits for the
   * turn to end; over it the step in progress folds too, and the page quotes its results.
   */
  readonly waitsUpTo: Size;
}
