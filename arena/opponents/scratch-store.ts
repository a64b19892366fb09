/**
 * A store for the length of one case: what is kept is held by reference, neither packed nor hashed, because nothing here
 * outlives the process and thousands of cases are kept. Of the contract it has what compacting and reading back need.
 */
import {
  type LedgerEntry,
  needleOf,
  type Original,
  PalimpsestError,
  type PlacedRow,
  type Recall,
  type RefPage,
  type RefQuery,
  type SessionFacts,
  type SessionRow,
  type Store,
  searchRows,
  textIn,
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

  /** As the product searches: only the index is the session's, because every policy keeps the same parts. */
  async list(_sessionId: string, query: RefQuery): Promise<RefPage> {
    const needle = needleOf(query.contains ?? "");
    const refsWith = needle.words.map((words) => words.map((word) => this.#index.refsWith(word)));
    const rows = this.#rows().filter(({ kind }) => query.kind === undefined || kind === query.kind);
    if (needle.terms.length === 0) {
      const { limit = 20 } = query;
      return { rows: rows.toReversed().slice(0, limit), total: rows.length };
    }
    return searchRows(rows, {
      ...{ query, needle },
      termsOf: ({ ref }) =>
        new Set(refsWith.flatMap((sets, term) => (sets.every((refs) => refs.has(ref)) ? [term] : []))),
      saidBy: ({ ref }) => {
        const original = this.#originals.get(ref);
        return original ? textIn(original.part) : "";
      },
    });
  }

  #rows(): readonly PlacedRow[] {
    return [...this.#originals.values()].map(({ ref, part, description, tokens, at }, index) => ({
      ...{ seq: index + 1, ref, kind: part.type, description, tokens, at },
    }));
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
