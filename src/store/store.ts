/**
 * What it means to be a store: originals by ref, the ledger, and the source files of sessions. One contract suite
 * (`test/contracts/store.ts`) holds every store to it.
 *
 * - What `keep` and `append` acknowledge is durable: it survives `kill -9` right after.
 * - Blobs are content-addressed (SHA-256), verified when read, compressed when that pays, shared between sessions.
 * - A session reads only its own refs, and those of its parent and children.
 * - Nothing a live ledger names is ever removed.
 */
import type { LedgerEntry } from "../plan/ledger.ts";
import type { Part } from "../transcript/message.ts";
import type { Ref } from "../transcript/ref.ts";

export interface Store {
  readonly name: string;
  /** Creates the session, or refreshes what is known about it; one that had ended lives again. */
  openSession(session: SessionFacts): Promise<void>;
  session(id: string): Promise<SessionRow | undefined>;
  sessions(): Promise<readonly SessionRow[]>;
  /** The grace period begins: see `collect`. */
  endSession(id: string, at: number): Promise<void>;

  /** Durable when it resolves. Keeping the same original again costs nothing. */
  keep(sessionId: string, originals: readonly Original[]): Promise<void>;
  recall(sessionId: string, ref: string): Promise<Recall>;
  /** Its own refs: newest first, or with `contains` best first (`rank.ts`). */
  list(sessionId: string, query: RefQuery): Promise<RefPage>;

  append(sessionId: string, entries: readonly LedgerEntry[]): Promise<void>;
  ledger(sessionId: string): Promise<readonly LedgerEntry[]>;

  /** The session file as it was, in chunks; the hash proves the restored one. */
  keepSource(sessionId: string, wire: string, chunks: Iterable<Uint8Array>): Promise<SourceFacts>;
  source(sessionId: string): Promise<StoredSource | undefined>;

  /** Everything of one session as JSON, a line at a time without its newline, readable without us (`export.ts`). */
  exportSession(sessionId: string): AsyncIterable<string>;
  collect(options: CollectOptions): Promise<Collected>;
  close(): Promise<void>;
}

export interface SessionFacts {
  readonly id: string;
  readonly parent?: string;
  readonly title?: string;
  readonly cwd?: string;
  readonly model?: string;
  /** Milliseconds; the caller has the clock. */
  readonly at: number;
}

export interface SessionRow extends Omit<SessionFacts, "at"> {
  readonly startedAt: number;
  readonly usedAt: number;
  readonly endedAt?: number;
  readonly refs: number;
  readonly compactions: number;
  readonly bytes: number;
}

/** A part that left, or is about to. `part` without its native: ids and spellings are the host's affair. */
export interface Original {
  readonly ref: Ref;
  readonly part: Part;
  /** What it is, not what it says: `Command: npx vitest run`. */
  readonly description: string;
  readonly tokens: number;
  readonly at: number;
}

/** Why a ref cannot be read is told apart, because the reader can do something different about each. */
export type Recall =
  | { readonly kind: "found"; readonly original: Original }
  | { readonly kind: "unknown"; readonly nearest: readonly string[] }
  | { readonly kind: "foreign" }
  | { readonly kind: "expired"; readonly at: number };

export interface RefQuery {
  readonly kind?: Part["type"];
  /** Plain text over descriptions and contents: terms, each from the start of a word or hump (`words.ts`). */
  readonly contains?: string;
  /** Whether every term must occur, or at least half of them, counted by how rare they are. Default: all. */
  readonly match?: "all" | "most";
  readonly limit?: number;
  readonly cursor?: string;
}

export interface RefRow {
  readonly ref: Ref;
  readonly kind: Part["type"];
  readonly description: string;
  readonly tokens: number;
  readonly at: number;
  /** With `contains`: the passage with most of it; absent where only the description has it. */
  readonly found?: RefFound;
}

export interface RefFound {
  /** As `read_ref` counts them, both from 1. */
  readonly line: number;
  /** Where the line is too long to be shown whole. */
  readonly char?: number;
  readonly text: string;
}

export interface RefPage {
  readonly rows: readonly RefRow[];
  readonly total: number;
  /** With `contains`: how many of them have every term. */
  readonly whole?: number;
  readonly cursor?: string;
}

export interface SourceFacts {
  readonly wire: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface StoredSource extends SourceFacts {
  chunks(): AsyncIterable<Uint8Array>;
}

export interface CollectOptions {
  readonly now: number;
  /** Sessions ended longer ago than this may go. */
  readonly graceMs: number;
  /** A session nobody used for so long counts as ended at its last use. Absent: only what was ended has. */
  readonly unusedMs?: number;
  /** Ended sessions go, oldest first, until the blobs are below this. */
  readonly maxBytes?: number;
  readonly isDryRun: boolean;
}

export interface Collected {
  readonly sessions: readonly string[];
  readonly blobs: number;
  readonly bytes: number;
}
