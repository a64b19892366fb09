/** What an agent is given, settled once when it is opened. */
import type { Policy } from "../plan/policy.ts";
import type { Store } from "../store/store.ts";
import type { Summarizer } from "../summarize/summarizer.ts";
import type { Budgets, Spending } from "./budget.ts";
import type { AgentEvent } from "./events.ts";
import type { AgentModel } from "./models.ts";
import type { Contributor } from "./prompt.ts";
import type { AgentTool, Permit } from "./tools/tool.ts";

export interface AgentOptions {
  /** `openModel("anthropic/…")`, or any model of the AI SDK with its name. */
  readonly model: AgentModel;
  /** The folder it works in. Files are written nowhere else. */
  readonly workspace: string;
  readonly store: Store;
  /** Where transcripts and long outputs are kept: the folder of the store. */
  readonly home: string;
  /** An id that has a transcript is resumed. Default: a new one. */
  readonly id?: string;
  /** Whose subagent, or whose thread goes on here: its refs can be read. */
  readonly parent?: string;
  /** What stands before the first words of a thread that goes on from another: see `handoff`. */
  readonly opening?: string;
  /** A name or a policy. Default: `palimpsest`. */
  readonly policy?: string | Policy;
  /** Default: the model's. */
  readonly windowTokens?: number;
  /** Who writes summaries. Default: the model itself where the policy asks for a model, else the extractor. */
  readonly summarizer?: Summarizer;
  /** For `/compact focus` and handoffs, where the policy has a better one write those. Default: the model itself. */
  readonly fullSummarizer?: Summarizer;
  readonly budgets?: Partial<Budgets>;
  /** Spends with others: a subagent, from its parent's. */
  readonly spending?: Spending;
  /** Asked before files are written, commands run, and anything outside is read. Default: no. */
  readonly permit?: Permit;
  /** Besides its own. */
  readonly tools?: readonly AgentTool[];
  /** In place of its own. */
  readonly contributors?: readonly Contributor[];
  /** Default: `.palimpsest/memory` in the workspace. */
  readonly memoryFolder?: string;
  readonly onEvent?: (event: AgentEvent) => void;
  readonly now?: () => number;
}

/** Options with nothing left open. */
export interface Settled extends AgentOptions {
  readonly id: string;
  readonly policy: Policy;
  readonly windowTokens: number;
  readonly contributors: readonly Contributor[];
  readonly memoryFolder: string;
  readonly spending: Spending;
  readonly now: () => number;
  readonly onEvent: (event: AgentEvent) => void;
}
