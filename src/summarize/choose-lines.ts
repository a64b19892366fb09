/**
 * Which lines are quoted: again and again the one that tells most for its length. A line tells of the things in it, the
 * more surely the more plain words stand beside them; what another line tells already counts for less; and the first
 * line from a source costs its heading and ref too, so that one ref serves several lines.
 *
 * Greedy, by a heap of promises: what a line adds can only shrink, so only the one on top is looked at again.
 */
import type { Heading, SourceLine } from "./gathering.ts";
import { kindOf } from "./line-shape.ts";
import type { Scan } from "./scan.ts";

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

/** How surely a line with so many plain words tells what its things are. */
const TELLS = [0.3, 0.8, 0.9, 0.95] as const;

/** Characters around the words of a heading, of another ref, and of the mark before a quote. */
const HEADING_CHARS = 24;
const REF_CHARS = 18;
const MARK_CHARS = 5;

/** Less than a thousandth of a thing in a hundred characters is not worth reading. */
const LEAST = 0.00001;

export function chooseLines(lines: readonly SourceLine[], choosing: Choosing): readonly SourceLine[] {
  const chosen = new Chosen(choosing, lines);
  const heap = new Heap(chosen.offersOf(lines).filter(({ score }) => score > LEAST));
  let left = choosing.maxTokens;
  for (let top = heap.top; top && top.score > LEAST; top = heap.top) {
    const score = chosen.scoreOf(top);
    if (score < top.score) {
      heap.lower(score);
      continue;
    }
    heap.pop();
    if (choosing.isStruck(top.line)) continue;
    const tokens = chosen.tokensOf(top.line);
    if (tokens > left) {
      if (left < ENOUGH_TOKENS) break;
      continue;
    }
    left -= tokens;
    chosen.add(top);
  }
  return chosen.lines;
}

/** Fewer than these hold no line worth looking for. */
const ENOUGH_TOKENS = 20;

class Chosen {
  readonly lines: SourceLine[] = [];
  readonly #choosing: Choosing;
  /** By the number of a thing: how surely it is told. */
  readonly #told: Float64Array;
  /** By the number of a place: whether its heading is there. */
  readonly #open: Uint8Array;
  readonly #sources = new Set<string>();
  readonly #alike = new Map<number, number>();

  constructor(choosing: Choosing, lines: readonly SourceLine[]) {
    this.#choosing = choosing;
    this.#told = new Float64Array(choosing.worths.length);
    this.#open = new Uint8Array(choosing.places);
    const asked = new Uint8Array(choosing.places);
    for (const { source } of lines) {
      if (asked[source.place] === 1) continue;
      asked[source.place] = 1;
      if (choosing.isThere(source.heading)) this.#open[source.place] = 1;
    }
    for (const shown of choosing.shown) this.#tell(shown);
  }

  offersOf(lines: readonly SourceLine[]): Offer[] {
    return lines.map((line) => {
      const offer: Offer = { line, score: 0, kind: undefined };
      offer.score = this.scoreOf(offer);
      return offer;
    });
  }

  add({ line, kind }: Offer): void {
    this.lines.push(line);
    this.#open[line.source.place] = 1;
    this.#sources.add(line.source.ref());
    const known = kind ?? kindOf(line.text, line.source.place);
    this.#alike.set(known, (this.#alike.get(known) ?? 0) + 1);
    this.#tell(line.scan);
  }

  tokensOf(line: SourceLine): number {
    const isFirst = this.#open[line.source.place] === 0;
    return this.#choosing.tokensOf(line, isFirst, !this.#sources.has(line.source.ref()));
  }

  scoreOf(offer: Offer): number {
    const { scan, source, text } = offer.line;
    const { worths } = this.#choosing;
    let gain = 0;
    for (const { id } of scan.things) gain += (1 - (this.#told[id] ?? 0)) * (worths[id] ?? 0);
    gain *= tellsOf(scan);
    if (this.#open[source.place] === 0)
      return gain / (text.length + MARK_CHARS + HEADING_CHARS + source.heading.text.length);
    offer.kind ??= kindOf(text, source.place);
    const alike = this.#alike.get(offer.kind) ?? 0;
    return (gain * ALIKE ** alike) / (text.length + MARK_CHARS + REF_CHARS / 2);
  }

  #tell(scanned: Scan): void {
    const tells = tellsOf(scanned);
    for (const { id } of scanned.things) this.#told[id] = 1 - (1 - (this.#told[id] ?? 0)) * (1 - tells);
  }
}

function tellsOf({ words }: Scan): number {
  return TELLS[Math.min(words, TELLS.length - 1)] ?? 0;
}

/** One line of a log shows what its lines are like; the second tells less, and a page of them nothing: they are read there. */
const ALIKE = 0.4;

interface Offer {
  readonly line: SourceLine;
  score: number;
  /** What it is like; undefined until its place is open and it matters. */
  kind: number | undefined;
}

class Heap {
  readonly #items: Offer[];

  constructor(items: Offer[]) {
    this.#items = items;
    for (let at = (items.length >> 1) - 1; at >= 0; at -= 1) this.#sink(at);
  }

  get top(): Offer | undefined {
    return this.#items[0];
  }

  lower(score: number): void {
    const [top] = this.#items;
    if (!top) return;
    top.score = score;
    this.#sink(0);
  }

  pop(): void {
    const last = this.#items.pop();
    if (!last || this.#items.length === 0) return;
    this.#items[0] = last;
    this.#sink(0);
  }

  #sink(from: number): void {
    const items = this.#items;
    const moved = items[from] as Offer;
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      const child = isBefore(items[left + 1], items[left]) ? left + 1 : left;
      const next = items[child];
      if (!next || !isBefore(next, moved)) break;
      items[at] = next;
      at = child;
    }
    items[at] = moved;
  }
}

/** Equals in the order they were said, so that the same input gives the same page. */
function isBefore(a: Offer | undefined, b: Offer | undefined): boolean {
  if (!a || !b) return false;
  return a.score > b.score || (a.score === b.score && a.line.order < b.line.order);
}
