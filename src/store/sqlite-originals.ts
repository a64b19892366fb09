/** Originals in SQLite: recalled and listed. How they are kept is in `sqlite-keep.ts`. */
import { PalimpsestError } from "../errors.ts";
import type { Part } from "../transcript/message.ts";
import type { Ref } from "../transcript/ref.ts";
import { nearestRefs } from "./nearest.ts";
import { partOfBytes } from "./part-bytes.ts";
import type { Connection } from "./sqlite-connection.ts";
import { type KeptSpan, packReader } from "./sqlite-packs.ts";
import type { Original, Recall } from "./store.ts";

export interface KeptRow extends KeptSpan {
  readonly seq: number;
  readonly ref: Ref;
  readonly kind: Part["type"];
  readonly callId: string | null;
  readonly description: string;
  readonly tokens: number;
  readonly at: number;
}

export const KEPT = `
  SELECT seq, ref, kind, pack, start, bytes, sha256, call_id AS callId, description, tokens, at FROM refs`;

/** SQL for `ref = place`, by the index: that has five letters of each ref, which are one in 33 million. */
export function isRef(place: string): string {
  return `substr(ref, 5, 5) = substr(${place}, 5, 5) AND ref = ${place}`;
}

/** Reads rows of one transaction into originals; those of one pack, one after the other, for the price of one. */
export function originalReader(connection: Connection): (row: KeptRow) => Original {
  const read = packReader(connection);
  return (row) => {
    const { ref, description, tokens, at } = row;
    const part = partOfBytes(read(row), row.callId === null ? undefined : JSON.parse(row.callId));
    return { ref, part, description: JSON.parse(description), tokens, at };
  };
}

/** The session itself, its parent and its children, by key. */
const FAMILY = `
  SELECT key FROM sessions WHERE id = ?1 OR parent = ?1 OR id = (SELECT parent FROM sessions WHERE id = ?1)`;

export function recallOriginal(connection: Connection, id: string, ref: string): Promise<Recall> {
  return connection.read((): Recall => {
    const row = connection.get<KeptRow>(
      `${KEPT} WHERE session IN (${FAMILY}) AND ${isRef("?2")} LIMIT 1`,
      id,
      ref,
    );
    if (row) return { kind: "found", original: originalReader(connection)(row) };
    const gone = connection.get<{ at: number }>(
      `SELECT at FROM tombstones WHERE ref = ?2
       AND (session = ?1 OR parent = ?1 OR session = (SELECT parent FROM sessions WHERE id = ?1)) ORDER BY at DESC`,
      id,
      ref,
    );
    if (gone) return { kind: "expired", at: gone.at };
    if (connection.get(`SELECT 1 FROM refs WHERE ${isRef("?1")}`, ref)) return { kind: "foreign" };
    const family = connection.all<{ ref: string }>(`SELECT ref FROM refs WHERE session IN (${FAMILY})`, id);
    return { kind: "unknown", nearest: nearestRefs(ref, new Set(family.map((one) => one.ref))) };
  });
}

/** Few at a time, for they may be large. */
const READ_AT_ONCE = 16;

export interface ReadOriginals {
  readonly originals: readonly Original[];
  /** Where to go on; `undefined` at the end. */
  readonly seq: number | undefined;
}

/** The originals of a session behind `seq`, in the order they were kept. */
export function originalsAfter(connection: Connection, id: string, seq: number): Promise<ReadOriginals> {
  return connection.read(() => {
    const rows = connection.all<KeptRow>(
      `${KEPT} WHERE session = (SELECT key FROM sessions WHERE id = ?) AND seq > ? ORDER BY seq LIMIT ${READ_AT_ONCE}`,
      id,
      seq,
    );
    return { originals: rows.map(originalReader(connection)), seq: rows.at(-1)?.seq };
  });
}

/** A row must be there: the statement before found it in the same transaction. */
export function keptAt(connection: Connection, seq: number): KeptRow {
  const row = connection.get<KeptRow>(`${KEPT} WHERE seq = ?`, seq);
  if (!row)
    throw new PalimpsestError("store", `The store ${connection.path} is damaged: row ${seq} is gone.`);
  return row;
}
