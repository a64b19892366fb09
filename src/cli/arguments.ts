/** Words of a command line, or an error that says which one is wrong. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { PalimpsestError } from "../errors.ts";

export type Options = NonNullable<ParseArgsConfig["options"]>;

export type Words<T extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: T; allowPositionals: true; strict: true }>
>;

export function parseWords<T extends Options>(
  argv: readonly string[],
  options: T,
  command: string,
): Words<T> {
  try {
    return parseArgs({ args: withNegatives(argv, options), options, allowPositionals: true, strict: true });
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw usageError(inOneLine(what), command);
  }
}

/** `--lines -50` is the last fifty lines, but Node takes `-50` for options. None of ours is a digit. */
function withNegatives(argv: readonly string[], options: Options): string[] {
  const joined: string[] = [];
  for (const word of argv) {
    const before = joined.at(-1) ?? "";
    const takesIt = before.startsWith("--") && options[before.slice(2)]?.type === "string";
    if (takesIt && /^-\d/.test(word)) joined[joined.length - 1] = `${before}=${word}`;
    else joined.push(word);
  }
  return joined;
}

/** Node explains at length, over several lines; the first sentence is what is wrong. */
function inOneLine(what: string): string {
  const [first = what] = what.split(/\.\s|\n/);
  const [, option] = /^Option '(\S+).*' argument is ambiguous/.exec(first) ?? [];
  return option === undefined
    ? `${first.replace(/\.$/, "")}.`
    : `${option} needs a value, and one that begins with a dash is none.`;
}

export function usageError(what: string, command: string): PalimpsestError {
  return new PalimpsestError("usage", `${what} "palimpsest ${command} --help" shows how.`);
}

/** What an option names has to be one of ours: a wrong name is a wrong word, and is told by whoever knows the names. */
export function named<T>(find: () => T): T {
  try {
    return find();
  } catch (error) {
    throw error instanceof PalimpsestError ? new PalimpsestError("usage", error.message) : error;
  }
}

/** A whole number as people write it: `50000`, `50,000`, `50k`, `1m`. */
export function wholeNumber(text: string, option: string, command: string): number {
  const [, digits = "", unit = ""] = /^(\d[\d,_]*(?:\.\d+)?)([km]?)$/i.exec(text.trim()) ?? [];
  const value = Number(digits.replaceAll(/[,_]/g, "")) * (UNITS[unit.toLowerCase()] ?? 1);
  if (digits !== "" && Number.isInteger(value)) return value;
  throw usageError(`${option} takes a whole number; "${text}" is none.`, command);
}

/** Where nothing is none: no window and no target is of zero tokens. */
export function positiveNumber(text: string, option: string, command: string): number {
  const value = wholeNumber(text, option, command);
  if (value > 0) return value;
  throw usageError(`${option} is at least 1; ${text} is not.`, command);
}

const UNITS: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };
