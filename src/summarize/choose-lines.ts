/**
 * Which lines are quoted: again and again the one that tells most for its length. A line tells of the things in it, the
 * more surely the more plain words stand beside them; what another line tells already counts for less; and the first
 * line from a source costs its heading and ref too, so that one ref serves several lines.
 *
 * Greedy, by a heap of promises: what a line adds can only shrink, so only the one on top is looked at again.
 */
import type { Heading, SourceLine } from "./source-lines.ts";
import type { Scan } from "./things.ts";

export interface Choosing {
  readonly worths: ReadonlyMap<string, number>;
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
  const chosen = new Chosen(choosing);
  const offers = lines.map((line) => ({ line, score: chosen.scoreOf(line) }));
  const heap = new Heap(offers.filter(({ score }) => score > LEAST));
  let left = choosing.maxTokens;
  for (let top = heap.top; top && top.score > LEAST; top = heap.top) {
    const score = chosen.scoreOf(top.line);
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
    chosen.add(top.line);
  }
  return chosen.lines;
}

/** Fewer than these hold no line worth looking for. */
const ENOUGH_TOKENS = 20;

class Chosen {
  readonly lines: SourceLine[] = [];
  readonly #choosing: Choosing;
  readonly #told = new Map<string, number>();
  readonly #open = new Set<string>();
  readonly #sources = new Set<string>();
  readonly #alike = new Map<string, number>();
  readonly #kinds = new Map<SourceLine, string>();

  constructor(choosing: Choosing) {
    this.#choosing = choosing;
    for (const shown of choosing.shown) this.#tell(shown);
  }

  add(line: SourceLine): void {
    this.lines.push(line);
    this.#open.add(line.key);
    this.#sources.add(line.ref());
    const kind = this.#kindOf(line);
    this.#alike.set(kind, (this.#alike.get(kind) ?? 0) + 1);
    this.#tell(line.scan);
  }

  tokensOf(line: SourceLine): number {
    return this.#choosing.tokensOf(line, !this.#isOpen(line), !this.#sources.has(line.ref()));
  }

  scoreOf(line: SourceLine): number {
    const tells = tellsOf(line.scan);
    let gain = 0;
    for (const { text } of line.scan.things)
      gain += tells * (1 - (this.#told.get(text) ?? 0)) * (this.#choosing.worths.get(text) ?? 0);
    const isOpen = this.#isOpen(line);
    const opening = isOpen ? REF_CHARS / 2 : HEADING_CHARS + line.heading.text.length;
    const alike = isOpen ? (this.#alike.get(this.#kindOf(line)) ?? 0) : 0;
    return (gain * ALIKE ** alike) / (line.text.length + MARK_CHARS + opening);
  }

  #isOpen(line: SourceLine): boolean {
    return this.#open.has(line.key) || this.#choosing.isThere(line.heading);
  }

  /** Asked for each time a line comes up, and it never changes. */
  #kindOf(line: SourceLine): string {
    const known = this.#kinds.get(line) ?? kindOf(line);
    this.#kinds.set(line, known);
    return known;
  }

  #tell(scanned: Scan): void {
    const tells = tellsOf(scanned);
    for (const { text } of scanned.things)
      this.#told.set(text, 1 - (1 - (this.#told.get(text) ?? 0)) * (1 - tells));
  }
}

function tellsOf({ words }: Scan): number {
  return TELLS[Math.min(words, TELLS.length - 1)] ?? 0;
}

/** One line of a log shows what its lines are like; the second tells less, and a page of them nothing: they are read there. */
const ALIKE = 0.4;

/** Lines that differ in nothing but values: numbers, what is quoted behind a colon, words that are none (hashes, keys). */
function kindOf(line: SourceLine): string {
  const words = line.text
    .replaceAll(/(:\s*)"[^"]*"/g, '$1"')
    .replaceAll(/\S*\d\S*|(?<!\S)[A-Za-z+/=]{12}(?!\S)/g, "0");
  return `${line.key} ${words}`;
}

interface Offer {
  readonly line: SourceLine;
  score: number;
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
