/** Collecting in SQLite: one transaction, so a dry run is the same run taken back, and reports the same numbers. */
import { collectFrom, refsNamedIn, type Shelf } from "./garbage.ts";
import type { Connection } from "./sqlite-connection.ts";
import { isRef } from "./sqlite-originals.ts";
import { removeSpans, type Span } from "./sqlite-packs.ts";
import { ledgerOf, sessionKey } from "./sqlite-sessions.ts";
import { removeSources } from "./sqlite-sources.ts";
import type { Collected, CollectOptions } from "./store.ts";

const DAY_MS = 86_400_000;
/** After a year nobody asks for an expired ref any more. */
const TOMBSTONE_MS = 365 * DAY_MS;

export async function collect(connection: Connection, options: CollectOptions): Promise<Collected> {
  const work = (): Collected => {
    const left = removeUnfinished(connection, options.now - DAY_MS);
    const collected = collectFrom(shelfOf(connection, options.now), options);
    connection.run("DELETE FROM tombstones WHERE at < ?", options.now - TOMBSTONE_MS);
    return { ...collected, blobs: collected.blobs + left.blobs, bytes: collected.bytes + left.bytes };
  };
  if (options.isDryRun) return connection.rehearse(work);
  const collected = await connection.write(work);
  if (collected.blobs > 0) await connection.giveBack();
  return collected;
}

/** Files whose keeping was cut short by a crash. A day: nobody is still at it. */
function removeUnfinished(connection: Connection, begunBefore: number): { blobs: number; bytes: number } {
  const unfinished = connection.all<{ key: number }>(
    "SELECT key FROM sources WHERE sha256 IS NULL AND begun_at < ?",
    begunBefore,
  );
  return removeSources(
    connection,
    unfinished.map(({ key }) => key),
  );
}

const ALL_BYTES = `
  SELECT (SELECT coalesce(sum(length(data)), 0) FROM blobs) + (SELECT coalesce(sum(length(data)), 0) FROM packs) AS bytes`;

function shelfOf(connection: Connection, now: number): Shelf {
  return {
    candidates: () =>
      connection
        .all<{ id: string; parent: string | null; usedAt: number; endedAt: number | null }>(
          "SELECT id, parent, used_at AS usedAt, ended_at AS endedAt FROM sessions ORDER BY key",
        )
        .map(({ id, parent, usedAt, endedAt }) => ({
          id,
          usedAt,
          ...(parent === null ? {} : { parent }),
          ...(endedAt === null ? {} : { endedAt }),
        })),
    *holdersNamedBy(id) {
      for (const entry of ledgerOf(connection, id))
        for (const ref of refsNamedIn(entry)) {
          const holders = connection.all<{ id: string }>(
            `SELECT id FROM refs JOIN sessions ON key = session WHERE ${isRef("?1")}`,
            ref,
          );
          if (!holders.some((holder) => holder.id === id)) yield* holders.map((holder) => holder.id);
        }
    },
    blobBytes: () => connection.get<{ bytes: number }>(ALL_BYTES)?.bytes ?? 0,
    remove: (id) => removeSession(connection, id, now),
  };
}

function removeSession(connection: Connection, id: string, now: number): { blobs: number; bytes: number } {
  const key = sessionKey(connection, id);
  const spans = connection.all<Span>("SELECT pack, start, bytes FROM refs WHERE session = ?", key);
  connection.run(
    `INSERT OR REPLACE INTO tombstones(ref, session, parent, at)
     SELECT ref, id, parent, ? FROM refs JOIN sessions ON key = session WHERE session = ?`,
    now,
    key,
  );
  connection.run(
    `DELETE FROM words WHERE rowid IN (
       SELECT seq FROM refs JOIN sessions ON key = session WHERE session = ? AND seq <= searched_to)`,
    key,
  );
  connection.run("DELETE FROM refs WHERE session = ?", key);
  connection.run("DELETE FROM ledger WHERE session = ?", key);
  const sources = connection.all<{ key: number }>("SELECT key FROM sources WHERE session = ?", key);
  const ofSources = removeSources(
    connection,
    sources.map((source) => source.key),
  );
  connection.run("DELETE FROM sessions WHERE key = ?", key);
  const ofRefs = removeSpans(connection, spans);
  return { blobs: ofRefs.blobs + ofSources.blobs, bytes: ofRefs.bytes + ofSources.bytes };
}
