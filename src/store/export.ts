/**
 * A session as JSON lines that anyone can read without us: `session`, then each `ledger` entry, each `original` with its
 * whole content, the `source` file and its pieces. A piece is `text` where its bytes are UTF-8, else `base64`; the
 * pieces in order are the file, and `sha256` of the source line proves it.
 */
import { isUtf8 } from "node:buffer";
import type { LedgerEntry } from "../plan/ledger.ts";
import type { Original, SessionRow, SourceFacts } from "./store.ts";

export function sessionLine(session: SessionRow): string {
  return JSON.stringify({ type: "session", version: 1, ...session });
}

export function ledgerLine(entry: LedgerEntry): string {
  return JSON.stringify({ type: "ledger", entry });
}

export function originalLine({ ref, description, tokens, at, part }: Original): string {
  return JSON.stringify({ type: "original", ref, description, tokens, at, part });
}

export function sourceLine({ wire, sha256, bytes }: SourceFacts): string {
  return JSON.stringify({ type: "source", wire, sha256, bytes });
}

export function pieceLine(chunk: Uint8Array): string {
  const bytes = Buffer.from(chunk);
  return JSON.stringify(
    isUtf8(chunk)
      ? { type: "source-piece", text: bytes.toString() }
      : { type: "source-piece", base64: bytes.toString("base64") },
  );
}
