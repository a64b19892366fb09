/**
 * What was done to a session, as it stands in this process: its ledger, what was shortened for the last request alone and is
 * in no ledger, and how often in a row a compaction did not help.
 */
import { standingCompactions } from "./apply/view.ts";
import type { Compacted, Outcome } from "./compact.ts";
import type { Compaction, LedgerEntry } from "./plan/ledger.ts";
import type { Policy } from "./plan/policy.ts";
import { brokenNotice, compactedNotice } from "./session-notices.ts";
import type { Store } from "./store/store.ts";

export interface Keeping {
  readonly store: Store;
  readonly id: string;
  readonly policy: Policy;
}

export class SessionLedger {
  readonly #keeping: Keeping;
  #entries: readonly LedgerEntry[];
  #passing: readonly Compaction[] = [];
  #failures = 0;

  constructor(entries: readonly LedgerEntry[], keeping: Keeping) {
    this.#keeping = keeping;
    this.#entries = entries;
  }

  get entries(): readonly LedgerEntry[] {
    return this.#entries;
  }

  /** What the next request is seen through. */
  get seen(): readonly LedgerEntry[] {
    return [...this.#entries, ...this.#passing];
  }

  get isPassing(): boolean {
    return this.#passing.length > 0;
  }

  /** The breaker: nothing more is tried by itself. */
  get isBroken(): boolean {
    return this.#failures >= this.#keeping.policy.safety.maxFailures;
  }

  /** What was shortened for one request is whole again. */
  beginAnew(): void {
    this.#passing = [];
  }

  /** What came of a compaction; one that was made is in the store already. Answers what the user should be told. */
  settle(outcome: Outcome): string | undefined {
    if (outcome.kind === "compacted") return this.#took(outcome);
    return outcome.because === "nothing-to-do" ? undefined : this.failed(outcome.detail);
  }

  /** One more that did not help, or could not be done. Said once, when the breaker trips. */
  failed(detail: string): string | undefined {
    this.#failures += 1;
    const isTripped = this.#failures === this.#keeping.policy.safety.maxFailures;
    return isTripped ? brokenNotice(this.#failures, detail) : undefined;
  }

  /** Seen at once; durable when it resolves. Fails where the store does. */
  record(entry: LedgerEntry): Promise<void> {
    this.#entries = [...this.#entries, entry];
    return this.#keeping.store.append(this.#keeping.id, [entry]);
  }

  /** Takes the last compaction back, in the store first. */
  async undo(at: number): Promise<boolean> {
    const last = standingCompactions(this.#entries).at(-1);
    if (!last) return false;
    const entry: LedgerEntry = { kind: "undo", at, of: last.id };
    await this.#keeping.store.append(this.#keeping.id, [entry]);
    this.#entries = [...this.#entries, entry];
    return true;
  }

  #took(outcome: Compacted): string | undefined {
    const { compaction } = outcome;
    if (compaction.isTransient) {
      this.#passing = [...this.#passing, compaction];
      return undefined;
    }
    this.#failures = 0;
    if (compaction.edits.some(({ kind }) => kind === "fold")) this.#passing = [];
    this.#entries = [...this.#entries, compaction];
    return compactedNotice(outcome);
  }
}
