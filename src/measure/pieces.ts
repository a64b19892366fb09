/**
 * Cuts text into the pieces a byte-pair tokenizer looks at (words, numbers, runs of signs, white space, letters of
 * other scripts) and counts them by kind. It follows the splitting rule of o200k, because that rule, more than the
 * vocabulary, decides a count: a space goes to the word behind it, digits go in threes, a line end goes to the signs
 * before it. What a piece of each kind costs is fitted: see `weights.ts`.
 *
 * One pass, no regular expression, no substring: a megabyte of one letter costs no more than a megabyte of prose.
 */

/** How a word begins. Vocabularies hold words with their space; without it a word is cut more often. */
const SPACED = 0;
/** Behind a single sign, which the splitting rule gives to the word: `.name`, `_name`. */
const SIGNED = 1;
/** At the start of a line, or behind several signs. */
const BARE = 2;
/** Behind another letter or a digit: the `Case` of `camelCase`. */
const INNER = 3;
/** In a run that changes between letters and digits again and again: hashes, base64, ids. */
const MIXED = 4;
const STARTS = 5;

/** How a word is written: `word`, `Word`, `WORD`. */
const CASES = 3;
const LONGEST_WORD = 12;
const LONGEST_SIGNS = 8;
const SCRIPTS = 12;

/** Places in the list of counts: words by start, case and length; signs by space before and length; then the rest. */
const SIGNS: number = STARTS * CASES * LONGEST_WORD;
const REST: number = SIGNS + 2 * LONGEST_SIGNS;
const LONG_WORD_CHARS: number = REST;
const RARE_LETTERS: number = REST + 1;
const VOWELLESS_CHARS: number = REST + 2;
const REPEATED_LETTERS: number = REST + 3;
const LONG_SIGN_CHARS: number = REST + 4;
const NUMBERS: number = REST + 5;
const LONE_SPACES: number = REST + 6;
const SPACE_RUNS: number = REST + 7;
const TAB_RUNS: number = REST + 8;
const LONG_SPACE_CHARS: number = REST + 9;
const NEWLINES: number = REST + 10;
const NEWLINES_BEHIND_SIGNS: number = REST + 11;
const REPEATED_SIGNS: number = REST + 12;
const RANDOM_LETTERS: number = REST + 13;
const SCRIPT_RUNS: number = REST + 14;
const SCRIPT_CHARS: number = SCRIPT_RUNS + SCRIPTS;
export const KINDS: number = SCRIPT_CHARS + SCRIPTS;

/**
 * Classes of UTF-16 units: lower letters, upper letters (each as plain, vowel, rare), and so on. From `FIRST_SCRIPT`
 * there is one for each script, in the order of its counts.
 */
const LOWER = 0;
const UPPER = 3;
const VOWEL = 1;
const RARE = 2;
const DIGIT = 6;
const SPACE = 7;
const NEWLINE = 8;
const SIGN = 9;
const FIRST_SCRIPT = 10;
/** Among the scripts: dashes, arrows, lines of tables. What repeats in them is cheap, as with signs. */
const SYMBOLS: number = FIRST_SCRIPT + 7;
const TAB_CODE = 9;
const END = 255;
/** Longer runs of white space than this are not in the vocabulary. */
const LONGEST_WHITE = 80;
/** Real words end about here; what is longer is random, or one letter again and again. */
const LONGEST_REAL_WORD = 24;

/** @param counts where to add them; a list that is made for each of thousands of short texts costs more than the counting */
export function countPieces(text: string, counts: Float64Array = new Float64Array(KINDS)): Float64Array {
  const scan = new Scan(text, counts, text.length <= SHORT_CHARS ? shortClasses : undefined);
  while (scan.at < text.length) scan.countNext();
  return counts;
}

const SHORT_CHARS = 65_536;
/** Written anew by each walk, and walks are never inside one another. */
const shortClasses = new Uint8Array(SHORT_CHARS + 2);

/** One walk through a text. Exported for the fitting script, which looks at single pieces. */
export class Scan {
  readonly counts: Float64Array;
  at = 0;
  readonly text: string;
  /** The class of each unit, with one place before and one behind: both ends are looked over again and again. */
  readonly classes: Uint8Array;

  constructor(
    text: string,
    counts: Float64Array = new Float64Array(KINDS),
    classes: Uint8Array = new Uint8Array(text.length + 2),
  ) {
    this.text = text;
    this.counts = counts;
    this.classes = classes;
    markClasses(text, classes);
  }

  countNext(): void {
    const kind = this.classAt(this.at);
    if (kind <= DIGIT) this.countRun();
    else if (kind <= NEWLINE) this.countWhite();
    else if (kind === SIGN) this.countSigns();
    else this.countScript(kind);
  }

  /**
   * Letters and digits up to the next sign or space: `HTTPServer2`, `9f86d081884c`. That it is a hash shows only on
   * the way, at its second number; what came before is counted as the words it looks like.
   */
  countRun(): void {
    let start = this.startOfWord();
    let numbers = 0;
    for (let kind = this.classAt(this.at); kind <= DIGIT; kind = this.classAt(this.at)) {
      if (kind === DIGIT) {
        this.countNumber();
        numbers += 1;
      } else this.countWord(start);
      start = numbers > 1 ? MIXED : INNER;
    }
  }

  countNumber(): void {
    const from = this.at;
    this.pass(DIGIT);
    this.add(NUMBERS, Math.ceil((this.at - from) / 3));
  }

  countWord(start: number): void {
    const { classes } = this;
    const from = this.at;
    let at = from;
    let traits = 0;
    let kind = classes[at + 1] as number;
    for (; kind >= UPPER && kind < DIGIT; kind = classes[++at + 1] as number)
      traits += TRAITS[kind] as number;
    const uppers = at - from;
    for (; kind < UPPER; kind = classes[++at + 1] as number) traits += TRAITS[kind] as number;
    this.at = at;
    const length = at - from;
    const spelling = uppers === 0 ? 0 : uppers === 1 && length > 1 ? 1 : 2;
    const size = Math.min(length, LONGEST_WORD);
    this.add((start * CASES + spelling) * LONGEST_WORD + size - 1, 1);
    if (length > 2) this.countLetters(from, traits);
  }

  /** What no vocabulary has: rare letters, words without a vowel. And what all have: one letter again and again. */
  countLetters(from: number, traits: number): void {
    const length = this.at - from;
    if (length > LONGEST_WORD) this.add(LONG_WORD_CHARS, Math.min(length, LONGEST_REAL_WORD) - LONGEST_WORD);
    if (length > LONGEST_REAL_WORD) {
      const isRepeated = this.changesIn(from) * 2 < length;
      this.add(isRepeated ? REPEATED_LETTERS : RANDOM_LETTERS, length - LONGEST_REAL_WORD);
      return;
    }
    const rare = Math.floor(traits / RARE_TRAIT);
    const vowels = traits - rare * RARE_TRAIT;
    if (vowels * 6 < length) this.add(VOWELLESS_CHARS, length);
    if (rare > 0) this.add(RARE_LETTERS, rare);
  }

  /** A word takes the space before it, or a single sign that has no space before it. */
  startOfWord(): number {
    const before = this.classAt(this.at - 1);
    if (before === SPACE) return SPACED;
    return before === SIGN && this.isLoneSign(this.at - 1) ? SIGNED : BARE;
  }

  isLoneSign(index: number): boolean {
    const before = this.classAt(index - 1);
    return before !== SIGN && before !== SPACE;
  }

  countSigns(): void {
    const from = this.at;
    this.pass(SIGN);
    const length = this.at - from;
    if (length === 1 && this.classAt(this.at) < DIGIT && this.isLoneSign(from)) return;
    const isSpaced = this.classAt(from - 1) === SPACE ? 1 : 0;
    const changes = this.changesIn(from);
    const size = Math.min(changes, LONGEST_SIGNS);
    this.add(SIGNS + isSpaced * LONGEST_SIGNS + size - 1, 1);
    if (changes > LONGEST_SIGNS) this.add(LONG_SIGN_CHARS, changes - LONGEST_SIGNS);
    if (length > changes) this.add(REPEATED_SIGNS, length - changes);
  }

  /** `=====` is one token and `=#/+*` is three, so what counts is how often the sign changes, not the length. */
  changesIn(from: number): number {
    let changes = 1;
    for (let index = from + 1; index < this.at; index += 1)
      if (this.text.charCodeAt(index) !== this.text.charCodeAt(index - 1)) changes += 1;
    return changes;
  }

  /** All up to the last line end is one piece; of the spaces behind it the last one goes to the word that follows. */
  countWhite(): void {
    const from = this.at;
    let afterLine = from;
    for (let kind = this.classAt(this.at); kind === SPACE || kind === NEWLINE; kind = this.classAt(this.at)) {
      this.at += 1;
      if (kind === NEWLINE) afterLine = this.at;
    }
    if (afterLine > from) {
      const isBehindSigns = this.classAt(from) === NEWLINE && this.classAt(from - 1) === SIGN;
      this.add(isBehindSigns ? NEWLINES_BEHIND_SIGNS : NEWLINES, 1);
      if (afterLine - from > LONGEST_WHITE) this.add(LONG_SPACE_CHARS, afterLine - from - LONGEST_WHITE);
    }
    this.countSpaces(afterLine);
  }

  countSpaces(from: number): void {
    const next = this.classAt(this.at);
    const isAlone = next === DIGIT || next === END;
    const length = this.at - from;
    if (length > 0 && isAlone) this.add(LONE_SPACES, 1);
    if (length < 2) return;
    this.add(this.text.charCodeAt(from) === TAB_CODE ? TAB_RUNS : SPACE_RUNS, 1);
    if (length > LONGEST_WHITE) this.add(LONG_SPACE_CHARS, length - LONGEST_WHITE);
  }

  countScript(kind: number): void {
    const from = this.at;
    this.pass(kind);
    const length = this.at - from;
    const chars = kind === SYMBOLS ? this.changesIn(from) : length;
    this.add(SCRIPT_RUNS + kind - FIRST_SCRIPT, 1);
    this.add(SCRIPT_CHARS + kind - FIRST_SCRIPT, chars);
    if (length > chars) this.add(REPEATED_SIGNS, length - chars);
  }

  pass(kind: number): void {
    while (this.classAt(this.at) === kind) this.at += 1;
  }

  classAt(index: number): number {
    return this.classes[index + 1] as number;
  }

  add(kind: number, count: number): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + count;
  }
}

function markClasses(text: string, classes: Uint8Array): void {
  classes[0] = END;
  for (let index = 0; index < text.length; index += 1) {
    classes[index + 1] = CLASS_OF[text.charCodeAt(index)] as number;
  }
  classes[text.length + 1] = END;
}

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

const CLASS_OF: Uint8Array = classTable();
/** By class of letter. One sum carries both counts of a word: vowels below, rare letters above. */
const RARE_TRAIT: number = 2 ** 24;
const TRAITS: Float64Array = Float64Array.of(0, 1, RARE_TRAIT, 0, 1, RARE_TRAIT);
