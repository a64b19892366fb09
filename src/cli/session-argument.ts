/**
 * `<session>` on the command line: a file of any wire, `-` for standard input, or the name of a session in the store.
 * A file that is there wins over a name; a name may be shortened as long as it stays the only one.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { PalimpsestError } from "../errors.ts";
import type { SessionRow, Store } from "../store/store.ts";
import { shorten } from "../transcript/describe.ts";
import { type Source, sourceOf } from "../wire/source.ts";
import type { Session } from "../wire/wire.ts";
import { fileWireNamed, readSession } from "../wire/wires.ts";
import { named, usageError } from "./arguments.ts";
import type { Io } from "./io.ts";
import { openWithProgress } from "./progress.ts";
import { visible } from "./visible.ts";

/** A session that was found and read. */
export interface Given {
  /** Its name in the store: the file's own id, else made from its content. */
  readonly id: string;
  /** What to call it to a person. */
  readonly name: string;
  readonly session: Session;
  readonly source: Source;
  readonly isStored: boolean;
}

/** The one positional word a command takes. */
export function oneWord(positionals: readonly string[], command: string): string {
  const [word, ...rest] = positionals;
  if (word === undefined)
    throw usageError("Which session? Name a file, - for standard input, or a session in the store.", command);
  if (rest.length > 0) throw usageError(`One session at a time; "${rest[0]}" is one too many.`, command);
  return word;
}

/** What looks like a path is one, so that a missing file is told as that and not as an unknown session. */
export function isFileWord(word: string): boolean {
  return word === "-" || /[/\\]|\.jsonl?$/.test(word) || existsSync(word);
}

export function readGivenFile(path: string, io: Io, wire: string | undefined): Given {
  if (wire !== undefined) named(() => fileWireNamed(wire));
  const source = openWithProgress(path, io);
  const session = readSession(source, wire === undefined ? {} : { wire });
  return {
    id: session.about.id ?? `file-${hashOf(source).slice(0, 16)}`,
    name: path === "-" ? "standard input" : visible(basename(path)),
    session,
    source,
    isStored: false,
  };
}

export async function readGivenName(name: string, store: Store): Promise<Given> {
  const { id } = await sessionNamed(store, name);
  const stored = await store.source(id);
  if (!stored)
    throw new PalimpsestError(
      "unreadable",
      `No session file was kept for "${shorten(id)}"; its refs can be read, its messages cannot.`,
    );
  const chunks: Uint8Array[] = [];
  for await (const chunk of stored.chunks()) chunks.push(chunk);
  const source = sourceOf(Buffer.concat(chunks));
  const session = readSession(source, { wire: stored.wire });
  return { id, name: shorten(id), session, source, isStored: true };
}

/** By its whole name, or by a beginning that only it has. */
export async function sessionNamed(store: Store, name: string): Promise<SessionRow> {
  const exact = await store.session(name);
  if (exact) return exact;
  const rows = newestFirst(await store.sessions());
  const alike = rows.filter(({ id }) => id.startsWith(name));
  if (alike.length === 1 && alike[0]) return alike[0];
  throw new PalimpsestError("unreadable", alike.length > 1 ? ambiguous(name, alike) : unknown(name, rows));
}

/** The one used last. */
export async function latestSession(store: Store): Promise<SessionRow> {
  const [latest] = newestFirst(await store.sessions());
  if (latest) return latest;
  throw new PalimpsestError(
    "unreadable",
    `There is no session in the store yet; "palimpsest compact" keeps one.`,
  );
}

export function newestFirst(rows: readonly SessionRow[]): readonly SessionRow[] {
  return rows.toSorted((a, b) => b.usedAt - a.usedAt || (a.id < b.id ? -1 : 1));
}

export function hashOf(source: Source): string {
  const hash = createHash("sha256");
  for (const chunk of source.chunks()) hash.update(chunk);
  return hash.digest("hex");
}

function unknown(name: string, rows: readonly SessionRow[]): string {
  const known = rows.slice(0, 3).map(({ id }) => shorten(id));
  const latest = known.length === 0 ? "the store is empty" : `the latest are ${known.join(", ")}`;
  return `There is no file and no stored session "${shorten(name)}"; ${latest}.`;
}

function ambiguous(name: string, rows: readonly SessionRow[]): string {
  const some = rows.slice(0, 3).map(({ id }) => shorten(id));
  return `"${shorten(name)}" could be any of ${rows.length} sessions: ${some.join(", ")}${rows.length > 3 ? ", …" : ""}.`;
}
