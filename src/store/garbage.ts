/**
 * What may go: sessions that ended longer ago than the grace period and, over a size cap, ended ones from the oldest on.
 * Where the caller says so, one that nobody used for long counts as ended: not every host tells when it ends one.
 * Never a live session, nor one whose parent or child is live (it may read these refs), nor one that holds what a live
 * ledger names. The stores only look up and remove; who goes is decided here, once.
 */
import type { LedgerEntry } from "../plan/ledger.ts";
import type { Collected, CollectOptions } from "./store.ts";

export interface Candidate {
  readonly id: string;
  readonly parent?: string;
  readonly usedAt: number;
  readonly endedAt?: number;
}

/** A store, as the collector sees it. */
export interface Shelf {
  candidates(): readonly Candidate[];
  /** Sessions that hold a ref which the ledger of `session` names, and `session` itself does not hold. */
  holdersNamedBy(session: string): Iterable<string>;
  blobBytes(): number;
  /** Removes the session and whatever nobody else needs. */
  remove(session: string): { readonly blobs: number; readonly bytes: number };
}

export function collectFrom(shelf: Shelf, options: CollectOptions): Collected {
  const { now, graceMs, maxBytes, unusedMs = Number.POSITIVE_INFINITY } = options;
  const candidates = shelf
    .candidates()
    .map((one) => (one.usedAt + unusedMs > now ? one : { ...one, endedAt: lastUse(one) }));
  const inGrace = (candidate: Candidate) =>
    candidate.endedAt === undefined || lastUse(candidate) + graceMs > now;
  const gone = new Set<string>();
  let blobs = 0;
  let bytes = 0;
  const remove = (id: string): void => {
    const removed = shelf.remove(id);
    gone.add(id);
    blobs += removed.blobs;
    bytes += removed.bytes;
  };

  for (const { id } of removable(shelf, candidates, inGrace)) remove(id);
  if (maxBytes === undefined) return { sessions: [...gone], blobs, bytes };
  const left = candidates.filter(({ id }) => !gone.has(id));
  for (const { id } of removable(shelf, left, ({ endedAt }) => endedAt === undefined)) {
    if (shelf.blobBytes() <= maxBytes) break;
    remove(id);
  }
  return { sessions: [...gone], blobs, bytes };
}

/** Every ref an entry mentions, in edits, pages and summaries alike: one too many only keeps more. */
export function refsNamedIn(entry: LedgerEntry): ReadonlySet<string> {
  return new Set(JSON.stringify(entry).match(/ref_[0-9a-hjkmnp-tv-z]{12}/g));
}

/** Those no live session needs, the longest unused first. */
function removable(
  shelf: Shelf,
  candidates: readonly Candidate[],
  isLive: (candidate: Candidate) => boolean,
): readonly Candidate[] {
  const live = new Map(candidates.filter(isLive).map((candidate) => [candidate.id, candidate]));
  const needed = new Set<string>();
  for (const { id, parent } of live.values()) {
    needed.add(id);
    if (parent !== undefined) needed.add(parent);
    for (const holder of shelf.holdersNamedBy(id)) needed.add(holder);
  }
  return candidates
    .filter(({ id, parent }) => !needed.has(id) && (parent === undefined || !live.has(parent)))
    .toSorted((a, b) => lastUse(a) - lastUse(b));
}

/** Work that came in after the end counts: the host may have ended it too early. */
function lastUse({ usedAt, endedAt = 0 }: Candidate): number {
  return Math.max(usedAt, endedAt);
}
