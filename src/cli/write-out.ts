/**
 * Files a command writes: whole or not at all, so that Ctrl-C or a full disk leaves what was there before, and nothing
 * beside it.
 *
 * A signal is seen only between two turns of the event loop, so writing pauses for one now and then, and once more at the
 * end. Outside of writing nobody listens: there Ctrl-C ends the process at once, as it should.
 *
 * What is there keeps being what it is: a link goes on pointing where it did, a file keeps who may read it, and a pipe or
 * a device (`/dev/null`, `>(gzip)`) is written to and not replaced.
 */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { PalimpsestError } from "../errors.ts";

type Content = string | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** `verify` looks at all of it before the file takes its name. */
export async function writeOut(path: string, content: Content, verify?: () => void): Promise<void> {
  const chunks = typeof content === "string" ? [Buffer.from(content)] : content;
  const file = new WholeFile(path);
  const unlisten = onSignal(() => file.remove());
  try {
    let bytes = 0;
    for await (const chunk of chunks) {
      file.add(chunk);
      bytes += chunk.length;
      if (bytes < TURN_BYTES) continue;
      bytes = 0;
      await nextTurn();
    }
    verify?.();
    await nextTurn();
    file.finish();
  } catch (error) {
    throw file.giveUp(error);
  } finally {
    unlisten();
  }
}

/** A few milliseconds of writing. */
const TURN_BYTES = 4 << 20;

/** What a shell reports for a program that a signal ended: 128 and its number. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

function onSignal(cleanUp: () => void): () => void {
  const listeners = Object.entries(SIGNALS).map(([signal, code]) => {
    const listener = () => {
      cleanUp();
      process.exit(code);
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return () => {
    for (const unlisten of listeners) unlisten();
  };
}

class WholeFile {
  readonly #path: string;
  readonly #place: Place;
  #file: number | undefined;
  #isMade = false;

  constructor(path: string) {
    this.#path = path;
    this.#place = placeOf(path);
  }

  add(chunk: Uint8Array): void {
    const file = this.#open();
    for (let written = 0; written < chunk.length; ) written += writeSync(file, chunk, written);
  }

  finish(): void {
    const file = this.#open();
    const { temporary, target, mode } = this.#place;
    if (mode !== undefined) fchmodSync(file, mode);
    if (temporary !== undefined) fsyncSync(file);
    this.#close();
    if (temporary !== undefined) renameSync(temporary, target);
  }

  remove(): void {
    this.#close();
    const { temporary } = this.#place;
    if (this.#isMade && temporary !== undefined) rmSync(temporary, { force: true });
  }

  /** Nothing is left behind. What we said ourselves goes on as it is; what the disk said gets the path. */
  giveUp(error: unknown): PalimpsestError {
    this.remove();
    return error instanceof PalimpsestError ? error : cannotWrite(this.#path, reason(error));
  }

  #open(): number {
    const { temporary, target } = this.#place;
    // Not readable by others until it is known who may read it.
    this.#file ??=
      temporary === undefined ? openSync(target, "w") : openSync(temporary, "wx", this.#place.mode);
    this.#isMade = true;
    return this.#file;
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

interface Place {
  /** Where the bytes end up: behind links. */
  readonly target: string;
  /** Where they are gathered; absent where the target takes them as they come. */
  readonly temporary?: string;
  /** Who may read the file that was there. */
  readonly mode?: number;
}

function placeOf(path: string): Place {
  const there = statThere(path);
  if (there?.isDirectory()) throw cannotWrite(path, "it is a folder");
  if (there && !there.isFile()) return { target: path };
  const target = there ? realpathSync(path) : path;
  const temporary = `${target}.${process.pid}.tmp`;
  return { target, temporary, ...(there ? { mode: there.mode & 0o777 } : {}) };
}

function statThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw cannotWrite(path, reason(error));
  }
}

function cannotWrite(path: string, why: string): PalimpsestError {
  return new PalimpsestError("unwritable", `Cannot write ${path}: ${why}.`);
}

/** Without the name of a file nobody has heard of. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") return "there is no such folder";
  if (code === "EACCES" || code === "EPERM") return "permission denied";
  if (code === "EROFS") return "the disk is read-only";
  if (code === "ENOSPC") return "the disk is full";
  return error.message;
}
