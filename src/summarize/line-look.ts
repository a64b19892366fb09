/**
 * What a line is made of, and the number it is looked up by: one pass over its units, for every line of what folds. Most
 * lines are judged by that alone.
 */

import type { Piece } from "./scan.ts";

/** `FAR`: control characters, white space other than blank and tab, what bars are drawn with, what only we write. */
export const LETTER = 1;
export const UNDER = 2;
const BREAK = 4;
const BLANK = 8;
const OTHER = 16;
export const FAR = 32;
/** White space that is more than one blank; a run without a gap that no one reads. */
export const UNEVEN = 64;
export const ENDLESS = 128;
const ENDLESS_CHARS = 120;

export class Look {
  /** Of the units last looked at: the same for the same, and mostly another for others. */
  hash = 0;

  /** Answers what they are made of. The piece has no blanks at its ends. */
  at({ units, from, to }: Piece): number {
    let made = 0;
    let hash = 0;
    let last = 0;
    for (let at = from; at < to; at += 1) {
      const unit = units[at] as number;
      const kind = KIND_OF[unit] as number;
      // Two blanks in a row leave their bit, and the shift makes it the mark for that.
      made |= kind | ((kind & last & BLANK) << TO_UNEVEN);
      hash = (Math.imul(hash, 31) + unit) | 0;
      last = kind;
    }
    this.hash = hash;
    return to - from >= ENDLESS_CHARS && isEndless(units, from, to) ? made | ENDLESS : made;
  }
}

const TO_UNEVEN = 3;

/** From where such a run would end back to the last gap, and on from there: few units are looked at. */
function isEndless(units: Uint16Array, from: number, to: number): boolean {
  for (let start = from; start + ENDLESS_CHARS <= to; ) {
    let at = start + ENDLESS_CHARS - 1;
    while (at >= start && ((KIND_OF[units[at] as number] as number) & (BLANK | BREAK)) === 0) at -= 1;
    if (at < start) return true;
    start = at + 1;
  }
  return false;
}

/** Of every UTF-16 unit. Letters of other scripts are `OTHER`: whether a line without ASCII letters has any is asked then. */
function kindTable(): Uint8Array {
  const table = new Uint8Array(0x10000).fill(OTHER);
  for (const [from, to] of FAR_RANGES) table.fill(FAR, from, to + 1);
  const mark = (chars: string, kind: number) => {
    for (let index = 0; index < chars.length; index += 1) table[chars.charCodeAt(index)] = kind;
  };
  mark("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", LETTER);
  mark("_", UNDER);
  mark(",;(){}[]\"'`", BREAK);
  mark(" ", BLANK);
  mark("\t", BLANK | UNEVEN);
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
