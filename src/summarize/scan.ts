/**
 * The exact things of a line, and how many plain words stand beside them. One pass over the characters of each word, because
 * every line of what folds is read. It notes what the word is made of; most words are then told by that alone, only the
 * rest is looked at with patterns, and nothing is cut out of the line that is not kept.
 */
import { Units } from "../transcript/units.ts";
import { type Found, noteThings, type Thing, Things } from "./things.ts";
import {
  ALL_BITS,
  COLON,
  classOf,
  DASHES,
  DIGIT,
  DOT,
  FAR,
  HUMP,
  INNER,
  JOINED,
  LATE,
  LOWER,
  MARK,
  SLASH,
  START,
  stateAfter,
  stepOf,
  UPPER,
} from "./word-bits.ts";

export interface Scan {
  /** Each once. */
  readonly things: readonly Thing[];
  /** Different plain words, as far as anyone asks: `ENOUGH_WORDS`. */
  readonly words: number;
  /** Whether there is a digit in it. */
  readonly isNumbered: boolean;
}

/** A piece of a text, and its units. */
export interface Piece {
  readonly text: string;
  readonly units: Uint16Array;
  readonly from: number;
  readonly to: number;
}

export function scan(line: string): Scan {
  return new Scanner().text(line);
}

/** For all lines that are read by the same eyes: one word is looked at, again and again. */
export class Scanner {
  readonly #word: Word = {
    all: new Things(),
    things: [],
    count: 0,
    text: "",
    units: NO_UNITS,
    limit: 0,
    from: 0,
    end: 0,
    core: 0,
    words: 0,
    first: 0,
    second: 0,
  };
  readonly #units = new Units();

  text(text: string): Scan {
    return this.piece({ text, units: this.#units.of(text), from: 0, to: text.length });
  }

  piece({ text, units, from, to }: Piece): Scan {
    const word = this.#word;
    word.text = text;
    word.units = units;
    word.limit = to;
    word.count = 0;
    word.words = 0;
    word.first = 0;
    word.second = 0;
    let made = 0;
    let at = from;
    while (at < to) {
      if (classOf(units[at] as number) === 0) {
        at += 1;
        continue;
      }
      const bits = readWord(word, at);
      made |= bits;
      if (word.end - at <= MAX_CHARS) noteChunk(word, bits);
      at = word.end;
    }
    const things = word.count === 0 ? NONE : word.things.slice(0, word.count);
    return { things, words: word.words, isNumbered: (made & DIGIT) !== 0 };
  }
}

const NONE: readonly Thing[] = [];
const NO_UNITS = new Uint16Array(0);

/** Longer is data: a key, an image, a line of a minified file. */
const MAX_CHARS = 160;

/**
 * The word at hand, and what its line has so far. Plain words are known by their hash: that
 * two are taken for one costs a count, once in a billion.
 */
interface Word extends Found {
  /** Where the piece ends. */
  limit: number;
  words: number;
  first: number;
  second: number;
}

/** The word that begins here; answers what it is made of. */
function readWord(word: Word, from: number): number {
  const { units, limit } = word;
  let at = from;
  let state = START;
  let steps = 0;
  for (; at < limit; at += 1) {
    const kind = classOf(units[at] as number);
    if (kind === 0) break;
    const step = stepOf(state, kind);
    steps |= step;
    state = stateAfter(step);
  }
  word.from = from;
  word.end = at;
  return steps & ALL_BITS;
}

function noteChunk(word: Word, bits: number): void {
  // One stop or colon at the end belongs to the sentence.
  const isMarked = (bits & MARK) !== 0 && (bits & INNER) === 0;
  const core = bits & (isMarked ? ~(MARK | LATE | INNER) : ~(LATE | INNER));
  const isPlain = (core & ~UPPER) === LOWER || (core & ~UPPER) === FAR;
  const { units, from, end } = word;
  if (isPlain && (bits & LATE) === 0) {
    if (end - from >= MIN_WORD_CHARS && word.words < ENOUGH_WORDS) noteWord(hashOf(units, from, end), word);
  } else if (mayHoldThings(core)) {
    word.core = core;
    if (isMarked) word.end -= 1;
    noteThings(word);
    word.end = end;
  }
}

const MIN_WORD_CHARS = 4;

function noteWord(hash: number, found: Word): void {
  if (SYNTAX.has(hash)) return;
  if (found.words > 0 && (hash === found.first || hash === found.second)) return;
  found.words += 1;
  if (found.words === 1) found.first = hash;
  else found.second = hash;
}

/** Nobody asks whether there are more. */
const ENOUGH_WORDS = 3;

/** Of its letters, large or small. */
function hashOf(units: Uint16Array, from: number, end: number): number {
  let hash = 0;
  for (let at = from; at < end; at += 1) hash = (Math.imul(hash, 31) + ((units[at] as number) | SMALL)) | 0;
  return hash;
}

/** The bit that makes an ASCII letter small. */
const SMALL = 0x20;

const spelled = new Units();

/** Words of programming languages stand beside everything, and tell nothing of it. */
const SYNTAX: ReadonlySet<number> = new Set(
  "const return function func import export from await async this true false null none undefined string number boolean void else case break default class interface type public private static self struct package with error when then that have will would should"
    .split(" ")
    .map((word) => hashOf(spelled.of(word), 0, word.length)),
);

/** Names need a hump or an underscore; numbers, issues and hashes a digit; files a dot; flags and addresses their signs. */
function mayHoldThings(core: number): boolean {
  const isAddress = (core & SLASH) !== 0 && (core & COLON) !== 0;
  return (core & (HUMP | JOINED | DIGIT | DOT | DASHES)) !== 0 || isAddress;
}
