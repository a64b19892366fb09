/**
 * What proves an original when it is read: a SHA-256 that stands beside its ref, of one of two kinds. Of its bytes; or, where
 * the text was hashed already to be addressed, of the JSON in front of the text and of the digest the ref was cut from, which
 * has the text in it: then nothing is hashed twice. Either way a flipped bit anywhere is an error.
 *
 * What the second kind costs: reading makes the content again to hash it; and what `contentOf` makes of a part
 * can never change without a third kind (the refs in every ledger hang on it anyway).
 */
import { createHash } from "node:crypto";
import type { Part } from "../transcript/message.ts";
import { digestOf, knownDigestOf } from "../transcript/ref.ts";
import { damaged, sha256Of } from "./blobs.ts";
import { partOfBytes } from "./part-bytes.ts";

/** Numbers are in every database: never reuse one. */
export const OF_BYTES = 0;
export const OF_CONTENT = 1;

export interface Proof {
  readonly sha256: Uint8Array;
  readonly proof: number;
}

const NEWLINE = 10;

/** The kind that is had for less. */
export function proofOf(part: Part, bytes: Uint8Array): Proof {
  const digest = bytes.includes(NEWLINE) ? knownDigestOf(part) : undefined;
  return digest === undefined
    ? { proof: OF_BYTES, sha256: sha256Of(bytes) }
    : { proof: OF_CONTENT, sha256: sha256OfContent(bytes, digest) };
}

/** Whether the same part was kept, whichever kind it was kept under. */
export function isProof({ sha256, proof }: Proof, part: Part, bytes: Uint8Array): boolean {
  if (proof === OF_BYTES) return sha256Of(bytes).equals(sha256);
  return proof === OF_CONTENT && sha256OfContent(bytes, digestOf(part)).equals(sha256);
}

function sha256OfContent(bytes: Uint8Array, digest: string): Buffer {
  const head = bytes.subarray(0, bytes.indexOf(NEWLINE));
  return createHash("sha256").update(head).update(digest, "latin1").digest();
}

export interface Kept extends Proof {
  readonly callId: string | undefined;
}

/** The part that bytes are, where they are those that were kept. */
export function provenPart(bytes: Uint8Array | undefined, { callId, ...proof }: Kept, what: string): Part {
  const part = bytes && partProvenBy(proof, bytes, callId);
  if (part) return part;
  throw damaged(what);
}

function partProvenBy(proof: Proof, bytes: Uint8Array, callId: string | undefined): Part | undefined {
  try {
    const part = partOfBytes(bytes, callId);
    return isProof(proof, part, bytes) ? part : undefined;
  } catch {
    // Damage left no JSON, or none that is a part.
    return undefined;
  }
}
