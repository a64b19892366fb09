/**
 * Most paths of a session begin alike. The page says the folder once, and a path below it without it: what is left stands
 * in the source as it is written, letter for letter. The summary itself keeps whole paths; only what is shown is shorter.
 */
import type { Summary } from "../plan/summary.ts";

/** The folder, with its slash, that shortens the page most; empty where saying it would cost as much. */
export function commonFolder({ sections }: Summary): string {
  const counts = new Map<string, number>();
  for (const { about } of [...(sections["Files Modified"] ?? []), ...(sections["Files Read"] ?? [])])
    for (const folder of foldersOf(about ?? "")) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  let best = "";
  let most = SAYING_IT;
  for (const [folder, count] of counts) {
    const saved = (count - 1) * folder.length;
    if (saved < most || (saved === most && folder.length < best.length)) continue;
    best = folder;
    most = saved;
  }
  return best;
}

/** Characters of the sentence that says it. */
const SAYING_IT = 60;

function foldersOf(path: string): readonly string[] {
  if (!path.startsWith("/")) return [];
  const ends = [...path.matchAll(/\//g)].map(({ index }) => index + 1);
  return ends.slice(1).map((end) => path.slice(0, end));
}

/** In our own lines, where a path is in code quotes; never in a quoted one. */
export function shortPaths(text: string, folder: string): string {
  if (folder === "") return text;
  const whole = `\`${folder}`;
  if (!text.includes(whole)) return text;
  return text
    .split("\n")
    .map((line) => (line.startsWith("- ") ? line.replaceAll(whole, "`") : line))
    .join("\n");
}
