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
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    const what = error instanceof Error ? (error.message.split(". ")[0] ?? error.message) : String(error);
    throw usageError(`${what}.`, command);
  }
}

export function usageError(what: string, command: string): PalimpsestError {
  return new PalimpsestError("usage", `${what} "palimpsest ${command} --help" shows how.`);
}

/** A whole number as people write it: `50000`, `50,000`, `50k`, `1m`. */
export function wholeNumber(text: string, option: string, command: string): number {
  const [, digits = "", unit = ""] = /^(\d[\d,_]*(?:\.\d+)?)([km]?)$/i.exec(text.trim()) ?? [];
  const value = Number(digits.replaceAll(/[,_]/g, "")) * (UNITS[unit.toLowerCase()] ?? 1);
  if (digits !== "" && Number.isInteger(value)) return value;
  throw usageError(`${option} takes a whole number; "${text}" is none.`, command);
}

const UNITS: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };
