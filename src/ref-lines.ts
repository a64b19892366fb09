/**
 * Lines of an original, by the numbers a reader gives. Only "\n" ends a line: what a file calls its lines, and a "\r" before
 * it stays, because what is shown is shown as it was.
 */

import { ToolRefusal, wrongField } from "./tool-answer.ts";
import { type Json, list, number } from "./transcript/json.ts";

/** From a line (and a character in it) to a line, both counted from 1; `last` counts from the end. */
export type LineRange =
  | { readonly from: number; readonly fromChar: number; readonly to: number }
  | { readonly last: number };

const ACCEPTED = '"120-180", "120", "120-", "-50" (the last 50) or "3:20001-" (line 3 from character 20,001)';

export function linesField(value: Json | undefined): LineRange | undefined | ToolRefusal {
  if (value === undefined || value === null || value === "") return undefined;
  const [first, second] = list(value).map(number);
  const text = first === undefined ? String(value) : `${first}-${second ?? ""}`;
  const found = /^\D*?(?:(\d+)(?::(\d+))?)?\s*(?:(-|–|\.\.|,|to)\s*(\d+)?)?\s*$/i.exec(text);
  const [, from, fromChar, dash, to] = found ?? [];
  if (from === undefined && to !== undefined && Number(to) > 0) return { last: Number(to) };
  const range = {
    from: Number(from),
    fromChar: Number(fromChar ?? 1),
    to: to === undefined ? (dash ? Number.POSITIVE_INFINITY : Number(from)) : Number(to),
  };
  const isRange = from !== undefined && range.from >= 1 && range.fromChar >= 1 && range.to >= range.from;
  return isRange ? range : wrongField("lines", `a range such as ${ACCEPTED}`, value);
}

/** A text and where its lines begin. */
export interface Lines {
  readonly text: string;
  readonly starts: readonly number[];
}

export function linesOf(text: string): Lines {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  // A newline at the end ends the last line; it does not begin another.
  if (starts.length > 1 && starts.at(-1) === text.length) starts.pop();
  return { text, starts };
}

/** Counted from 1, without its newline. */
export function lineOf({ text, starts }: Lines, line: number): string {
  const start = starts[line - 1] ?? text.length;
  const next = starts[line];
  if (next !== undefined) return text.slice(start, next - 1);
  return text.endsWith("\n") ? text.slice(start, -1) : text.slice(start);
}

/** The lines asked for that are there; a refusal where none is. */
export function within(
  { starts }: Lines,
  range: LineRange | undefined,
): { readonly from: number; readonly fromChar: number; readonly to: number } | ToolRefusal {
  const all = starts.length;
  if (range === undefined) return { from: 1, fromChar: 1, to: all };
  if ("last" in range) return { from: Math.max(1, all - range.last + 1), fromChar: 1, to: all };
  if (range.from > all)
    return new ToolRefusal("bad-input", `There is no line ${range.from}: the original has ${all} lines.`, {
      field: "lines",
      lines: all,
    });
  return { from: range.from, fromChar: range.fromChar, to: Math.min(range.to, all) };
}

/** The most that still fits, by doubling and then halving: the cost follows what fits, not what is there. */
export function mostThatFits(most: number, fits: (count: number) => boolean): number {
  let low = 0;
  let high = 1;
  while (high < most && fits(high)) {
    low = high;
    high *= 2;
  }
  if (high >= most && fits(most)) return most;
  high = Math.min(high, most);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The place itself, or the next one that is not between the two halves of a character. */
export function wholeCharacters(text: string, at: number): number {
  const isHalf = /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(Math.max(0, at - 1), at + 1));
  return at > 0 && isHalf ? at + 1 : at;
}
