/**
 * A store for the length of one case: what is kept is held by reference, neither packed nor hashed, because nothing here
 * outlives the process and thousands of cases are kept. Of the contract it has what compacting and reading back need.
 */
import {
  type LedgerEntry,
  type Original,
  PalimpsestError,
  type Recall,
  type RefPage,
  type RefQuery,
  type SessionFacts,
  type SessionRow,
  type Store,
} from "palimpsest";
import type { SessionIndex } from "../probes/session-index.ts";

export class ScratchStore implements Store {
  readonly name = "scratch";
  readonly #index: SessionIndex;
  readonly #originals = new Map<string, Original>();
  readonly #ledger: LedgerEntry[] = [];

  constructor(index: SessionIndex) {
    this.#index = index;
  }

  /** Whether any original kept has this value, found by anyone or not. */
  holds(value: string): boolean {
    for (const ref of this.#index.refsHolding(value)) if (this.#originals.has(ref)) return true;
    return false;
  }

  async openSession(_session: SessionFacts): Promise<void> {}
  async session(_id: string): Promise<SessionRow | undefined> {
    return undefined;
  }
  async sessions(): Promise<readonly SessionRow[]> {
    return [];
  }
  async endSession(): Promise<void> {}

  async keep(_sessionId: string, originals: readonly Original[]): Promise<void> {
    for (const original of originals) {
      this.#originals.set(original.ref, original);
      this.#index.add(original);
    }
  }

  async recall(_sessionId: string, ref: string): Promise<Recall> {
    const original = this.#originals.get(ref);
    return original ? { kind: "found", original } : { kind: "unknown", nearest: [] };
  }

  async list(_sessionId: string, { kind, contains = "", limit = 20 }: RefQuery): Promise<RefPage> {
    const terms = contains
      .toLowerCase()
      .split(/\s+/)
      .filter((term) => term !== "");
    const sets = terms.map((term) => this.#index.refsWith(term));
    const found = [...this.#originals.values()].filter(
      ({ ref, part }) => (kind === undefined || part.type === kind) && sets.every((refs) => refs.has(ref)),
    );
    const rows = found.reverse().slice(0, limit);
    return {
      rows: rows.map(({ ref, part, description, tokens, at }) => ({
        ref,
        kind: part.type,
        description,
        tokens,
        at,
      })),
      total: found.length,
    };
  }

  async append(_sessionId: string, entries: readonly LedgerEntry[]): Promise<void> {
    this.#ledger.push(...entries);
  }
  async ledger(): Promise<readonly LedgerEntry[]> {
    return this.#ledger;
  }

  keepSource(): never {
    return unsupported();
  }
  source(): never {
    return unsupported();
  }
  exportSession(): never {
    return unsupported();
  }
  collect(): never {
    return unsupported();
  }
  async close(): Promise<void> {}
}

function unsupported(): never {
  throw new PalimpsestError("store", "A scratch store holds originals and a ledger; it has no files.");
}
