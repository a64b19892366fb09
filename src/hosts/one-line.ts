/** What another program said, as part of a line of ours: no colours, no line breaks, not all of it. */
import { stripVTControlCharacters } from "node:util";

const MOST = 300;

/** Its end: programs say what went wrong last. */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\s+/g, " ").trim().slice(-MOST) || "nothing";
}
