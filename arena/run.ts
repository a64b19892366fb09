/** Every session file, on as many processors as there are; the same results in the same order whoever was faster. */
import { Worker } from "node:worker_threads";
import { type CaseFile, filesMatching, readCase } from "./cases/files.ts";
import { opponentsNamed } from "./opponents/opponents.ts";
import type { ArenaOrder } from "./order.ts";
import { type Replayed, replaySession } from "./replay/replay-session.ts";
import { type Score, scoreSession } from "./score.ts";

export interface FileResult {
  readonly name: string;
  readonly wire: string;
  readonly repository: string;
  readonly messages: number;
  readonly scores: readonly Score[];
  readonly replay: Replayed;
}

export interface ArenaRun {
  readonly order: Omit<ArenaOrder, "workers">;
  readonly files: readonly FileResult[];
  /** Files that are no sessions. */
  readonly unread: readonly string[];
}

export type OnFile = (done: number, of: number, name: string) => void;

export async function runArena(order: ArenaOrder, onFile: OnFile = () => undefined): Promise<ArenaRun> {
  const files = filesMatching(order.sessions);
  const results =
    order.workers > 1 ? await inWorkers(files, order, onFile) : await here(files, order, onFile);
  const { workers: _, ...asked } = order;
  return {
    order: asked,
    files: results.flatMap(({ result }) => result ?? []),
    unread: results.flatMap(({ file, result }) => (result ? [] : [file.name])),
  };
}

interface Done {
  readonly file: CaseFile;
  readonly result?: FileResult | undefined;
}

async function here(files: readonly CaseFile[], order: ArenaOrder, onFile: OnFile): Promise<readonly Done[]> {
  const done: Done[] = [];
  for (const file of files) {
    done.push({ file, result: await runFile(file, order) });
    onFile(done.length, files.length, file.name);
  }
  return done;
}

export async function runFile(file: CaseFile, order: ArenaOrder): Promise<FileResult | undefined> {
  const recorded = readCase(file);
  if (!recorded) return undefined;
  const { session, repository, name } = recorded;
  const opponents = opponentsNamed(order.opponents);
  const scores = await scoreSession(recorded, { ...order, opponents });
  const replay = await replaySession(recorded, { opponents, prices: order.prices });
  return { name, wire: session.wire, repository, messages: session.whole.messages.length, scores, replay };
}

/** Each worker takes the next file when it is done with one. */
async function inWorkers(
  files: readonly CaseFile[],
  order: ArenaOrder,
  onFile: OnFile,
): Promise<readonly Done[]> {
  const results = new Map<string, FileResult | undefined>();
  // The largest are first in no order; names are. Taking them from one queue evens it out.
  const queue = [...files];
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: order });
      const next = () => worker.postMessage(queue.shift() ?? null);
      worker.on("message", ({ file, result }: Done) => {
        results.set(file.path, result);
        onFile(results.size, files.length, file.name);
        next();
      });
      worker.on("error", reject);
      worker.on("exit", () => resolve());
      next();
    });
  await Promise.all(Array.from({ length: Math.min(order.workers, files.length) }, one));
  return files.map((file) => ({ file, result: results.get(file.path) }));
}
