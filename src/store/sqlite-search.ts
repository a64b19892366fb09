/**
 * Listing and searching refs in SQLite.
 *
 * Words are indexed when somebody searches, not when an original is kept: indexing costs more than all the rest of
 * keeping, most sessions are never searched, and the first search of a session then pays about 0.1 s a megabyte. The index
 * narrows; the text decides, so index and memory find the same.
 */
import { limitOf, type PlacedRow, pageOf, placeOf } from "./paging.ts";
import type { Connection } from "./sqlite-connection.ts";
import { KEPT, type KeptRow, originalReader } from "./sqlite-originals.ts";
import type { RefPage, RefQuery } from "./store.ts";
import { hasTerms, type Needle, needleOf, searchedText, wordsOf } from "./words.ts";

export async function listRefs(connection: Connection, id: string, query: RefQuery): Promise<RefPage> {
  const needle = needleOf(query.contains ?? "");
  if (needle.terms.length === 0) return connection.read(() => plainPage(connection, id, query));
  while (await indexSome(connection, id));
  return connection.read(() => pageOf(found(connection, id, { query, needle }), query));
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

function found(
  connection: Connection,
  id: string,
  { query, needle }: { readonly query: RefQuery; readonly needle: Needle },
): readonly PlacedRow[] {
  const kind = query.kind ?? null;
  // Words are letters and digits only, so nothing in them can be FTS syntax.
  const match = needle.words.map((word) => `"${word}"*`).join(" AND ");
  const rows =
    match === ""
      ? connection.all<KeptRow>(`${KEPT} WHERE ${MINE} ORDER BY seq DESC`, id, kind)
      : connection.all<KeptRow>(
          `${KEPT} WHERE ${MINE} AND seq IN (SELECT rowid FROM words WHERE words MATCH ?3) ORDER BY seq DESC`,
          id,
          kind,
          match,
        );
  const textOf = textReader(connection);
  return rows.filter((row) => hasTerms(textOf(row), needle)).map(told);
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
    return searchedText(description, part);
  };
}

function told({ seq, ref, kind, description, tokens, at }: PlacedRow): PlacedRow {
  return { seq, ref, kind, description: JSON.parse(description), tokens, at };
}
