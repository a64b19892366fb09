/**
 * What words are made of. Each character has a class; a table says what a class means after what came before, so that
 * reading a word costs two look-ups a character whatever is asked about it: every line of what folds is read.
 */

export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 4;
export const UNDER = 8;
export const DOT = 16;
export const COLON = 32;
export const SLASH = 64;
export const DASH = 128;
export const SIGN = 256;
/** Not ASCII: letters of all scripts, dashes and arrows alike. */
export const FAR = 512;
/** What two or three of them in a row make: `aB`, `a_b`, `--`. */
export const HUMP = 1024;
export const JOINED = 2048;
export const DASHES = 4096;
/** A capital that is not the first character; something behind a stop or a colon. */
export const LATE = 8192;
export const INNER = 16_384;

export const MARK: number = DOT | COLON;
export const LETTER_OR_DIGIT: number = LOWER | UPPER | DIGIT;

const BITS = [0, LOWER, UPPER, DIGIT, UNDER, DOT, COLON, SLASH, DASH, SIGN, FAR] as const;
const FAR_CLASS = 10;
const CLASS_OF: Uint8Array = classTable();

function classTable(): Uint8Array {
  const table = new Uint8Array(128);
  const spelled = [
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789",
    "_",
    ".",
    ":",
    "/",
    "-",
    "$@#~%+",
  ];
  for (const [index, chars] of spelled.entries())
    for (let at = 0; at < chars.length; at += 1) table[chars.charCodeAt(at)] = index + 1;
  return table;
}

/** 0 for a character that is in no word. */
export function classOf(code: number): number {
  return code < 128 ? (CLASS_OF[code] as number) : FAR_CLASS;
}

export function bitOf(code: number): number {
  return BITS[classOf(code)] as number;
}

/** States: nothing yet, the classes as numbered, and an underscore behind a letter or digit; each by where its row begins. */
export const START = 0;
const UNDER_BEHIND = 11;
const ROW = 16;
const STATE_SHIFT = 16;

const STEPS: Int32Array = stepTable();

function stepTable(): Int32Array {
  const table = new Int32Array(12 * ROW);
  for (let state = 0; state < 12; state += 1)
    for (let kind = 1; kind <= FAR_CLASS; kind += 1) {
      const bit = BITS[kind] as number;
      const before = state === UNDER_BEHIND ? UNDER : (BITS[state] as number);
      const isBehind = bit === UNDER && (before & LETTER_OR_DIGIT) !== 0;
      const next = isBehind ? UNDER_BEHIND : kind;
      table[state * ROW + kind] = bit | madeWith(state, before, bit) | ((next * ROW) << STATE_SHIFT);
    }
  return table;
}

function madeWith(state: number, before: number, bit: number): number {
  const isHump = bit === UPPER && (before & (LOWER | DIGIT)) !== 0;
  const isJoined = state === UNDER_BEHIND && (bit & LETTER_OR_DIGIT) !== 0;
  const isDashes = bit === DASH && before === DASH;
  const isLate = bit === UPPER && state !== START;
  const isInner = (before & MARK) !== 0;
  return (
    (isHump ? HUMP : 0) |
    (isJoined ? JOINED : 0) |
    (isDashes ? DASHES : 0) |
    (isLate ? LATE : 0) |
    (isInner ? INNER : 0)
  );
}

/** What a character of this class adds to the bits, and above them the next state. */
export function stepOf(state: number, kind: number): number {
  return STEPS[state + kind] as number;
}

export function stateAfter(step: number): number {
  return step >> STATE_SHIFT;
}

/** Bits of a word alone. */
export const ALL_BITS = 0x7fff;
