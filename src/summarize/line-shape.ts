/**
 * What a line is like, whatever its values are: two lines of one shape say the same of two things. A shape is a number, of
 * 32 bits: that two are taken for one costs a line that is not quoted, once in ten thousand pages.
 */
import { codeAt } from "../transcript/code-at.ts";
import { Units } from "../transcript/units.ts";
import {
  bitOf,
  classOf,
  DIGIT,
  DOT,
  HUMP,
  INNER,
  LETTER_OR_DIGIT,
  SLASH,
  START,
  stateAfter,
  stepOf,
  UNDER,
  UPPER,
} from "./word-bits.ts";

/** The words without their numbers, capitals for small letters; 0 where it has none to leave out. */
export function withoutNumbers(text: string): number {
  const units = lineUnits.of(text);
  const { length } = text;
  let shape = 7;
  let isNumbered = false;
  // Of the character before: what no number stands directly behind.
  let isBound = false;
  for (let at = 0; at < length; at += 1) {
    const code = units[at] as number;
    const bit = bitOf(code);
    const end = bit === DIGIT && !isBound ? numberEnd(units, at, length) : at;
    if (end > at) {
      isNumbered = true;
      isBound = isWordly(units[end - 1] as number);
      at = end - 1;
      shape = (Math.imul(shape, 65_599) + NUMBER) | 0;
    } else {
      isBound = (bit & BINDING) !== 0;
      shape = (Math.imul(shape, 65_599) + (bit === UPPER ? code | SMALL : code)) | 0;
    }
  }
  return isNumbered ? shape || 1 : 0;
}

/** Of one line, and read before the next. */
const lineUnits = new Units();

/** The bit that makes an ASCII letter small. */
const SMALL = 0x20;

/** What no number begins behind. */
const BINDING: number = LETTER_OR_DIGIT | UNDER | DOT;

/** No character has it. */
const NUMBER = 0x10000;

/** Where the number that begins here ends: `1,204`, `3.5`, but not the 3 of `3ms`; `at` where it is none. */
function numberEnd(units: Uint16Array, at: number, length: number): number {
  let end = at + 1;
  for (; end < length; end += 1) {
    const code = units[end] as number;
    if (!isDigit(code) && code !== STOP && code !== COMMA) break;
  }
  while (end > at && end < length && isWordly(units[end] as number)) end -= 1;
  return end;
}

const STOP = 0x2e;
const COMMA = 0x2c;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isWordly(code: number): boolean {
  const small = code | 0x20;
  return (small >= 0x61 && small <= 0x7a) || isDigit(code) || code === 0x5f;
}

export interface Shapes {
  /** The same for lines that differ in nothing but values: words with a number in them, what is quoted behind a colon. */
  readonly kind: number;
  /** The same for those that differ in names and paths too. */
  readonly look: number;
}

/** @param place no line is like one of another place; -1 where the kind is the same wherever it stands */
export function shapesOf(text: string, place: number): Shapes {
  const kind = { shape: place + 2, hash: 0, bits: 0, leftOut: DIGIT };
  const look = { shape: 1, hash: 0, bits: 0, leftOut: NAMED };
  const units = lineUnits.of(text);
  const { length } = text;
  let state = START;
  let isQuoted = false;
  let before = 0;
  for (let at = 0; at < length; at += 1) {
    const code = units[at] as number;
    const step = stepOf(state, classOf(code));
    state = stateAfter(step);
    if (code === SPACE) {
      if (!isQuoted) endWord(kind);
      endWord(look);
      continue;
    }
    if (code === QUOTE && (isQuoted || before === COLON_CODE)) isQuoted = !isQuoted;
    if (!isQuoted) readInto(kind, code, step);
    readInto(look, code, step);
    before = code;
  }
  endWord(kind);
  endWord(look);
  return { kind: kind.shape || 1, look: look.shape || 1 };
}

interface Shaping {
  shape: number;
  /** Of the word at hand: its letters, and what it is made of. */
  hash: number;
  bits: number;
  /** A word that has one of these counts as any other. */
  readonly leftOut: number;
}

function readInto(shaping: Shaping, code: number, step: number): void {
  shaping.hash = (Math.imul(shaping.hash, 65_599) + code) | 0;
  shaping.bits |= step;
}

function endWord(shaping: Shaping): void {
  const word = (shaping.bits & shaping.leftOut) === 0 ? shaping.hash : NUMBER;
  shaping.shape = (Math.imul(shaping.shape, 31) + word) | 0;
  shaping.hash = 0;
  shaping.bits = 0;
}

/** What makes a word a name, a path or a value: neither letters, small behind the first, nor signs alone. */
const NAMED: number = DIGIT | UNDER | SLASH | HUMP | INNER;

const SPACE = 0x20;
const QUOTE = 0x22;
const COLON_CODE = 0x3a;

/**
 * Lines of one listing begin alike: with a place in a file, a path, a number, a key, a bullet. 0 for a line that begins with
 * a plain word.
 */
export function headOf(text: string): number {
  const { length } = text;
  let bits = 0;
  for (let at = 0, state = START; at < length; at += 1) {
    const code = codeAt(text, at);
    if (code === SPACE) break;
    const step = stepOf(state, classOf(code));
    state = stateAfter(step);
    bits |= step;
  }
  if ((bits & NAMED) !== 0) return 1;
  const first = codeAt(text, 0);
  return isWordly(first) ? 0 : first;
}
