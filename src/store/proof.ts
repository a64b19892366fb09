/**
 * What proves an original when it is read: a SHA-256 that stands beside its ref. Not of its bytes as they lie there, for then
 * each text would be hashed twice: once to be addressed, once to be kept. It is of the JSON in front of the text, and of the
 * digest the ref was cut from, which has the text in it. So a flipped bit anywhere still is an error; and what is checked is not
 * the bytes, but what is handed out.
 *
 * What it costs: reading makes the content again to hash it, a third slower than hashing bytes; and what `contentOf` makes
 * of a part can never change without a third kind of proof (the refs in every ledger hang on it anyway).
 */
import { createHash } from "node:crypto";
import type { Part } from "../transcript/message.ts";
import { digestOf } from "../transcript/ref.ts";
import { assertWhole, damaged, sha256Of } from "./blobs.ts";
import { partOfBytes } from "./part-bytes.ts";

/** Numbers are in every database: never reuse one. */
export const OF_BYTES = 0;
export const OF_CONTENT = 1;

export interface Proof {
  readonly sha256: Uint8Array;
  readonly proof: number;
}

const NEWLINE = 10;

/** Where there is no text behind the JSON, both kinds are the same. */
export function sha256Proving(part: Part, bytes: Uint8Array): Buffer {
  const end = bytes.indexOf(NEWLINE);
  if (end === -1) return sha256Of(bytes);
  return createHash("sha256").update(bytes.subarray(0, end)).update(digestOf(part), "latin1").digest();
}

export interface Kept extends Proof {
  readonly callId: string | undefined;
}

/** The part that bytes are, where they are those that were kept. */
export function provenPart(
  bytes: Uint8Array | undefined,
  { sha256, proof, callId }: Kept,
  what: string,
): Part {
  if (proof === OF_BYTES) return partOfBytes(assertWhole(bytes, sha256, what), callId);
  const part = proof === OF_CONTENT && bytes ? partProvenBy(sha256, bytes, callId) : undefined;
  if (part) return part;
  throw damaged(what);
}

function partProvenBy(sha256: Uint8Array, bytes: Uint8Array, callId: string | undefined): Part | undefined {
  try {
    const part = partOfBytes(bytes, callId);
    return sha256Proving(part, bytes).equals(sha256) ? part : undefined;
  } catch {
    // Damage left no JSON, or none that is a part.
    return undefined;
  }
}
