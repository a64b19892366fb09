/**
 * What a line is like, whatever its values are: two lines of one shape say the same of two things. A shape is a number, of
 * 32 bits: that two are taken for one costs a line that is not quoted, once in ten thousand pages.
 */

/** The words without their numbers, capitals for small letters; 0 where it has none to leave out. */
export function withoutNumbers(text: string): number {
  let shape = 7;
  let isNumbered = false;
  // Of the character before: what no number stands directly behind.
  let isBound = false;
  for (let at = 0; at < text.length; at += 1) {
    let code = text.charCodeAt(at);
    const end = isDigit(code) && !isBound ? numberEnd(text, at) : at;
    isBound = code === DOT || isWordly(code);
    if (end > at) {
      code = NUMBER;
      isNumbered = true;
      isBound = isWordly(text.charCodeAt(end - 1));
      at = end - 1;
    }
    shape = (Math.imul(shape, 65_599) + smallOf(code)) | 0;
  }
  return isNumbered ? shape || 1 : 0;
}

/** No character has it. */
const NUMBER = 0x10000;

/** Where the number that begins here ends: `1,204`, `3.5`, but not the 3 of `3ms`; `at` where it is none. */
function numberEnd(text: string, at: number): number {
  let end = at + 1;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (!isDigit(code) && code !== DOT && code !== COMMA) break;
  }
  while (end > at && end < text.length && isWordly(text.charCodeAt(end))) end -= 1;
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
  return shapeOf(bare, place + 2, VALUE);
}

/** Lines under one heading that differ in names and paths too. */
export function lookOf(text: string, place: number): number {
  return shapeOf(text, -2 - place, THING);
}

/** What a word is besides letters: bits. */
const PLAIN = 0;
const VALUE = 1;
/** Neither letters, small behind the first, nor signs alone. */
const THING = 2;

/** Words of a kind that is left out count as one and the same. */
function shapeOf(text: string, from: number, leftOut: number): number {
  let shape = from;
  for (let at = 0; at < text.length; ) {
    const start = at;
    let hash = 0;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === SPACE) break;
      hash = (Math.imul(hash, 65_599) + code) | 0;
    }
    if ((wordKind(text, start, at) & leftOut) !== 0) hash = NUMBER;
    shape = (Math.imul(shape, 31) + hash) | 0;
    at += 1;
  }
  return shape || 1;
}

const SPACE = 0x20;

function wordKind(text: string, from: number, end: number): number {
  let letters = 0;
  let kind = PLAIN;
  let isLater = false;
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) return VALUE | THING;
    const small = code | 0x20;
    const isLetter = small >= 0x61 && small <= 0x7a;
    if (isLetter || code === 0x2b || code === SLASH || code === 0x3d) letters += 1;
    const isJoint = code === 0x5f || code === SLASH || (code === DOT && at + 1 < end);
    if (isJoint || (isLater && isLetter && code !== small)) kind = THING;
    isLater = isLetter && code === small;
  }
  // Twelve letters of base 64 are a key.
  return letters === KEY_CHARS && end - from === KEY_CHARS ? kind | VALUE : kind;
}

const SLASH = 0x2f;
const KEY_CHARS = 12;

/**
 * Lines of one listing begin alike: with a place in a file, a path, a number, a key, a bullet. 0 for a line that begins with
 * a plain word.
 */
export function headOf(text: string): number {
  const end = text.indexOf(" ");
  if (wordKind(text, 0, end < 0 ? text.length : end) !== PLAIN) return 1;
  const first = text.charCodeAt(0);
  return isWordly(first) ? 0 : first;
}

function smallOf(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
}
