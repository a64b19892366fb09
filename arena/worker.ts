/** One processor's share of a run: files in, results out, until there is none left. */
import { parentPort, workerData } from "node:worker_threads";
import type { CaseFile } from "./cases/files.ts";
import type { ArenaOrder } from "./order.ts";
import { runFile } from "./run-file.ts";
import type { Said } from "./workers.ts";

const port = parentPort;
// Only `workers.ts` starts this, with an order.
const order = workerData as ArenaOrder;
const say = (said: Said) => port?.postMessage(said);

port?.on("message", async (file: CaseFile | null) => {
  if (file === null) return port.close();
  try {
    const result = await runFile(file, order, (doing) => say({ kind: "doing", file, doing }));
    say({ kind: "done", file, result });
  } catch (error) {
    say({ kind: "failed", file, why: error instanceof Error ? error.message : String(error) });
  }
});
