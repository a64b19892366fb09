/**
 * A program run to its end, for bash and grep: its own process group, so that what it started ends with it; a time limit; and
 * no more memory than a head and a tail. What is longer goes whole into a file, up to a limit, and the answer says where.
 */
import { spawn } from "node:child_process";
import { createWriteStream, type WriteStream } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../../store/folder.ts";

export interface CommandOptions {
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Of the output that is given back: half from its start, half from its end. */
  readonly maxChars: number;
  /** Where all of it goes when it is longer. */
  readonly spillPath: string;
  readonly signal: AbortSignal;
}

export interface Ran {
  readonly output: string;
  /** Undefined where it was ended. */
  readonly code: number | undefined;
  readonly isTimedOut: boolean;
  readonly isStopped: boolean;
}

/** Characters. */
const MOST_SPILLED = 50_000_000;

export async function runCommand(
  [program, ...words]: readonly [string, ...string[]],
  options: CommandOptions,
): Promise<Ran> {
  const { cwd, timeoutMs, signal } = options;
  const child = spawn(program, words, { cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const output = new Output(options);
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => output.add(text));
  const end = endGroup(child.pid);
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    end();
  }, timeoutMs);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    const code = await new Promise<number | undefined>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (status) => resolve(status ?? undefined));
    });
    return { output: await output.text(), code, isTimedOut, isStopped: signal.aborted };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

/** The whole group: a shell that is ended alone leaves its children behind, holding the pipes. */
function endGroup(pid: number | undefined): () => void {
  return () => {
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
}

class Output {
  readonly #options: Pick<CommandOptions, "maxChars" | "spillPath">;
  #head = "";
  #tail = "";
  #chars = 0;
  #early: string[] = [];
  #spill: Promise<WriteStream> | undefined;

  constructor(options: Pick<CommandOptions, "maxChars" | "spillPath">) {
    this.#options = options;
  }

  add(text: string): void {
    this.#chars += text.length;
    this.#keep(text);
    const half = this.#options.maxChars / 2;
    const room = Math.max(0, half - this.#head.length);
    this.#head += text.slice(0, room);
    this.#tail = (this.#tail + text.slice(room)).slice(-half);
  }

  async text(): Promise<string> {
    const cut = this.#chars - this.#head.length - this.#tail.length;
    if (cut === 0) return this.#head + this.#tail;
    const stream = await this.#spill;
    await new Promise<void>((resolve) => (stream ? stream.end(resolve) : resolve()));
    const where = this.#chars > MOST_SPILLED ? `the first ${MOST_SPILLED} are` : "all of it is";
    return `${this.#head}\n… ${cut} characters left out; ${where} in ${this.#options.spillPath} …\n${this.#tail}`;
  }

  /** Held back until it is clear that it will not fit; most outputs never touch the disk. */
  #keep(text: string): void {
    if (this.#chars > MOST_SPILLED) return;
    if (this.#spill) {
      void this.#spill.then((stream) => stream.write(text));
      return;
    }
    this.#early.push(text);
    if (this.#chars <= this.#options.maxChars) return;
    const early = this.#early.join("");
    this.#early = [];
    this.#spill = openSpill(this.#options.spillPath).then((stream) => {
      stream.write(early);
      return stream;
    });
  }
}

async function openSpill(path: string): Promise<WriteStream> {
  makeFolder(dirname(path), 0o700);
  return createWriteStream(path, { mode: 0o600 });
}
