/**
 * The tables, as steps from each version to the next. A step that was released is never changed: a later version adds one.
 * Free text is stored as JSON, because SQL text loses NUL and lone surrogates.
 */
import { PalimpsestError } from "../errors.ts";
import type { Database } from "./sqlite-driver.ts";

/** "PLMP": tells our files from other people's databases. */
const APPLICATION_ID = 0x504c4d50;

export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE sessions(
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    parent TEXT,
    facts TEXT NOT NULL,
    started_at NUMERIC NOT NULL,
    used_at NUMERIC NOT NULL,
    ended_at NUMERIC,
    searched_to INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX sessions_by_parent ON sessions(parent) WHERE parent IS NOT NULL;

  CREATE TABLE blobs(
    id INTEGER PRIMARY KEY,
    sha256 BLOB NOT NULL UNIQUE,
    codec INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    data BLOB NOT NULL
  );

  -- AUTOINCREMENT: a cursor must not meet a number again after a collection.
  CREATE TABLE refs(
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions(key),
    ref TEXT NOT NULL,
    kind TEXT NOT NULL,
    blob INTEGER NOT NULL REFERENCES blobs(id),
    call_id TEXT,
    description TEXT NOT NULL,
    tokens NUMERIC NOT NULL,
    at NUMERIC NOT NULL
  );
  CREATE UNIQUE INDEX refs_by_ref ON refs(ref, session);
  CREATE INDEX refs_by_session ON refs(session);
  CREATE INDEX refs_by_blob ON refs(blob);

  CREATE TABLE ledger(
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions(key),
    kind TEXT NOT NULL,
    sha256 BLOB NOT NULL,
    codec INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    data BLOB NOT NULL
  );
  CREATE INDEX ledger_by_session ON ledger(session, kind);

  -- sha256 is null while a file is being kept; only whole files are read.
  CREATE TABLE sources(
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions(key),
    wire TEXT NOT NULL,
    sha256 BLOB,
    bytes INTEGER NOT NULL,
    begun_at NUMERIC NOT NULL
  );
  CREATE INDEX sources_by_session ON sources(session);
  CREATE TABLE chunks(
    source INTEGER NOT NULL REFERENCES sources(key),
    position INTEGER NOT NULL,
    blob INTEGER NOT NULL REFERENCES blobs(id),
    PRIMARY KEY(source, position)
  ) WITHOUT ROWID;
  CREATE INDEX chunks_by_blob ON chunks(blob);

  -- What was collected: an expired ref can say so. About 60 bytes each.
  CREATE TABLE tombstones(
    ref TEXT NOT NULL,
    session TEXT NOT NULL,
    parent TEXT,
    at NUMERIC NOT NULL,
    PRIMARY KEY(ref, session)
  ) WITHOUT ROWID;

  -- The distinct words of each original, by seq; neither text nor positions: see words.ts for what that costs and saves.
  CREATE VIRTUAL TABLE words USING fts5(
    said, content='', contentless_delete=1, detail=none, tokenize='ascii'
  );
  `,
  // Originals lie in packs (sqlite-packs.ts); blobs are the pieces of session files only.
  `
  CREATE TABLE packs(
    id INTEGER PRIMARY KEY,
    codec INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    data BLOB NOT NULL
  );
  INSERT INTO packs(id, codec, bytes, data)
    SELECT id, codec, bytes, data FROM blobs WHERE id IN (SELECT blob FROM refs);

  -- sha256 is of the original alone.
  CREATE TABLE packed_refs(
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions(key),
    ref TEXT NOT NULL,
    kind TEXT NOT NULL,
    pack INTEGER NOT NULL REFERENCES packs(id),
    start INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 BLOB NOT NULL,
    call_id TEXT,
    description TEXT NOT NULL,
    tokens NUMERIC NOT NULL,
    at NUMERIC NOT NULL
  );
  INSERT INTO packed_refs(seq, session, ref, kind, pack, start, bytes, sha256, call_id, description, tokens, at)
    SELECT seq, session, ref, kind, blob, 0, bytes, sha256, call_id, description, tokens, at
    FROM refs JOIN blobs ON blobs.id = blob;
  UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'refs') WHERE name = 'packed_refs';
  DROP TABLE refs;
  ALTER TABLE packed_refs RENAME TO refs;
  CREATE UNIQUE INDEX refs_by_ref ON refs(ref, session);
  CREATE INDEX refs_by_session ON refs(session);
  CREATE INDEX refs_by_pack ON refs(pack, start);
  DELETE FROM blobs WHERE id NOT IN (SELECT blob FROM chunks);
  `,
  // Refs are random, so each new one dirties a page of their index: five of their letters take half the pages (sqlite-keep.ts).
  `
  DROP INDEX refs_by_ref;
  CREATE INDEX refs_by_start ON refs(substr(ref, 5, 5), session);
  `,
];

/** Brings a database to the newest version, or refuses it. Many processes may open a new file at once: one of them does it. */
export function migrate(database: Database, path: string, migrations: readonly string[] = MIGRATIONS): void {
  if (versionOf(database, path, migrations.length) === migrations.length) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = versionOf(database, path, migrations.length);
    for (const step of migrations.slice(version)) database.exec(step);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}`);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Throws on other people's databases and on newer stores; called before anything about a file is changed. */
export function versionOf(database: Database, path: string, newest: number = MIGRATIONS.length): number {
  const { version, isOurs, tables } = atOnce(database, () => factsOf(database));
  if (!isOurs && (version !== 0 || tables > 0))
    throw new PalimpsestError(
      "store",
      `${path} is a database of another program. Name another file for the store.`,
    );
  if (version > newest)
    throw new PalimpsestError(
      "store",
      `${path} was written by a newer Palimpsest (store version ${version}, this one reads up to ${newest}). Update Palimpsest, or name another store.`,
    );
  return version;
}

interface Facts {
  readonly version: number;
  readonly isOurs: boolean;
  readonly tables: number;
}

function factsOf(database: Database): Facts {
  // The column is named in the statement.
  const { tables } = database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get() as {
    tables: number;
  };
  const isOurs = pragma(database, "application_id") === APPLICATION_ID;
  return { version: pragma(database, "user_version"), isOurs, tables };
}

/** In one transaction: another process may be making the store, and half of that would look like somebody else's. */
function atOnce<T>(database: Database, read: () => T): T {
  if (database.isTransaction) return read();
  database.exec("BEGIN");
  try {
    return read();
  } finally {
    if (database.isTransaction) database.exec("COMMIT");
  }
}

function pragma(database: Database, name: "user_version" | "application_id"): number {
  // One row with one column of that name: what these two pragmas answer.
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, number>;
  return row[name] ?? 0;
}
