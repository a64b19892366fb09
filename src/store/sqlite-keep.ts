/** Keeping originals in SQLite: spelled and hashed once, compressed together, and written with two statements for each batch and one for each ref. */
import {
  assertSameContent,
  callIdOf,
  partOfBytes,
  type Stowed,
  sha256Of,
  spellParts,
  stow,
  stowAside,
} from "./blobs.ts";
import type { Connection } from "./sqlite-connection.ts";
import { KEPT, type KeptRow, originalReader } from "./sqlite-originals.ts";
import { groupForPacks, insertPack, type Span } from "./sqlite-packs.ts";
import { sessionKey, useSession } from "./sqlite-sessions.ts";
import type { Original } from "./store.ts";

export async function keepOriginals(
  connection: Connection,
  id: string,
  originals: readonly Original[],
): Promise<void> {
  const spelled = spell(originals);
  const before = await connection.read(() => find(connection, sessionKey(connection, id), spelled));
  if (spelled.every((one) => before.own.has(one))) return;
  // Compressing is the slow part: done before the lock is taken, only for what is new, and while this thread hashes.
  const packing = Promise.all(groupForPacks(missingIn(before, spelled)).map(packedAside));
  for (const one of spelled) one.sha256();
  const packs = await packing;
  await connection.write(() => {
    const key = sessionKey(connection, id);
    // Others may have kept, or collected, meanwhile.
    const now = find(connection, key, spelled);
    const spans = shelve(connection, packs, missingIn(now, spelled));
    for (const one of spelled) {
      const span = now.elsewhere.get(one) ?? spans.get(one);
      if (span && !now.own.has(one)) insertRef(connection, key, one, span);
    }
    useSession(connection, key, originals);
  });
}

interface Spelled {
  readonly original: Original;
  readonly bytes: Uint8Array;
  /** Taken when it is first asked for. */
  sha256(): Buffer;
}

/** One for each ref. */
function spell(originals: readonly Original[]): readonly Spelled[] {
  const all = spellParts(originals.map(({ part }) => part));
  const byRef = new Map<string, Spelled>();
  for (const [index, original] of originals.entries()) {
    // As many spellings as parts.
    const bytes = all[index] as Uint8Array;
    const first = byRef.get(original.ref);
    if (first) assertSameContent(first.original.part, original.part, original.ref);
    else byRef.set(original.ref, { original, bytes, sha256: once(() => sha256Of(bytes)) });
  }
  return [...byRef.values()];
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

interface Found {
  /** The session has it. */
  readonly own: ReadonlySet<Spelled>;
  /** Only other sessions have it, there. */
  readonly elsewhere: ReadonlyMap<Spelled, Span>;
}

function find(connection: Connection, key: number, spelled: readonly Spelled[]): Found {
  const own = new Set<Spelled>();
  const elsewhere = new Map<Spelled, Span>();
  const holders = connection.all<{ own: number | null; other: number | null }>(
    `SELECT (SELECT seq FROM refs WHERE ref = value AND session = ?1) AS own,
       (SELECT seq FROM refs WHERE ref = value LIMIT 1) AS other FROM json_each(?2) ORDER BY json_each.key`,
    key,
    JSON.stringify(spelled.map(({ original }) => original.ref)),
  );
  for (const [index, holder] of holders.entries()) {
    const seq = holder.own ?? holder.other;
    if (seq === null) continue;
    // A row for each ref that was asked for, in that order.
    const one = spelled[index] as Spelled;
    const row = connection.get<KeptRow>(`${KEPT} WHERE seq = ?`, seq);
    const isSame = row !== undefined && one.sha256().equals(row.sha256);
    if (holder.own === null && isSame) elsewhere.set(one, row);
    if (holder.own === null) continue;
    own.add(one);
    if (row && !isSame) assertSame(connection, row, one);
  }
  return { own, elsewhere };
}

function assertSame(connection: Connection, row: KeptRow, { original, bytes }: Spelled): void {
  const kept = originalReader(connection)(row);
  assertSameContent(kept.part, partOfBytes(bytes, callIdOf(original.part)), original.ref);
}

function missingIn({ own, elsewhere }: Found, spelled: readonly Spelled[]): readonly Spelled[] {
  return spelled.filter((one) => !own.has(one) && !elsewhere.has(one));
}

interface Pack extends Stowed {
  readonly pieces: readonly Spelled[];
}

async function packedAside(pieces: readonly Spelled[]): Promise<Pack> {
  return { pieces, ...(await stowAside(joined(pieces))) };
}

function packed(pieces: readonly Spelled[]): Pack {
  return { pieces, ...stow(joined(pieces)) };
}

/** Without copying where they lie side by side, as `spellParts` lays them. */
function joined(pieces: readonly Spelled[]): Uint8Array {
  const [first] = pieces;
  let end = first?.bytes.byteOffset ?? 0;
  for (const { bytes } of pieces) {
    if (bytes.buffer !== first?.bytes.buffer || bytes.byteOffset !== end)
      return Buffer.concat(pieces.map((piece) => piece.bytes));
    end += bytes.length;
  }
  return first
    ? new Uint8Array(first.bytes.buffer, first.bytes.byteOffset, end - first.bytes.byteOffset)
    : EMPTY;
}

const EMPTY = new Uint8Array();

/** Writes the packs somebody needs; what was there a moment ago, and was collected since, is packed now. */
function shelve(
  connection: Connection,
  packs: readonly Pack[],
  needed: readonly Spelled[],
): ReadonlyMap<Spelled, Span> {
  const wanted = new Set(needed);
  const ready = packs.filter(({ pieces }) => pieces.some((piece) => wanted.has(piece)));
  for (const piece of ready.flatMap(({ pieces }) => pieces)) wanted.delete(piece);
  const spans = new Map<Spelled, Span>();
  for (const stowed of [...ready, ...groupForPacks([...wanted]).map(packed)]) {
    const pack = insertPack(connection, stowed);
    let start = 0;
    for (const piece of stowed.pieces) {
      spans.set(piece, { pack, start, bytes: piece.bytes.length });
      start += piece.bytes.length;
    }
  }
  return spans;
}

function insertRef(connection: Connection, key: number, { original, sha256 }: Spelled, span: Span): void {
  const { ref, part, description, tokens, at } = original;
  const callId = callIdOf(part);
  connection.run(
    `INSERT INTO refs(session, ref, kind, pack, start, bytes, sha256, call_id, description, tokens, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    key,
    ref,
    part.type,
    span.pack,
    span.start,
    span.bytes,
    sha256(),
    callId === undefined ? null : JSON.stringify(callId),
    JSON.stringify(description),
    tokens,
    at,
  );
}
