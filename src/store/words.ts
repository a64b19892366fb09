/**
 * Finding originals by what they say. `contains` is plain text, never a query language: every blank-separated term
 * must occur, upper or lower case, and a term is found from the start of a word, or of a hump (`Config` in `loadConfig`).
 *
 * Stores index the distinct words of an original and look at the text of the few that have them all. Trigrams would
 * find terms inside words too; measured on agent output they take 2.4 times as long to index, for the same half of the
 * text in size. What is indexed of one original is bounded, so a 50 MB output costs what a 256 KB one does.
 */
import type { Part, ResultPart } from "../transcript/message.ts";

export interface Needle {
  /** Each occurs in the text. */
  readonly terms: readonly string[];
  /** Each begins a word of the text: what an index can answer. */
  readonly words: readonly string[];
}

/** Of the start and of the end: errors are at the end. */
const SEARCHED_CHARS = 128 * 1024;
const MOST_WORDS = 20_000;
/** Longer runs are data (base64, hashes); their start is enough to be found by. */
const WORD_CHARS = 64;
/** A pasted page as a query is narrowed by its first words; the text decides about the rest. */
const MOST_NEEDLE_WORDS = 24;

export function needleOf(contains: string): Needle {
  const terms = [...new Set(fold(contains).split(/\s+/))].filter((term) => term !== "");
  const words = new Set<string>();
  for (const run of runsOf(contains)) words.add(fold(run).slice(0, WORD_CHARS));
  return { terms, words: [...words].slice(0, MOST_NEEDLE_WORDS) };
}

/** The text an original is searched by: what it is, and what it says. */
export function searchedText(description: string, part: Part): string {
  const said = textOf(part);
  const isLong = said.length > 2 * SEARCHED_CHARS;
  const searched = isLong ? `${said.slice(0, SEARCHED_CHARS)}\n${said.slice(-SEARCHED_CHARS)}` : said;
  return `${description}\n${searched}`;
}

export function wordsOf(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  const seen = new Set<string>();
  for (const run of runsOf(text)) {
    if (seen.has(run)) continue;
    if (words.size >= MOST_WORDS) break;
    seen.add(run);
    words.add(fold(run).slice(0, WORD_CHARS));
    if (run.length <= WORD_CHARS) for (const at of humpsOf(run)) words.add(fold(run.slice(at)));
  }
  return words;
}

/** The final word, after an index has narrowed the choice. */
export function hasTerms(text: string, { terms }: Needle): boolean {
  const folded = fold(text);
  return terms.every((term) => folded.includes(term));
}

/** What an index answers, without one. */
export function hasWords(text: string, { words }: Needle): boolean {
  const there = [...wordsOf(text)];
  return words.every((word) => there.some((candidate) => candidate.startsWith(word)));
}

function textOf(part: Part | ResultPart): string {
  switch (part.type) {
    case "text":
    case "thinking":
      return part.text;
    case "tool-call":
      return `${part.name} ${typeof part.input === "string" ? part.input : JSON.stringify(part.input)}`;
    case "tool-result":
      return part.output.map(textOf).join("\n");
    case "document":
      return `${part.title ?? ""}\n${part.source.kind === "text" ? part.source.text : ""}`;
    case "opaque":
      return JSON.stringify(part.value);
    case "image":
      return "";
  }
}

/**
 * Letters and digits that stand together. By character codes: a regular expression with Unicode classes takes ten times
 * as long, and this reads every character that is indexed. Characters beyond the first 65,536 are nobody's words here:
 * terms of nothing else are looked for in the text itself.
 */
function* runsOf(text: string): Iterable<string> {
  let start = -1;
  for (let at = 0; at <= text.length; at += 1) {
    const kind = at < text.length ? kindOf(text.charCodeAt(at)) : SEPARATOR;
    if (kind === LETTER) {
      if (start === -1) start = at;
      continue;
    }
    if (start !== -1) yield text.slice(start, at);
    start = -1;
    if (kind === WHOLE) yield text.charAt(at);
  }
}

const SEPARATOR = 0;
const LETTER = 1;
/** Of scripts that write no blanks: each character is a word. */
const WHOLE = 2;
const UNKNOWN = 255;
const kinds = new Uint8Array(0x10000).fill(UNKNOWN);

function kindOf(code: number): number {
  const known = kinds[code] ?? SEPARATOR;
  if (known !== UNKNOWN) return known;
  const character = String.fromCharCode(code);
  const isWhole = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(character);
  const kind = isWhole ? WHOLE : /[\p{L}\p{N}\p{M}]/u.test(character) ? LETTER : SEPARATOR;
  kinds[code] = kind;
  return kind;
}

/** Where a capital follows a small letter, or begins the last word of `HTTPServer`. */
function humpsOf(run: string): readonly number[] {
  const humps: number[] = [];
  for (let at = 1; at < run.length; at += 1) {
    if (!isCapital(run.charCodeAt(at))) continue;
    const isAfterCapital = isCapital(run.charCodeAt(at - 1));
    if (!isAfterCapital || (at + 1 < run.length && isSmall(run.charCodeAt(at + 1)))) humps.push(at);
  }
  return humps;
}

function isCapital(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isSmall(code: number): boolean {
  return code >= 97 && code <= 122;
}

function fold(text: string): string {
  return text.toLowerCase();
}
