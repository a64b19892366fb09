/** Where a line begins and ends without its blanks, and without the number a reader of files put before it. */

const TAB = 9;
const SPACE = 32;

function isBlank(unit: number | undefined): boolean {
  return unit === SPACE || unit === TAB;
}

function pastBlanks(units: Uint16Array, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(units[at])) at += 1;
  return at;
}

export function beforeBlanks(units: Uint16Array, from: number, to: number): number {
  let at = to;
  while (at > from && isBlank(units[at - 1])) at -= 1;
  return at;
}

/** Where the line begins behind its number (as `LISTING` has it) and its blanks. */
export function pastListing(units: Uint16Array, from: number, to: number): number {
  const start = pastBlanks(units, from, to);
  let at = start;
  while (at < to && isDigit(units[at] as number)) at += 1;
  if (at === start || at - start > MAX_NUMBER_CHARS) return start;
  const next = pastBlanks(units, at, to);
  if (next === to) return start;
  const mark = units[next];
  if (mark === BAR || mark === BOX_BAR) return pastBlanks(units, next + 1, to);
  if (next > at) return next;
  const isListed = mark === ARROW || (mark === COLON && next + 1 < to && isBlank(units[next + 1]));
  return isListed ? pastBlanks(units, at + 1, to) : start;
}

const MAX_NUMBER_CHARS = 6;
const COLON = 0x3a;
const BAR = 0x7c;
const ARROW = 0x2192;
const BOX_BAR = 0x2502;

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
