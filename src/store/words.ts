/**
 * Finding originals by what they say. `contains` is plain text, never a query language: blank-separated terms, upper or
 * lower case, each found from the start of a word, or of a hump (`Config` in `loadConfig`).
 *
 * Stores index the distinct words of an original and look at the text of those that have them; `rank.ts` orders them. Trigrams would
 * find terms inside words too; measured on agent output they take 2.4 times as long to index, for the same half of the
 * text in size. What is indexed of one original is bounded, so a 50 MB output costs what a 256 KB one does.
 */

export interface Needle {
  readonly terms: readonly string[];
  /** Of each term, its words: what an index can answer. None where only the text can tell. */
  readonly words: readonly (readonly string[])[];
}

/** Of the start and of the end: errors are at the end. */
export const SEARCHED_CHARS: number = 128 * 1024;
const MOST_WORDS = 20_000;
/** Longer runs are data (base64, hashes); their start is enough to be found by. */
const WORD_CHARS = 64;
/** A pasted page as a query is narrowed by its first terms; the text decides about the rest. */
const MOST_INDEXED_TERMS = 24;

export function needleOf(contains: string): Needle {
  const terms = [...new Set(fold(contains).split(/\s+/))].filter((term) => term !== "");
  const words = terms.map((term, index) =>
    index < MOST_INDEXED_TERMS ? [...runsOf(term)].map((run) => run.slice(0, WORD_CHARS)) : [],
  );
  return { terms, words };
}

/** The text an index is made of: what an original is, and what it says. */
export function searchedText(description: string, said: string): string {
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

/** Which terms these words may hold, by number: what an index answers, without one. */
export function termsAmong(words: ReadonlySet<string>, needle: Needle): ReadonlySet<number> {
  const there = [...words];
  const has = (word: string) => words.has(word) || there.some((candidate) => candidate.startsWith(word));
  return new Set(needle.words.flatMap((wanted, term) => (wanted.every(has) ? [term] : [])));
}

/** Whether a term found here was found from its start: of a word, or of a hump. What begins with a sign may stand anywhere. */
export function beginsWord(text: string, at: number): boolean {
  if (at === 0 || kindOf(text.charCodeAt(at)) !== LETTER) return true;
  const before = text.charCodeAt(at - 1);
  if (kindOf(before) !== LETTER) return true;
  if (!isCapital(text.charCodeAt(at))) return false;
  return !isCapital(before) || isSmall(text.charCodeAt(at + 1));
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
