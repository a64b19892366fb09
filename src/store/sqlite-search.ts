/**
 * Listing and searching refs in SQLite.
 *
 * Words are indexed when somebody searches, not when an original is kept: indexing costs more than all the rest of
 * keeping, most sessions are never searched, and the first search of a session then pays about 0.1 s a megabyte. The index
 * narrows; the text decides and `rank.ts` orders, so index and memory find the same in the same order. FTS5's own bm25 would
 * weigh words by all sessions in the file, and needs the places that `detail=none` leaves out.
 */
import { textIn } from "../transcript/part-text.ts";
import { limitOf, type PlacedRow, pageOf, placeOf } from "./paging.ts";
import { searchRows } from "./search.ts";
import type { Connection } from "./sqlite-connection.ts";
import { KEPT, type KeptRow, keptAt, originalReader } from "./sqlite-originals.ts";
import type { RefPage, RefQuery } from "./store.ts";
import { type Needle, needleOf, searchedText, wordsOf } from "./words.ts";

export async function listRefs(connection: Connection, id: string, query: RefQuery): Promise<RefPage> {
  const needle = needleOf(query.contains ?? "");
  if (needle.terms.length === 0) return connection.read(() => plainPage(connection, id, query));
  while (await indexSome(connection, id));
  return connection.read(() => searchPage(connection, id, { query, needle }));
}

/** Of one session, and of one kind where that was asked for. */
const MINE = "session = (SELECT key FROM sessions WHERE id = ?1) AND (?2 IS NULL OR kind = ?2)";
const PLACED = "SELECT seq, ref, kind, description, tokens, at FROM refs";

/** Without a search nothing but the rows shown is read, however many there are. */
function plainPage(connection: Connection, id: string, query: RefQuery): RefPage {
  const kind = query.kind ?? null;
  const count = connection.get<{ total: number }>(
    `SELECT count(*) AS total FROM refs WHERE ${MINE}`,
    id,
    kind,
  );
  const limit = limitOf(query.limit);
  const rows = connection.all<PlacedRow>(
    `${PLACED} WHERE ${MINE} AND seq < ?3 ORDER BY seq DESC LIMIT ?4`,
    id,
    kind,
    placeOf(query.cursor) ?? Number.MAX_SAFE_INTEGER,
    limit + 1,
  );
  return { ...pageOf(rows.map(told), query), total: count?.total ?? 0 };
}

function searchPage(
  connection: Connection,
  id: string,
  { query, needle }: { readonly query: RefQuery; readonly needle: Needle },
): RefPage {
  const mine = connection.all<PlacedRow>(`${PLACED} WHERE ${MINE}`, id, query.kind ?? null).map(told);
  const bySeq = termsBySeq(connection, mine, needle);
  const read = originalReader(connection);
  return searchRows(mine, {
    ...{ query, needle },
    termsOf: ({ seq }) => bySeq.get(seq) ?? new Set(),
    saidBy: ({ seq }) => textIn(read(keptAt(connection, seq)).part),
  });
}

/** Which of the terms each may have: one question to the index for each term. */
function termsBySeq(
  connection: Connection,
  mine: readonly PlacedRow[],
  { words }: Needle,
): ReadonlyMap<number, ReadonlySet<number>> {
  const terms = new Map(mine.map(({ seq }) => [seq, new Set<number>()]));
  for (const [term, wanted] of words.entries()) {
    if (wanted.length === 0) for (const has of terms.values()) has.add(term);
    else
      for (const { rowid } of connection.all<{ rowid: number }>(
        "SELECT rowid FROM words WHERE words MATCH ?",
        // Words are letters and digits only, so nothing in them can be FTS syntax.
        wanted.map((word) => `"${word}"*`).join(" AND "),
      ))
        terms.get(rowid)?.add(term);
  }
  return terms;
}

/** How many originals are indexed under one lock; others write in between. */
const INDEXED_AT_ONCE = 64;

/** Indexes what came in since the last search of this session; false when nothing is left. */
async function indexSome(connection: Connection, id: string): Promise<boolean> {
  if ((await connection.read(() => unindexed(connection, id))).length === 0) return false;
  return connection.write(() => {
    const rows = unindexed(connection, id);
    const textOf = textReader(connection);
    for (const row of rows)
      connection.run(
        "INSERT INTO words(rowid, said) VALUES (?, ?)",
        row.seq,
        [...wordsOf(textOf(row))].join(" "),
      );
    const last = rows.at(-1);
    if (last) connection.run("UPDATE sessions SET searched_to = ? WHERE id = ?", last.seq, id);
    return rows.length === INDEXED_AT_ONCE;
  });
}

/** Writers take turns, so numbers are given in the order of commits: behind the mark is all that is new. */
function unindexed(connection: Connection, id: string): readonly KeptRow[] {
  return connection.all<KeptRow>(
    `${KEPT} WHERE session = (SELECT key FROM sessions WHERE id = ?1)
       AND seq > (SELECT searched_to FROM sessions WHERE id = ?1) ORDER BY seq LIMIT ${INDEXED_AT_ONCE}`,
    id,
  );
}

function textReader(connection: Connection): (row: KeptRow) => string {
  const read = originalReader(connection);
  return (row) => {
    const { description, part } = read(row);
    return searchedText(description, textIn(part));
  };
}

function told({ seq, ref, kind, description, tokens, at }: PlacedRow): PlacedRow {
  return { seq, ref, kind, description: JSON.parse(description), tokens, at };
}
