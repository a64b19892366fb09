/** One processor's share of a run: files in, results out, until there is none left. */
import { parentPort, workerData } from "node:worker_threads";
import type { CaseFile } from "./cases/files.ts";
import type { ArenaOrder } from "./order.ts";
import { runFile } from "./run.ts";

const port = parentPort;
// Only `run.ts` starts this, with an order.
const order = workerData as ArenaOrder;
port?.on("message", async (file: CaseFile | null) => {
  if (file === null) {
    port.close();
    return;
  }
  port.postMessage({ file, result: await runFile(file, order) });
});
