/**
 * What is asked of each line again and again while lines are chosen, in rows of numbers: a line, what it was scanned for, its
 * things and its source are five objects, all over the memory.
 */
import type { SourceLine } from "./gathering.ts";
import type { Scan } from "./scan.ts";

/** How surely a line with so many plain words tells what its things are. */
const TELLS = [0.3, 0.8, 0.9] as const;
const MOST_TELLS = 0.95;

/** Characters around the words of a heading, of another ref, and of the mark before a quote. */
const HEADING_CHARS = 24;
const REF_CHARS = 18;
const MARK_CHARS = 5;

export function tellsOf({ words }: Scan): number {
  return TELLS[words] ?? MOST_TELLS;
}

/** By the place of a line in the list. */
export class LineRows {
  readonly places: Int32Array;
  /** As it will stand under a heading that is there, and how many more where it is not. */
  readonly chars: Int32Array;
  readonly headingChars: Int32Array;
  readonly #tells: Float64Array;
  /** The numbers of the things of all lines, and where those of each line end. */
  readonly #things: Int32Array;
  readonly #ends: Int32Array;

  constructor(lines: readonly SourceLine[]) {
    const { length } = lines;
    this.places = new Int32Array(length);
    this.chars = new Int32Array(length);
    this.headingChars = new Int32Array(length);
    this.#tells = new Float64Array(length);
    this.#ends = new Int32Array(length);
    let count = 0;
    for (const { scan } of lines) count += scan.things.length;
    this.#things = new Int32Array(count);
    let end = 0;
    for (let index = 0; index < length; index += 1) {
      const { text, scan, source } = lines[index] as SourceLine;
      for (const { id } of scan.things) {
        this.#things[end] = id;
        end += 1;
      }
      this.#ends[index] = end;
      this.#tells[index] = tellsOf(scan);
      this.places[index] = source.place;
      this.chars[index] = text.length + MARK_CHARS + REF_CHARS / 2;
      this.headingChars[index] = HEADING_CHARS + source.heading.text.length - REF_CHARS / 2;
    }
  }

  /** @param worths by the number of a thing: what it is worth that a line tells of it */
  gainOf(index: number, worths: Float64Array): number {
    const end = this.#ends[index] as number;
    let gain = 0;
    for (let at = index === 0 ? 0 : (this.#ends[index - 1] as number); at < end; at += 1)
      gain += worths[this.#things[at] as number] as number;
    return gain * (this.#tells[index] as number);
  }
}
