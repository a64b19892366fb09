/**
 * How much less a line tells because of those like it that are quoted already: the same words with other values or other
 * names, one more entry of the same listing, one more line from the same place. Whoever has seen three of them knows what
 * the rest are like, and reads them where they stand.
 */
import type { SourceLine } from "./gathering.ts";
import { headOf, shapesOf } from "./line-shape.ts";

/** For each one quoted already: with other values, whatever printed it; with other names, under the same heading. */
const OTHER_VALUES = 0.4;
const OTHER_NAMES = 0.8;
/** One more entry of what a program listed; one more line of any kind. */
const LISTED = 0.85;
const CROWD = 0.985;

export class Alike {
  readonly #all: readonly SourceLine[];
  /** By the place of a line in the list; 0 until somebody asks. */
  readonly #kinds: Int32Array;
  readonly #looks: Int32Array;
  readonly #lists: Int32Array;
  /** How many are quoted of each kind, look and list. */
  readonly #kin = new Map<number, number>();
  readonly #named = new Map<number, number>();
  readonly #listed = new Map<number, number>();
  readonly #crowds: Uint32Array;

  constructor(all: readonly SourceLine[], places: number) {
    this.#all = all;
    this.#kinds = new Int32Array(all.length);
    this.#looks = new Int32Array(all.length);
    this.#lists = new Int32Array(all.length);
    this.#crowds = new Uint32Array(places);
  }

  add(index: number): void {
    const { source } = this.#all[index] as SourceLine;
    increase(this.#kin, this.kindOf(index));
    increase(this.#named, this.#looks[index] as number);
    const list = this.#lists[index] as number;
    if (list !== 0) increase(this.#listed, list);
    this.#crowds[source.place] = (this.#crowds[source.place] as number) + 1;
  }

  /** How much of its worth is left. */
  shareOf(index: number): number {
    const { source } = this.#all[index] as SourceLine;
    const kin = this.#kin.get(this.kindOf(index)) ?? 0;
    // Only what stands beside it already can make a line one of many.
    const crowd = this.#crowds[source.place] as number;
    if (crowd === 0) return ofKin.to(kin);
    const names = this.#named.get(this.#looks[index] as number) ?? 0;
    const listed = this.#listed.get(this.#lists[index] as number) ?? 0;
    return ofCrowd.to(crowd) * ofKin.to(kin) * ofNames.to(names) * ofListed.to(listed);
  }

  kindOf(index: number): number {
    if (this.#kinds[index] === 0) this.#shape(index);
    return this.#kinds[index] as number;
  }

  #shape(index: number): void {
    const { text, source } = this.#all[index] as SourceLine;
    // What a program prints is the same whoever calls it; two files that read alike are two.
    const place = source.heading.section.startsWith("Files") ? source.place : -1;
    const { kind, look } = shapesOf(text, place);
    this.#kinds[index] = kind;
    this.#looks[index] = (Math.imul(look, 31) + source.place) | 0;
    // A head is a character; 0 where it is in no list.
    const head = source.isOutput ? headOf(text) : 0;
    this.#lists[index] = head === 0 ? 0 : (source.place << 16) | head;
  }
}

/** Each worked out once: to raise a number to a power takes longer than all else that is asked of a line. */
class Powers {
  readonly #known: number[] = [];
  readonly #base: number;

  constructor(base: number) {
    this.#base = base;
  }

  to(exponent: number): number {
    while (this.#known.length <= exponent) this.#known.push(this.#base ** this.#known.length);
    return this.#known[exponent] as number;
  }
}

const ofKin = new Powers(OTHER_VALUES);
const ofNames = new Powers(OTHER_NAMES);
const ofListed = new Powers(LISTED);
const ofCrowd = new Powers(CROWD);

function increase(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
