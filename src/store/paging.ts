/**
 * Pages of refs, newest first. A cursor is the place of the last row shown, so rows that come in meanwhile neither repeat
 * nor push any out: they are newer, and stand before the first page.
 */
import { PalimpsestError } from "../errors.ts";
import type { RefPage, RefQuery, RefRow } from "./store.ts";

const USUAL_ROWS = 50;
const MOST_ROWS = 10_000;

/** A row and its place in the order of keeping. */
export interface PlacedRow extends RefRow {
  readonly seq: number;
}

/** @param matching newest first */
export function pageOf(matching: readonly PlacedRow[], query: RefQuery): RefPage {
  const before = placeOf(query.cursor);
  const limit = limitOf(query.limit);
  const behind = before === undefined ? matching : matching.filter(({ seq }) => seq < before);
  const rows = behind.slice(0, limit);
  const last = rows.at(-1);
  return {
    rows: rows.map(({ ref, kind, description, tokens, at }) => ({ ref, kind, description, tokens, at })),
    total: matching.length,
    ...(last && behind.length > limit ? { cursor: String(last.seq) } : {}),
  };
}

export function limitOf(limit: number | undefined): number {
  if (limit === undefined || !Number.isFinite(limit)) return USUAL_ROWS;
  return Math.min(Math.max(Math.floor(limit), 1), MOST_ROWS);
}

export function placeOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new PalimpsestError(
    "usage",
    `${JSON.stringify(cursor.slice(0, 40))} is not a cursor of an earlier answer. Ask without one to start from the top.`,
  );
}

export function unknownSession(id: string): PalimpsestError {
  return new PalimpsestError(
    "store",
    `The store has no session ${JSON.stringify(id)}. Call openSession first.`,
  );
}
