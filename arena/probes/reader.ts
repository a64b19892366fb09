/**
 * A scripted reader: it knows the words a fact was asked by, not the fact, and looks for it the way a model would with the
 * tools a model has. It asks `list_refs` once for the words it knows, and opens what stands first there and what lines in view
 * point to (stubs, table, refs in the page) with `read_ref`, three times at most. So a ref counts only if it can be found.
 *
 * Where nothing visible says that anything can be read back, it does not look: a model would not either.
 */
import { refOf, runTool, type Store, type ToolAnswer } from "palimpsest";
import { ASKED_WORDS } from "./facts.ts";
import { type Line, linesOf } from "./lines.ts";
import { exitCodeIn } from "./mine-results.ts";
import type { Probe } from "./probe.ts";
import { escaped, Shown } from "./shown.ts";

export type Interface = "read" | "read+list" | "read+search" | "all";

/**
 * How it looks: by a search for its words; by browsing the list, without a search; or as an adversary whose words are none
 * of those the descriptions and the page use, so that only what originals say themselves can lead it.
 */
export type Habit = "search" | "browse" | "adversary";
export const HABITS: readonly Habit[] = ["search", "browse", "adversary"];

export interface ReadingOptions {
  readonly store: Store;
  readonly shown: Shown;
  /** Answers to `read_ref` are the same for every policy of a session: read once. */
  readonly answers: Map<string, Answer>;
  readonly tools?: Interface;
  readonly habit?: Habit;
}

export interface Reading {
  /** At which read it was found; shown by the list itself counts as the first. */
  readonly reads?: number;
  readonly tokens: number;
}

interface Answer {
  readonly shown: Shown;
  readonly tokens: number;
}

export const MOST_READS = 3;
/** As many as one call gives. */
const LIST_ROWS = 100;
const REF = /ref_[0-9a-hjkmnp-tv-z]{12}/g;
const SESSION = "arena";

export class Reader {
  readonly #options: ReadingOptions;
  readonly #signs: readonly Sign[];
  readonly #isTold: boolean;
  #list: Promise<ToolAnswer> | undefined;

  constructor(options: ReadingOptions) {
    this.#options = options;
    this.#signs = options.shown.lines.flatMap(signOf);
    this.#isTold =
      this.#signs.length > 0 || options.shown.lines.some(({ lower }) => lower.includes("list_refs"));
  }

  async read(probe: Probe): Promise<Reading> {
    if (!this.#isTold || probe.anchors.length === 0) return { tokens: 0 };
    const words = this.#wordsFor(probe);
    if (words.length === 0) return { tokens: 0 };
    const { answer, places } = await this.#search(words);
    let { tokens } = answer;
    if (answer.shown.find(probe) === "visible") return { reads: 1, tokens };
    for (const [read, place] of this.#candidates(places, words).slice(0, MOST_READS).entries()) {
      const opened = await this.#open(place, words);
      tokens += opened.tokens;
      if (opened.shown.find(probe) === "visible" || isEnding(probe, place.ref, opened))
        return { reads: read + 1, tokens };
    }
    return { tokens };
  }

  #wordsFor(probe: Probe): readonly string[] {
    const words = questionOf(probe);
    if (this.#options.habit !== "adversary") return words;
    return words.filter((word) => !this.#signs.some(({ lower }) => lower.includes(word)));
  }

  /** What a search found, best first, and what lines in view point to, in turn. */
  #candidates(found: readonly Place[], words: readonly string[]): readonly Place[] {
    const pointed = this.#signs
      .map(({ ref, lower }) => ({ ref, score: words.filter((word) => lower.includes(word)).length }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
    const byRef = new Map(found.map((place) => [place.ref, place]));
    const ordered = interleaved(
      found,
      pointed.map(({ ref }): Place => byRef.get(ref) ?? { ref }),
    );
    return [...new Map(ordered.map((place) => [place.ref, place])).values()];
  }

  async #search(
    words: readonly string[],
  ): Promise<{ readonly answer: Answer; readonly places: readonly Place[] }> {
    const { store, tools = "read+list", habit } = this.#options;
    if (tools === "read") return { answer: { shown: new Shown([]), tokens: 0 }, places: [] };
    if (habit === "browse") return this.#browse(words);
    const input = { contains: words.join(" ") };
    const { text, tokens, structured } = await runTool("list_refs", input, { store, sessionId: SESSION });
    const lines = linesOf(text);
    return { answer: { shown: new Shown(lines, lines), tokens }, places: placesIn(structured) };
  }

  /** The list as it comes, as long as a page may be; then the rows whose description has most of the words. */
  async #browse(
    words: readonly string[],
  ): Promise<{ readonly answer: Answer; readonly places: readonly Place[] }> {
    const { store } = this.#options;
    this.#list ??= runTool("list_refs", { limit: LIST_ROWS }, { store, sessionId: SESSION });
    const { text, tokens } = await this.#list;
    const rows = linesOf(text).flatMap(signOf);
    const places = rows
      .map(({ ref, lower }) => ({ ref, score: words.filter((word) => lower.includes(word)).length }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
    // What is visible in a list was said by no original: only descriptions stand there.
    return { answer: { shown: new Shown([]), tokens }, places };
  }

  /** Whole where it fits a page; else what stands around the line that was listed; else the lines with words that are known. */
  async #open({ ref, tokens = 0, line }: Place, words: readonly string[]): Promise<Answer> {
    if (tokens > PAGE_TOKENS && line !== undefined) return this.#call({ ref, lines: around(line) });
    const whole = await this.#call({ ref });
    if (!whole.shown.lines.some(({ text }) => text.startsWith("There is more: read_ref("))) return whole;
    return this.#call({ ref, grep: `(?i)${words.slice(0, 3).map(escaped).join("|")}` });
  }

  async #call(input: Readonly<Record<string, string>>): Promise<Answer> {
    const { store, answers } = this.#options;
    const key = JSON.stringify(input);
    const known = answers.get(key);
    if (known) return known;
    const { text, tokens } = await runTool("read_ref", input, { store, sessionId: SESSION });
    const lines = neighbouring(linesOf(text));
    const answer = { shown: new Shown(lines, lines), tokens };
    answers.set(key, answer);
    return answer;
  }
}

/** What `read_ref` shows at most, as its description says. */
const PAGE_TOKENS = 8_000;
/** Around a line that was listed. */
const BEFORE = 20;
const BEHIND = 60;

/** Where to look: a ref, and as far as the list said so how large it is and on which line. */
interface Place {
  readonly ref: string;
  readonly tokens?: number;
  readonly line?: string;
}

interface Listed {
  readonly refs?: readonly {
    readonly ref: string;
    readonly tokens: number;
    readonly found?: { readonly lines: string };
  }[];
}

function placesIn(structured: unknown): readonly Place[] {
  // The answer of `list_refs` as data, which says the same as its text.
  const { refs = [] } = structured as Listed;
  return refs.map(({ ref, tokens, found }) => ({ ref, tokens, ...(found ? { line: found.lines } : {}) }));
}

/** Some lines before and behind; in a line of megabytes from the character on. */
function around(line: string): string {
  if (line.includes(":")) return `${line}-`;
  const at = Number(line);
  return `${Math.max(1, at - BEFORE)}-${at + BEHIND}`;
}

/** Whoever asks how a command ended knows the command; of everything else, words that stood near it. */
function questionOf(probe: Probe): readonly string[] {
  if (probe.match === "pair") return probe.command.toLowerCase().split(" ");
  return (probe.asked ?? probe.anchors).slice(0, ASKED_WORDS);
}

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
