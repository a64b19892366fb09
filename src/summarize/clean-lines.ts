/**
 * The patterns by which a line is cleaned, judged and cut that is not plain, or of which one look does not tell. `lines.ts`
 * says when they are asked: they take ten times as long as the look.
 */
import { flat } from "./line.ts";
import { ENDLESS, FAR, LETTER, UNDER } from "./line-look.ts";

export const MAX_CHARS = 220;
/** No line that can be quoted is shorter. */
export const MIN_CHARS = 6;

/** A line of any characters without its control sequences, its number and its blanks. */
export function cleanLine(raw: string): string {
  const bare = raw.includes("\u001b") ? raw.replaceAll(/\u001b\[[0-?]*[ -/]*[@-~]/g, "") : raw;
  return flat(bare).replace(LISTING, "").trim();
}

/** `   12→`, `12\t` (now a blank), `  12 |`. */
const LISTING = /^\s*\d{1,6}(?:→|: ?(?=\s)|\s?[|│]\s?| {1,2}(?=\S))/;
/** No letters; only a tag; a rule or a bar; a stub or a ref, which only we may write; something without a gap that no one reads. */
const NOISE =
  /^[^\p{L}]*$|^<\/?[\w-]+>$|[█▓▒░━─═]{4,}|[⟦⟧]|\bref_[0-9a-z]{12}\b|^<system-reminder>|[^\s,;(){}[\]"'`]{120,}/u;
const TAG = /^<\/?[\w-]+>$|^<system-reminder>/;
const REF = /\bref_[0-9a-z]{12}\b/;

/** @param made what a look at it told */
export function isNoise(text: string, made: number): boolean {
  if ((made & FAR) !== 0) return NOISE.test(text);
  if ((made & ENDLESS) !== 0 || ((made & LETTER) === 0 && !/\p{L}/u.test(text))) return true;
  return (text.startsWith("<") && TAG.test(text)) || ((made & UNDER) !== 0 && REF.test(text));
}

/** At the ends of sentences where it is prose, else where words end; never inside a word. One by one: few are looked at. */
export function* piecesOf(line: string, isProse: boolean): Generator<string> {
  if (line.length <= MAX_CHARS) {
    yield line;
    return;
  }
  const parts = isProse ? line.split(/(?<=[.!?:;])\s+(?=\S)/) : [line];
  for (const part of parts) {
    for (let from = 0; from < part.length; ) {
      const end = part.length - from <= MAX_CHARS ? part.length : endOfPiece(part, from);
      yield part.slice(from, end).trim();
      from = end;
    }
  }
}

function endOfPiece(line: string, from: number): number {
  const limit = from + MAX_CHARS;
  for (let at = limit; at > from + MAX_CHARS / 2; at -= 1)
    if (/[\s,;{}()[\]]/.test(line.charAt(at))) return at;
  // A word longer than a piece: what is beyond it cannot be cut here.
  const next = line.slice(limit).search(/[\s,;{}()[\]]/);
  return next < 0 ? line.length : limit + next;
}
