/** A search over the rows of a session: which have the words, best first, a page at a time. The same for every store. */
import { type PlacedRow, rankedPage, rankedPlaceOf, rowOf } from "./paging.ts";
import { ranked } from "./rank.ts";
import type { RefPage, RefQuery } from "./store.ts";
import type { Needle } from "./words.ts";

export interface Searching {
  readonly query: RefQuery;
  readonly needle: Needle;
  /** Which of the terms a row may have, by number: an index, or a look at its words. */
  readonly termsOf: (row: PlacedRow) => ReadonlySet<number>;
  /** What it says, as `read_ref` shows it. */
  readonly saidBy: (row: PlacedRow) => string;
}

/** @param rows of one session, and of one kind where that was asked for */
export function searchRows(
  rows: readonly PlacedRow[],
  { query, needle, termsOf, saidBy }: Searching,
): RefPage {
  const newest = rows.reduce((most, { seq }) => Math.max(most, seq), 0);
  const upTo = rankedPlaceOf(query.cursor).upTo ?? newest;
  const bySeq = new Map(rows.flatMap((row) => (row.seq <= upTo ? [[row.seq, row]] : [])));
  const list = ranked(
    [...bySeq.values()].map((row) => ({ seq: row.seq, kind: row.kind, terms: termsOf(row) })),
    {
      ...{ needle, of: bySeq.size, match: query.match ?? "all" },
      textOf: (seq) => {
        const row = bySeq.get(seq);
        return { description: row?.description ?? "", said: row ? saidBy(row) : "" };
      },
    },
  );
  const shown = list.flatMap(({ seq, isWhole, found }) => {
    const row = bySeq.get(seq);
    return row ? [{ isWhole, row: found ? { ...rowOf(row), found } : rowOf(row) }] : [];
  });
  return rankedPage(shown, upTo, query);
}
