/** What the heading says of a call already: a quote that says it again is read twice, with every request. */
import { MIN_CHARS } from "./clean-lines.ts";
import type { Heading } from "./gathering.ts";
import type { Line } from "./lines.ts";

/** Of the lines of a call, what its heading does not show: nothing, the end behind where it is cut, or all. */
export function beyond({ text, about }: Heading, lines: readonly Line[]): readonly string[] {
  const shown = (about ?? text).replace(/^`|`$/g, "");
  const isCut = shown.endsWith("…");
  const end = isCut ? shown.slice(-1 - END_CHARS, -1) : shown;
  return lines.flatMap(({ text: line }) => {
    if (shows(text, line)) return [];
    const at = end.length < MIN_CHARS ? -1 : line.indexOf(end);
    const rest = at < 0 ? line : line.slice(at + end.length).trim();
    return rest.length < MIN_CHARS ? [] : [rest];
  });
}

/** Characters of a heading's end that tell where in a line it was cut. */
const END_CHARS = 24;

/** Whether a heading holds the line: letter for letter, or the value of `"name": value`. */
export function shows(heading: string, line: string): boolean {
  if (heading.includes(line)) return true;
  const value = /^"[^"]*": (-?[\d.]+)$/.exec(line)?.[1];
  return value !== undefined && heading.includes(value);
}
