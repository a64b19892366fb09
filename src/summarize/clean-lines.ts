/**
 * The lines of a text that can be quoted: without control sequences, without the line numbers a reader put before them,
 * none longer than a sentence, no data nobody reads (keys, images, rules, progress bars). What is left of a line is a
 * piece of it, letter for letter; only white space is made one blank.
 *
 * Every line of what folds comes through here. One pass tells what a line is made of, and for most that is
 * enough to cut and to judge it; the patterns, ten times as slow, are for the rest.
 */
import { codeAt } from "../transcript/code-at.ts";
import { flat } from "./line.ts";

const MAX_CHARS = 220;
/** No line that can be quoted is shorter. */
export const MIN_CHARS = 6;
const MAX_PIECES = 12;
/** Of a longer text its two ends: a log of megabytes is not read whole for a few lines. */
const END_CHARS = 80_000;

export function quotableLines(text: string, isProse = false): readonly string[] {
  const found: string[] = [];
  const source = endsOf(text);
  for (let from = 0; from < source.length; ) {
    const newline = source.indexOf("\n", from);
    const next = newline < 0 ? source.length : newline;
    const end = codeAt(source, next - 1) === RETURN ? Math.max(from, next - 1) : next;
    addLine(source, from, end, { found, isProse });
    from = next + 1;
  }
  return found;
}

const RETURN = 13;

function endsOf(text: string): string {
  return text.length <= 2 * END_CHARS ? text : `${text.slice(0, END_CHARS)}\n${text.slice(-END_CHARS)}`;
}

interface Finding {
  readonly found: string[];
  readonly isProse: boolean;
}

function addLine(source: string, from: number, to: number, finding: Finding): void {
  const start = pastListing(source, from, to);
  const end = beforeBlanks(source, start, to);
  const made = madeOf(source, start, end);
  if ((made & FAR) === 0) addPlain(source.slice(start, end), made, finding);
  else
    for (const raw of source.slice(from, to).split("\r")) {
      const line = cleanLine(raw);
      if (line !== undefined) addPieces(line, finding);
    }
}

function addPlain(cut: string, made: number, finding: Finding): void {
  const line = (made & UNEVEN) === 0 ? cut : flat(cut);
  if (line.length >= MIN_CHARS && !isNoise(line, made)) addPieces(line, finding);
}

function addPieces(line: string, { found, isProse }: Finding): void {
  if (line.length <= MAX_CHARS) found.push(line);
  else found.push(...piecesOf(line, isProse));
}

/** What is in a line. `FAR`: control characters, white space other than blank and tab, what bars are drawn with, what only we write. */
const LETTER = 1;
const UNDER = 2;
const BREAK = 4;
const BLANK = 8;
const OTHER = 16;
const FAR = 32;
/** White space that is more than one blank; a run without a gap that no one reads. */
const UNEVEN = 64;
const ENDLESS = 128;
const ENDLESS_CHARS = 120;

/** Of every UTF-16 unit. Letters of other scripts are `OTHER`: whether a line without ASCII letters has any is asked then. */
function kindTable(): Uint8Array {
  const table = new Uint8Array(0x10000).fill(OTHER);
  for (const [from, to] of FAR_RANGES) table.fill(FAR, from, to + 1);
  const mark = (chars: string, kind: number) => {
    for (let index = 0; index < chars.length; index += 1) table[codeAt(chars, index)] = kind;
  };
  mark("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", LETTER);
  mark("_", UNDER);
  mark(",;(){}[]\"'`", BREAK);
  mark(" \t", BLANK);
  mark("█▓▒░━─═⟦⟧", FAR);
  return table;
}

/** Where all of Unicode's white space, control and format characters are, and the surrogates. */
const FAR_RANGES: readonly (readonly [from: number, to: number])[] = [
  [0x00, 0x1f],
  [0x7f, 0xa0],
  [0xad, 0xad],
  [0x600, 0x61c],
  [0x6dd, 0x70f],
  [0x890, 0x8e2],
  [0x1680, 0x180e],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x3000, 0x3000],
  [0xd800, 0xdfff],
  [0xfeff, 0xfeff],
  [0xfff0, 0xffff],
];

const KIND_OF: Uint8Array = kindTable();

/** Of a piece without blanks at its ends. Stops at the first character that is far. */
function madeOf(text: string, from: number, to: number): number {
  let made = 0;
  let run = 0;
  let last = 0;
  for (let at = from; at < to; at += 1) {
    const code = codeAt(text, at);
    const kind = KIND_OF[code] as number;
    made |= kind;
    if (kind === BLANK) {
      run = 0;
      if (last === BLANK || code === TAB) made |= UNEVEN;
    } else if (kind === BREAK) run = 0;
    else if (kind === FAR) return made;
    else {
      run += 1;
      if (run === ENDLESS_CHARS) made |= ENDLESS;
    }
    last = kind;
  }
  return made;
}

const TAB = 9;
const SPACE = 32;

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function pastBlanks(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(codeAt(text, at))) at += 1;
  return at;
}

function beforeBlanks(text: string, from: number, to: number): number {
  let at = to;
  while (at > from && isBlank(codeAt(text, at - 1))) at -= 1;
  return at;
}

/** Where the line begins behind its number (as `LISTING` has it) and its blanks. */
function pastListing(text: string, from: number, to: number): number {
  const start = pastBlanks(text, from, to);
  let at = start;
  while (at < to && isDigit(codeAt(text, at))) at += 1;
  const next = pastBlanks(text, at, to);
  if (at === start || at - start > MAX_NUMBER_CHARS || next === to) return start;
  const mark = codeAt(text, next);
  if (mark === BAR || mark === BOX_BAR) return pastBlanks(text, next + 1, to);
  if (next > at) return next;
  const isListed = mark === ARROW || (mark === COLON && isBlank(codeAt(text, at + 1)));
  return isListed ? pastBlanks(text, at + 1, to) : start;
}

const MAX_NUMBER_CHARS = 6;
const COLON = 0x3a;
const BAR = 0x7c;
const ARROW = 0x2192;
const BOX_BAR = 0x2502;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** The same for a line of any characters. */
function cleanLine(raw: string): string | undefined {
  const bare = raw.includes("\u001b") ? raw.replaceAll(/\u001b\[[0-?]*[ -/]*[@-~]/g, "") : raw;
  const text = flat(bare).replace(LISTING, "").trim();
  return text.length < MIN_CHARS || NOISE.test(text) ? undefined : text;
}

/** `   12→`, `12\t` (now a blank), `  12 |`. */
const LISTING = /^\s*\d{1,6}(?:→|: ?(?=\s)|\s?[|│]\s?| {1,2}(?=\S))/;
/** No letters; only a tag; a rule or a bar; a stub or a ref, which only we may write; something without a gap that no one reads. */
const NOISE =
  /^[^\p{L}]*$|^<\/?[\w-]+>$|[█▓▒░━─═]{4,}|[⟦⟧]|\bref_[0-9a-z]{12}\b|^<system-reminder>|[^\s,;(){}[\]"'`]{120,}/u;
const TAG = /^<\/?[\w-]+>$|^<system-reminder>/;
const REF = /\bref_[0-9a-z]{12}\b/;

/** `NOISE`, where it is known what the text is made of. */
function isNoise(text: string, made: number): boolean {
  if ((made & FAR) !== 0) return NOISE.test(text);
  if ((made & ENDLESS) !== 0 || ((made & LETTER) === 0 && !/\p{L}/u.test(text))) return true;
  return (text.startsWith("<") && TAG.test(text)) || ((made & UNDER) !== 0 && REF.test(text));
}

/** At the ends of sentences where it is prose, else where words end; never inside a word. */
function piecesOf(line: string, isProse: boolean): readonly string[] {
  const parts = isProse ? line.split(/(?<=[.!?:;])\s+(?=\S)/) : [line];
  const pieces: string[] = [];
  for (const part of parts) {
    for (let from = 0; from < part.length && pieces.length < MAX_PIECES; ) {
      const end = part.length - from <= MAX_CHARS ? part.length : endOfPiece(part, from);
      const piece = part.slice(from, end).trim();
      if (piece.length >= MIN_CHARS && !isNoise(piece, madeOf(piece, 0, piece.length))) pieces.push(piece);
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
