/** Files a command writes: whole or not at all, so that Ctrl-C or a full disk leaves what was there before. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { PalimpsestError } from "../errors.ts";

export function writeOut(path: string, content: string | Iterable<Uint8Array>): void {
  const chunks = typeof content === "string" ? [Buffer.from(content)] : content;
  const file = new WholeFile(path);
  try {
    for (const chunk of chunks) file.add(chunk);
    file.finish();
  } catch (error) {
    throw file.giveUp(error);
  }
}

/** The same for what arrives bit by bit; `verify` looks at all of it before the file takes its name. */
export async function writeOutSlowly(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  verify: () => void,
): Promise<void> {
  const file = new WholeFile(path);
  try {
    for await (const chunk of chunks) file.add(chunk);
    verify();
    file.finish();
  } catch (error) {
    throw file.giveUp(error);
  }
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

  /** Nothing is left behind. What we said ourselves goes on as it is; what the disk said gets the path. */
  giveUp(error: unknown): PalimpsestError {
    this.#close();
    if (this.#isMade) rmSync(this.#temporary, { force: true });
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
