/** Files shared out among processors: each worker takes the next when it is done with one, the largest first. */
import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { PalimpsestError } from "palimpsest";
import type { CaseFile } from "./cases/files.ts";
import type { ArenaOrder } from "./order.ts";
import type { OnProgress, Results } from "./run.ts";
import type { FileResult } from "./run-file.ts";

/** What a worker says: what it is doing, or what came of a file. */
export type Said =
  | { readonly kind: "doing"; readonly file: CaseFile; readonly doing: string }
  | { readonly kind: "done"; readonly file: CaseFile; readonly result: FileResult | undefined }
  | { readonly kind: "failed"; readonly file: CaseFile; readonly why: string };

export async function inWorkers(
  files: readonly CaseFile[],
  order: ArenaOrder,
  onProgress: OnProgress,
): Promise<Results> {
  const results = new Map<string, FileResult | undefined>();
  // A large one taken last would leave the other processors idle.
  const queue = files
    .map((file) => ({ file, bytes: statSync(file.path).size }))
    .sort((a, b) => b.bytes - a.bytes)
    .map(({ file }) => file);
  const count = Math.min(order.workers, files.length);
  const workers = Array.from(
    { length: count },
    () => new Worker(new URL("./worker.js", import.meta.url), { workerData: order }),
  );
  const onSaid = (said: Said) => {
    if (said.kind === "done") results.set(said.file.path, said.result);
    const doing = said.kind === "doing" ? said.doing : said.kind;
    onProgress({ done: results.size, of: files.length, name: said.file.name, doing });
  };
  try {
    await Promise.all(workers.map((worker) => served(worker, () => queue.shift(), onSaid)));
  } finally {
    // Where one failed, nobody goes on working for nothing.
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  return results;
}

/** Until there is no file left. */
function served(
  worker: Worker,
  next: () => CaseFile | undefined,
  onSaid: (said: Said) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = () => worker.postMessage(next() ?? null);
    worker.on("message", (said: Said) => {
      if (said.kind === "failed")
        reject(new PalimpsestError("unreadable", `${said.file.name} could not be run: ${said.why}`));
      onSaid(said);
      if (said.kind === "done") give();
    });
    worker.on("error", reject);
    worker.on("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`A worker of the arena ended with code ${code}.`)),
    );
    give();
  });
}
