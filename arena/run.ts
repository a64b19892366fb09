/** Every session file, on as many processors as there are; the same results in the same order whoever was faster. */
import { type CaseFile, filesMatching } from "./cases/files.ts";
import { opponentsNamed } from "./opponents/opponents.ts";
import { missingPeers } from "./opponents/peers.ts";
import type { ArenaOrder } from "./order.ts";
import { cacheRulesNamed } from "./replay/cache-rules.ts";
import { type FileResult, runFile } from "./run-file.ts";
import { inWorkers } from "./workers.ts";

export interface ArenaRun {
  readonly order: Omit<ArenaOrder, "workers">;
  readonly files: readonly FileResult[];
  /** Files that are no sessions. */
  readonly unread: readonly string[];
  /** Peers that would have competed, were they installed. */
  readonly missing: readonly string[];
}

/** While it runs: how many sessions are done, and what is being done to one of them. */
export interface Progress {
  readonly done: number;
  readonly of: number;
  readonly name: string;
  readonly doing: string;
}

export type OnProgress = (progress: Progress) => void;

export async function runArena(
  order: ArenaOrder,
  onProgress: OnProgress = () => undefined,
): Promise<ArenaRun> {
  // A name that nobody has is said before anything is run.
  opponentsNamed(order.opponents);
  if (order.cache !== undefined) cacheRulesNamed(order.cache);
  const files = filesMatching(order.sessions);
  const results =
    order.workers > 1 ? await inWorkers(files, order, onProgress) : await here(files, order, onProgress);
  const { workers: _, ...asked } = order;
  return {
    order: asked,
    files: files.flatMap(({ path }) => results.get(path) ?? []),
    unread: files.flatMap(({ path, name }) => (results.get(path) ? [] : [name])),
    missing: order.opponents === undefined ? missingPeers() : [],
  };
}

export type Results = ReadonlyMap<string, FileResult | undefined>;

async function here(files: readonly CaseFile[], order: ArenaOrder, onProgress: OnProgress): Promise<Results> {
  const results = new Map<string, FileResult | undefined>();
  for (const file of files) {
    const tell = (doing: string) =>
      onProgress({ done: results.size, of: files.length, name: file.name, doing });
    results.set(file.path, await runFile(file, order, tell));
    tell("done");
  }
  return results;
}
