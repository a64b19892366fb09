/** The real sessions, where they are: they are not part of the project, and tests that use them skip without them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

const FOLDER = resolve(import.meta.dirname, "../../shared/transcripts");

export const SKIPPED = "skipped: no ../shared/transcripts here";

export interface RealSession {
  /** `codex/….jsonl`: the folder is the wire. */
  readonly name: string;
  readonly path: string;
  readonly wire: string;
}

export const realSessions: readonly RealSession[] = existsSync(FOLDER)
  ? readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
      .filter((name) => name.includes("/"))
      .sort()
      .map((name) => ({ name, path: resolve(FOLDER, name), wire: name.split("/")[0] ?? "" }))
  : [];

/** What the folder's own table says of each file. */
export function recordedCounts(): ReadonlyMap<
  string,
  { readonly messages: number; readonly toolCalls: number }
> {
  const rows = readFileSync(resolve(FOLDER, "README.md"), "utf8").matchAll(
    /^\| (\S+\/\S+) \|[^|]*\|[^|]*\| *([\d,]+) *\| *([\d,]+) *\|/gm,
  );
  const numeric = (text: string | undefined) => Number(text?.replaceAll(",", ""));
  return new Map(
    [...rows].map(([, name, messages, calls]) => [
      name ?? "",
      { messages: numeric(messages), toolCalls: numeric(calls) },
    ]),
  );
}
