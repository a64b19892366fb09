/**
 * Which lines are quoted: again and again the one that tells most for its length. A line tells of the things in it, the
 * more surely the more plain words stand beside them; what another line tells already counts for less, and so does a line
 * like those that are quoted (`alike.ts`) or like what is printed whatever happens (`routine.ts`); and the first line from a
 * source costs its heading and ref too, so that one ref serves several lines.
 *
 * Greedy, by a heap of promises: what a line adds can only shrink, so only the one on top is looked at again; but where a
 * heading is paid for, all that stand under it cost less, and promise more.
 */
import { Alike } from "./alike.ts";
import type { Heading, SourceLine } from "./gathering.ts";
import { shows } from "./heading-repeats.ts";
import { Heap } from "./heap.ts";
import { LineRows, tellsOf } from "./line-rows.ts";
import { shapeShare } from "./routine.ts";
import type { Scan } from "./scan.ts";
import { Spread } from "./spread.ts";

export interface Choosing {
  /** By the number of a thing. */
  readonly worths: Float64Array;
  /** How many headings there are to stand under. */
  readonly places: number;
  /** What is in sight anyway. */
  readonly shown: readonly Scan[];
  readonly maxTokens: number;
  /** As it will be written, its heading included where it is the first under it. */
  readonly tokensOf: (line: SourceLine, isFirst: boolean, isNewSource: boolean) => number;
  /** Whether it holds no longer. Asked only of what would be quoted. */
  readonly isStruck: (line: SourceLine) => boolean;
  /** Whether the summary has a line for it. */
  readonly isThere: (heading: Heading) => boolean;
}

/** Less than a thousandth of a thing in a hundred characters is not worth reading. */
const LEAST = 0.00001;

/**
 * Lines are read again with every request. The first thousands of tokens of them are worth it for what they save in looking
 * things up; then the page must be better to grow: half as long again, and a line must tell fifteen times as much.
 */
const FREE_TOKENS = 6_000;
const LEAST_PER_TOKEN = 5e-8;

/** Fewer than these hold no line worth looking for. */
const ENOUGH_TOKENS = 20;

export function chooseLines(lines: readonly SourceLine[], choosing: Choosing): readonly SourceLine[] {
  const telling = new Telling(lines, choosing);
  const { scores } = telling;
  const heap = new Heap(scores, 0);
  for (let top = heap.top; top !== undefined; top = heap.top) {
    const promised = scores[top] as number;
    if (promised <= telling.least) break;
    telling.look(top);
    const score = scores[top] as number;
    if (score < promised && score > telling.least) {
      heap.lowered();
      continue;
    }
    heap.pop();
    const line = lines[top] as SourceLine;
    if (score <= telling.least || shows(line.source.heading.text, line.text) || choosing.isStruck(line))
      continue;
    const tokens = telling.tokensOf(line);
    if (tokens <= telling.left) {
      for (const index of telling.add(top, tokens)) heap.raise(index, telling.scoreOf(index));
    } else if (telling.left < ENOUGH_TOKENS) break;
  }
  return telling.chosen;
}

/** What is told so far, and so what each of the lines would add. Lines are known by their place in the list. */
class Telling {
  readonly chosen: SourceLine[] = [];
  /** By the place of a line: what it promises. They are numbers in a list, so that none is made anew for each look. */
  readonly scores: Float64Array;
  /** Tokens that are left, and what a line must be worth to have some of them. */
  left: number;
  least: number = LEAST;
  readonly #all: readonly SourceLine[];
  readonly #choosing: Choosing;
  readonly #rows: LineRows;
  /** By the number of a thing: how surely it is told, and what is left of its worth. */
  readonly #told: Float64Array;
  readonly #worths: Float64Array;
  /** By the number of a place: whether its heading is there. */
  readonly #open: Uint8Array;
  readonly #inPlaces: readonly (readonly number[])[];
  readonly #sources = new Set<string>();
  readonly #alike: Alike;
  readonly #spread: Spread;
  /** 0 until it would be quoted. */
  readonly #shapeShares: Float32Array;

  constructor(all: readonly SourceLine[], choosing: Choosing) {
    this.#all = all;
    this.#choosing = choosing;
    this.left = choosing.maxTokens;
    this.#rows = new LineRows(all);
    this.#told = new Float64Array(choosing.worths.length);
    this.#worths = choosing.worths.slice();
    this.#inPlaces = byPlace(all, choosing.places);
    this.#open = new Uint8Array(choosing.places);
    for (let place = 0; place < choosing.places; place += 1) {
      const line = all[this.#inPlaces[place]?.[0] ?? -1];
      if (line && choosing.isThere(line.source.heading)) this.#open[place] = 1;
    }
    this.#alike = new Alike(all, choosing.places);
    this.#spread = new Spread(all, (index) => this.#alike.kindOf(index));
    this.#shapeShares = new Float32Array(all.length);
    for (const shown of choosing.shown) this.#tell(shown);
    this.scores = this.#firstScores();
  }

  /** 0 for a line that is not worth it even where its heading is there. */
  #firstScores(): Float64Array {
    const { chars } = this.#rows;
    const scores = new Float64Array(chars.length);
    for (let index = 0; index < scores.length; index += 1)
      if (this.#rows.gainOf(index, this.#worths) > LEAST * (chars[index] as number))
        scores[index] = this.scoreOf(index);
    return scores;
  }

  /** What it promises now. What is not worth it whatever it looks like is not looked at. */
  look(index: number): void {
    const score = this.scoreOf(index);
    this.scores[index] = score <= this.least ? score : score * this.#shapeShareOf(index);
  }

  /** Answers those that promise more now. */
  add(index: number, tokens: number): readonly number[] {
    this.left -= tokens;
    const spentTokens = this.#choosing.maxTokens - this.left;
    this.least = LEAST + LEAST_PER_TOKEN * Math.max(0, spentTokens - FREE_TOKENS);
    const line = this.#all[index] as SourceLine;
    const { place } = line.source;
    const opened = this.#open[place] === 1 ? [] : (this.#inPlaces[place] ?? []);
    this.chosen.push(line);
    this.#open[place] = 1;
    this.#sources.add(line.source.ref());
    this.#alike.add(index);
    this.#tell(line.scan);
    return opened;
  }

  tokensOf(line: SourceLine): number {
    const isFirst = this.#open[line.source.place] === 0;
    return this.#choosing.tokensOf(line, isFirst, !this.#sources.has(line.source.ref()));
  }

  scoreOf(index: number): number {
    const { places, chars, headingChars } = this.#rows;
    const isOpen = this.#open[places[index] as number] === 1;
    const allChars = (chars[index] as number) + (isOpen ? 0 : (headingChars[index] as number));
    const score = this.#rows.gainOf(index, this.#worths) / allChars;
    // What has no worth without them needs no look at those like it, and before the first is quoted there are none.
    return score <= LEAST || this.chosen.length === 0 ? score : score * this.#alike.shareOf(index);
  }

  #shapeShareOf(index: number): number {
    const known = this.#shapeShares[index] as number;
    if (known !== 0) return known;
    const share = shapeShare(this.#all[index] as SourceLine, this.#spread.isEverywhere(index));
    this.#shapeShares[index] = share;
    return share;
  }

  #tell(scanned: Scan): void {
    const tells = tellsOf(scanned);
    const told = this.#told;
    for (const { id } of scanned.things) {
      // What nobody spoke of before has no worth.
      if (id >= told.length) continue;
      const now = 1 - (1 - (told[id] as number)) * (1 - tells);
      told[id] = now;
      this.#worths[id] = (1 - now) * (this.#choosing.worths[id] as number);
    }
  }
}

function byPlace(all: readonly SourceLine[], places: number): readonly (readonly number[])[] {
  const lists = Array.from({ length: places }, (): number[] => []);
  for (let index = 0; index < all.length; index += 1)
    lists[(all[index] as SourceLine).source.place]?.push(index);
  return lists;
}
