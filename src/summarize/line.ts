/**
 * Lines of a summary. Whatever a source says becomes one line without control characters, and words that are not ours
 * stand in quotes: so tool output cannot end a line, open a section or pass for an instruction, and grounding can find
 * every borrowed word again.
 */
import type { SummaryLine } from "../plan/summary.ts";
import type { Part } from "../transcript/message.ts";
import { type Ref, refOf } from "../transcript/ref.ts";

/** One line, at most `chars` long, without escape sequences and half characters; a cut is shown by `…`. */
export function oneLine(text: string, chars = 300): string {
  if (text.length <= chars && !/[\u0000-\u001f\u007f]| {2}/.test(text) && !UNUSUAL.test(text))
    return text.trim();
  const bare = text
    .slice(0, chars * 3 + 200)
    .replaceAll(/\u001b(\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(\u0007|\u001b\\)?|[@-Z\\-_])/g, "");
  const line = flat(bare).trim();
  if (line.length <= chars) return text.length > chars * 3 + 200 ? `${line}…` : line;
  return `${cutAt(line, chars - 1)}…`;
}

/** Neither ASCII nor Latin letters, nor the quotes, dashes and arrows that our own lines are full of. */
const UNUSUAL = /[^\u0000-\u007f\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u2bff]/;

/**
 * White space and what cannot be seen becomes one space. Most text holds nothing unusual, for which the short class is eight
 * times as fast; the spaces between words stay as they are, so only what changes is put in anew.
 */
export function flat(text: string): string {
  if (!UNUSUAL.test(text))
    return text.replaceAll(/ ?[\u0000-\u001f\u007f][\u0000-\u0020\u007f]*| {2}[\u0000-\u0020\u007f]*/g, " ");
  return text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").replaceAll(/\p{Cs}/gu, "\ufffd");
}

/** Never through a surrogate pair, and at a word's end where one is near. */
function cutAt(line: string, chars: number): string {
  const end = /[\ud800-\udbff]/.test(line[chars - 1] ?? "") ? chars - 1 : chars;
  const space = line.lastIndexOf(" ", end);
  return line.slice(0, space > end - 24 ? space : end).trimEnd();
}

/** In the first quotes that it does not itself contain; code quotes where it is code or output. */
export function quoted(text: string, chars?: number): string {
  const line = oneLine(text, chars);
  if (!line.includes("`")) return `\`${line}\``;
  return said(line, chars);
}

/** Someone's words. */
export function said(text: string, chars?: number): string {
  const line = oneLine(text, chars);
  if (!line.includes('"')) return `"${line}"`;
  if (!/[“”]/.test(line)) return `“${line}”`;
  return `"${line.replaceAll('"', "'")}"`;
}

/** More refs than this do not help to find the place, and each costs about ten tokens. */
const MAX_REFS = 3;

export interface LineOptions {
  readonly about?: string | undefined;
  /** How many of the parts are named; the others are evidence only. */
  readonly maxRefs?: number;
}

/** `parts`: where it came from, the one to look at first in front. */
export function lineOf(
  text: string,
  parts: readonly (Part | undefined)[],
  options: LineOptions = {},
): SummaryLine {
  const { about, maxRefs = MAX_REFS } = options;
  const all = [...new Set(parts.flatMap((part) => (part ? [refOf(part)] : [])))];
  const line = { text, refs: all.slice(0, maxRefs), ...(about === undefined ? {} : { about }) };
  evidence.set(line, all);
  return line;
}

/** All refs a line was made from, where we made it: grounding then looks there, and need not look everywhere. */
export function evidenceOf(line: SummaryLine): readonly Ref[] {
  return evidence.get(line) ?? line.refs;
}

const evidence = new WeakMap<SummaryLine, readonly Ref[]>();

export function unionOfRefs(...lists: readonly (readonly Ref[])[]): readonly Ref[] {
  return [...new Set(lists.flat())].slice(0, MAX_REFS);
}
