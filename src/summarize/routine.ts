/**
 * What is printed or written whatever happens: a test that passed, the step a program is at, what it made and how large,
 * the options it knows; in code, the steps inside a body. Told by the shape of the line, whatever the program or the
 * language; it counts for little beside errors, totals, declarations and names. Asked only of what would be quoted next.
 */
import type { SourceLine } from "./gathering.ts";

/** How much of its worth a line has by its shape. */
const SHARE = { passed: 0.1, routine: 0.3, everywhere: 0.1, inner: 0.5 } as const;

/** @param isEverywhere whether lines like it stand under many headings */
export function shapeShare({ text, source }: SourceLine, isEverywhere: boolean): number {
  if (!source.isOutput)
    return source.heading.section.startsWith("Files") && INNER.test(text) ? SHARE.inner : 1;
  if (isEverywhere) return isTelling(text) ? 1 : SHARE.everywhere;
  // The name of a test that passed may say "fails on an error": nothing failed.
  if (isPassed(text)) return SUM.test(text) ? 1 : SHARE.passed;
  return isRoutine(text) && !isTelling(text) ? SHARE.routine : 1;
}

function isTelling(text: string): boolean {
  return SUM.test(text) || WRONG.test(text);
}

/** `12 passed`, `3 tests`. */
const SUM = /\b\d+ (?:pass|fail|test|error|warning|problem|skip)/i;
const WRONG = /\b(?:error|fail(?:ed|ure|s)?|fatal|panic|exception|warning|denied|refused)\b/i;

/** What runs several programs at once says before each line which of them it is: `core test: `, `[api] `, `db-1 | `. */
const RUNNER = /^(?:\[[^\]]{1,40}\]|@?[A-Za-z][\w./-]{0,60}(?: [\w:-]{1,30})?\s?[:|])\s+/;
const WRONG_FIRST = /^(?:error|fail|fatal|warn)\w*:/i;

/** A mark or a word for success at one of the ends: mocha, TAP, go, pytest, cargo, ctest and bun alike. */
const PASSED_FIRST = /^(?:[✓✔√]|[([]?\s*(?:pass(?:ed)?|ok)\s*[)\]]?(?![:\w-])|-{3} pass\b)/i;
const PASSED_LAST = /(?:\bpassed|\.{3} ?ok)(?:\s*\[\s*\d+%\]|\s+[\d.]+ ?m?s(?:ec)?)?$/i;
/** `Compiling x v1.2`, `[3/10] …`; `45%` */
const STEP = /^[A-Z][a-z]+ing\b|^\[\d+\/\d+\]/;
const PERCENT = /(?:^|\s)\d{1,3}%/;
/** `-h, --help`, and `-rw-r--r--`. */
const OPTION = /^-{1,2}[A-Za-z]/;
/** `chunk.js 12.3 kB` */
const SIZED = /\b\d+(?:\.\d+)? ?(?:B|bytes|[kKMG]i?B)\b/;

/** A pattern that has to be looked for all along the line is tried only where a letter of it is there. */
function isPassed(line: string): boolean {
  if (WRONG_FIRST.test(line)) return false;
  const text = line.replace(RUNNER, "");
  if (PASSED_FIRST.test(text)) return true;
  return (text.includes("ok") || text.includes("assed") || text.includes("ASSED")) && PASSED_LAST.test(text);
}

function isRoutine(text: string): boolean {
  if (STEP.test(text) || OPTION.test(text) || isDense(text)) return true;
  if (text.includes("%") && PERCENT.test(text)) return true;
  return (text.includes("B") || text.includes("bytes")) && SIZED.test(text);
}

/** A piece out of the middle of data, or several fields in a row: it is read where it stands, or by a program. */
function isDense(text: string): boolean {
  if (/^[,}\]]/.test(text)) return true;
  return text.includes(":") && (text.match(/[\w"]"?: ?["\d[{]/g)?.length ?? 0) >= MANY_FIELDS;
}

const MANY_FIELDS = 4;

/** A step inside a body: where code goes on, branches, ends or only calls. What it declares stands on other lines. */
const INNER =
  /^(?:(?:if|else|elif|for|while|return|switch|case|try|catch|except|finally|throw|raise|await|yield|break|continue|do|end|fi|done)\b|[)}\].?:&|+<]|[\w$.!?]+\(.*[^{:]$)/;
