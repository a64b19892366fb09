/**
 * One compaction prepared in the background: queued, polled, swapped in. It works on the history as it was when it was
 * queued, and is of use only while that history is still the beginning of what is there and nothing else was compacted.
 */
import { standingCompactions, type View, viewOf } from "./apply/view.ts";
import type { Compacted, Outcome } from "./compact.ts";
import { objectionTo } from "./objection.ts";
import type { LedgerEntry } from "./plan/ledger.ts";
import type { Message, Transcript } from "./transcript/message.ts";
import { refOf } from "./transcript/ref.ts";

/** What a compaction is computed from. */
export interface Basis {
  readonly transcript: Transcript;
  readonly ledger: readonly LedgerEntry[];
}

export type Polled =
  | { readonly kind: "none" | "working" }
  | { readonly kind: "ready"; readonly outcome: Outcome }
  | { readonly kind: "failed"; readonly error: unknown };

const NONE: Polled = { kind: "none" };

export class Ahead {
  #polled: Polled = NONE;
  #basis: Basis | undefined;
  #done: Promise<void> = Promise.resolve();

  /** `work` begins when the caller has gone on: planning takes tens of milliseconds, and the host has a request to send. */
  queue(basis: Basis, work: (basis: Basis) => Promise<Outcome>): Promise<void> {
    if (this.#polled.kind !== "none") return this.#done;
    // The history grows in place while we work; a copy of the list does not.
    const { messages } = basis.transcript;
    const fixed = { ...basis, transcript: { ...basis.transcript, messages: [...messages] } };
    this.#polled = { kind: "working" };
    this.#basis = fixed;
    this.#done = new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => work(fixed))
      .then(
        (outcome) => this.#settle({ kind: "ready", outcome }),
        (error: unknown) => this.#settle({ kind: "failed", error }),
      );
    return this.#done;
  }

  get isWorking(): boolean {
    return this.#polled.kind === "working";
  }

  /** What came of it, taken once. Waits only where it is told to. */
  async take({ isWaiting }: { readonly isWaiting: boolean }): Promise<Polled> {
    if (this.isWorking && isWaiting) await this.#done;
    const polled = this.#polled;
    if (polled.kind !== "working") this.#polled = NONE;
    return polled;
  }

  /** Whether it can still be done: what was thought since is sealed behind what would be edited now. */
  fits({ compaction }: Compacted, now: Basis, shown: View): boolean {
    if (compaction.isTransient || !this.#isOf(now)) return false;
    return objectionTo(compaction, shown, viewOf(now.transcript, [...now.ledger, compaction])) === undefined;
  }

  /** Whether it was computed from what is there now, or from a beginning of it. */
  #isOf({ transcript, ledger }: Basis): boolean {
    const basis = this.#basis;
    if (!basis || standingIn(ledger) !== standingIn(basis.ledger)) return false;
    return basis.transcript.messages.every((message, index) => isSame(message, transcript.messages[index]));
  }

  #settle(polled: Polled): void {
    this.#polled = polled;
  }
}

function standingIn(ledger: readonly LedgerEntry[]): string {
  return standingCompactions(ledger)
    .map(({ id }) => id)
    .join(" ");
}

/** Hosts that parse their history anew have other objects with the same content. */
function isSame(one: Message, other: Message | undefined): boolean {
  if (one === other) return true;
  return (
    other !== undefined &&
    one.role === other.role &&
    one.parts.length === other.parts.length &&
    one.parts.every((part, index) => {
      const same = other.parts[index];
      return same !== undefined && refOf(part) === refOf(same);
    })
  );
}
