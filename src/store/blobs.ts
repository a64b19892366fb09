/**
 * Blobs: what is kept, as it lies on the disk. Bytes (a part as `part-bytes.ts` spells it, a piece of a file, an entry) are
 * hashed, compressed where that pays, and checked against their hash whenever they are read: a flipped byte is an error,
 * never a wrong answer.
 */
import { promisify } from "node:util";
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  brotliDecompressSync,
  constants,
} from "node:zlib";
import { PalimpsestError } from "../errors.ts";
import { type Json, parseJson } from "../transcript/json.ts";
import type { Part } from "../transcript/message.ts";
import { samePart } from "../transcript/same-part.ts";
import { sha256OfBytes } from "../transcript/sha256.ts";

/** How a blob is spelled. Numbers are in every database: never reuse one. */
export const PLAIN = 0;
export const BROTLI = 1;

/** How bytes lie on the disk. */
export interface Stowed {
  readonly codec: number;
  /** Before compression. */
  readonly bytes: number;
  readonly data: Uint8Array;
}

export interface Blob extends Stowed {
  readonly sha256: Uint8Array;
}

/** Below this a call into brotli costs more time than the bytes are worth. */
const COMPRESSED_FROM_BYTES = 1024;
/** Less saved than this does not pay for unpacking it at every read. */
const WORTHWHILE = 0.9;

export function sha256Of(bytes: Uint8Array): Buffer {
  return sha256OfBytes(bytes);
}

/** Whether bytes that were read are those that were kept. */
export function assertWhole(bytes: Uint8Array | undefined, sha256: Uint8Array, what: string): Uint8Array {
  if (bytes !== undefined && sha256Of(bytes).equals(sha256)) return bytes;
  throw new PalimpsestError(
    "store",
    `${what} is damaged in the store: its content does not have the hash it was kept under. Restore the store from a backup, or read the session's own file.`,
  );
}

export function hex(digest: Uint8Array): string {
  return Buffer.from(digest).toString("hex");
}

export function stow(bytes: Uint8Array, compressedFrom: number = COMPRESSED_FROM_BYTES): Stowed {
  return bytes.length < compressedFrom
    ? plain(bytes)
    : smaller(bytes, brotliCompressSync(bytes, howFor(bytes)));
}

/** The same on other threads: whoever serves others meanwhile is not held up. */
export async function stowAside(bytes: Uint8Array): Promise<Stowed> {
  return bytes.length < COMPRESSED_FROM_BYTES
    ? plain(bytes)
    : smaller(bytes, await compressAside(bytes, howFor(bytes)));
}

const compressAside = promisify<Uint8Array, BrotliOptions, Uint8Array>(brotliCompress);

function plain(bytes: Uint8Array): Stowed {
  return { codec: PLAIN, bytes: bytes.length, data: bytes };
}

function smaller(bytes: Uint8Array, packed: Uint8Array): Stowed {
  return packed.length <= bytes.length * WORTHWHILE
    ? { codec: BROTLI, bytes: bytes.length, data: packed }
    : plain(bytes);
}

/** `undefined` where they cannot be had any more. */
export function unstow({ codec, bytes, data }: Stowed): Uint8Array | undefined {
  if (codec === PLAIN) return data;
  if (codec !== BROTLI) return undefined;
  try {
    // What was recorded bounds what comes out: a damaged blob must not unfold into gigabytes.
    return brotliDecompressSync(data, { maxOutputLength: Math.max(1, bytes) });
  } catch {
    return undefined;
  }
}

export function pack(bytes: Uint8Array, sha256: Uint8Array = sha256Of(bytes)): Blob {
  return { sha256, ...stow(bytes) };
}

/** @param what names the thing for the person who has to hear that it is damaged. */
export function unpack(blob: Blob, what: string): Uint8Array {
  return assertWhole(unstow(blob), blob.sha256, what);
}

/** Values as JSON blobs, for what is not a part: ledger entries. */
export function packJson(value: unknown): Blob {
  return pack(Buffer.from(JSON.stringify(value)));
}

export function unpackJson(blob: Blob, what: string): Json {
  const bytes = unpack(blob, what);
  return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) ?? null;
}

/**
 * Whether two parts that share a ref say the same. They do unless someone made them collide (60 bits can be searched),
 * and then keeping only the first would lose the second without a word.
 */
export function assertSameContent(a: Part, b: Part, ref: string): void {
  if (samePart(unsealed(a), unsealed(b))) return;
  throw new PalimpsestError(
    "store",
    `Two different originals have the ref ${ref}. The second was not kept, so it must stay in the context.`,
  );
}

/** Without what a ref is not made of. */
function unsealed(part: Part): Part {
  if (part.type === "tool-call" || part.type === "tool-result") return { ...part, callId: "" };
  return part.type === "thinking" ? { ...part, signature: "" } : part;
}

/**
 * Quality 0, the quickest brotli has: 1.5 ms a megabyte of an agent's output, where quality 1 takes 2. It loses an eighth, which
 * packs twice as large win back. A fourth of the size is room enough for what comes out, and less to be made ready.
 */
function howFor(bytes: Uint8Array): BrotliOptions {
  return {
    chunkSize: Math.max(1024, bytes.length >> 2),
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 0,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  };
}
