/**
 * The store on disk: one SQLite file, written by hooks, servers and the command line at once. What is asked of a store is in
 * `store.ts`; how the file is opened and locked in `sqlite-connection.ts`; the tables in `sqlite-schema.ts`.
 */
import type { LedgerEntry } from "../plan/ledger.ts";
import { ledgerLine, originalLine, pieceLine, sessionLine, sourceLine } from "./export.ts";
import { unknownSession } from "./paging.ts";
import { type Redact, redacting } from "./redact.ts";
import { type Connection, openConnection } from "./sqlite-connection.ts";
import { collect } from "./sqlite-garbage.ts";
import { keepOriginals } from "./sqlite-keep.ts";
import { originalsAfter, type ReadOriginals, recallOriginal } from "./sqlite-originals.ts";
import { listRefs } from "./sqlite-search.ts";
import {
  appendLedger,
  endSession,
  openSession,
  readLedger,
  readSession,
  readSessions,
} from "./sqlite-sessions.ts";
import { keepFile, readSource } from "./sqlite-sources.ts";
import type {
  Collected,
  CollectOptions,
  Original,
  Recall,
  RefPage,
  RefQuery,
  SessionFacts,
  SessionRow,
  SourceFacts,
  Store,
  StoredSource,
} from "./store.ts";

export interface SqliteStoreOptions {
  /** The database file; made, with its folder, where it is not there. */
  readonly path: string;
  /** Run over every text before it is written, `redactSecrets` for one. What it takes out is gone: see `redact.ts`. */
  readonly redact?: Redact;
}

export async function openSqliteStore({ path, redact }: SqliteStoreOptions): Promise<Store> {
  const store = new SqliteStore(await openConnection(path));
  return redact ? redacting(store, redact) : store;
}

class SqliteStore implements Store {
  readonly name = "sqlite";
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  openSession(session: SessionFacts): Promise<void> {
    return openSession(this.#connection, session);
  }

  session(id: string): Promise<SessionRow | undefined> {
    return readSession(this.#connection, id);
  }

  sessions(): Promise<readonly SessionRow[]> {
    return readSessions(this.#connection);
  }

  endSession(id: string, at: number): Promise<void> {
    return endSession(this.#connection, id, at);
  }

  keep(sessionId: string, originals: readonly Original[]): Promise<void> {
    return keepOriginals(this.#connection, sessionId, originals);
  }

  recall(sessionId: string, ref: string): Promise<Recall> {
    return recallOriginal(this.#connection, sessionId, ref);
  }

  list(sessionId: string, query: RefQuery): Promise<RefPage> {
    return listRefs(this.#connection, sessionId, query);
  }

  append(sessionId: string, entries: readonly LedgerEntry[]): Promise<void> {
    return appendLedger(this.#connection, sessionId, entries);
  }

  ledger(sessionId: string): Promise<readonly LedgerEntry[]> {
    return readLedger(this.#connection, sessionId);
  }

  keepSource(sessionId: string, wire: string, chunks: Iterable<Uint8Array>): Promise<SourceFacts> {
    return keepFile(this.#connection, sessionId, { wire, chunks });
  }

  source(sessionId: string): Promise<StoredSource | undefined> {
    return readSource(this.#connection, sessionId);
  }

  async *exportSession(sessionId: string): AsyncIterable<string> {
    const session = await this.session(sessionId);
    if (!session) throw unknownSession(sessionId);
    yield sessionLine(session);
    for (const entry of await this.ledger(sessionId)) yield ledgerLine(entry);
    yield* originalLines(this.#connection, sessionId);
    const source = await this.source(sessionId);
    if (!source) return;
    yield sourceLine(source);
    for await (const chunk of source.chunks()) yield pieceLine(chunk);
  }

  collect(options: CollectOptions): Promise<Collected> {
    return collect(this.#connection, options);
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}

async function* originalLines(connection: Connection, id: string): AsyncIterable<string> {
  for (let seq: number | undefined = 0; seq !== undefined; ) {
    const read: ReadOriginals = await originalsAfter(connection, id, seq);
    yield* read.originals.map(originalLine);
    seq = read.seq;
  }
}
