/**
 * What a session reports, put into events. Clearing old results is silent (seed 002: invisible); a fold is told to the
 * user; so is a breaker that trips. What writing a summary cost is paid from the run's budget.
 */
import type { Outcome } from "../compact.ts";
import { modelNamed } from "../measure/models.ts";
import type { Spending } from "./budget.ts";
import type { AgentEvent } from "./events.ts";

export class Watch {
  readonly #tell: (event: AgentEvent) => void;
  #notices: string[] = [];

  constructor(tell: (event: AgentEvent) => void) {
    this.#tell = tell;
  }

  readonly notice = (text: string): void => {
    this.#notices.push(text);
  };

  readonly problem = (error: unknown): void => {
    this.#tell({ type: "problem", text: error instanceof Error ? error.message : String(error) });
  };

  /** What came of a look at the context; whether messages folded. A compaction's own notice is in its event. */
  compacted(outcome: Outcome | undefined, spending: Spending): boolean {
    const notices = this.#notices;
    this.#notices = [];
    if (outcome?.kind !== "compacted") {
      for (const text of notices) this.#tell({ type: "notice", text });
      return false;
    }
    const { compaction, originals } = outcome;
    const { trigger, tokensBefore, tokensAfter, summarizing } = compaction;
    const isFold = compaction.edits.some(({ kind }) => kind === "fold");
    if (summarizing?.usage) spending.paid(summarizing.usage, summarizing.by, summarizing.costUsd);
    const sizes = { tokensBefore, tokensAfter, refs: originals.length };
    this.#tell({ type: "compacted", trigger, ...sizes, isSilent: !isFold && trigger !== "manual" });
    return isFold;
  }

  /** A budget in USD needs a price. Said once, before anything is spent. */
  price(model: string, { budgets }: Spending): void {
    if (modelNamed(model).prices !== undefined || !Number.isFinite(budgets.usd)) return;
    const text = `No price is known for ${model}: the budget of $${budgets.usd} cannot be held to.`;
    this.#tell({ type: "notice", text });
  }
}
