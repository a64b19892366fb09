/**
 * The exact things of a line, and how many plain words stand beside them. One pass over the characters of each word, because
 * every line of what folds is read. It notes what the word is made of; most words are then told by that alone, only the
 * rest is looked at with patterns, and nothing is cut out of the line that is not kept.
 */
import { type Found, NONE, noteThings, type Thing, Things } from "./things.ts";
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

export function scan(line: string, things: Things = new Things()): Scan {
  const found: Reading = { all: things, things: NONE, words: 0, first: 0, second: 0, bits: 0 };
  for (let at = 0; at < line.length; ) {
    if (classOf(line.charCodeAt(at)) === 0) at += 1;
    else at = readWord(line, at, found);
  }
  return { things: found.things, words: found.words, isNumbered: (found.bits & DIGIT) !== 0 };
}

/** What one line has so far. Words are known by their hash: that two are taken for one costs a count, once in a billion. */
interface Reading extends Found {
  words: number;
  first: number;
  second: number;
  bits: number;
}

/** The word that begins here, put where it belongs; answers where it ends. */
function readWord(line: string, from: number, found: Reading): number {
  let at = from;
  let state = START;
  let steps = 0;
  for (; at < line.length; at += 1) {
    const kind = classOf(line.charCodeAt(at));
    if (kind === 0) break;
    const step = stepOf(state, kind);
    steps |= step;
    state = stateAfter(step);
  }
  const bits = steps & ALL_BITS;
  found.bits |= bits;
  if (at - from <= MAX_CHARS) noteChunk(line, { from, at, bits }, found);
  return at;
}

interface Word {
  readonly from: number;
  readonly at: number;
  readonly bits: number;
}

/** Longer is data: a key, an image, a line of a minified file. */
const MAX_CHARS = 160;

function noteChunk(line: string, { from, at, bits }: Word, found: Reading): void {
  // One stop or colon at the end belongs to the sentence.
  const isMarked = (bits & MARK) !== 0 && (bits & INNER) === 0;
  const core = bits & (isMarked ? ~(MARK | LATE | INNER) : ~(LATE | INNER));
  const isPlain = (core & ~UPPER) === LOWER || (core & ~UPPER) === FAR;
  if (isPlain && (bits & LATE) === 0) {
    if (at - from >= MIN_WORD_CHARS && found.words < ENOUGH_WORDS) noteWord(hashOf(line, from, at), found);
  } else if (mayHoldThings(core)) noteThings(line, { from, end: isMarked ? at - 1 : at, core, found });
}

const MIN_WORD_CHARS = 4;

function noteWord(hash: number, found: Reading): void {
  if (SYNTAX.has(hash)) return;
  if (found.words > 0 && (hash === found.first || hash === found.second)) return;
  found.words += 1;
  if (found.words === 1) found.first = hash;
  else found.second = hash;
}

/** Nobody asks whether there are more. */
const ENOUGH_WORDS = 3;

/** Of its letters, large or small. */
function hashOf(text: string, from = 0, end: number = text.length): number {
  let hash = 0;
  for (let at = from; at < end; at += 1) hash = (Math.imul(hash, 31) + (text.charCodeAt(at) | SMALL)) | 0;
  return hash;
}

/** The bit that makes an ASCII letter small. */
const SMALL = 0x20;

/** Words of programming languages stand beside everything, and tell nothing of it. */
const SYNTAX: ReadonlySet<number> = new Set(
  "const return function func import export from await async this true false null none undefined string number boolean void else case break default class interface type public private static self struct package with error when then that have will would should"
    .split(" ")
    .map((word) => hashOf(word)),
);

/** Names need a hump or an underscore; numbers, issues and hashes a digit; files a dot; flags and addresses their signs. */
function mayHoldThings(core: number): boolean {
  const isAddress = (core & SLASH) !== 0 && (core & COLON) !== 0;
  return (core & (HUMP | JOINED | DIGIT | DOT | DASHES)) !== 0 || isAddress;
}
