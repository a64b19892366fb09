/**
 * Whether a file was written by us: then it holds a page, and the ledger of the session that wrote it knows the page.
 * Most harnesses keep the id of the session in the file; where the file has a new one, or none, the session is found by
 * the refs the page names.
 */
import { PalimpsestError } from "../errors.ts";
import { type OwnPages, possiblePages, recognisePages } from "../own-page.ts";
import type { LedgerEntry } from "../plan/ledger.ts";
import type { SessionRow, Store } from "../store/store.ts";
import type { Transcript } from "../transcript/message.ts";
import { textIn } from "../transcript/part-text.ts";
import { addressParts } from "../transcript/ref.ts";
import type { Io } from "./io.ts";
import { type Given, isFileWord, readGivenFile, readGivenName, sessionNamed } from "./session-argument.ts";

export interface Recognised {
  readonly given: Given;
  readonly summaries: OwnPages["summaries"];
  /** The session whose page it is, where that is another one: its refs are then readable here too. */
  readonly parent?: string;
}

export async function recognise(given: Given, store: Store): Promise<Recognised> {
  const { session } = given;
  const pages = given.isStored ? [] : possiblePages(session.seen);
  if (pages.length === 0) return { given, summaries: new Map() };
  for (const id of [given.id, ...(await writersOf(pages, given.id, store))]) {
    const { transcript: seen, summaries } = recognisePages(session.seen, await ledgerOf(store, id));
    if (summaries.size === 0) continue;
    const read = { ...given, session: { ...session, seen } };
    return { given: read, summaries, ...(id === given.id ? {} : { parent: id }) };
  }
  return { given, summaries: new Map() };
}

/** The session a person means: by its name, or by a file of it. */
export async function sessionMeant(word: string, store: Store, io: Io): Promise<SessionRow> {
  if (!isFileWord(word)) return sessionNamed(store, word);
  const given = readGivenFile(word, io, undefined);
  const row = await store.session(await sessionOf(given, store));
  if (row) return row;
  throw new PalimpsestError(
    "unreadable",
    `Nothing in ${given.name} says of which session in the store it is; "palimpsest sessions" lists them, and each can be named.`,
  );
}

/**
 * The session a file is of: its own name, or the one whose refs its texts name, or whose page it holds (not every system's
 * page names refs). Some harnesses give every file a new name, some files have none.
 */
async function sessionOf({ id, session }: Given, store: Store): Promise<string> {
  if (await store.session(id)) return id;
  const texts = session.seen.messages.flatMap(({ parts }) => parts.map(textIn));
  const naming = texts.filter((text) => text.includes("ref_"));
  const writers = await writersOf(naming.slice(0, MOST_TEXTS), id, store);
  // A session and those written from its file read the same refs; the page is of one of them.
  const ofPage = await writerOfPage(
    texts,
    writers.length > 0 ? writers : await latestWriters(id, store),
    store,
  );
  return ofPage ?? writers[0] ?? id;
}

/**
 * Whose file that session's was written from, back to the one no page of ours stands in. Where every file gets a new name,
 * a file compacted twice has two sessions before it. One that was worked on in between says more than the first: it is an
 * original of its own.
 */
export async function originOf(id: string, store: Store): Promise<string> {
  const row = await store.session(id);
  if (row?.parent === undefined || !(await store.source(id))) return id;
  const { parent } = await recognise({ ...(await readGivenName(id, store)), isStored: false }, store);
  if (parent === undefined || !(await store.source(parent))) return id;
  const [{ session: written }, { session: from }] = [
    await readGivenName(id, store),
    await readGivenName(parent, store),
  ];
  return saysMore(written.seen, from.whole) ? id : originOf(parent, store);
}

/** Than what it was written from: something that is neither there nor names a ref, as all that we write does. */
function saysMore(written: Transcript, from: Transcript): boolean {
  const known = new Set<string>(addressParts(from).map(({ ref }) => ref));
  return addressParts(written).some(({ ref, part }) => !known.has(ref) && !textIn(part).includes("ref_"));
}

async function writerOfPage(
  texts: readonly string[],
  writers: readonly string[],
  store: Store,
): Promise<string | undefined> {
  const said = new Set(texts.map((text) => text.trim()));
  const isPage = (entry: LedgerEntry) =>
    entry.kind === "compaction" && entry.page !== undefined && said.has(entry.page.text.trim());
  for (const id of writers) if ((await store.ledger(id)).some(isPage)) return id;
  return undefined;
}

/** Each names a ref or more: so many that none is ours belong to another store. */
const MOST_TEXTS = 20;

/** A page is found again while its session is among so many; a file that waited longer is compacted as plain text. */
const MOST_SESSIONS = 200;

async function writersOf(pages: readonly string[], own: string, store: Store): Promise<readonly string[]> {
  const refs = pages.flatMap((text) => /\bref_[0-9a-hjkmnp-tv-z]{12}\b/.exec(text)?.[0] ?? []);
  const writers: string[] = [];
  for (const id of await latestWriters(own, store))
    for (const ref of new Set(refs))
      if ((await store.recall(id, ref)).kind === "found" && !writers.includes(id)) writers.push(id);
  return writers;
}

async function latestWriters(own: string, store: Store): Promise<readonly string[]> {
  return (await store.sessions())
    .filter(({ id, compactions }) => compactions > 0 && id !== own)
    .toSorted((a, b) => b.usedAt - a.usedAt)
    .slice(0, MOST_SESSIONS)
    .map(({ id }) => id);
}

export async function ledgerOf(store: Store, id: string): Promise<readonly LedgerEntry[]> {
  return (await store.session(id)) ? store.ledger(id) : [];
}
