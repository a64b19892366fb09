/**
 * The lines of texts that can be quoted, each once, however often it was said: without control sequences, without the line
 * numbers a reader put before them, none longer than a sentence, no data nobody reads (keys, images, rules, progress bars).
 * What is left of a line is a piece of it, letter for letter; only white space is made one blank.
 *
 * Every line of what folds comes through here. One pass over its units tells what it is made of and by which number to look
 * it up; only what is met for the first time is cut out and scanned, and the patterns, ten times as slow, are for the few
 * lines that are not plain.
 */
import { Units } from "../transcript/units.ts";
import { cleanLine, isNoise, MAX_CHARS, MIN_CHARS, piecesOf } from "./clean-lines.ts";
import { flat } from "./line.ts";
import { beforeBlanks, pastListing } from "./line-bounds.ts";
import { FAR, Look, UNEVEN } from "./line-look.ts";
import { Numbers } from "./numbers.ts";
import { type Piece, type Scan, Scanner } from "./scan.ts";

export interface Line {
  readonly text: string;
  readonly scan: Scan;
}

/** Of a longer text its two ends: a log of megabytes is not read whole for a few lines. */
const END_CHARS = 80_000;
/** Of one line that is longer than a sentence. */
const MAX_PIECES = 12;

export class Lines<Kept extends Line> {
  /** In the order they came up. */
  readonly all: Kept[] = [];
  readonly #make: (text: string, scan: Scan) => Kept;
  readonly #scanner = new Scanner();
  /** Where each stands among all. */
  readonly #byHash = new Numbers();
  /** What stays in sight is read with all the rest, and once more for what it shows. */
  readonly #readAsProse = new Map<string, readonly Kept[]>();
  readonly #readAsText = new Map<string, readonly Kept[]>();
  readonly #look = new Look();
  readonly #units = new Units();
  /** Of a line that does not stand in the text at hand as it is: that one is not read to its end yet. */
  readonly #ownUnits = new Units();

  constructor(make: (text: string, scan: Scan) => Kept) {
    this.#make = make;
  }

  /** @param isProse where a line must be cut, it is cut at the ends of sentences */
  of(whole: string, isProse = false): readonly Kept[] {
    const read = isProse ? this.#readAsProse : this.#readAsText;
    const known = read.get(whole);
    if (known) return known;
    const found: Kept[] = [];
    read.set(whole, found);
    const text = endsOf(whole);
    const units = this.#units.of(text);
    // One for all its lines: thousands are looked at and nothing is kept of them.
    const line = { text, units, from: 0, to: 0 };
    for (let from = 0; from < text.length; ) {
      const newline = text.indexOf("\n", from);
      const next = newline < 0 ? text.length : newline;
      line.from = from;
      line.to = next > from && units[next - 1] === RETURN ? next - 1 : next;
      if (line.to - from >= MIN_CHARS) this.#read(line, isProse, found);
      from = next + 1;
    }
    return found;
  }

  /** Of what are lines already, those that somebody reads. */
  each(texts: readonly string[]): readonly Kept[] {
    return texts.flatMap((text) => this.#one(text) ?? []);
  }

  /** Of words that are not quoted: they are one with the lines in what they mention. */
  scanOf(text: string): Scan {
    return this.#scanner.text(text);
  }

  #one(text: string): Kept | undefined {
    const piece = { text, units: this.#ownUnits.of(text), from: 0, to: text.length };
    return this.#known(piece, this.#look.at(piece));
  }

  #read(line: Bounded, isProse: boolean, found: Kept[]): void {
    const { text, units, from, to } = line;
    line.from = pastListing(units, from, to);
    line.to = beforeBlanks(units, line.from, to);
    const made = this.#look.at(line);
    if ((made & FAR) !== 0)
      for (const raw of text.slice(from, to).split("\r")) this.#take(cleanLine(raw), FAR, isProse, found);
    else if ((made & UNEVEN) !== 0 || line.to - line.from > MAX_CHARS)
      this.#take(flat(text.slice(line.from, line.to)), made, isProse, found);
    else {
      const known = this.#known(line, made);
      if (known) found.push(known);
    }
  }

  /** A line that had to be made anew, or is too long for one. */
  #take(line: string, made: number, isProse: boolean, found: Kept[]): void {
    if (line.length < MIN_CHARS || isNoise(line, made)) return;
    let pieces = 0;
    for (const piece of piecesOf(line, isProse)) {
      const known = this.#one(piece);
      if (!known) continue;
      found.push(known);
      pieces += 1;
      if (pieces === MAX_PIECES) return;
    }
  }

  /** Just looked at. Two lines with the same hash are told apart by their letters, and the second has the next number. */
  #known(piece: Piece, made: number): Kept | undefined {
    const { text, from, to } = piece;
    if (to - from < MIN_CHARS) return undefined;
    let key = this.#look.hash;
    for (let index = this.#byHash.get(key); index >= 0; index = this.#byHash.get(key)) {
      const known = this.all[index] as Kept;
      if (known.text.length === to - from && text.startsWith(known.text, from)) return known;
      key = (key + 1) | 0;
    }
    const cut = text.slice(from, to);
    if (isNoise(cut, made)) return undefined;
    const kept = this.#make(cut, this.#scanner.piece(piece));
    this.#byHash.set(key, this.all.length);
    this.all.push(kept);
    return kept;
  }
}

/** A line of a text: first as it stands, then where its words begin and end. */
interface Bounded extends Piece {
  from: number;
  to: number;
}

const RETURN = 13;

function endsOf(text: string): string {
  return text.length <= 2 * END_CHARS ? text : `${text.slice(0, END_CHARS)}\n${text.slice(-END_CHARS)}`;
}
