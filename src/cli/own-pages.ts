/**
 * Whether a file was written by us: then it holds a page, and the ledger of the session that wrote it knows the page.
 * Most harnesses keep the id of the session in the file; where the file has a new one, or none, the session is found by
 * the refs the page names.
 */
import { type OwnPages, possiblePages, recognisePages } from "../own-page.ts";
import type { LedgerEntry } from "../plan/ledger.ts";
import type { Store } from "../store/store.ts";
import { textIn } from "../transcript/part-text.ts";
import type { Given } from "./session-argument.ts";

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

/**
 * The session a file is of: its own name, or the one whose refs its texts name, or whose page it holds (not every system's
 * page names refs). Some harnesses give every file a new name, some files have none.
 */
export async function sessionOf({ id, session }: Given, store: Store): Promise<string> {
  if (await store.session(id)) return id;
  const texts = session.seen.messages.flatMap(({ parts }) => parts.map(textIn));
  const naming = texts.filter((text) => text.includes("ref_"));
  const [writer] = await writersOf(naming.slice(0, MOST_TEXTS), id, store);
  return writer ?? (await writerOfPage(texts, id, store)) ?? id;
}

async function writerOfPage(
  texts: readonly string[],
  own: string,
  store: Store,
): Promise<string | undefined> {
  const said = new Set(texts.map((text) => text.trim()));
  const isPage = (entry: LedgerEntry) =>
    entry.kind === "compaction" && entry.page !== undefined && said.has(entry.page.text.trim());
  for (const id of await latestWriters(own, store)) if ((await store.ledger(id)).some(isPage)) return id;
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
