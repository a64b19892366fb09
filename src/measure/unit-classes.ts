/** What each UTF-16 unit is to the splitting rule: letter, digit, white space, sign, or a letter of another script. */

/**
 * Lower letters, upper letters (each as plain, vowel, rare), and so on. From `FIRST_SCRIPT` there is one for each script, in
 * the order of its counts.
 */
const LOWER = 0;
export const UPPER = 3;
const VOWEL = 1;
const RARE = 2;
export const DIGIT = 6;
export const SPACE = 7;
export const NEWLINE = 8;
export const SIGN = 9;
export const FIRST_SCRIPT = 10;
/** Among the scripts: dashes, arrows, lines of tables. What repeats in them is cheap, as with signs. */
export const SYMBOLS: number = FIRST_SCRIPT + 7;

/** Ranges of UTF-16 units that are not `other`; later ones stand over earlier ones. */
const RANGES: readonly (readonly [from: number, to: number, kind: number])[] = [
  [0x00, 0x1f, FIRST_SCRIPT + 11],
  [0x7f, 0x9f, FIRST_SCRIPT + 11],
  [0x21, 0x7e, SIGN],
  [0x30, 0x39, DIGIT],
  [0x41, 0x5a, UPPER],
  [0x61, 0x7a, LOWER],
  [0x09, 0x0d, SPACE],
  [0x20, 0x20, SPACE],
  [0x0a, 0x0a, NEWLINE],
  [0x0d, 0x0d, NEWLINE],
  [0xa0, 0xbf, SYMBOLS],
  [0xc0, 0x24f, FIRST_SCRIPT],
  [0x300, 0x36f, FIRST_SCRIPT],
  [0x370, 0x3ff, FIRST_SCRIPT + 9],
  [0x400, 0x52f, FIRST_SCRIPT + 1],
  [0x590, 0x7ff, FIRST_SCRIPT + 2],
  [0x900, 0x1fff, FIRST_SCRIPT + 3],
  [0x1e00, 0x1eff, FIRST_SCRIPT],
  [0x2000, 0x2dff, SYMBOLS],
  [0x2e80, 0x303f, SYMBOLS],
  [0x3040, 0x30ff, FIRST_SCRIPT + 4],
  [0x3100, 0x9fff, FIRST_SCRIPT + 5],
  [0xac00, 0xd7ff, FIRST_SCRIPT + 6],
  [0xd800, 0xdfff, FIRST_SCRIPT + 10],
  [0xf900, 0xfaff, FIRST_SCRIPT + 5],
  [0xff00, 0xffef, SYMBOLS],
];

function classTable(): Uint8Array {
  const table = new Uint8Array(65536).fill(FIRST_SCRIPT + 8);
  for (const [from, to, kind] of RANGES) table.fill(kind, from, to + 1);
  for (const letter of "aeiouy") markLetter(table, letter, VOWEL);
  for (const letter of "jqxzkvw") markLetter(table, letter, RARE);
  return table;
}

function markLetter(table: Uint8Array, letter: string, mark: number): void {
  table[letter.charCodeAt(0)] = LOWER + mark;
  table[letter.toUpperCase().charCodeAt(0)] = UPPER + mark;
}

export const CLASS_OF: Uint8Array = classTable();

/** By class of letter. One sum carries both counts of a word: vowels below, rare letters above. */
export const TRAITS: Int32Array = Int32Array.of(0, 1, 1 << 16, 0, 1, 1 << 16);
