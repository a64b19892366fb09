/** What an agent tells whoever watches it: one value for each thing that happens, in order. `--json` prints them as lines. */
import type { CompactionTrigger } from "../plan/ledger.ts";
import type { Json } from "../transcript/json.ts";
import type { Usage } from "../transcript/message.ts";
import type { BudgetName, Spent } from "./budget.ts";

export type AgentEvent =
  | {
      readonly type: "session";
      readonly id: string;
      readonly model: string;
      readonly policy: string;
      readonly windowTokens: number;
      readonly isResumed: boolean;
    }
  /** Words of the model as they come in. They are durable with the `step` that follows. */
  | { readonly type: "text" | "thinking"; readonly text: string }
  /** The response is complete and on disk. */
  | { readonly type: "step"; readonly step: number; readonly calls: number; readonly usage: Usage }
  | { readonly type: "call"; readonly callId: string; readonly name: string; readonly what: string }
  /** What the tool answered is on disk. */
  | {
      readonly type: "result";
      readonly callId: string;
      readonly name: string;
      readonly text: string;
      readonly isError: boolean;
    }
  /** `isSilent` where results were only cleared: nobody need be told. */
  | {
      readonly type: "compacted";
      readonly trigger: CompactionTrigger;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly refs: number;
      readonly isSilent: boolean;
    }
  /** Received while it worked, on disk, and part of its next prompt. */
  | { readonly type: "steered"; readonly text: string }
  | { readonly type: "notice" | "problem"; readonly text: string }
  | { readonly type: "subagent"; readonly id: string; readonly event: AgentEvent }
  | { readonly type: "ended"; readonly ending: Ending; readonly spent: Spent };

/** How a run came to its end. Only `done` means that the model had nothing more to do. */
export type Ending =
  | { readonly kind: "done"; readonly text: string }
  | { readonly kind: "budget"; readonly budget: BudgetName; readonly why: string }
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly why: string };

/** Everything in it is JSON; interfaces only have no index signature. */
export function eventLine(event: AgentEvent): string {
  return `${JSON.stringify(event as unknown as Json)}\n`;
}
