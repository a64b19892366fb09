/**
 * What a line is like, whatever its values are: two lines of one shape say the same of two things. A shape is a number, of
 * 32 bits: that two are taken for one costs a line that is not quoted, once in ten thousand pages.
 */

/** The words without their numbers, capitals for small letters; 0 where it has none to leave out. */
export function withoutNumbers(text: string): number {
  let shape = 7;
  let isNumbered = false;
  for (let at = 0; at < text.length; ) {
    const end = numberEnd(text, at);
    const code = end > at ? NUMBER : smallOf(text.charCodeAt(at));
    shape = (Math.imul(shape, 65_599) + code) | 0;
    if (end > at) isNumbered = true;
    at = end > at ? end : at + 1;
  }
  return isNumbered ? shape || 1 : 0;
}

/** No character has it. */
const NUMBER = 0x10000;

/** Where a number that begins here ends: `1,204`, `3.5`, but neither `v3` nor `3ms`; `at` where none begins. */
function numberEnd(text: string, at: number): number {
  if (!isDigit(text.charCodeAt(at))) return at;
  const before = at === 0 ? 0 : text.charCodeAt(at - 1);
  if (before === DOT || isWordly(before)) return at;
  let end = at + 1;
  for (let code = text.charCodeAt(end); isDigit(code) || code === DOT || code === COMMA; )
    code = text.charCodeAt(++end);
  while (end > at && isWordly(text.charCodeAt(end))) end -= 1;
  return end;
}

const DOT = 0x2e;
const COMMA = 0x2c;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isWordly(code: number): boolean {
  const small = code | 0x20;
  return (small >= 0x61 && small <= 0x7a) || isDigit(code) || code === 0x5f;
}

/**
 * Lines that differ in nothing but values: words with a number in them, what is quoted behind a colon, hashes, keys.
 * @param place where that matters; no line is like one of another place then
 */
export function kindOf(text: string, place = -1): number {
  const bare = text.includes('"') && text.includes(":") ? text.replaceAll(/(:\s*)"[^"]*"/g, '$1"') : text;
  return shapeOf(bare, { from: place + 2, isLeftOut: isValue });
}

/** Lines under one heading that differ in names and paths too. */
export function lookOf(text: string, place: number): number {
  return shapeOf(text, { from: -2 - place, isLeftOut: isThing });
}

interface Shaping {
  readonly from: number;
  readonly isLeftOut: (text: string, from: number, end: number) => boolean;
}

function shapeOf(text: string, { from, isLeftOut }: Shaping): number {
  let shape = from;
  for (let at = 0; at < text.length; ) {
    const end = wordEnd(text, at);
    const stop = isLeftOut(text, at, end) ? at : end;
    for (let index = at; index <= stop; index += 1) {
      const code = stop < end ? NUMBER : index < end ? text.charCodeAt(index) : SPACE;
      shape = (Math.imul(shape, 65_599) + code) | 0;
    }
    at = end + 1;
  }
  return shape || 1;
}

const SPACE = 0x20;

function wordEnd(text: string, from: number): number {
  const end = text.indexOf(" ", from);
  return end < 0 ? text.length : end;
}

/**
 * Lines of one listing begin alike: with a place in a file, a path, a number, a key, a bullet. 0 for a line that begins with
 * a plain word.
 */
export function headOf(text: string): number {
  const end = wordEnd(text, 0);
  const first = text.charCodeAt(0);
  if (isThing(text, 0, end)) return 1;
  return isWordly(first) ? 0 : first;
}

/** A word that is neither letters, small behind the first, nor signs alone. */
function isThing(text: string, from: number, end: number): boolean {
  let isLater = false;
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (isDigit(code) || code === 0x5f || code === 0x2f) return true;
    if (code === 0x2e && at + 1 < end) return true;
    if (isLater && code >= 0x41 && code <= 0x5a) return true;
    isLater = code >= 0x61 && code <= 0x7a;
  }
  return false;
}

/** A word with a digit, or twelve letters of base 64. */
function isValue(text: string, from: number, end: number): boolean {
  let letters = 0;
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) return true;
    const small = code | 0x20;
    if ((small >= 0x61 && small <= 0x7a) || code === 0x2b || code === 0x2f || code === 0x3d) letters += 1;
  }
  return letters === KEY_CHARS && end - from === KEY_CHARS;
}

const KEY_CHARS = 12;

function smallOf(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
}
