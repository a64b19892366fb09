/** The plugin's end of the line to the companion: started at the first question, again if it died. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isObject, type JsonObject, parseJson } from "../../transcript/json.ts";

const BIN = fileURLToPath(new URL("../../cli/bin.js", import.meta.url));
/** Longer than any answer takes; a user should not wait for ours if something hangs. */
const TIMEOUT_MS = 20_000;

interface Waiting {
  readonly done: (answer: JsonObject) => void;
  readonly fail: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

export class Link {
  readonly #node: string;
  readonly #waiting = new Map<number, Waiting>();
  #child: ChildProcess | undefined;
  #asked = 0;

  constructor(node: string) {
    this.#node = node;
  }

  ask(what: string, given: JsonObject): Promise<JsonObject> {
    this.#child ??= this.#start();
    const { stdin } = this.#child;
    const id = ++this.#asked;
    return new Promise<JsonObject>((done, fail) => {
      const late = () => this.#end(id, `no answer to "${what}" in ${TIMEOUT_MS / 1000} s`);
      this.#waiting.set(id, { done, fail, timer: setTimeout(late, TIMEOUT_MS) });
      stdin?.write(`${JSON.stringify({ id, ask: what, ...given })}\n`);
    });
  }

  /** Without an answer to what is still open. */
  close(): void {
    this.#child?.stdin?.end();
  }

  #start(): ChildProcess {
    const child = spawn(this.#node, [BIN, "hook", "opencode", "companion"], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    let said = "";
    child.stderr?.on("data", (text) => {
      said = `${said}${text}`.slice(-400);
    });
    child.stdin?.on("error", () => undefined);
    if (child.stdout) createInterface({ input: child.stdout }).on("line", (line) => this.#hear(line));
    const gone = (why: string) => {
      if (this.#child === child) this.#child = undefined;
      for (const id of [...this.#waiting.keys()]) this.#end(id, said.trim() || why);
    };
    child
      .once("error", (error) => gone(String(error)))
      .once("exit", () => gone("the process beside OpenCode ended"));
    // OpenCode may end without waiting for it; it then ends by itself.
    child.unref();
    return child;
  }

  #hear(line: string): void {
    const answer = parseJson(line);
    if (!isObject(answer)) return;
    const { id, error, ...rest } = answer;
    if (typeof error === "string") this.#end(Number(id), error);
    else this.#taken(Number(id))?.done(rest);
  }

  #end(id: number, why: string): void {
    this.#taken(id)?.fail(new Error(why));
  }

  #taken(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    clearTimeout(waiting?.timer);
    this.#waiting.delete(id);
    return waiting;
  }
}
