/**
 * Session files in chunks cut at fixed places: a file that only grew shares all but its last chunk with what was kept
 * before. Rewritten files share nothing behind the first change; finding moved content would take rolling hashes, and
 * session files are appended to.
 */
export const CHUNK_BYTES: number = 256 * 1024;

export function* recut(chunks: Iterable<Uint8Array>): Iterable<Uint8Array> {
  let open: Uint8Array[] = [];
  let size = 0;
  for (const chunk of chunks) {
    for (let offset = 0; offset < chunk.length; ) {
      // Copied: whoever reads a file may fill the same buffer again.
      const piece = Buffer.from(chunk.subarray(offset, offset + CHUNK_BYTES - size));
      offset += piece.length;
      size += piece.length;
      open.push(piece);
      if (size < CHUNK_BYTES) continue;
      yield joined(open);
      open = [];
      size = 0;
    }
  }
  if (size > 0) yield joined(open);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  return pieces.length === 1 && first ? first : Buffer.concat(pieces);
}
