/**
 * One connection to one store file: opened with owner-only permissions, durable when a write is acknowledged, patient
 * with other processes, and with one clear error for whatever the disk does.
 *
 * The driver is synchronous, so a transaction runs within one turn of the event loop and calls never interleave. Waiting
 * for another process does not block: SQLite waits a little, then we sleep and try again.
 */
import { chmodSync, closeSync, existsSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PalimpsestError } from "../errors.ts";
import { makeFolder } from "./folder.ts";
import { type Database, openDatabase, type SqlValue, type Statement } from "./sqlite-driver.ts";
import { migrate, versionOf } from "./sqlite-schema.ts";

/** How long SQLite itself waits for a lock: the event loop stands still meanwhile. */
const BLOCKING_MS = 100;
/** After this, whoever holds the lock is taken to be stuck. */
const PATIENCE_MS = 30_000;

export class Connection {
  readonly path: string;
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();
  /** By this connection: SQLite counts only what others write. */
  #written = 0;

  constructor(database: Database, path: string) {
    this.#database = database;
    this.path = path;
  }

  /** Runs whole or not at all, alone among all processes, and is on the disk when it resolves. May run more than once. */
  write<T>(work: () => T): Promise<T> {
    return patiently(this.path, () => {
      try {
        return this.#transaction("BEGIN IMMEDIATE", work);
      } finally {
        // Also where it failed: then whoever compares looks once more than needed.
        this.#written += 1;
      }
    });
  }

  /** Sees one state of the store, whatever others write meanwhile. */
  read<T>(work: () => T): Promise<T> {
    return patiently(this.path, () => this.#transaction("BEGIN", work));
  }

  /** Does it, tells what came of it, and takes it back. */
  rehearse<T>(work: () => T): Promise<T> {
    return patiently(this.path, () => this.#transaction("BEGIN IMMEDIATE", work, "ROLLBACK"));
  }

  run(sql: string, ...values: SqlValue[]): { readonly changes: number; readonly rowId: number } {
    const { changes, lastInsertRowid } = this.#statement(sql).run(...values);
    return { changes: Number(changes), rowId: Number(lastInsertRowid) };
  }

  /** The statement beside the call says what a row is; nothing else can. */
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SqlValue[]): readonly Row[] {
    return this.#statement(sql).all(...values) as readonly Row[];
  }

  /** Asked in two transactions, it is the same where nothing was written between them, here or by another process. */
  version(): string {
    const { data_version: others } = this.get<{ data_version: number }>("PRAGMA data_version") ?? {};
    return `${others} ${this.#written}`;
  }

  /** Gives the pages that collecting freed back to the disk. Not worth failing for: the pages are used again anyway. */
  async giveBack(): Promise<void> {
    try {
      this.#database.exec("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      if (!isBusy(error)) throw storeError(error, this.path);
    }
  }

  /** Empties the write-ahead file where nobody else is at work: the addon's close does not, while statements live. */
  close(): void {
    this.#statements.clear();
    try {
      this.#database.exec("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Others are at work, or the disk is full: what was acknowledged is safe in the write-ahead file.
    }
    try {
      this.#database.close();
    } catch {
      // Closed already: closing twice is no error.
    }
  }

  #transaction<T>(begin: string, work: () => T, end = "COMMIT"): T {
    this.#database.exec(begin);
    try {
      const done = work();
      this.#database.exec(end);
      return done;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

export async function openConnection(path: string): Promise<Connection> {
  makeFile(path);
  return patiently(path, async () => {
    const database = await openDatabase(path);
    try {
      database.exec(`PRAGMA busy_timeout = ${BLOCKING_MS}`);
      versionOf(database, path);
      // FULL: in WAL mode the default may lose the last acknowledged writes when the machine goes down.
      // INCREMENTAL must be set before the first table; collecting then gives the disk its space back.
      database.exec(`
        PRAGMA auto_vacuum = INCREMENTAL;
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        PRAGMA foreign_keys = ON;
        PRAGMA journal_size_limit = 67108864;
      `);
      migrate(database, path);
      makePrivate(path);
      return new Connection(database, path);
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Made before SQLite makes it, because SQLite would ask the umask. Folders that were there keep their permissions. */
function makeFile(path: string): void {
  try {
    makeFolder(dirname(path), 0o700);
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const advice = "Name a folder you can write to (PALIMPSEST_HOME, --store)";
    throw new PalimpsestError("store", `The store ${path} cannot be opened for writing: ${why}. ${advice}.`);
  }
}

/** A store copied here by hand may be readable by others. New write-ahead files take after the database. */
function makePrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) chmodSync(file, 0o600);
}

async function patiently<T>(path: string, attempt: () => T | Promise<T>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw storeError(error, path);
      // At random, so that many who wait do not all come back at once.
      await sleep(1 + Math.random() * 20);
    }
  }
}

const BUSY = 5;
const LOCKED = 6;

function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === BUSY || code === LOCKED;
}

/** The primary result code: the extended ones say where, which no user can act on. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("errcode" in error && typeof error.errcode === "number") return error.errcode & 0xff;
  // The addon gives some errors without their code; SQLite's own words for them have not changed in decades.
  return CODES.find(([words]) => error.message.includes(words))?.[1];
}

const CODES: readonly (readonly [words: string, code: number])[] = [
  ["database is locked", BUSY],
  ["table is locked", LOCKED],
  ["readonly database", 8],
  ["disk I/O error", 10],
  ["malformed", 11],
  ["disk is full", 13],
  ["unable to open database", 14],
  ["too big", 18],
  ["not a database", 26],
];

/** What happened, and what to do about it. */
const REASONS: Readonly<Record<number, string>> = {
  [BUSY]: `has been locked by another process for ${PATIENCE_MS / 1000} seconds. End that process, or try again`,
  [LOCKED]: `has been locked by another process for ${PATIENCE_MS / 1000} seconds. End that process, or try again`,
  8: "is read-only. Make the file and its folder writable, or name another store",
  10: "could not be read or written: the disk reports an error",
  11: "is damaged. Restore it from a backup, or move it away to begin a new one",
  13: "cannot grow: the disk is full. Make room, or run `palimpsest gc`",
  14: "cannot be opened. Check that its folder exists and is yours",
  18: "cannot take an original of a gigabyte or more",
  26: "is not a database. Name another file for the store, or move this one away",
};

export function storeError(error: unknown, path: string): PalimpsestError {
  if (error instanceof PalimpsestError) return error;
  const why = error instanceof Error ? error.message : String(error);
  const reason = REASONS[sqliteCode(error) ?? -1];
  if (reason) return new PalimpsestError("store", `The store ${path} ${reason} (${why}).`);
  if (/not open|closed/i.test(why)) return new PalimpsestError("store", `The store ${path} is closed.`);
  return new PalimpsestError("store", `The store ${path} failed: ${why}`);
}
