/**
 * Lines of an original that match an expression the model wrote. Some expressions take ages on some texts (`(a+)+$`), and
 * a model can be talked into one; so the search runs under a watchdog that stops it. V8 breaks off an expression in the
 * middle; all it costs is half a millisecond for the context. A worker would leave the event loop free meanwhile, but takes
 * forty times as long to start and copies the text; half a second at worst, on a hostile expression, is the better bargain.
 */
import { runInNewContext } from "node:vm";
import { type Lines, lineOf, mostThatFits, wholeCharacters } from "./ref-lines.ts";
import { ToolRefusal } from "./tool-answer.ts";

const WATCHDOG_MS = 500;
const PATTERN_CHARS = 1000;
/** Longer lines are shown around each match only: minified code and JSON have everything on one line. */
const LINE_CHARS = 2000;
const AROUND_CHARS = 200;
/** More cannot be shown anyway; the rest is counted. As many again of those that match in several ways: they come first. */
const MOST_SHOWN = 5000;

export interface GrepRow {
  readonly line: number;
  /** From which character, counted from 1, where only part of the line is shown. */
  readonly char?: number;
  readonly text: string;
  /** How many it shows. */
  readonly matches: number;
  /** In how many ways it matches: of `timeout|retry` the line that has both tells more. */
  readonly ways: number;
}

export interface Grepped {
  readonly rows: readonly GrepRow[];
  readonly matches: number;
}

/** Also `(?i)…` and `/…/i`, as other languages write it. */
export function patternOf(grep: string): RegExp | ToolRefusal {
  const slashed = /^\/(.+)\/([a-z]*)$/s.exec(grep);
  const source = (slashed?.[1] ?? grep).replace(/^\(\?i\)/, "");
  const isInsensitive = slashed?.[2]?.includes("i") || grep.startsWith("(?i)");
  try {
    if (grep.length <= PATTERN_CHARS) return new RegExp(source, isInsensitive ? "gi" : "g");
    return badPattern(grep, `it is longer than ${PATTERN_CHARS} characters`);
  } catch (error) {
    return badPattern(grep, error instanceof Error ? error.message : String(error));
  }
}

/** The words of an expression that is nothing but words, in any order and case; undefined where there is more to it. */
export function wordsPattern(grep: string): RegExp | undefined {
  const words = grep
    .replace(/^\(\?i\)/, "")
    .split(/\s+/)
    .filter((word) => word !== "");
  return words.length > 0 && words.every((word) => /^[\p{L}\p{N}_-]+$/u.test(word))
    ? new RegExp(words.join("|"), "gi")
    : undefined;
}

/**
 * Where not all rows fit, those that match in most ways, as many as fit; in the order of the original. Where all match
 * alike, the first ones.
 */
export function tellingRows(
  rows: readonly GrepRow[],
  fits: (rows: readonly GrepRow[]) => boolean,
): readonly GrepRow[] {
  const ranked = rows
    .map((row, index) => ({ row, index }))
    .sort((a, b) => b.row.ways - a.row.ways || a.index - b.index);
  const inOrder = (count: number) =>
    ranked
      .slice(0, count)
      .sort((a, b) => a.index - b.index)
      .map(({ row }) => row);
  return inOrder(mostThatFits(rows.length, (count) => fits(inOrder(count))));
}

function badPattern(grep: string, because: string): ToolRefusal {
  return new ToolRefusal(
    "bad-input",
    `grep must be a JavaScript regular expression, matched line by line; ${JSON.stringify(grep.slice(0, 80))} is not: ${because}. Escape ( ) [ ] { } . * + ? with a backslash to find them as they are.`,
    { field: "grep" },
  );
}

export function grepLines(
  lines: Lines,
  pattern: RegExp,
  range: { readonly from: number; readonly to: number },
): Grepped | ToolRefusal {
  try {
    const run = () => search(lines, pattern, range);
    // The context holds nothing but the function; what it returns is ours.
    return runInNewContext("run()", { run }, { timeout: WATCHDOG_MS }) as Grepped;
  } catch (error) {
    if (!isWatchdog(error)) throw error;
    return new ToolRefusal(
      "bad-input",
      `grep was stopped after ${WATCHDOG_MS} ms: the expression takes too long on this original. Use plain words, or no repetition inside a repetition, or narrow it with lines.`,
      { field: "grep" },
    );
  }
}

/** By its code alone: the error may be of the other context, and no Error of ours. */
function isWatchdog(error: unknown): boolean {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}

function search(lines: Lines, pattern: RegExp, { from, to }: { from: number; to: number }): Grepped {
  const rows: GrepRow[] = [];
  let matches = 0;
  for (let line = from; line <= to; line += 1) {
    const text = lineOf(lines, line);
    // `$` means the end of the line, not the "\r" that Windows puts there.
    const seen = text.endsWith("\r") ? text.slice(0, -1) : text;
    pattern.lastIndex = 0;
    if (seen.length > LINE_CHARS) matches += searchLong(seen, line, { pattern, rows });
    else if (pattern.test(seen)) {
      matches += 1;
      const ways = waysIn(seen, pattern);
      if (rows.length < (ways > 1 ? 2 * MOST_SHOWN : MOST_SHOWN)) rows.push({ line, text, matches: 1, ways });
    }
  }
  return { rows, matches };
}

function waysIn(text: string, pattern: RegExp): number {
  pattern.lastIndex = 0;
  return new Set([...text.matchAll(pattern)].map(([found]) => found.toLowerCase())).size;
}

/** In a long line each match counts, and is shown with what stands around it; those close together are shown together. */
function searchLong(
  text: string,
  line: number,
  { pattern, rows }: { readonly pattern: RegExp; readonly rows: GrepRow[] },
): number {
  let matches = 0;
  let shownTo = -1;
  for (const { index } of text.matchAll(pattern)) {
    matches += 1;
    const last = rows.at(-1);
    if (index < shownTo && last) rows[rows.length - 1] = { ...last, matches: last.matches + 1 };
    else if (rows.length < MOST_SHOWN) {
      const start = wholeCharacters(text, Math.max(0, index - AROUND_CHARS));
      shownTo = wholeCharacters(text, Math.min(text.length, index + AROUND_CHARS));
      const shown = text.slice(start, shownTo);
      rows.push({ line, char: start + 1, text: shown, matches: 1, ways: waysIn(shown, pattern) });
    }
  }
  return matches;
}
