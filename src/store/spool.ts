/**
 * Files beside the store, for policies that name paths: outputs demoted to disk, the transcript saved before a fold,
 * durable notes. Owner-only, written whole or not at all. The store has all of it too; a spool is what a harness with
 * nothing but file tools can read.
 */
import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Ref } from "../transcript/ref.ts";
import { makeFolder } from "./folder.ts";

export interface Spool {
  readonly directory: string;
  pathOf(ref: Ref): string;
  transcriptPath(id: string): string;
  readonly notesPath: string;
  write(path: string, text: string): Promise<void>;
}

export function openSpool(directory: string): Spool {
  return {
    directory,
    pathOf: (ref) => join(directory, `${ref}.txt`),
    transcriptPath: (id) => join(directory, `transcript-${id}.jsonl`),
    notesPath: join(directory, "notes.md"),
    async write(path, text) {
      makeFolder(directory, 0o700);
      const draft = `${path}.${randomUUID()}.tmp`;
      try {
        await writeFile(draft, text, { mode: 0o600, flush: true });
        await rename(draft, path);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
  };
}
