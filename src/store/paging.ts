/**
 * Pages of refs. Newest first a cursor is the place of the last row shown, so rows that come in meanwhile neither repeat
 * nor push any out: they are newer, and stand before the first page. Best first it is how far the reader got, and the newest
 * row there was when the search began: the order is made again of the same rows, and so is the same.
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
    rows: rows.map(rowOf),
    total: matching.length,
    ...(last && behind.length > limit ? { cursor: String(last.seq) } : {}),
  };
}

export function rowOf({ ref, kind, description, tokens, at }: PlacedRow): RefRow {
  return { ref, kind, description, tokens, at };
}

/** Of a list that is best first. */
export interface Place {
  /** Rows kept later are not looked at; undefined on the first page. */
  readonly upTo?: number;
  readonly skip: number;
}

/** @param upTo the newest row there was when the search began */
export function rankedPage(
  ranked: readonly { readonly row: RefRow; readonly isWhole: boolean }[],
  upTo: number,
  query: RefQuery,
): RefPage {
  const { skip } = rankedPlaceOf(query.cursor);
  const limit = limitOf(query.limit);
  return {
    rows: ranked.slice(skip, skip + limit).map(({ row }) => row),
    total: ranked.length,
    whole: ranked.filter(({ isWhole }) => isWhole).length,
    ...(skip + limit < ranked.length ? { cursor: `${upTo}+${skip + limit}` } : {}),
  };
}

export function rankedPlaceOf(cursor: string | undefined): Place {
  if (cursor === undefined) return { skip: 0 };
  const [, upTo, skip] = /^(\d{1,15})\+(\d{1,9})$/.exec(cursor) ?? [];
  if (upTo === undefined || skip === undefined) throw noCursor(cursor);
  return { upTo: Number(upTo), skip: Number(skip) };
}

export function limitOf(limit: number | undefined): number {
  if (limit === undefined || !Number.isFinite(limit)) return USUAL_ROWS;
  return Math.min(Math.max(Math.floor(limit), 1), MOST_ROWS);
}

export function placeOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw noCursor(cursor);
}

function noCursor(cursor: string): PalimpsestError {
  return new PalimpsestError(
    "usage",
    `${JSON.stringify(cursor.slice(0, 40))} is not a cursor of an earlier answer to this question. Ask without one to start from the top.`,
  );
}

export function unknownSession(id: string): PalimpsestError {
  return new PalimpsestError(
    "store",
    `The store has no session ${JSON.stringify(id)}. Call openSession first.`,
  );
}
