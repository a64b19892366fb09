/** Files as sources: read in chunks, walked as often as needed, never held whole. */
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { PalimpsestError } from "./errors.ts";
import { type Source, sourceFrom, sourceOf } from "./wire/source.ts";

const CHUNK_BYTES = 1 << 20;
/** The first chunk is small: whose file it is shows in its first few KB. */
const FIRST_CHUNK_BYTES = 1 << 16;

export interface Progress {
  readonly readBytes: number;
  readonly totalBytes: number;
}

export function openFile(path: string, onProgress?: (progress: Progress) => void): Source {
  // Standard input cannot be walked twice, so it is the one source that is held.
  if (path === "-") return sourceOf(readFileSync(0));
  // Nor can a pipe, which is what a shell makes of `<(zcat session.jsonl.gz)`.
  if (isPipe(path)) return sourceOf(readFileSync(path));
  return sourceFrom(() => chunksOf(path, onProgress));
}

function* chunksOf(path: string, onProgress?: (progress: Progress) => void): Generator<Uint8Array> {
  const file = open(path);
  try {
    const totalBytes = fstatSync(file).size;
    for (let readBytes = 0; ; ) {
      // A new buffer each time: lines are views into it, and stay valid as long as someone holds them.
      const buffer = Buffer.allocUnsafeSlow(readBytes === 0 ? FIRST_CHUNK_BYTES : CHUNK_BYTES);
      const length = readSync(file, buffer);
      if (length === 0) return;
      readBytes += length;
      onProgress?.({ readBytes, totalBytes });
      yield buffer.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

function isPipe(path: string): boolean {
  try {
    return statSync(path).isFIFO();
  } catch {
    return false; // reading it says why
  }
}

function open(path: string): number {
  try {
    if (statSync(path).isFile()) return openSync(path, "r");
  } catch (error) {
    throw new PalimpsestError("unreadable", `Cannot read ${path}: ${reason(error)}.`);
  }
  throw new PalimpsestError("unreadable", `Cannot read ${path}: it is not a file.`);
}

function reason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES") return "permission denied";
  return error instanceof Error ? error.message : String(error);
}
