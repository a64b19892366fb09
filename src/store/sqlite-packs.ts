/**
 * Packs: originals that leave the context together lie together on the disk, compressed as one. For fifty outputs of a few
 * kilobytes that takes half the time of compressing each, and half the disk: they are of one project and speak alike.
 * A ref names the pack and where in it its bytes begin; they are checked against their own hash, whatever is around them.
 *
 * What it costs: to read one original its whole pack is unpacked (about a millisecond, which is what bounds a pack), and
 * what is collected out of the middle of a pack makes the rest be packed anew.
 */
import { assertWhole, type Stowed, stow, unstow } from "./blobs.ts";
import type { Spelling } from "./part-bytes.ts";
import type { Connection } from "./sqlite-connection.ts";

/** Where the bytes of an original are. */
export interface Span {
  readonly pack: number;
  readonly start: number;
  readonly bytes: number;
}

/** What bounds a pack is what reading one original out of it takes. A larger original lies alone. */
export const PACK_BYTES: number = 640 * 1024;

/** Bytes as they come, put into as many packs as they need; each pack as soon as it is full. */
export function* inPacks<T extends { readonly spelling: Spelling }>(
  pieces: Iterable<T>,
): Iterable<readonly T[]> {
  let open: T[] = [];
  let room = PACK_BYTES;
  for (const piece of pieces) {
    const { length } = piece.spelling.bytes();
    if (length > room && open.length > 0) {
      yield open;
      open = [];
      room = PACK_BYTES;
    }
    open.push(piece);
    room -= length;
  }
  if (open.length > 0) yield open;
}

export function insertPack(connection: Connection, { codec, bytes, data }: Stowed): number {
  return connection.run("INSERT INTO packs(codec, bytes, data) VALUES (?, ?, ?)", codec, bytes, data).rowId;
}

const PACKS_AT_HAND = 8;

/** Reads originals out of packs, the last few at hand. For one transaction: a pack may change behind it. */
export function packReader(connection: Connection): (row: KeptSpan) => Uint8Array {
  const open = new Map<number, Uint8Array | undefined>();
  return ({ pack, start, bytes, sha256, ref }) => {
    if (!open.has(pack)) {
      if (open.size === PACKS_AT_HAND) open.clear();
      open.set(pack, unpacked(connection, pack));
    }
    return assertWhole(open.get(pack)?.subarray(start, start + bytes), sha256, `The original of ${ref}`);
  };
}

export interface KeptSpan extends Span {
  readonly ref: string;
  readonly sha256: Uint8Array;
}

function unpacked(connection: Connection, pack: number): Uint8Array | undefined {
  const stowed = connection.get<Stowed>("SELECT codec, bytes, data FROM packs WHERE id = ?", pack);
  return stowed && unstow(stowed);
}

/**
 * After refs were deleted: takes what nobody names any more out of their packs, and tells how many originals that were
 * and how many bytes it freed on the disk.
 */
export function removeSpans(
  connection: Connection,
  spans: readonly Span[],
): { readonly blobs: number; readonly bytes: number } {
  const dead = new Map<number, Set<number>>();
  for (const { pack, start } of spans) {
    if (connection.get("SELECT 1 FROM refs WHERE pack = ? AND start = ?", pack, start)) continue;
    dead.set(pack, (dead.get(pack) ?? new Set()).add(start));
  }
  let [blobs, bytes] = [0, 0];
  for (const [pack, starts] of dead) {
    blobs += starts.size;
    bytes += shrinkPack(connection, pack);
  }
  return { blobs, bytes };
}

/** The bytes it takes less. */
function shrinkPack(connection: Connection, pack: number): number {
  const size = connection.get<{ size: number }>("SELECT length(data) AS size FROM packs WHERE id = ?", pack);
  const before = size?.size ?? 0;
  const live = connection.all<Omit<Span, "pack">>(
    "SELECT DISTINCT start, bytes FROM refs WHERE pack = ? ORDER BY start",
    pack,
  );
  if (live.length === 0) {
    connection.run("DELETE FROM packs WHERE id = ?", pack);
    return before;
  }
  return before - repack(connection, { pack, before }, live);
}

/** The bytes it takes now. */
function repack(
  connection: Connection,
  { pack, before }: { readonly pack: number; readonly before: number },
  live: readonly Omit<Span, "pack">[],
): number {
  const bytes = unpacked(connection, pack);
  // Damaged: it stays, so that whoever reads from it is told.
  if (!bytes) return before;
  const {
    codec,
    bytes: size,
    data,
  } = stow(Buffer.concat(live.map(({ start, bytes: length }) => bytes.subarray(start, start + length))));
  connection.run("UPDATE packs SET codec = ?, bytes = ?, data = ? WHERE id = ?", codec, size, data, pack);
  let end = 0;
  // In order: each moves towards the front, to where nobody begins any more.
  for (const { start, bytes: length } of live) {
    connection.run("UPDATE refs SET start = ? WHERE pack = ? AND start = ?", end, pack, start);
    end += length;
  }
  return data.length;
}
