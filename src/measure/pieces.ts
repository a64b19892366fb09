/**
 * Cuts text into the pieces a byte-pair tokenizer looks at (words, numbers, runs of signs, white space, letters of
 * other scripts) and counts them by kind. It follows the splitting rule of o200k, because that rule, more than the
 * vocabulary, decides a count: a space goes to the word behind it, digits go in threes, a line end goes to the signs
 * before it. What a piece of each kind costs is fitted: see `weights.ts`.
 *
 * No regular expression, no substring: a megabyte of one letter costs no more than a megabyte of prose.
 */
import { Units } from "../transcript/units.ts";
import {
  CLASS_OF,
  DIGIT,
  FIRST_SCRIPT,
  NEWLINE,
  SIGN,
  SPACE,
  SYMBOLS,
  TRAITS,
  UPPER,
} from "./unit-classes.ts";

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
const SPACED_SIGNS: number = SIGNS + LONGEST_SIGNS;
const REST: number = SPACED_SIGNS + LONGEST_SIGNS;
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

/** No unit has it. */
const END = 255;
const TAB_CODE = 9;
/** Longer runs of white space than this are not in the vocabulary. */
const LONGEST_WHITE = 80;
/** Real words end about here; what is longer is random, or one letter again and again. */
const LONGEST_REAL_WORD = 24;

/**
 * One loop over all, with the rare cases outside of it: each call that an engine does not inline costs as much here as the
 * word it counts, and it stops inlining early. In functions of a piece each, this took two and a half times as long.
 *
 * @param counts where to add them; a list that is made for each of thousands of short texts costs more than the counting
 * @param onPiece told where each piece ends, what it added being in the counts by then: for the fitting script
 */
export function countPieces(
  text: string,
  counts: Float64Array = new Float64Array(KINDS),
  onPiece?: (end: number) => void,
): Float64Array {
  const { classes, units } = mark(text);
  const { length } = text;
  for (let at = 1; at <= length; ) {
    const from = at;
    const before = classes[at - 1] as number;
    let kind = classes[at] as number;
    if (kind <= DIGIT) {
      // Letters and digits up to the next sign or space: `HTTPServer2`, `9f86d081884c`. That it is a hash shows only on the
      // way, at its second number; what came before is counted as the words it looks like.
      let start = before === SPACE ? SPACED : before === SIGN && isLoneSign(classes, at - 1) ? SIGNED : BARE;
      let numbers = 0;
      do {
        const first = at;
        if (kind === DIGIT) {
          do kind = classes[++at] as number;
          while (kind === DIGIT);
          add(counts, NUMBERS, ((at - first + 2) / 3) | 0);
          numbers += 1;
        } else {
          let traits = 0;
          for (; kind >= UPPER && kind < DIGIT; kind = classes[++at] as number)
            traits += TRAITS[kind] as number;
          const uppers = at - first;
          for (; kind < UPPER; kind = classes[++at] as number) traits += TRAITS[kind] as number;
          const chars = at - first;
          const spelling = uppers === 0 ? 0 : uppers === 1 && chars > 1 ? 1 : 2;
          const size = Math.min(chars, LONGEST_WORD);
          add(counts, (start * CASES + spelling) * LONGEST_WORD + size - 1, 1);
          if (chars > LONGEST_WORD) countLongWord(units, first, at, counts);
          if (chars > 2 && chars <= LONGEST_REAL_WORD) {
            // What no vocabulary has: words without a vowel, rare letters.
            if ((traits & 0xffff) * 6 < chars) add(counts, VOWELLESS_CHARS, chars);
            if (traits > 0xffff) add(counts, RARE_LETTERS, traits >> 16);
          }
        }
        start = numbers > 1 ? MIXED : INNER;
      } while (kind <= DIGIT);
    } else if (kind <= NEWLINE) {
      // All up to the last line end is one piece; of the spaces behind it the last one goes to the word that follows.
      let afterLine = from;
      do {
        at += 1;
        if (kind === NEWLINE) afterLine = at;
        kind = classes[at] as number;
      } while (kind === SPACE || kind === NEWLINE);
      if (afterLine > from) {
        const isBehindSigns = before === SIGN && classes[from] === NEWLINE;
        add(counts, isBehindSigns ? NEWLINES_BEHIND_SIGNS : NEWLINES, 1);
        if (afterLine - from > LONGEST_WHITE) add(counts, LONG_SPACE_CHARS, afterLine - from - LONGEST_WHITE);
      }
      if (at > afterLine && (kind === DIGIT || kind === END)) add(counts, LONE_SPACES, 1);
      if (at > afterLine + 1) countSpaces(units, afterLine, at, counts);
    } else if (kind === SIGN) {
      do kind = classes[++at] as number;
      while (kind === SIGN);
      const isSpaced = before === SPACE;
      if (at - from > 1) countSigns(units, from, at, isSpaced, counts);
      // A lone one goes to the word behind it.
      else if (kind >= DIGIT || before === SIGN || isSpaced) add(counts, isSpaced ? SPACED_SIGNS : SIGNS, 1);
    } else at = countScript(classes, units, from, counts);
    onPiece?.(at - 1);
  }
  return counts;
}

/**
 * A text as its classes and as its units, the classes from place 1: before and behind stands `END`, so that looking over an
 * end asks nothing.
 */
function mark(text: string): { readonly classes: Uint8Array; readonly units: Uint16Array } {
  const { length } = text;
  const classes = length <= SHORT_CHARS ? shortClasses : new Uint8Array(length + 2);
  const units = written.of(text);
  classes[0] = END;
  for (let at = 0; at < length; at += 1) classes[at + 1] = CLASS_OF[units[at] as number] as number;
  classes[length + 1] = END;
  return { classes, units };
}

const SHORT_CHARS = 65_536;
/** Written anew for each text, and read within one call. */
const shortClasses = new Uint8Array(SHORT_CHARS + 2);
const written = new Units();

function isLoneSign(classes: Uint8Array, at: number): boolean {
  const before = classes[at - 1] as number;
  return before !== SIGN && before !== SPACE;
}

/** Not in one piece with what a vocabulary has. And what all have: one letter again and again. */
function countLongWord(units: Uint16Array, from: number, to: number, counts: Float64Array): void {
  const length = to - from;
  add(counts, LONG_WORD_CHARS, Math.min(length, LONGEST_REAL_WORD) - LONGEST_WORD);
  if (length <= LONGEST_REAL_WORD) return;
  const isRepeated = changesIn(units, from, to) * 2 < length;
  add(counts, isRepeated ? REPEATED_LETTERS : RANDOM_LETTERS, length - LONGEST_REAL_WORD);
}

function countSigns(
  units: Uint16Array,
  from: number,
  to: number,
  isSpaced: boolean,
  counts: Float64Array,
): void {
  const changes = changesIn(units, from, to);
  const size = Math.min(changes, LONGEST_SIGNS);
  add(counts, (isSpaced ? SPACED_SIGNS : SIGNS) + size - 1, 1);
  if (changes > LONGEST_SIGNS) add(counts, LONG_SIGN_CHARS, changes - LONGEST_SIGNS);
  add(counts, REPEATED_SIGNS, to - from - changes);
}

/** `=====` is one token and `=#/+*` is three, so what counts is how often the sign changes, not the length. */
function changesIn(units: Uint16Array, from: number, to: number): number {
  let changes = 1;
  for (let at = from; at < to - 1; at += 1) if (units[at] !== units[at - 1]) changes += 1;
  return changes;
}

function countSpaces(units: Uint16Array, from: number, to: number, counts: Float64Array): void {
  add(counts, units[from - 1] === TAB_CODE ? TAB_RUNS : SPACE_RUNS, 1);
  if (to - from > LONGEST_WHITE) add(counts, LONG_SPACE_CHARS, to - from - LONGEST_WHITE);
}

/** Answers where it ends. */
function countScript(classes: Uint8Array, units: Uint16Array, from: number, counts: Float64Array): number {
  const kind = classes[from] as number;
  let at = from + 1;
  while (classes[at] === kind) at += 1;
  const length = at - from;
  const chars = kind === SYMBOLS ? changesIn(units, from, at) : length;
  add(counts, SCRIPT_RUNS + kind - FIRST_SCRIPT, 1);
  add(counts, SCRIPT_CHARS + kind - FIRST_SCRIPT, chars);
  add(counts, REPEATED_SIGNS, length - chars);
  return at;
}

function add(counts: Float64Array, kind: number, count: number): void {
  counts[kind] = (counts[kind] as number) + count;
}
