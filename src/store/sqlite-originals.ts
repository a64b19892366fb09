/** Originals in SQLite: kept, recalled, listed. */
import { PalimpsestError } from "../errors.ts";
import type { Part } from "../transcript/message.ts";
import type { Ref } from "../transcript/ref.ts";
import {
  assertSameContent,
  type Blob,
  bytesOfPart,
  callIdOf,
  pack,
  partOfBytes,
  sha256Of,
  unpack,
} from "./blobs.ts";
import { nearestRefs } from "./nearest.ts";
import type { Connection } from "./sqlite-connection.ts";
import { sessionKey, useSession } from "./sqlite-sessions.ts";
import type { Original, Recall } from "./store.ts";

interface Spelled {
  readonly original: Original;
  readonly bytes: Uint8Array;
  readonly sha256: Buffer;
  /** Present where the store does not have these bytes yet. */
  readonly blob?: Blob;
}

export async function keepOriginals(
  connection: Connection,
  id: string,
  originals: readonly Original[],
): Promise<void> {
  const spelled = await connection.read(() => missing(connection, sessionKey(connection, id), originals));
  if (spelled.length === 0) return;
  // Compressing is the slow part: done before the lock is taken, and only for what is new.
  const packed = spelled.map((one) => (one.blob ? { ...one, blob: pack(one.bytes, one.sha256) } : one));
  await connection.write(() => {
    const key = sessionKey(connection, id);
    for (const one of packed) if (!isKept(connection, key, one)) keepOne(connection, key, one);
    useSession(connection, key, originals);
  });
}

/** Those the session does not have yet; `blob` set, still unpacked, where the store does not have the bytes either. */
function missing(connection: Connection, key: number, originals: readonly Original[]): readonly Spelled[] {
  return originals.flatMap((original) => {
    const bytes = bytesOfPart(original.part);
    const one = { original, bytes, sha256: sha256Of(bytes) };
    if (isKept(connection, key, one)) return [];
    if (blobId(connection, one.sha256) !== undefined) return [one];
    return [{ ...one, blob: { sha256: one.sha256, codec: 0, bytes: bytes.length, data: bytes } }];
  });
}

function isKept(connection: Connection, key: number, { original, bytes, sha256 }: Spelled): boolean {
  const { ref, part } = original;
  const kept = connection.get<{ sha256: Uint8Array }>(
    "SELECT sha256 FROM refs JOIN blobs ON blobs.id = blob WHERE ref = ? AND session = ?",
    ref,
    key,
  );
  if (!kept) return false;
  if (!sha256.equals(kept.sha256)) {
    const row = connection.get<KeptRow>(`${KEPT} WHERE ref = ? AND session = ?`, ref, key);
    if (row) assertSameContent(originalOf(row).part, partOfBytes(bytes, callIdOf(part)), ref);
  }
  return true;
}

function keepOne(connection: Connection, key: number, { original, bytes, sha256, blob }: Spelled): void {
  const { ref, part, description, tokens, at } = original;
  const callId = callIdOf(part);
  connection.run(
    `INSERT INTO refs(session, ref, kind, blob, call_id, description, tokens, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    key,
    ref,
    part.type,
    // What was there a moment ago may have been collected since.
    blobId(connection, sha256) ?? insertBlob(connection, blob ?? pack(bytes, sha256)),
    callId === undefined ? null : JSON.stringify(callId),
    JSON.stringify(description),
    tokens,
    at,
  );
}

export function blobId(connection: Connection, sha256: Uint8Array): number | undefined {
  return connection.get<{ id: number }>("SELECT id FROM blobs WHERE sha256 = ?", sha256)?.id;
}

export function insertBlob(connection: Connection, { sha256, codec, bytes, data }: Blob): number {
  return connection.run(
    "INSERT INTO blobs(sha256, codec, bytes, data) VALUES (?, ?, ?, ?)",
    sha256,
    codec,
    bytes,
    data,
  ).rowId;
}

/** Spares the blobs of others: a blob is anyone's who names it. */
export function removeOrphans(
  connection: Connection,
  blobs: Iterable<number>,
): { blobs: number; bytes: number } {
  const removed = { blobs: 0, bytes: 0 };
  for (const id of new Set(blobs)) {
    const row = connection.get<{ bytes: number }>(
      `SELECT length(data) AS bytes FROM blobs WHERE id = ?1
       AND NOT EXISTS (SELECT 1 FROM refs WHERE blob = ?1) AND NOT EXISTS (SELECT 1 FROM chunks WHERE blob = ?1)`,
      id,
    );
    if (!row) continue;
    connection.run("DELETE FROM blobs WHERE id = ?", id);
    removed.blobs += 1;
    removed.bytes += row.bytes;
  }
  return removed;
}

export interface KeptRow extends Blob {
  readonly seq: number;
  readonly ref: Ref;
  readonly kind: Part["type"];
  readonly callId: string | null;
  readonly description: string;
  readonly tokens: number;
  readonly at: number;
}

export const KEPT = `
  SELECT seq, ref, kind, call_id AS callId, description, tokens, at, sha256, codec, bytes, data
  FROM refs JOIN blobs ON blobs.id = blob`;

export function originalOf(row: KeptRow): Original {
  const { ref, description, tokens, at, callId } = row;
  const bytes = unpack(row, `The original of ${ref}`);
  const part = partOfBytes(bytes, callId === null ? undefined : JSON.parse(callId));
  return { ref, part, description: JSON.parse(description), tokens, at };
}

/** The session itself, its parent and its children, by key. */
const FAMILY = `
  SELECT key FROM sessions WHERE id = ?1 OR parent = ?1 OR id = (SELECT parent FROM sessions WHERE id = ?1)`;

export function recallOriginal(connection: Connection, id: string, ref: string): Promise<Recall> {
  return connection.read((): Recall => {
    const row = connection.get<KeptRow>(`${KEPT} WHERE session IN (${FAMILY}) AND ref = ?2 LIMIT 1`, id, ref);
    if (row) return { kind: "found", original: originalOf(row) };
    const gone = connection.get<{ at: number }>(
      `SELECT at FROM tombstones WHERE ref = ?2
       AND (session = ?1 OR parent = ?1 OR session = (SELECT parent FROM sessions WHERE id = ?1)) ORDER BY at DESC`,
      id,
      ref,
    );
    if (gone) return { kind: "expired", at: gone.at };
    if (connection.get("SELECT 1 FROM refs WHERE ref = ?", ref)) return { kind: "foreign" };
    const family = connection.all<{ ref: string }>(`SELECT ref FROM refs WHERE session IN (${FAMILY})`, id);
    return { kind: "unknown", nearest: nearestRefs(ref, new Set(family.map((one) => one.ref))) };
  });
}

/** The originals of a session behind `seq`, in the order they were kept; few at a time, for they may be large. */
export function originalsAfter(connection: Connection, id: string, seq: number): Promise<readonly KeptRow[]> {
  return connection.read(() =>
    connection.all<KeptRow>(
      `${KEPT} WHERE session = (SELECT key FROM sessions WHERE id = ?) AND seq > ? ORDER BY seq LIMIT 16`,
      id,
      seq,
    ),
  );
}

/** A row must be there: the statement before found it in the same transaction. */
export function keptAt(connection: Connection, seq: number): KeptRow {
  const row = connection.get<KeptRow>(`${KEPT} WHERE seq = ?`, seq);
  if (!row)
    throw new PalimpsestError("store", `The store ${connection.path} is damaged: row ${seq} is gone.`);
  return row;
}
