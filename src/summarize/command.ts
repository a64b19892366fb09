/** A program as summarizer: the prompt on its standard input, the summary on its standard output. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { readAnswer } from "./answer.ts";
import { promptFor } from "./prompt.ts";
import { BadAnswer, type Summarizer } from "./summarizer.ts";

export interface CommandOptions {
  readonly timeoutMs?: number;
}

/** A model on a laptop needs minutes for a long session. */
const TIMEOUT_MS = 300_000;
const MAX_OUTPUT_CHARS = 2_000_000;

/** `command` is a shell line: the person who configures it writes it, never a conversation. */
export function commandSummarizer(command: string, options: CommandOptions = {}): Summarizer {
  const name = `command ${command}`;
  return {
    name,
    async write(input, { signal } = {}) {
      const text = await run(command, promptFor(input), {
        timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
        ...(signal ? { signal } : {}),
      });
      return { summary: readAnswer({ text }, input), by: name, notes: [] };
    },
  };
}

interface RunOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

async function run(command: string, stdin: string, { timeoutMs, signal }: RunOptions): Promise<string> {
  const child = await start(command);
  return new Promise((resolve, reject) => {
    const said = { stdout: "", stderr: "" };
    const end = (act: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      act();
    };
    const fail = (why: string) =>
      end(() => {
        killAll(child.pid);
        reject(new BadAnswer("failed", `The summarizer \`${command}\` ${why}`));
      });
    const timer = setTimeout(() => fail(`gave no answer within ${timeoutMs} ms.`), timeoutMs);
    const onAbort = () => fail("was stopped.");
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => listen(said, "stdout", chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => listen(said, "stderr", chunk));
    // A program that does not read its input to the end closes the pipe; its exit code says whether that is a failure.
    child.stdin.on("error", () => {}).end(stdin);
    child.on("error", (error) => fail(`could not be started: ${error.message}`));
    child.on("close", (code) =>
      code === 0 ? end(() => resolve(said.stdout)) : fail(`ended with ${code}: ${firstLine(said.stderr)}`),
    );
  });
}

/** In a group of its own, so that all it starts can be ended with it. Few who import us ever start a program. */
async function start(command: string): Promise<ChildProcessWithoutNullStreams> {
  const { spawn } = await import("node:child_process");
  return spawn(command, { shell: true, stdio: "pipe", detached: process.platform !== "win32" });
}

function listen(said: { stdout: string; stderr: string }, stream: "stdout" | "stderr", chunk: string): void {
  if (said[stream].length < MAX_OUTPUT_CHARS) said[stream] += chunk;
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] || "it said nothing on stderr.";
}

/** The shell and what it started: a program left behind would go on costing money. */
function killAll(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
