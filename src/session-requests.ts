/**
 * What a session knows of its requests: which model they go to and how much it takes, how the provider's counts differ from
 * ours, whether its cache is warm, and whether the last one overflowed without saying so.
 */
import { counterFor } from "./accounting.ts";
import {
  type Calibration,
  edited,
  isCalibrated,
  observe,
  predict,
  UNCALIBRATED,
} from "./measure/calibrate.ts";
import { type Model, modelNamed } from "./measure/models.ts";
import type { Overflow } from "./overflow.ts";
import { responseOverflow } from "./overflow-response.ts";
import type { Compaction, LedgerEntry, Requested } from "./plan/ledger.ts";
import { isWorthALook } from "./plan/pays.ts";
import type { Policy } from "./plan/policy.ts";
import { arrivalTokens } from "./plan/prune.ts";
import { type CacheState, cacheStateOf } from "./plan/rent.ts";
import { marksOf, roomIn, tokensIn } from "./plan/size.ts";
import type { Observed } from "./session-options.ts";
import { defined } from "./transcript/json.ts";
import { hasUserWords, type Message, type Usage } from "./transcript/message.ts";

/** No model in use takes less: a smaller number in an error is of something else. */
const LEAST_WINDOW_TOKENS = 1_000;

export interface Defaults {
  readonly model?: string | undefined;
  readonly windowTokens?: number | undefined;
}

export class SessionRequests {
  readonly #defaults: Defaults;
  #model: string | undefined;
  #calibration: Calibration = UNCALIBRATED;
  /** The last request; none, where nothing can be cached yet. */
  #last: Pick<Requested, "at" | "model"> | undefined;
  /** Whether the host asks for the long life, by what was written last. */
  #isLong = false;
  #isOverflown = false;
  #lookedAtTokens = 0;
  /** What the provider said its window is, where it is less than we thought: a local server's is what it was started with. */
  #saidTokens = Number.POSITIVE_INFINITY;

  /** A resumed session finds its last request in the ledger: its cache may still be warm. */
  constructor(defaults: Defaults, ledger: readonly LedgerEntry[]) {
    this.#defaults = defaults;
    this.#model = defaults.model;
    for (const entry of ledger) {
      if (entry.kind !== "requested") continue;
      this.#last = entry;
      this.#isLong = isLongIn(entry.usage) ?? this.#isLong;
    }
  }

  get model(): string | undefined {
    return this.#model;
  }

  /** Whether the next request goes to another model. Another tokenizer makes what was learnt of the counts untrue. */
  goesTo(model: string | undefined = this.#defaults.model): boolean {
    if (model === this.#model) return false;
    this.#model = model;
    this.#calibration = UNCALIBRATED;
    // Its cache is cold, which is the time to clear: it is looked at whatever was seen before.
    this.#lookedAtTokens = Number.NEGATIVE_INFINITY;
    this.#saidTokens = Number.POSITIVE_INFINITY;
    return true;
  }

  /** Below the mark; see `plan/pays.ts`. A switched model and a time to live that has passed are the same: the cache is cold. */
  areWorthALook(
    policy: Policy,
    {
      tokens,
      last,
      now,
    }: { readonly tokens: number; readonly last: Message | undefined; readonly now: number },
  ): boolean {
    return isWorthALook(policy, roomIn(this.windowTokens, this.facts), {
      tokens,
      lookedAtTokens: this.#lookedAtTokens,
      isBoundary: last !== undefined && hasUserWords(last),
      isCold: this.#last !== undefined && this.cacheAt(now).isCold,
    });
  }

  /** `hard`: here nothing is worth waiting for any longer. */
  marksOf(policy: Policy): { readonly full: number; readonly hard: number; readonly target: number } {
    const room = roomIn(this.windowTokens, this.facts);
    const { full, target } = marksOf(policy, room, this.#model);
    return { full, target, hard: tokensIn(policy.safety.waitsUpTo, room) };
  }

  lookedAt(tokens: number): void {
    this.#lookedAtTokens = tokens;
  }

  /** A window that was given belongs to the model it was given with; another model has its own. */
  get windowTokens(): number {
    return Math.min(this.#givenWindow ?? this.facts.windowTokens, this.#saidTokens);
  }

  /** An overflow that names the limit teaches it. Answers how far down to go: whatever we believe fits, `counted` did not. */
  refused(counted: number, { limit }: Pick<Overflow, "limit">, policy: Policy): number {
    if (limit !== undefined && limit >= LEAST_WINDOW_TOKENS) this.#saidTokens = limit;
    return Math.min(this.marksOf(policy).target, this.calibrated(counted) / 2);
  }

  /** Whether one of the results is shortened on arrival. */
  isGiantAmong(messages: readonly Message[], policy: Policy): boolean {
    const counter = counterFor(policy.accounting, this.#model);
    const limit = arrivalTokens(policy, this.windowTokens) ?? Number.POSITIVE_INFINITY;
    return messages.some(({ parts }) =>
      parts.some((part) => part.type === "tool-result" && counter.part(part) >= limit),
    );
  }

  get facts(): Model {
    return modelNamed(this.#model);
  }

  get calibration(): Calibration | undefined {
    return isCalibrated(this.#calibration) ? this.#calibration : undefined;
  }

  get scale(): number {
    return this.calibration?.scale ?? 1;
  }

  calibrated(counted: number): number {
    return this.calibration ? predict(this.calibration, counted) : counted;
  }

  cacheAt(now: number): CacheState {
    const idleMs = this.#last ? now - this.#last.at : Number.POSITIVE_INFINITY;
    const isModelSwitched = this.#last !== undefined && this.#last.model !== this.#model;
    return cacheStateOf(this.facts, { idleMs, isModelSwitched, isLong: this.#isLong });
  }

  observe(
    counted: number,
    usage: Usage,
    { at, ended, stopReason }: Observed & { readonly at: number },
  ): void {
    this.#calibration = observe(this.#calibration, { counted, usage, ...defined({ ended }) });
    this.#last = { at, ...defined({ model: this.#model }) };
    this.#isLong = isLongIn(usage) ?? this.#isLong;
    if (ended === "failed" || ended === "aborted") return;
    // A window that is a guess convicts nobody; a stop reason does.
    const window = this.#givenWindow ?? (this.facts.isFallback ? undefined : this.facts.windowTokens);
    this.#isOverflown = responseOverflow(defined({ usage, stopReason }), window) !== undefined;
  }

  /** Asked once: one silent overflow leads to one attempt. */
  takeOverflow(): boolean {
    const was = this.#isOverflown;
    this.#isOverflown = false;
    return was;
  }

  /** Usage from before a compaction says nothing of what comes after it. */
  compacted({ page }: Compaction): void {
    this.#isOverflown = false;
    if (this.calibration)
      this.#calibration = edited(this.calibration, page === undefined ? "clear" : "summary");
  }

  get #givenWindow(): number | undefined {
    const { model, windowTokens } = this.#defaults;
    return model === undefined || model === this.#model ? windowTokens : undefined;
  }
}

/** Undefined where nothing was written. Taken for short, a warm cache would look cold after five minutes, and be written anew. */
function isLongIn({ cacheWriteTokens, cacheWrite1hTokens = 0 }: Usage): boolean | undefined {
  return cacheWriteTokens === 0 ? undefined : cacheWrite1hTokens > 0;
}
