/** A line on standard error while a long file is read; gone when it is done, and never there when nobody watches. */
import { openFile } from "../file.ts";
import type { Source } from "../wire/source.ts";
import type { Io } from "./io.ts";
import { percent } from "./table.ts";

/** Below this a file is read before a person could read the line. */
const WORTH_SHOWING_BYTES = 20_000_000;

export function openWithProgress(path: string, io: Io): Source {
  if (!io.isTerminal) return openFile(path);
  return openFile(path, ({ readBytes, totalBytes }) => {
    if (totalBytes < WORTH_SHOWING_BYTES) return;
    io.err(readBytes < totalBytes ? `\rreading ${percent(readBytes / totalBytes)} ` : "\r\u001b[K");
  });
}

/** Which compaction of a cascade is being done. */
export function stageProgress(stages: number, io: Io): (done: number) => void {
  if (!io.isTerminal || stages < 2) return () => undefined;
  return (done) => io.err(done < stages ? `\rcompacting, ${done} of ${stages} ` : "\r\u001b[K");
}
