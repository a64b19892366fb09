/** Sessions that can be taken up again, by the beginning of their id. */
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { PalimpsestError } from "../errors.ts";
import { callsIn, journalPath } from "./journal.ts";
import type { Thread } from "./thread.ts";

export async function sessionToResume(home: string, beginning: string): Promise<string> {
  const folder = dirname(journalPath(home, "any"));
  const files = await readdir(folder).catch(() => []);
  const ids = files.flatMap((file) => (file.endsWith(".jsonl") ? [file.slice(0, -".jsonl".length)] : []));
  if (ids.includes(beginning)) return beginning;
  // A subagent's id begins with its parent's, and is taken up by its whole name only.
  const found = ids.filter((id) => id.startsWith(beginning) && !id.includes("-"));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const why = found.length === 0 ? "There is no session" : "More than one session begins with";
  throw new PalimpsestError("unreadable", `${why} "${beginning}" in ${folder}.`);
}

/** Whether the model has something to answer: a task cut short, results nobody saw. */
export function isUnfinished({ last, isSteered }: Thread): boolean {
  const { role } = (last ?? {}) as { readonly role?: string };
  return isSteered || role === "user" || role === "tool" || callsIn(last).length > 0;
}
