/**
 * Files a command writes: whole or not at all, so that Ctrl-C or a full disk leaves what was there before, and nothing
 * beside it.
 *
 * A signal is seen only between two turns of the event loop, so writing pauses for one now and then, and once more at the
 * end. Outside of writing nobody listens: there Ctrl-C ends the process at once, as it should.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
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
  readonly #temporary: string;
  #file: number | undefined;
  #isMade = false;

  constructor(path: string) {
    this.#path = path;
    this.#temporary = `${path}.${process.pid}.tmp`;
  }

  add(chunk: Uint8Array): void {
    const file = this.#open();
    for (let written = 0; written < chunk.length; ) written += writeSync(file, chunk, written);
  }

  finish(): void {
    fsyncSync(this.#open());
    this.#close();
    renameSync(this.#temporary, this.#path);
  }

  remove(): void {
    this.#close();
    if (this.#isMade) rmSync(this.#temporary, { force: true });
  }

  /** Nothing is left behind. What we said ourselves goes on as it is; what the disk said gets the path. */
  giveUp(error: unknown): PalimpsestError {
    this.remove();
    if (error instanceof PalimpsestError) return error;
    const why = error instanceof Error ? error.message : String(error);
    return new PalimpsestError("unwritable", `Cannot write ${this.#path}: ${why}.`);
  }

  #open(): number {
    this.#file ??= openSync(this.#temporary, "wx");
    this.#isMade = true;
    return this.#file;
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
