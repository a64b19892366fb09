/**
 * The beginning of a file, read tolerantly: cut JSON is completed as far as it goes, so that a document or a first
 * line larger than the sample still shows its keys.
 */
import { parse as parsePartial } from "partial-json";
import { type Json, parseJson } from "../transcript/json.ts";
import type { Sample } from "./wire.ts";

/** "The first few KB": Codex opens with a line of instructions of about 20 KB, whose keys come first. */
export const SAMPLE_BYTES = 16_384;

export function sampleOf(head: Uint8Array): Sample {
  const text = new TextDecoder().decode(head.subarray(0, SAMPLE_BYTES));
  const lines = text
    .split(/\r?\n/)
    .map(withoutZeros)
    .filter((line) => line.trim() !== "");
  const isLines = lines[0] !== undefined && parseJson(lines[0]) !== undefined;
  return { text, records: isLines ? recordsOf(lines) : partial(text) };
}

/** As in `source.ts`: a crash may leave them before the first record too. */
function withoutZeros(line: string): string {
  return line.startsWith("\0") ? line.replace(/^\0+/, "") : line;
}

function recordsOf(lines: readonly string[]): readonly Json[] {
  return lines.flatMap((line, index) => {
    const record = parseJson(line);
    if (record !== undefined) return [record];
    return index === lines.length - 1 ? partial(line) : [];
  });
}

function isDocumentStart(line: string): boolean {
  return /^\s*[[{]/.test(line);
}

function partial(text: string): readonly Json[] {
  if (!isDocumentStart(text)) return [];
  try {
    return [parsePartial(text)];
  } catch {
    return [];
  }
}
