/**
 * Session files in SQLite. A file is kept in several short transactions, so that a large one does not lock others out;
 * it counts only once its hash is written, and then takes the place of the one before.
 */
import { createHash } from "node:crypto";
import { PalimpsestError } from "../errors.ts";
import { type Blob, hex, pack, sha256Of, unpack } from "./blobs.ts";
import { recut } from "./chunks.ts";
import type { Connection } from "./sqlite-connection.ts";
import { sessionKey } from "./sqlite-sessions.ts";
import type { SourceFacts, StoredSource } from "./store.ts";

/** Four megabytes to a transaction. */
const CHUNKS_AT_ONCE = 16;

export interface SourceInput {
  readonly wire: string;
  readonly chunks: Iterable<Uint8Array>;
}

export async function keepFile(connection: Connection, id: string, input: SourceInput): Promise<SourceFacts> {
  const key = await begin(connection, id, input.wire);
  try {
    const { sha256, bytes } = await keepChunks(connection, key, input.chunks);
    await finish(connection, key, { sha256, bytes });
    return { wire: input.wire, sha256: hex(sha256), bytes };
  } catch (error) {
    await connection.write(() => removeSources(connection, [key])).catch(() => undefined);
    throw error;
  }
}

function begin(connection: Connection, id: string, wire: string): Promise<number> {
  return connection.write(
    () =>
      connection.run(
        "INSERT INTO sources(session, wire, bytes, begun_at) VALUES (?, ?, 0, ?)",
        sessionKey(connection, id),
        wire,
        Date.now(),
      ).rowId,
  );
}

async function keepChunks(
  connection: Connection,
  key: number,
  chunks: Iterable<Uint8Array>,
): Promise<{ readonly sha256: Uint8Array; readonly bytes: number }> {
  const whole = createHash("sha256");
  let bytes = 0;
  let position = 0;
  let waiting: Chunk[] = [];
  const flush = async (): Promise<void> => {
    const ready = waiting;
    waiting = [];
    await connection.write(() => {
      for (const chunk of ready) insertChunk(connection, key, chunk);
    });
  };
  for (const chunk of recut(chunks)) {
    whole.update(chunk);
    bytes += chunk.length;
    waiting.push({ position, bytes: chunk, sha256: sha256Of(chunk) });
    position += 1;
    if (waiting.length === CHUNKS_AT_ONCE) await flush();
  }
  await flush();
  return { sha256: whole.digest(), bytes };
}

interface Chunk {
  readonly position: number;
  readonly bytes: Uint8Array;
  readonly sha256: Uint8Array;
}

function insertChunk(connection: Connection, key: number, { position, bytes, sha256 }: Chunk): void {
  const blob = blobId(connection, sha256) ?? insertBlob(connection, pack(bytes, sha256));
  connection.run("INSERT INTO chunks(source, position, blob) VALUES (?, ?, ?)", key, position, blob);
}

function finish(
  connection: Connection,
  key: number,
  { sha256, bytes }: { readonly sha256: Uint8Array; readonly bytes: number },
): Promise<void> {
  return connection.write(() => {
    const { changes } = connection.run(
      "UPDATE sources SET sha256 = ?, bytes = ? WHERE key = ?",
      sha256,
      bytes,
      key,
    );
    if (changes === 0)
      throw new PalimpsestError("store", "The session was removed while its file was being kept.");
    const earlier = connection.all<{ key: number }>(
      `SELECT key FROM sources WHERE key <> ?1 AND sha256 IS NOT NULL
       AND session = (SELECT session FROM sources WHERE key = ?1)`,
      key,
    );
    removeSources(
      connection,
      earlier.map((source) => source.key),
    );
  });
}

/** With the blobs only they named. Within a transaction. */
export function removeSources(
  connection: Connection,
  keys: readonly number[],
): { blobs: number; bytes: number } {
  const blobs: number[] = [];
  for (const key of keys) {
    for (const { blob } of connection.all<{ blob: number }>("SELECT blob FROM chunks WHERE source = ?", key))
      blobs.push(blob);
    connection.run("DELETE FROM chunks WHERE source = ?", key);
    connection.run("DELETE FROM sources WHERE key = ?", key);
  }
  return removeOrphans(connection, blobs);
}

function blobId(connection: Connection, sha256: Uint8Array): number | undefined {
  return connection.get<{ id: number }>("SELECT id FROM blobs WHERE sha256 = ?", sha256)?.id;
}

function insertBlob(connection: Connection, { sha256, codec, bytes, data }: Blob): number {
  return connection.run(
    "INSERT INTO blobs(sha256, codec, bytes, data) VALUES (?, ?, ?, ?)",
    sha256,
    codec,
    bytes,
    data,
  ).rowId;
}

/** Spares the blobs of others: a blob is anyone's whose file it is part of. */
function removeOrphans(connection: Connection, blobs: Iterable<number>): { blobs: number; bytes: number } {
  const removed = { blobs: 0, bytes: 0 };
  for (const id of new Set(blobs)) {
    const row = connection.get<{ bytes: number }>(
      `SELECT length(data) AS bytes FROM blobs WHERE id = ?1
       AND NOT EXISTS (SELECT 1 FROM chunks WHERE blob = ?1)`,
      id,
    );
    if (!row) continue;
    connection.run("DELETE FROM blobs WHERE id = ?", id);
    removed.blobs += 1;
    removed.bytes += row.bytes;
  }
  return removed;
}

export async function readSource(connection: Connection, id: string): Promise<StoredSource | undefined> {
  const source = await connection.read(() =>
    connection.get<{ key: number; wire: string; sha256: Uint8Array; bytes: number }>(
      `SELECT sources.key, wire, sha256, bytes FROM sources JOIN sessions ON sessions.key = session
       WHERE id = ? AND sha256 IS NOT NULL ORDER BY sources.key DESC LIMIT 1`,
      id,
    ),
  );
  if (!source) return undefined;
  const { key, wire, bytes } = source;
  const sha256 = hex(source.sha256);
  return { wire, sha256, bytes, chunks: () => chunksOf(connection, { id, key, sha256 }) };
}

interface Asked {
  readonly id: string;
  readonly key: number;
  readonly sha256: string;
}

async function* chunksOf(connection: Connection, { id, key, sha256 }: Asked): AsyncIterable<Uint8Array> {
  const whole = createHash("sha256");
  for (let position = 0; ; position += 1) {
    const blob = await connection.read(() =>
      connection.get<Blob>(
        `SELECT sha256, codec, bytes, data FROM chunks JOIN blobs ON blobs.id = blob WHERE source = ? AND position = ?`,
        key,
        position,
      ),
    );
    if (!blob) break;
    const bytes = unpack(blob, `A piece of the file of session ${id}`);
    whole.update(bytes);
    yield bytes;
  }
  if (whole.digest("hex") !== sha256)
    throw new PalimpsestError(
      "store",
      `The file of session ${id} is not whole: it was replaced while it was read (read it again), or the store is damaged.`,
    );
}
