/**
 * What a person types: lines that somebody waits for, lines that come in between, and Ctrl-C. From a pipe, lines wait
 * their turn; at a terminal, a line typed while the agent works is for the agent.
 */
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";

export interface TypedOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly isTerminal: boolean;
  /** A line nobody waited for. Without it, such lines wait their turn. */
  readonly onLine?: ((line: string) => void) | undefined;
  readonly onInterrupt: () => void;
  /** The first key of a line nobody waits for: the screen should hold still. */
  readonly onTyping: () => void;
  readonly onTyped: () => void;
}

export class Typed {
  readonly #options: TypedOptions;
  readonly #lines: Interface;
  readonly #queue: string[] = [];
  #waiting: ((line: string | undefined) => void) | undefined;
  #isClosed = false;
  #aside = "";

  constructor(options: TypedOptions) {
    this.#options = options;
    const { input, output, isTerminal } = options;
    this.#lines = createInterface({ input, ...(isTerminal ? { output } : {}), terminal: isTerminal });
    this.#lines.on("line", (line) => this.#heard(line));
    this.#lines.on("SIGINT", () => this.#interrupted());
    this.#lines.on("close", () => this.#ended());
    // Before readline shows the key: the line it is typed on must be empty.
    if (isTerminal) input.prependListener("keypress", (text?: string) => this.#key(text ?? ""));
  }

  /**
   * The next line; undefined at the end of the input, or where Ctrl-C came instead. What somebody was typing goes on in
   * it, unless it is a question: that wants an answer of its own.
   */
  next(
    prompt: string,
    { isQuestion = false }: { readonly isQuestion?: boolean } = {},
  ): Promise<string | undefined> {
    const queued = this.#queue.shift();
    if (queued !== undefined) return Promise.resolve(queued);
    if (this.#isClosed) return Promise.resolve(undefined);
    if (isQuestion) this.#putAside();
    if (this.#options.isTerminal && this.#lines.line !== "") this.#options.output.write("\n");
    this.#options.onTyped();
    this.#lines.setPrompt(prompt);
    if (this.#options.isTerminal) this.#lines.prompt(true);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  get isEnded(): boolean {
    return this.#isClosed && this.#queue.length === 0;
  }

  close(): void {
    this.#lines.close();
    this.#options.input.destroy();
  }

  #heard(line: string): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#options.onTyped();
    if (waiting) {
      waiting(line);
      this.#takeUp();
      return;
    }
    if (!this.#options.onLine) this.#queue.push(line);
    else if (line.trim() !== "") this.#options.onLine(line);
  }

  #key(text: string): void {
    if (this.#waiting || this.#lines.line !== "" || !/^[^\p{Cc}]/u.test(text)) return;
    this.#beginTyping();
  }

  #beginTyping(): void {
    this.#options.onTyping();
    this.#lines.setPrompt(TYPING);
    this.#options.output.write(TYPING);
  }

  /** A question comes while somebody types: what they typed is not the answer, and comes back after it. */
  #putAside(): void {
    if (!this.#options.isTerminal || this.#lines.line === "") return;
    this.#aside = this.#lines.line;
    this.#lines.write(null, { ctrl: true, name: "e" });
    this.#lines.write(null, { ctrl: true, name: "u" });
    this.#options.output.write("\n");
  }

  #takeUp(): void {
    const aside = this.#aside;
    this.#aside = "";
    if (aside === "") return;
    this.#beginTyping();
    this.#lines.write(aside);
  }

  #interrupted(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#options.onTyped();
    if (this.#options.isTerminal) this.#options.output.write("\n");
    if (waiting) waiting(undefined);
    else this.#options.onInterrupt();
  }

  #ended(): void {
    this.#isClosed = true;
    this.#waiting?.(undefined);
    this.#waiting = undefined;
  }
}

const TYPING = "» ";
