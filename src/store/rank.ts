/**
 * Best first. Of the originals that may hold the words of a search, which one was meant? The one that has them close
 * together, in what it is called or in one passage of what it says; rare words tell more than common ones; of two that say
 * the same the newer. A list by time made a reader open what came last, and half a file later.
 *
 * Stores bring the candidates (an index, or a walk over everything) and the text of each; the order is made here, so
 * that every store gives the same.
 */
import type { Part } from "../transcript/message.ts";
import { passageIn } from "./passage.ts";
import type { RefFound } from "./store.ts";
import type { Needle } from "./words.ts";

export interface Candidate {
  /** Its place in the order of keeping. */
  readonly seq: number;
  readonly kind: Part["type"];
  /** Of the terms of the needle, by number, those an index says it may have. */
  readonly terms: ReadonlySet<number>;
}

export interface Ranking {
  readonly needle: Needle;
  /** How many originals there are: what is in few of them tells most. */
  readonly of: number;
  /** `all`: every term must occur. `most`: at least half of the terms, counted by how rare they are. */
  readonly match: "all" | "most";
  /** What it is, and what it says: two texts, the second as `read_ref` numbers its lines. */
  readonly textOf: (seq: number) => SearchedText;
}

export interface SearchedText {
  readonly description: string;
  readonly said: string;
}

export interface RankedRow {
  readonly seq: number;
  readonly isWhole: boolean;
  /** Where it says it; absent where only its description does. */
  readonly found?: RefFound;
}

/** Looking into a text costs its length. Those that lack a term are looked into only while they are among the likeliest. */
const MOST_PARTIAL = 60;
const LEAST_SHARE = 0.5;

export function ranked(candidates: readonly Candidate[], ranking: Ranking): readonly RankedRow[] {
  const weights = weightsOf(candidates, ranking);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  if (all === 0) return [];
  const likely = candidates
    .map((candidate) => ({ candidate, weight: weightOf(candidate.terms, weights) }))
    .filter(({ candidate, weight }) => isIn(candidate, weight / all, ranking))
    .sort((a, b) => b.weight - a.weight || b.candidate.seq - a.candidate.seq);
  const whole = likely.filter(({ candidate }) => candidate.terms.size === weights.length);
  const partial = likely.filter(({ candidate }) => candidate.terms.size < weights.length);
  return [...whole, ...partial.slice(0, MOST_PARTIAL)]
    .flatMap(({ candidate }) => scored(candidate, { ...ranking, weights, all }))
    .sort(byScore)
    .map(({ row }) => row);
}

function isIn({ terms }: Candidate, share: number, { needle, match }: Ranking): boolean {
  return match === "all" ? terms.size === needle.terms.length : share >= LEAST_SHARE;
}

/** As in BM25: the logarithm of how few have it. What none has tells nothing. */
function weightsOf(candidates: readonly Candidate[], { needle, of }: Ranking): readonly number[] {
  const counts = needle.terms.map(() => 0);
  for (const { terms } of candidates) for (const term of terms) counts[term] = (counts[term] ?? 0) + 1;
  return counts.map((count) => (count === 0 ? 0 : Math.log(1 + (of - count + 0.5) / (count + 0.5))));
}

function weightOf(terms: Iterable<number>, weights: readonly number[]): number {
  let sum = 0;
  for (const term of terms) sum += weights[term] ?? 0;
  return sum;
}

interface Weighing extends Ranking {
  readonly weights: readonly number[];
  readonly all: number;
}

interface Scored {
  readonly row: RankedRow;
  readonly kind: Part["type"];
  readonly score: number;
}

/** How close together counts most, then how many there are at all, then how much of its name they are. */
const SHARES = { passage: 1, anywhere: 0.25, name: 0.25 } as const;

/** Nothing where the text, looked into, does not have what the index promised. */
function scored({ seq, kind }: Candidate, weighing: Weighing): readonly Scored[] {
  const { needle, weights, all, textOf } = weighing;
  const { description, said } = textOf(seq);
  const name = passageIn(description, needle.terms, weights);
  const text = passageIn(said, needle.terms, weights);
  const has = new Set([...name.has, ...text.has]);
  if (!isIn({ seq, kind, terms: has }, weightOf(has, weights) / all, weighing)) return [];
  const score =
    (SHARES.passage * Math.max(name.weight, text.weight)) / all +
    (SHARES.anywhere * weightOf(has, weights)) / all +
    SHARES.name * (name.weight / all) * closeness(needle, name.has, description);
  const row = { seq, isWhole: has.size === needle.terms.length };
  return [{ kind, score, row: text.found ? { ...row, found: text.found } : row }];
}

/** The share of the description that was asked for: `go test ./...` means that command, not one with three flags more. */
function closeness({ terms }: Needle, has: ReadonlySet<number>, description: string): number {
  const asked = [...has].reduce((sum, term) => sum + (terms[term]?.length ?? 0), 0);
  return Math.min(1, asked / Math.max(1, description.replaceAll(/\s/g, "").length));
}

/** What tools said before what the model did: the call and its result share their description, and the answer is in the result. */
function byScore(a: Scored, b: Scored): number {
  const score = Math.round((b.score - a.score) * 1_000);
  return score || KINDS[a.kind] - KINDS[b.kind] || b.row.seq - a.row.seq;
}

const KINDS: Readonly<Record<Part["type"], number>> = {
  "tool-result": 0,
  text: 0,
  document: 0,
  image: 0,
  "tool-call": 1,
  thinking: 1,
  opaque: 1,
};
