/**
 * SHA-256, in one call where Node has one (20.12). Hundreds of short texts are hashed for every compaction: an object for each
 * takes longer to make, and to collect, than its text to hash. Long ones are never joined for it.
 */
import * as crypto from "node:crypto";

/** Of two texts, one behind the other; a letter for each byte. */
export function sha256OfText(head: string, text = ""): string {
  if (text.length < SHORT_CHARS && crypto.hash) return crypto.hash("sha256", head + text, "binary");
  return crypto.createHash("sha256").update(head).update(text).digest("binary");
}

export function sha256OfBytes(bytes: Uint8Array): Buffer {
  if (crypto.hash) return crypto.hash("sha256", bytes, "buffer");
  return crypto.createHash("sha256").update(bytes).digest();
}

const SHORT_CHARS = 1024;
