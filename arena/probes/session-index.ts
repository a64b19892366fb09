/**
 * Which originals of one session hold a word. Every policy keeps the same parts of the same session, so the words of each
 * are found once and shared; without this, searching would be most of what the arena does.
 *
 * The rule is that of `RefQuery.contains`: every term occurs, from the start of a word or of a hump. A test holds
 * it to what `memoryStore` answers.
 */
import type { Original, Part } from "palimpsest";
import { linesOfPart, textOf } from "./lines.ts";

export class SessionIndex {
  readonly #refsByWord = new Map<string, Set<string>>();
  readonly #indexed = new Set<string>();
  readonly #byTerm = new Map<string, ReadonlySet<string>>();
  readonly #parts: { readonly ref: string; readonly part: Part }[] = [];
  readonly #holding = new Map<string, { readonly refs: Set<string>; looked: number }>();
  #words: string[] | undefined;

  add({ ref, part, description }: Pick<Original, "ref" | "part" | "description">): void {
    if (this.#indexed.has(ref)) return;
    this.#indexed.add(ref);
    this.#parts.push({ ref, part });
    for (const word of [...wordsIn(description), ...wordsOfPart(part)]) {
      const refs = this.#refsByWord.get(word);
      if (refs) refs.add(ref);
      else this.#refsByWord.set(word, new Set([ref]));
    }
    this.#words = undefined;
    this.#byTerm.clear();
  }

  refsWith(term: string): ReadonlySet<string> {
    const known = this.#byTerm.get(term);
    if (known) return known;
    this.#words ??= [...this.#refsByWord.keys()].sort();
    const found = new Set<string>();
    for (let at = lowerBound(this.#words, term); this.#words[at]?.startsWith(term); at += 1)
      for (const ref of this.#refsByWord.get(this.#words[at] ?? "") ?? []) found.add(ref);
    this.#byTerm.set(term, found);
    return found;
  }

  /** Which originals have this value on one of their lines; looked for once, whoever asks. */
  refsHolding(value: string): ReadonlySet<string> {
    const known = this.#holding.get(value) ?? { refs: new Set<string>(), looked: 0 };
    this.#holding.set(value, known);
    for (; known.looked < this.#parts.length; known.looked += 1) {
      const { ref, part } = this.#parts[known.looked] ?? {};
      if (
        ref !== undefined &&
        part &&
        linesOfPart(part).some(({ text, normal }) => text.includes(value) || normal.includes(value))
      )
        known.refs.add(ref);
    }
    return known.refs;
  }
}

/** Of the content alone: the store hands out copies of parts, but the same ones to every policy. */
function wordsOfPart(part: Part): ReadonlySet<string> {
  const words = known.get(part) ?? wordsIn(textOf(part));
  known.set(part, words);
  return words;
}

const known = new WeakMap<Part, ReadonlySet<string>>();

/** Runs of letters and digits, and what follows a hump in them. */
function wordsIn(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const run of new Set(text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])) {
    words.add(run.toLowerCase().slice(0, WORD_CHARS));
    if (run.length > WORD_CHARS) continue;
    for (const hump of run.matchAll(/(?<=[^A-Z])[A-Z]|(?<=[A-Z])[A-Z](?=[a-z])/g))
      words.add(run.slice(hump.index).toLowerCase());
  }
  return words;
}

const WORD_CHARS = 64;

function lowerBound(sorted: readonly string[], term: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < term) low = middle + 1;
    else high = middle;
  }
  return low;
}
