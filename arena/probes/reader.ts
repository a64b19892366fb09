/**
 * A scripted reader: it knows the words a fact was asked by, not the fact, and looks for it the way a model would with the
 * tools a model has. It reads what is visible first (stubs, table, refs in the page), then asks `list_refs` for the rarest
 * words it knows, and opens what looks likest with `read_ref`, three times at most. So a ref counts only if it can be found.
 *
 * Where nothing visible says that anything can be read back, it does not look: a model would not either.
 */
import { refOf, runTool, type Store } from "palimpsest";
import { ASKED_WORDS } from "./facts.ts";
import { type Line, linesOf } from "./lines.ts";
import { exitCodeIn } from "./mine-results.ts";
import type { Probe } from "./probe.ts";
import { escaped, Shown } from "./shown.ts";

export type Interface = "read" | "read+list" | "read+search" | "all";

export interface ReadingOptions {
  readonly store: Store;
  readonly shown: Shown;
  /** How many originals hold a word: the rare ones are asked for first. */
  readonly frequencyOf: (word: string) => number;
  /** Answers are the same for every policy of a session: read once. */
  readonly answers: Map<string, Answer>;
  readonly tools?: Interface;
}

export interface Reading {
  /** At which read it was found. */
  readonly reads?: number;
  readonly tokens: number;
}

interface Answer {
  readonly shown: Shown;
  readonly tokens: number;
}

export const MOST_READS = 3;
const REF = /ref_[0-9a-hjkmnp-tv-z]{12}/g;
const SESSION = "arena";

export class Reader {
  readonly #options: ReadingOptions;
  readonly #signs: readonly Sign[];
  readonly #isTold: boolean;

  constructor(options: ReadingOptions) {
    this.#options = options;
    this.#signs = options.shown.lines.flatMap(signOf);
    this.#isTold =
      this.#signs.length > 0 || options.shown.lines.some(({ lower }) => lower.includes("list_refs"));
  }

  async read(probe: Probe): Promise<Reading> {
    if (!this.#isTold || probe.anchors.length === 0) return { tokens: 0 };
    const words = this.#rarestFirst(probe.asked ?? probe.anchors);
    const { refs, tokens: listed } = await this.#candidates(words);
    let tokens = listed;
    for (const [read, ref] of refs.slice(0, MOST_READS).entries()) {
      const answer = await this.#open(ref, words);
      tokens += answer.tokens;
      if (answer.shown.find(probe) === "visible" || isEnding(probe, ref, answer))
        return { reads: read + 1, tokens };
    }
    return { tokens };
  }

  #rarestFirst(anchors: readonly string[]): readonly string[] {
    const { frequencyOf } = this.#options;
    return anchors
      .map((word) => ({ word, times: frequencyOf(word) }))
      .filter(({ times }) => times > 0)
      .sort((a, b) => a.times - b.times || (a.word < b.word ? -1 : 1))
      .slice(0, ASKED_WORDS)
      .map(({ word }) => word);
  }

  /** What a line in view points to and what a search finds, in turn: the likeliest of each first. */
  async #candidates(
    words: readonly string[],
  ): Promise<{ readonly refs: readonly string[]; readonly tokens: number }> {
    const { tools = "read+list" } = this.#options;
    const pointed = this.#pointedTo(words);
    const { refs, tokens, isWhole } = tools === "read" ? NOTHING : await this.#search(words);
    // What holds every word of the question is likelier than a line that has two of them.
    const isSure = !isWhole && (pointed[0]?.score ?? 0) >= SURE_WORDS;
    const seen = pointed.map(({ ref }) => ref);
    const ordered = isSure ? interleaved(seen, refs) : interleaved(refs, seen);
    return { refs: [...new Set(ordered)], tokens };
  }

  #pointedTo(words: readonly string[]): readonly { readonly ref: string; readonly score: number }[] {
    return this.#signs
      .map(({ ref, lower }) => ({ ref, score: words.filter((word) => lower.includes(word)).length }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
  }

  /** All of the words it knows; where nothing has them all, of the rarest three, two, one. */
  async #search(words: readonly string[]): Promise<Found> {
    const { store } = this.#options;
    let tokens = 0;
    for (const count of new Set(TRIED_WORDS.map((tried) => Math.min(tried, words.length)))) {
      const contains = words.slice(0, count).join(" ");
      const answer = await runTool("list_refs", { contains }, { store, sessionId: SESSION });
      tokens += answer.tokens;
      const lines = linesOf(answer.text).flatMap(signOf);
      const ranked = lines
        .map(({ ref, lower }) => ({ ref, score: words.filter((word) => lower.includes(word)).length }))
        .sort((a, b) => b.score - a.score);
      if (ranked.length > 0)
        return { refs: ranked.map(({ ref }) => ref), tokens, isWhole: count === words.length };
    }
    return { ...NOTHING, tokens };
  }

  /** Whole where it fits a page; else the lines with a word that is known. */
  async #open(ref: string, words: readonly string[]): Promise<Answer> {
    const { answers } = this.#options;
    const whole = answers.get(ref) ?? (await this.#call(ref, undefined));
    answers.set(ref, whole);
    if (!whole.shown.lines.some(({ text }) => text.startsWith("There is more: read_ref("))) return whole;
    const grep = words.slice(0, 3).map(escaped).join("|");
    const key = `${ref} ${grep}`;
    const found = answers.get(key) ?? (await this.#call(ref, grep));
    answers.set(key, found);
    return found;
  }

  async #call(ref: string, grep: string | undefined): Promise<Answer> {
    const { store } = this.#options;
    // Words are known, not in which case they were written.
    const input = grep === undefined ? { ref } : { ref, grep: `(?i)${grep}` };
    const answer = await runTool("read_ref", input, { store, sessionId: SESSION });
    const lines = neighbouring(linesOf(answer.text));
    return { shown: new Shown(lines, lines), tokens: answer.tokens };
  }
}

/** All it knows, then fewer of the rarest. */
const TRIED_WORDS: readonly number[] = [ASKED_WORDS, 5, 3, 2, 1];
/** So many known words on one line that points somewhere: look there before searching. */
const SURE_WORDS = 2;

interface Found {
  readonly refs: readonly string[];
  readonly tokens: number;
  /** All words were found together. */
  readonly isWhole: boolean;
}

const NOTHING: Found = { refs: [], tokens: 0, isWhole: false };

interface Sign {
  readonly ref: string;
  readonly lower: string;
}

function signOf({ text, lower }: Line): readonly Sign[] {
  return text.includes("ref_") ? [...text.matchAll(REF)].map(([ref]) => ({ ref, lower })) : [];
}

/** The result of a command need not repeat the command: it was opened as that. */
function isEnding(probe: Probe, ref: string, { shown }: Answer): boolean {
  if (probe.match !== "pair" || probe.source === undefined || refOf(probe.source) !== ref) return false;
  return exitCodeIn(shown.lines.map(({ text }) => text).join("\n")) === probe.value;
}

/** An original is read in its place: the words a fact was asked by may stand on the line before or after it. */
function neighbouring(lines: readonly Line[]): readonly Line[] {
  return lines.map((line, at) => ({
    ...line,
    lower: `${lines[at - 1]?.lower ?? ""} ${line.lower} ${lines[at + 1]?.lower ?? ""}`,
  }));
}

function interleaved<T>(first: readonly T[], second: readonly T[]): readonly T[] {
  const all: T[] = [];
  for (let at = 0; at < Math.max(first.length, second.length); at += 1) {
    const [a, b] = [first[at], second[at]];
    if (a !== undefined) all.push(a);
    if (b !== undefined) all.push(b);
  }
  return all;
}
