/**
 * Where a text says what was searched for: the stretch with the most of the terms in it, weighed by how rare they are. By
 * characters and not by lines, because minified code and JSON have everything on one line.
 */
import { shorten } from "../transcript/describe.ts";
import type { RefFound } from "./store.ts";
import { beginsWord, SEARCHED_CHARS } from "./words.ts";

export interface Passage {
  /** Terms that occur anywhere, by number. */
  readonly has: ReadonlySet<number>;
  /** Of the terms in the passage. */
  readonly weight: number;
  readonly found?: RefFound;
}

/** Some three lines of code, or a sentence with what stands around it. */
const PASSAGE_CHARS = 240;
/** Of one term; a text that has a word more often does not tell by it where to look. */
const MOST_OCCURRENCES = 2_000;
const SHOWN_CHARS = 160;
/** So far into a line its number alone does not lead there. */
const LONG_CHARS = 2_000;

interface Occurrence {
  readonly at: number;
  readonly term: number;
}

export function passageIn(text: string, terms: readonly string[], weights: readonly number[]): Passage {
  const occurrences = stretchesOf(text).flatMap(([from, to]) => {
    const stretch = text.slice(from, to);
    const lower = stretch.toLowerCase();
    return terms.flatMap((term, number) => occurrencesOf(stretch, lower, { term, number, from }));
  });
  if (occurrences.length === 0) return { has: new Set(), weight: 0 };
  const has = new Set(occurrences.map(({ term }) => term));
  const { start, weight } = densest(
    occurrences.sort((a, b) => a.at - b.at),
    weights,
  );
  return { has, weight, found: foundAt(text, start) };
}

/** What is indexed is looked into, not more. */
function stretchesOf({ length }: string): readonly (readonly [number, number])[] {
  if (length <= 2 * SEARCHED_CHARS) return [[0, length]];
  return [
    [0, SEARCHED_CHARS],
    [length - SEARCHED_CHARS, length],
  ];
}

interface Wanted {
  readonly term: string;
  readonly number: number;
  readonly from: number;
}

function occurrencesOf(text: string, lower: string, { term, number, from }: Wanted): readonly Occurrence[] {
  // A few capitals are longer in small letters: then places are off, and only that it occurs can be told.
  const isAligned = lower.length === text.length;
  const found: Occurrence[] = [];
  for (let at = lower.indexOf(term); at >= 0; at = lower.indexOf(term, at + 1)) {
    if (!isAligned || beginsWord(text, at)) found.push({ at: from + at, term: number });
    if (found.length >= MOST_OCCURRENCES) break;
  }
  return found;
}

/** A window that slides over the occurrences; the first of the heaviest. */
function densest(
  occurrences: readonly Occurrence[],
  weights: readonly number[],
): { readonly start: number; readonly weight: number } {
  const inside = new Map<number, number>();
  let best = { start: occurrences[0]?.at ?? 0, weight: 0 };
  let weight = 0;
  let first = 0;
  for (const { at, term } of occurrences) {
    for (let from = occurrences[first]; from && at - from.at > PASSAGE_CHARS; from = occurrences[first]) {
      const left = (inside.get(from.term) ?? 1) - 1;
      inside.set(from.term, left);
      if (left === 0) weight -= weights[from.term] ?? 0;
      first += 1;
    }
    const times = inside.get(term) ?? 0;
    inside.set(term, times + 1);
    if (times === 0) weight += weights[term] ?? 0;
    if (weight > best.weight + 1e-9) best = { start: occurrences[first]?.at ?? at, weight };
  }
  return best;
}

function foundAt(text: string, at: number): RefFound {
  let line = 1;
  for (let end = text.indexOf("\n"); end >= 0 && end < at; end = text.indexOf("\n", end + 1)) line += 1;
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const from = at - start > SHOWN_CHARS / 2 ? at - SHOWN_CHARS / 4 : start;
  const found = { line, text: shorten(text.slice(from, from + SHOWN_CHARS * 4), SHOWN_CHARS) };
  return from - start > LONG_CHARS ? { ...found, char: from - start + 1 } : found;
}
