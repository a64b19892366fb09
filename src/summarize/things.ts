/**
 * The exact things of a line: what has to be spelled right to be of use, and cannot be guessed. Paths, names spelled like
 * code, numbers that say something, hashes, versions, addresses, issues, flags. Plain words are not things; but a thing
 * without a plain word beside it says nothing, so they are counted (`scan.ts`). When something happened is no thing: it
 * stands on every line of a log.
 */
import { codeAt } from "../transcript/code-at.ts";
import {
  bitOf,
  COLON,
  classOf,
  DASH,
  DASHES,
  DIGIT,
  DOT,
  FAR,
  HUMP,
  JOINED,
  LETTER_OR_DIGIT,
  LOWER,
  MARK,
  SIGN,
  SLASH,
  START,
  stateAfter,
  stepOf,
  UNDER,
  UPPER,
} from "./word-bits.ts";

export type ThingKind = "name" | "path" | "number" | "hash" | "url" | "flag" | "issue";

export interface Thing {
  readonly kind: ThingKind;
  /** A path is known by its last part: it is written with and without its folders. */
  readonly text: string;
  /** In the order they came up; what is known of things is kept in lists by this. */
  readonly id: number;
}

/** Every thing has one entry, whatever lines it stands in: as what it came up first, it is known. */
export class Things {
  readonly #byText = new Map<string, Thing>();

  of(kind: ThingKind, text: string): Thing {
    const known = this.#byText.get(text);
    if (known) return known;
    const thing = { kind, text, id: this.#byText.size };
    this.#byText.set(text, thing);
    return thing;
  }
}

/** The word that is looked at, and the things of its line so far. */
export interface Found {
  readonly all: Things;
  /** So many of them; behind those stand some of the lines before. */
  readonly things: Thing[];
  count: number;
  text: string;
  units: Uint16Array;
  from: number;
  end: number;
  /** What the word is made of, without the mark at its end. */
  core: number;
}

/** Told by what the word is made of. */
export function noteThings(found: Found): void {
  const { text, units, from, end, core } = found;
  if (core === DIGIT) {
    if (end - from >= 3) note(found, "number", text.slice(from, end));
  } else if (
    (core & ~(LETTER_OR_DIGIT | UNDER | HUMP | JOINED)) === 0 &&
    isWordOfLetters(units, from, core)
  ) {
    if ((core & (HUMP | JOINED)) !== 0 && end - from >= 4) note(found, "name", text.slice(from, end));
  } else noteThingsIn(text.slice(from, end), core, found);
}

/** Neither a number, nor a version, nor a hash. */
function isWordOfLetters(units: Uint16Array, from: number, core: number): boolean {
  const first = units[from] as number;
  const isNumeric = isDigit(first === SMALL_V ? (units[from + 1] as number) : first);
  return (core & DIGIT) === 0 || ((core & (UPPER | UNDER)) !== 0 && !isNumeric);
}

/** `12`, `v2` */
function isNumericAt(text: string, at: number): boolean {
  const first = codeAt(text, at);
  return isDigit(first === SMALL_V ? codeAt(text, at + 1) : first);
}

const SMALL_V = 0x76;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Once each, in the order they stand. */
function note(found: Found, kind: ThingKind, text: string): void {
  const thing = found.all.of(kind, text);
  const { things, count } = found;
  for (let at = 0; at < count; at += 1) if (things[at] === thing) return;
  things[count] = thing;
  found.count = count + 1;
}

/** `core`: what it is made of at most; a pattern is tried only where it could hold. */
function noteThingsIn(chunk: string, core: number, found: Found): void {
  const text = trimmed(chunk);
  if ((core & DASH) !== 0 && isMoment(text)) return;
  if ((core & COLON) !== 0 && text.includes(":")) {
    if (text.includes("://")) note(found, "url", text);
    else for (const piece of text.split(":")) noteThingsIn(piece, core & ~COLON, found);
  } else if ((core & DASHES) !== 0 && text.startsWith("--")) {
    if (/^--[a-z][\w-]+$/.test(text)) note(found, "flag", text);
  } else if ((core & SLASH) !== 0 && text.includes("/")) notePath(text, core, found);
  else if ((core & DIGIT) !== 0 && noteIfNumbered(text, core, found)) return;
  else if ((core & DOT) !== 0 && isBareFile(text)) note(found, "path", text);
  else if ((core & (HUMP | JOINED)) !== 0) noteNames(text, found);
}

/** `2026-02-10T05:58:44.938Z`, and a day alone. */
function isMoment(text: string): boolean {
  return codeAt(text, 4) === 0x2d && codeAt(text, 7) === 0x2d && MOMENT.test(text);
}

const MOMENT = /^\d{4}-\d\d-\d\d(?:$|[T_]\d)/;

/** An issue, a hash, a number: whether it is one of them. */
function noteIfNumbered(text: string, core: number, found: Found): boolean {
  if ((core & (SIGN | DASH)) !== 0 && ISSUE.test(text)) note(found, "issue", text);
  else if (text.length >= 7 && (core & LOWER) !== 0 && isHash(text)) note(found, "hash", text);
  else if (isNumericAt(text, 0)) noteNumber(text, found);
  else return false;
  return true;
}

function isHash(text: string): boolean {
  return HASH.test(text) && /\d/.test(text) && /[a-f]/.test(text);
}

/** Without the signs around it; `--flag` and `.file` keep theirs. */
function trimmed(chunk: string): string {
  let end = chunk.length;
  while (end > 0 && isSignAfter(codeAt(chunk, end - 1))) end -= 1;
  if (end === 0) return "";
  let start = 0;
  while (isSignBefore(codeAt(chunk, start))) start += 1;
  const isKept = start === 1 ? chunk.startsWith(".") : chunk.startsWith("--", start - 2);
  const begin = isKept || bitOf(codeAt(chunk, start)) === FAR ? 0 : start;
  return begin === 0 && end === chunk.length ? chunk : chunk.slice(begin, end);
}

/** `.:+~@#%$-` */
function isSignAfter(code: number): boolean {
  return (bitOf(code) & (MARK | DASH | SIGN)) !== 0;
}

/** `.:+~@%-` */
function isSignBefore(code: number): boolean {
  return code !== 0x23 && code !== 0x24 && isSignAfter(code);
}

const ISSUE = /^(?:#\d{1,6}|[A-Z][A-Z\d]{1,9}-\d{1,6})$/;
const HASH = /^(?:[\da-f]{7,40}|[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12})$/;
/** With a folder before it anything with an ending is a file; alone it must be one that no field of code is called by. */
const FILE = /^\.?[\w@+-][\w@.+-]*\.[a-z][a-z\d]{0,6}$/i;
const ENDINGS = new Set(
  "js jsx cjs cjsx mjs mjsx ts tsx cts ctsx mts mtsx json jsonc jsonl md mdx go py rs rb java kt c h cc cpp hpp cs php sh yaml yml toml ini cfg conf env lock txt log csv sql html css scss svg png jpg pdf xml proto tf vue svelte swift scala lua ex exs nix gradle mod sum rst ipynb patch diff snap".split(
    " ",
  ),
);

function isBareFile(text: string): boolean {
  const dot = text.lastIndexOf(".");
  return text.length - dot <= 8 && ENDINGS.has(text.slice(dot + 1)) && FILE.test(text);
}

function notePath(text: string, core: number, found: Found): void {
  const base = (core & DOT) === 0 ? "" : text.slice(text.lastIndexOf("/") + 1);
  if (base !== "" && FILE.test(base)) note(found, "path", base);
  if ((core & (HUMP | JOINED)) !== 0) noteNames(text, found);
}

/** `7` is everywhere; three digits, a fraction or a unit say something. */
function noteNumber(text: string, found: Found): void {
  const from = codeAt(text, 0) === SMALL_V ? 1 : 0;
  let digits = 0;
  let at = from;
  for (let code = codeAt(text, at); ; code = codeAt(text, at)) {
    const isDigitHere = isDigit(code);
    if (!isDigitHere && !(isBetweenDigits(code) && isDigit(codeAt(text, at + 1)))) break;
    if (isDigitHere) digits += 1;
    at += 1;
  }
  let end = at;
  while (isLetter(codeAt(text, end))) end += 1;
  if (end < text.length) {
    if (isName(text)) note(found, "name", text);
    return;
  }
  const unit = end - at;
  const isTelling = digits >= 3 || digits < at - from || (unit > 0 && unit <= 3);
  if (isTelling) note(found, "number", text.slice(from, at));
}

/** `.,_` */
function isBetweenDigits(code: number): boolean {
  return code === 0x2e || code === 0x2c || code === 0x5f;
}

function isLetter(code: number): boolean {
  return (bitOf(code) & (LOWER | UPPER)) !== 0;
}

/** Of letters, digits, `_` and `$`, with a hump or an underscore between: a word anyone would write is no name. */
function noteNames(text: string, found: Found): void {
  let start = 0;
  let steps = 0;
  let state = START;
  const { length } = text;
  for (let at = 0; at <= length; at += 1) {
    const code = at < length ? codeAt(text, at) : 0;
    if (code === DOLLAR || (bitOf(code) & (LETTER_OR_DIGIT | UNDER)) !== 0) {
      const step = stepOf(state, classOf(code));
      steps |= step;
      state = stateAfter(step);
      continue;
    }
    if ((steps & (HUMP | JOINED)) !== 0 && at - start >= 4) note(found, "name", text.slice(start, at));
    start = at + 1;
    steps = 0;
    state = START;
  }
}

const DOLLAR = 0x24;

/** Humps or underscores. */
function isName(text: string): boolean {
  return text.length >= 4 && /[a-z\d][A-Z]|[A-Za-z\d]_[A-Za-z\d]/.test(text);
}
