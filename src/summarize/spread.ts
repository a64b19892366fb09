/**
 * Lines that a program or a harness puts around everything: the same words with another value under many headings, as in
 * `Chunk ID: 4f2a91`. They say nothing of what they stand under.
 */
import type { SourceLine } from "./gathering.ts";

/** Headings under which the same words stand before they are furniture. */
const MANY_PLACES = 5;

interface Seen {
  lastPlace: number;
  places: number;
}

export class Spread {
  readonly #kindOf: (index: number) => number;
  readonly #lines: readonly SourceLine[];
  #seen: ReadonlyMap<number, Seen> | undefined;

  constructor(lines: readonly SourceLine[], kindOf: (index: number) => number) {
    this.#lines = lines;
    this.#kindOf = kindOf;
  }

  isEverywhere(index: number): boolean {
    this.#seen ??= this.#seeing();
    return (this.#seen.get(this.#kindOf(index))?.places ?? 0) >= MANY_PLACES;
  }

  /** Lines under one heading stand together, so a change of place is a new one, or nearly. */
  #seeing(): ReadonlyMap<number, Seen> {
    const all = new Map<number, Seen>();
    for (let index = 0; index < this.#lines.length; index += 1) {
      const { scan, source } = this.#lines[index] as SourceLine;
      if (!source.isOutput || !scan.isNumbered) continue;
      const kind = this.#kindOf(index);
      const seen = all.get(kind);
      if (!seen) all.set(kind, { lastPlace: source.place, places: 1 });
      else if (seen.lastPlace !== source.place) {
        seen.lastPlace = source.place;
        seen.places += 1;
      }
    }
    return all;
  }
}
