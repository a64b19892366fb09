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
 * Lines under one heading that differ in nothing but values: words with a number in them, what is quoted behind a colon,
 * words that are none (hashes, keys).
 */
export function kindOf(text: string, place: number): number {
  const bare = text.includes('"') ? text.replaceAll(/(:\s*)"[^"]*"/g, '$1"') : text;
  let shape = place;
  for (let at = 0; at < bare.length; ) {
    const end = wordEnd(bare, at);
    const stop = isValue(bare, at, end) ? at : end;
    for (let index = at; index <= stop; index += 1) {
      const code = stop < end ? NUMBER : index < end ? bare.charCodeAt(index) : SPACE;
      shape = (Math.imul(shape, 65_599) + code) | 0;
    }
    at = end + 1;
  }
  return shape;
}

const SPACE = 0x20;

function wordEnd(text: string, from: number): number {
  const end = text.indexOf(" ", from);
  return end < 0 ? text.length : end;
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
