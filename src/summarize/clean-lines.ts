/**
 * The lines of a text that can be quoted: without control sequences, without the line numbers a reader put before them,
 * none longer than a sentence, no data nobody reads (keys, images, rules, progress bars). What is left of a line is a
 * piece of it, letter for letter; only white space is made one blank.
 */
import { flat } from "./line.ts";

const MAX_CHARS = 220;
const MIN_CHARS = 6;
const MAX_PIECES = 12;
/** Of a longer text its two ends: a log of megabytes is not read whole for a few lines. */
const END_CHARS = 80_000;

export function quotableLines(text: string, isProse = false): readonly string[] {
  const found: string[] = [];
  for (const raw of endsOf(text).split(/\r\n?|\n/)) {
    const line = cleanLine(raw);
    if (line === undefined) continue;
    if (line.length <= MAX_CHARS) found.push(line);
    else found.push(...piecesOf(line, isProse));
  }
  return found;
}

function endsOf(text: string): string {
  return text.length <= 2 * END_CHARS ? text : `${text.slice(0, END_CHARS)}\n${text.slice(-END_CHARS)}`;
}

export function cleanLine(raw: string): string | undefined {
  const bare = raw.includes("\u001b") ? raw.replaceAll(/\u001b\[[0-?]*[ -/]*[@-~]/g, "") : raw;
  const line = /[^ -~]| {2}/.test(bare) ? flat(bare) : bare;
  const text = line.replace(LISTING, "").trim();
  return text.length < MIN_CHARS || NOISE.test(text) ? undefined : text;
}

/** `   12→`, `12\t` (now a blank), `  12 |`. */
const LISTING = /^\s*\d{1,6}(?:→|: ?(?=\s)|\s?[|│]\s?| {1,2}(?=\S))/;
/** No letters; only a tag; a rule or a bar; a stub or a ref, which only we may write; something without a gap that no one reads. */
const NOISE =
  /^[^\p{L}]*$|^<\/?[\w-]+>$|[█▓▒░━─═]{4,}|[⟦⟧]|\bref_[0-9a-z]{12}\b|^<system-reminder>|[^\s,;(){}[\]"'`]{120,}/u;

/** At the ends of sentences where it is prose, else where words end; never inside a word. */
function piecesOf(line: string, isProse: boolean): readonly string[] {
  const parts = isProse ? line.split(/(?<=[.!?:;])\s+(?=\S)/) : [line];
  const pieces: string[] = [];
  for (const part of parts) {
    for (let from = 0; from < part.length && pieces.length < MAX_PIECES; ) {
      const end = part.length - from <= MAX_CHARS ? part.length : endOfPiece(part, from);
      const piece = part.slice(from, end).trim();
      if (piece.length >= MIN_CHARS && !NOISE.test(piece)) pieces.push(piece);
      from = end;
    }
  }
  return pieces;
}

function endOfPiece(line: string, from: number): number {
  const limit = from + MAX_CHARS;
  for (let at = limit; at > from + MAX_CHARS / 2; at -= 1)
    if (/[\s,;{}()[\]]/.test(line.charAt(at))) return at;
  // A word longer than a piece: what is beyond it cannot be cut here.
  const next = line.slice(limit).search(/[\s,;{}()[\]]/);
  return next < 0 ? line.length : limit + next;
}
