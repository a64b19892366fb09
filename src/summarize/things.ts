/**
 * The exact things of a line: what has to be spelled right to be of use, and cannot be guessed. Paths, names spelled like
 * code, numbers that say something, hashes, versions, addresses, issues, flags. Plain words are not things; but a thing
 * without a plain word beside it says nothing, so they are counted.
 *
 * One pass over the characters of each word, because every line of what folds is read. It notes what the word is made
 * of; most words are then told by that alone, and only the rest is looked at with patterns.
 */
export type ThingKind = "name" | "path" | "number" | "hash" | "url" | "flag" | "issue";

export interface Thing {
  readonly kind: ThingKind;
  /** A path is known by its last part: it is written with and without its folders. */
  readonly text: string;
}

export interface Scan {
  readonly things: readonly Thing[];
  /** Different plain words. */
  readonly words: number;
}

export function scan(line: string): Scan {
  const found: Found = { things: [], words: [] };
  for (let at = 0; at < line.length; ) {
    if (madeOf(line.charCodeAt(at)) === 0) at += 1;
    else at = readWord(line, at, found);
  }
  return { things: found.things, words: found.words.length };
}

/** What a character of a word is; a character that is in no word has none. */
const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const UNDER = 8;
const DOT = 16;
const COLON = 32;
const SLASH = 64;
const DASH = 128;
const SIGN = 256;
/** Not ASCII: letters of all scripts, dashes and arrows alike. */
const FAR = 512;
/** What two or three of them in a row make: `aB`, `a_b`, `--`. */
const HUMP = 1024;
const JOINED = 2048;
const DASHES = 4096;

const MARK: number = DOT | COLON;
const LETTER_OR_DIGIT: number = LOWER | UPPER | DIGIT;
const MADE_OF: Uint16Array = madeOfTable();

function madeOfTable(): Uint16Array {
  const table = new Uint16Array(128);
  const mark = (letters: string, bit: number) => {
    for (let index = 0; index < letters.length; index += 1) table[letters.charCodeAt(index)] = bit;
  };
  mark("abcdefghijklmnopqrstuvwxyz", LOWER);
  mark("ABCDEFGHIJKLMNOPQRSTUVWXYZ", UPPER);
  mark("0123456789", DIGIT);
  mark("_", UNDER);
  mark(".", DOT);
  mark(":", COLON);
  mark("/", SLASH);
  mark("-", DASH);
  mark("$@#~%+", SIGN);
  return table;
}

function madeOf(code: number): number {
  return code < 128 ? (MADE_OF[code] as number) : FAR;
}

interface Found {
  readonly things: Thing[];
  readonly words: string[];
}

/** The word that begins here, put where it belongs; answers where it ends. */
function readWord(line: string, from: number, found: Found): number {
  let at = from;
  let bits = 0;
  let marks = 0;
  let lastUpper = from;
  let before = 0;
  let last = 0;
  for (; at < line.length; at += 1) {
    const bit = madeOf(line.charCodeAt(at));
    if (bit === 0) break;
    bits |= bit | joint(before, last, bit);
    if (bit === UPPER) lastUpper = at;
    else if ((bit & MARK) !== 0) marks += 1;
    before = last;
    last = bit;
  }
  if (at - from > MAX_CHARS) return at;
  // One stop or colon at the end belongs to the sentence.
  const isMarked = marks === 1 && (last & MARK) !== 0;
  const core = isMarked ? bits & ~MARK : bits;
  const isPlain = (core & ~UPPER) === LOWER || (core & ~UPPER) === FAR;
  if (isPlain && lastUpper === from) noteWord(line.slice(from, at), found.words);
  else if (mayHoldThings(core)) noteThings(line.slice(from, isMarked ? at - 1 : at), core, found.things);
  return at;
}

/** What a character makes with the two before it: `aB`, `a_b`, `--`. */
function joint(before: number, last: number, bit: number): number {
  if (bit === UPPER && (last & (LOWER | DIGIT)) !== 0) return HUMP;
  if (last === UNDER) return (before & LETTER_OR_DIGIT) !== 0 && (bit & LETTER_OR_DIGIT) !== 0 ? JOINED : 0;
  return bit === DASH && last === DASH ? DASHES : 0;
}

/** Longer is data: a key, an image, a line of a minified file. */
const MAX_CHARS = 160;

function noteWord(word: string, words: string[]): void {
  if (word.length < 4 || words.length === ENOUGH_WORDS) return;
  const small = word.toLowerCase();
  if (!SYNTAX.has(small) && !words.includes(small)) words.push(small);
}

/** Nobody asks whether there are more. */
const ENOUGH_WORDS = 4;

/** Words of programming languages stand beside everything, and tell nothing of it. */
const SYNTAX = new Set(
  "const return function func import export from await async this true false null none undefined string number boolean void else case break default class interface type public private static self struct package with error when then that have will would should".split(
    " ",
  ),
);

/** Names need a hump or an underscore; numbers, issues and hashes a digit; files a dot; flags and addresses their signs. */
function mayHoldThings(core: number): boolean {
  const isAddress = (core & SLASH) !== 0 && (core & COLON) !== 0;
  return (core & (HUMP | JOINED | DIGIT | DOT | DASHES)) !== 0 || isAddress;
}

/** Told by what the word is made of; `core` without the mark at its end. */
function noteThings(chunk: string, core: number, things: Thing[]): void {
  if (core === DIGIT) {
    if (chunk.length >= 3) note(things, "number", chunk);
  } else if ((core & ~(LETTER_OR_DIGIT | UNDER | HUMP | JOINED)) === 0 && isWordOfLetters(chunk, core)) {
    if ((core & (HUMP | JOINED)) !== 0 && chunk.length >= 4) note(things, "name", chunk);
  } else noteThingsIn(chunk, things);
}

/** Neither a number, nor a version, nor a hash. */
function isWordOfLetters(chunk: string, core: number): boolean {
  return (core & DIGIT) === 0 || ((core & (UPPER | UNDER)) !== 0 && !isNumeric(chunk));
}

/** `12`, `v2` */
function isNumeric(text: string): boolean {
  const first = text.charCodeAt(0);
  return isDigit(first === SMALL_V ? text.charCodeAt(1) : first);
}

const SMALL_V = 0x76;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Once each, in the order they stand; of two readings of the same letters the later holds. */
function note(things: Thing[], kind: ThingKind, text: string): void {
  for (let at = 0; at < things.length; at += 1)
    if (things[at]?.text === text) {
      things[at] = { kind, text };
      return;
    }
  things.push({ kind, text });
}

function noteThingsIn(chunk: string, things: Thing[]): void {
  const text = trimmed(chunk);
  if (text.includes(":")) {
    if (text.includes("://")) note(things, "url", text);
    else for (const piece of text.split(":")) noteThingsIn(piece, things);
  } else if (text.startsWith("--")) {
    if (/^--[a-z][\w-]+$/.test(text)) note(things, "flag", text);
  } else if (text.includes("/")) notePath(text, things);
  else if (ISSUE.test(text)) note(things, "issue", text);
  else if (text.length >= 7 && HASH.test(text) && /\d/.test(text) && /[a-f]/.test(text))
    note(things, "hash", text);
  else if (isNumeric(text)) noteNumber(text, things);
  else if (text.includes(".") && BARE_FILE.test(text)) note(things, "path", text);
  else noteNames(text, things);
}

/** Without the signs around it; `--flag` and `.file` keep theirs. */
function trimmed(chunk: string): string {
  let end = chunk.length;
  while (end > 0 && isSignAfter(chunk.charCodeAt(end - 1))) end -= 1;
  if (end === 0) return "";
  let start = 0;
  while (isSignBefore(chunk.charCodeAt(start))) start += 1;
  const isKept = start === 1 ? chunk.startsWith(".") : chunk.startsWith("--", start - 2);
  return chunk.slice(isKept || madeOf(chunk.charCodeAt(start)) === FAR ? 0 : start, end);
}

/** `.:+~@#%$-` */
function isSignAfter(code: number): boolean {
  return (madeOf(code) & (MARK | DASH | SIGN)) !== 0;
}

/** `.:+~@%-` */
function isSignBefore(code: number): boolean {
  return code !== 0x23 && code !== 0x24 && isSignAfter(code);
}

const ISSUE = /^(?:#\d{1,6}|[A-Z][A-Z\d]{1,9}-\d{1,6})$/;
const HASH = /^(?:[\da-f]{7,40}|[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12})$/;
/** With a folder before it anything with an ending is a file; alone it must be one that no field of code is called by. */
const FILE = /^\.?[\w@+-][\w@.+-]*\.[a-z][a-z\d]{0,6}$/i;
const BARE_FILE =
  /^\.?[\w@+-][\w@.+-]*\.(?:[cm]?[jt]sx?|jsonc?|jsonl|mdx?|go|py|rs|rb|java|kt|[ch]|cc|cpp|hpp|cs|php|sh|ya?ml|toml|ini|cfg|conf|env|lock|txt|log|csv|sql|html|s?css|svg|png|jpg|pdf|xml|proto|tf|vue|svelte|swift|scala|lua|exs?|nix|gradle|mod|sum|rst|ipynb|patch|diff|snap)$/;

function notePath(text: string, things: Thing[]): void {
  const base = text.slice(text.lastIndexOf("/") + 1);
  if (FILE.test(base)) note(things, "path", base);
  noteNames(text, things);
}

/** `7` is everywhere; three digits, a fraction or a unit say something. */
function noteNumber(text: string, things: Thing[]): void {
  const number = /^v?(\d+(?:[.,_]\d+)*)([A-Za-z]*)$/.exec(text);
  if (!number) {
    if (isName(text)) note(things, "name", text);
    return;
  }
  const [, value = "", unit = ""] = number;
  const digits = value.replaceAll(/\D/g, "").length;
  const isTelling = digits >= 3 || digits < value.length || (unit !== "" && unit.length <= 3);
  if (isTelling) note(things, "number", value);
}

function noteNames(text: string, things: Thing[]): void {
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (at < text.length && isWordly(text.charCodeAt(at))) continue;
    if (at - start >= 4 && isName(text.slice(start, at))) note(things, "name", text.slice(start, at));
    start = at + 1;
  }
}

/** A letter, a digit, `_` or `$`. */
function isWordly(code: number): boolean {
  return code === 0x24 || (madeOf(code) & (LETTER_OR_DIGIT | UNDER)) !== 0;
}

/** Humps or underscores: a word anyone would write is no name. */
function isName(text: string): boolean {
  return text.length >= 4 && /[a-z\d][A-Z]|[A-Za-z\d]_[A-Za-z\d]/.test(text);
}
