/** Sessions and their ledger, in SQLite. */
import type { LedgerEntry } from "../plan/ledger.ts";
import { type Blob, packJson, unpackJson } from "./blobs.ts";
import { unknownSession } from "./paging.ts";
import type { Connection } from "./sqlite-connection.ts";
import type { SessionFacts, SessionRow } from "./store.ts";

/** As a session is named inside the database. Throws where there is none; called within a transaction. */
export function sessionKey(connection: Connection, id: string): number {
  const row = connection.get<{ key: number }>("SELECT key FROM sessions WHERE id = ?", id);
  if (!row) throw unknownSession(id);
  return row.key;
}

export function openSession(
  connection: Connection,
  { id, parent, at, ...facts }: SessionFacts,
): Promise<void> {
  // Facts that are not given stay; opening it again takes back its end.
  return connection.write(() => {
    connection.run(
      `INSERT INTO sessions(id, parent, facts, started_at, used_at) VALUES (?1, ?2, ?3, ?4, ?4)
       ON CONFLICT(id) DO UPDATE SET
         parent = coalesce(?2, parent), facts = json_patch(facts, ?3), used_at = max(used_at, ?4), ended_at = NULL`,
      id,
      parent ?? null,
      JSON.stringify(facts),
      at,
    );
  });
}

export function endSession(connection: Connection, id: string, at: number): Promise<void> {
  return connection.write(() => {
    connection.run("UPDATE sessions SET ended_at = ? WHERE key = ?", at, sessionKey(connection, id));
  });
}

/** Notes when a session was last at work. */
export function useSession(
  connection: Connection,
  key: number,
  used: readonly { readonly at: number }[],
): void {
  const latest = used.reduce((last, { at }) => Math.max(last, at), 0);
  connection.run("UPDATE sessions SET used_at = max(used_at, ?) WHERE key = ?", latest, key);
}

interface Row {
  readonly id: string;
  readonly parent: string | null;
  readonly facts: string;
  readonly startedAt: number;
  readonly usedAt: number;
  readonly endedAt: number | null;
  readonly refs: number;
  readonly compactions: number;
  readonly bytes: number;
}

/** What lies on the disk for it; what it shares with others counts for each of them. */
const ROWS = `
  SELECT id, parent, facts, started_at AS startedAt, used_at AS usedAt, ended_at AS endedAt,
    (SELECT count(*) FROM refs WHERE session = sessions.key) AS refs,
    (SELECT count(*) FROM ledger WHERE session = key AND kind = 'compaction') AS compactions,
    (SELECT coalesce(sum(length(data)), 0) FROM packs WHERE id IN (
      SELECT pack FROM refs WHERE session = sessions.key)) +
    (SELECT coalesce(sum(length(data)), 0) FROM blobs WHERE blobs.id IN (
      SELECT blob FROM chunks JOIN sources ON sources.key = source
        WHERE sources.session = sessions.key AND sha256 IS NOT NULL)) AS bytes
  FROM sessions`;

export function readSession(connection: Connection, id: string): Promise<SessionRow | undefined> {
  return connection.read(() => {
    const row = connection.get<Row>(`${ROWS} WHERE id = ?`, id);
    return row && sessionRow(row);
  });
}

export function readSessions(connection: Connection): Promise<readonly SessionRow[]> {
  return connection.read(() => connection.all<Row>(`${ROWS} ORDER BY used_at DESC, id`).map(sessionRow));
}

function sessionRow({ facts, parent, endedAt, ...row }: Row): SessionRow {
  return {
    ...row,
    // Only `openSession` writes these.
    ...(JSON.parse(facts) as Pick<SessionFacts, "title" | "cwd" | "model">),
    ...(parent === null ? {} : { parent }),
    ...(endedAt === null ? {} : { endedAt }),
  };
}

export function appendLedger(
  connection: Connection,
  id: string,
  entries: readonly LedgerEntry[],
): Promise<void> {
  const packed = entries.map((entry) => ({ kind: entry.kind, ...packJson(entry) }));
  return connection.write(() => {
    const key = sessionKey(connection, id);
    for (const { kind, sha256, codec, bytes, data } of packed)
      connection.run(
        "INSERT INTO ledger(session, kind, sha256, codec, bytes, data) VALUES (?, ?, ?, ?, ?, ?)",
        key,
        kind,
        sha256,
        codec,
        bytes,
        data,
      );
    useSession(connection, key, entries);
  });
}

export function readLedger(connection: Connection, id: string): Promise<readonly LedgerEntry[]> {
  return connection.read(() => ledgerOf(connection, id));
}

/** Within a transaction. */
export function ledgerOf(connection: Connection, id: string): readonly LedgerEntry[] {
  const rows = connection.all<Blob>(
    `SELECT sha256, codec, bytes, data FROM ledger
     WHERE session = (SELECT key FROM sessions WHERE id = ?) ORDER BY seq`,
    id,
  );
  // The hash was checked, and only `appendLedger` writes these.
  return rows.map((row) => unpackJson(row, `The ledger of session ${id}`) as unknown as LedgerEntry);
}
