/**
 * Keeping originals in SQLite. What is there already is found by ref, with one question for all; the rest is spelled, compressed
 * together, and written with one statement for each pack and one for each ref.
 */
import { assertSameContent, type Stowed, stow, stowAside } from "./blobs.ts";
import { callIdOf, partOfBytes, type Spelling, spellings } from "./part-bytes.ts";
import { type Scratch, scratch } from "./scratch.ts";
import type { Connection } from "./sqlite-connection.ts";
import { isRef, KEPT, type KeptRow, originalReader } from "./sqlite-originals.ts";
import { inPacks, insertPack, PACK_BYTES, type Span } from "./sqlite-packs.ts";
import { sessionKey, useSession } from "./sqlite-sessions.ts";
import type { Original } from "./store.ts";

export async function keepOriginals(
  connection: Connection,
  id: string,
  originals: readonly Original[],
): Promise<void> {
  const memory = scratch();
  await keepPieces(connection, id, { originals, pieces: piecesOf(originals, memory) });
  // Not where that failed: another thread may still be reading it.
  memory.giveBack();
}

async function keepPieces(
  connection: Connection,
  id: string,
  { originals, pieces }: { readonly originals: readonly Original[]; readonly pieces: readonly Piece[] },
): Promise<void> {
  const before = await connection.read(() => find(connection, sessionKey(connection, id), pieces));
  if (pieces.every((one) => before.own.has(one))) return;
  // The slow part: before the lock is taken, and only for what is new.
  const missing = missingIn(before, pieces);
  const packing = packedApart(missing);
  for (const { spelling } of missing) spelling.sha256();
  const packs = await packing;
  await connection.write(() => {
    const key = sessionKey(connection, id);
    // Others may have kept, or collected, meanwhile.
    const now = connection.version() === before.version ? before : find(connection, key, pieces);
    const spans = shelve(connection, packs, missingIn(now, pieces));
    for (const one of pieces) {
      const span = now.elsewhere.get(one) ?? spans.get(one);
      if (span && !now.own.has(one)) insertRef(connection, key, one, span);
    }
    useSession(connection, key, originals);
  });
}

interface Piece {
  readonly original: Original;
  readonly spelling: Spelling;
}

/** One for each ref. */
function piecesOf(originals: readonly Original[], memory: Scratch): readonly Piece[] {
  const parts = originals.map(({ part }) => part);
  const spelled = spellings(parts, memory.take);
  const byRef = new Map<string, Piece>();
  for (const [index, original] of originals.entries()) {
    // As many spellings as parts.
    const spelling = spelled[index] as Spelling;
    const first = byRef.get(original.ref);
    if (first) assertSameContent(first.original.part, original.part, original.ref);
    else byRef.set(original.ref, { original, spelling });
  }
  return [...byRef.values()];
}

interface Found {
  /** Of the store when it was looked. */
  readonly version: string;
  /** The session has it. */
  readonly own: ReadonlySet<Piece>;
  /** Only other sessions have it, there. */
  readonly elsewhere: ReadonlyMap<Piece, Span>;
}

function find(connection: Connection, key: number, pieces: readonly Piece[]): Found {
  const own = new Set<Piece>();
  const elsewhere = new Map<Piece, Span>();
  for (const one of heldByAnyone(connection, pieces)) {
    const { ref } = one.original;
    const mine = connection.get<KeptRow>(`${KEPT} WHERE ${isRef("?1")} AND session = ?2`, ref, key);
    const row = mine ?? connection.get<KeptRow>(`${KEPT} WHERE ${isRef("?1")} LIMIT 1`, ref);
    const isSame = row !== undefined && one.spelling.sha256().equals(row.sha256);
    if (mine) own.add(one);
    else if (isSame) elsewhere.set(one, row);
    if (mine && !isSame) assertSame(connection, mine, one);
  }
  return { version: connection.version(), own, elsewhere };
}

/** Mostly none: one question for all of them. */
function heldByAnyone(connection: Connection, pieces: readonly Piece[]): readonly Piece[] {
  const held = connection.all<{ key: number }>(
    `SELECT key FROM json_each(?1) WHERE EXISTS (SELECT 1 FROM refs WHERE ${isRef("value")})`,
    JSON.stringify(pieces.map(({ original }) => original.ref)),
  );
  // The places in the list that was asked for.
  return held.map(({ key }) => pieces[key] as Piece);
}

function assertSame(connection: Connection, row: KeptRow, { original, spelling }: Piece): void {
  const kept = originalReader(connection)(row);
  assertSameContent(kept.part, partOfBytes(spelling.bytes(), callIdOf(original.part)), original.ref);
}

function missingIn({ own, elsewhere }: Found, pieces: readonly Piece[]): readonly Piece[] {
  return pieces.filter((one) => !own.has(one) && !elsewhere.has(one));
}

interface Pack extends Stowed {
  readonly pieces: readonly Piece[];
}

/**
 * The last pack here, all others on other threads. To wake a thread, to wait for it and to share a processor with it costs about
 * what compressing a pack does (0.8 ms), and what leaves with a compaction is mostly one. More would hold up whom we serve.
 */
function packedApart(missing: readonly Piece[]): Promise<readonly Pack[]> {
  const last = missing.at(-1);
  const packs = Array.from(inPacks(missing), (pieces) => {
    const bytes = joined(pieces);
    const isHere = pieces.at(-1) === last && bytes.length <= PACK_BYTES;
    return isHere ? { pieces, ...stow(bytes) } : packedAside(pieces, bytes);
  });
  return Promise.all(packs);
}

async function packedAside(pieces: readonly Piece[], bytes: Uint8Array): Promise<Pack> {
  return { pieces, ...(await stowAside(bytes)) };
}

function packed(pieces: readonly Piece[]): Pack {
  return { pieces, ...stow(joined(pieces)) };
}

/** Without copying where they lie side by side, as `spellings` lays them. */
function joined(pieces: readonly Piece[]): Uint8Array {
  const all = pieces.map(({ spelling }) => spelling.bytes());
  const [first] = all;
  let end = first?.byteOffset ?? 0;
  for (const bytes of all) {
    if (bytes.buffer !== first?.buffer || bytes.byteOffset !== end) return Buffer.concat(all);
    end += bytes.length;
  }
  return first ? new Uint8Array(first.buffer, first.byteOffset, end - first.byteOffset) : EMPTY;
}

const EMPTY = new Uint8Array();

/** Writes the packs somebody needs; what was there a moment ago, and was collected since, is packed now. */
function shelve(
  connection: Connection,
  packs: readonly Pack[],
  needed: readonly Piece[],
): ReadonlyMap<Piece, Span> {
  const wanted = new Set(needed);
  const ready = packs.filter(({ pieces }) => pieces.some((piece) => wanted.has(piece)));
  for (const piece of ready.flatMap(({ pieces }) => pieces)) wanted.delete(piece);
  const spans = new Map<Piece, Span>();
  for (const stowed of [...ready, ...Array.from(inPacks(wanted), packed)]) {
    const pack = insertPack(connection, stowed);
    let start = 0;
    for (const piece of stowed.pieces) {
      const bytes = piece.spelling.bytes().length;
      spans.set(piece, { pack, start, bytes });
      start += bytes;
    }
  }
  return spans;
}

function insertRef(connection: Connection, key: number, { original, spelling }: Piece, span: Span): void {
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
    spelling.sha256(),
    callId === undefined ? null : JSON.stringify(callId),
    JSON.stringify(description),
    tokens,
    at,
  );
}
