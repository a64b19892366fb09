/**
 * Budgets as hard limits (seed 001): turns, tokens, tool calls, cost, time. They are looked at before each request, after the
 * compression check, so a context that can be made smaller never ends a run. A request in flight may go over what is left
 * of tokens and cost; time stops it, and a call too many is not run.
 */
import { cost } from "../measure/models.ts";
import { promptTokens, type Usage } from "../transcript/message.ts";

export interface Budgets {
  /** Responses of the model: what seed 001 calls a turn is one of our steps. */
  readonly turns: number;
  /** Prompts and answers together, cached or not. */
  readonly tokens: number;
  readonly toolCalls: number;
  readonly usd: number;
  readonly minutes: number;
}

export type BudgetName = keyof Budgets;

export interface Spent extends Budgets {
  /** False where the model's price is not known: then `usd` is what could be counted, and cannot be held to. */
  readonly isPriced: boolean;
}

export const DEFAULT_BUDGETS: Budgets = {
  turns: 200,
  tokens: 1_000_000,
  toolCalls: 200,
  usd: 2,
  minutes: 30,
};

export interface BudgetEnd {
  readonly budget: BudgetName;
  readonly why: string;
}

/** What a run has used up. A subagent spends from its parent's: a limit that a helper could go around is none. */
export class Spending {
  readonly budgets: Budgets;
  readonly #now: () => number;
  #startedAt: number;
  #turns = 0;
  #tokens = 0;
  #toolCalls = 0;
  #usd = 0;
  #isPriced = true;

  constructor(budgets: Partial<Budgets> = {}, now: () => number = Date.now) {
    this.budgets = { ...DEFAULT_BUDGETS, ...budgets };
    this.#now = now;
    this.#startedAt = now();
  }

  /** A new budget of the same size: what a resumed run gets. */
  renew(): void {
    this.#turns = this.#tokens = this.#toolCalls = this.#usd = 0;
    this.#startedAt = this.#now();
  }

  /** One response of the model. */
  answered(usage: Usage, model: string): void {
    this.#turns += 1;
    this.paid(usage, model);
  }

  /** A request that is no turn: a summary, notes before a fold. */
  paid(usage: Usage, model: string, costUsd: number | undefined = usage.costUsd): void {
    this.#tokens += promptTokens(usage) + usage.outputTokens;
    const usd = costUsd ?? cost(usage, model).usd;
    this.#isPriced &&= usd !== undefined;
    this.#usd += usd ?? 0;
  }

  /** Whether one more call may run; then it is counted. */
  takeCall(): boolean {
    if (this.#toolCalls >= this.budgets.toolCalls) return false;
    this.#toolCalls += 1;
    return true;
  }

  get msLeft(): number {
    return Math.max(0, this.budgets.minutes * 60_000 - (this.#now() - this.#startedAt));
  }

  get spent(): Spent {
    return {
      turns: this.#turns,
      tokens: this.#tokens,
      toolCalls: this.#toolCalls,
      usd: this.#usd,
      minutes: (this.#now() - this.#startedAt) / 60_000,
      isPriced: this.#isPriced,
    };
  }

  /** The first budget that is used up. */
  get end(): BudgetEnd | undefined {
    const { spent, budgets } = this;
    const over = NAMES.find((name) => spent[name] >= budgets[name]);
    return over && { budget: over, why: inWords(over, spent[over], budgets[over]) };
  }
}

const NAMES: readonly BudgetName[] = ["turns", "tokens", "toolCalls", "usd", "minutes"];

const WORDS: Readonly<Record<BudgetName, string>> = {
  turns: "turns",
  tokens: "tokens",
  toolCalls: "tool calls",
  usd: "USD",
  minutes: "minutes",
};

function inWords(name: BudgetName, spent: number, budget: number): string {
  const shown = name === "usd" ? spent.toFixed(2) : Math.floor(spent).toLocaleString("en-US");
  return `the budget of ${budget.toLocaleString("en-US")} ${WORDS[name]} is used up (${shown})`;
}
