/**
 * The exact things of a line: what has to be spelled right to be of use, and cannot be guessed. Paths, names spelled like
 * code, numbers that say something, hashes, versions, addresses, issues, flags. Plain words are not things; but a thing
 * without a plain word beside it says nothing, so they are counted.
 *
 * One pass over the characters of each word, because every line of what folds is read.
 */
export type ThingKind = "name" | "path" | "number" | "hash" | "url" | "flag" | "issue";

export interface Thing {
  readonly kind: ThingKind;
  /** A path is known by its last part: it is written with and without its folders. */
  readonly text: string;
}

export interface Scan {
  readonly things: readonly Thing[];
  /** Different plain words. */
  readonly words: number;
}

const WORD = /[\w$@#~./:%+\u0080-\uffff-]+/g;

export function scan(line: string): Scan {
  const things = new Map<string, Thing>();
  const words = new Set<string>();
  for (const [chunk] of line.matchAll(WORD)) {
    if (chunk.length > MAX_CHARS) continue;
    if (PLAIN.test(chunk)) {
      const word = chunk.toLowerCase();
      if (word.length >= 4 && !SYNTAX.has(word)) words.add(word);
      continue;
    }
    for (const thing of thingsIn(chunk)) things.set(thing.text, thing);
  }
  return { things: [...things.values()], words: words.size };
}

/** Longer is data: a key, an image, a line of a minified file. */
const MAX_CHARS = 160;
const PLAIN = /^[A-Z]?(?:[a-z]+|[\u0080-\uffff]+)[.:]?$/;

/** Words of programming languages stand beside everything, and tell nothing of it. */
const SYNTAX = new Set(
  "const return function func import export from await async this true false null none undefined string number boolean void else case break default class interface type public private static self struct package with error when then that have will would should".split(
    " ",
  ),
);

function thingsIn(chunk: string): readonly Thing[] {
  const text = chunk.replace(/^[.:+~@%-]*(?=[\w$#/])(?<!--)|[.:+~@#%$-]+$/g, (cut, at: number) =>
    at === 0 && cut.endsWith("--") ? "--" : at === 0 && cut === "." ? "." : "",
  );
  if (text.includes("://")) return [{ kind: "url", text }];
  if (text.includes(":")) return text.split(":").flatMap((piece) => thingsIn(piece));
  if (text.startsWith("--")) return /^--[a-z][\w-]+$/.test(text) ? [{ kind: "flag", text }] : [];
  if (text.includes("/")) return pathThings(text);
  if (/^#\d{1,6}$/.test(text) || /^[A-Z][A-Z\d]{1,9}-\d{1,6}$/.test(text)) return [{ kind: "issue", text }];
  if (HASH.test(text) && /\d/.test(text) && /[a-f]/.test(text)) return [{ kind: "hash", text }];
  if (/^v?\d/.test(text)) return numberThings(text);
  if (BARE_FILE.test(text)) return [{ kind: "path", text }];
  return text.split(/[^\w$]+/).flatMap((piece) => (isName(piece) ? [{ kind: "name", text: piece }] : []));
}

const HASH = /^(?:[\da-f]{7,40}|[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12})$/;
/** With a folder before it anything with an ending is a file; alone it must be one that no field of code is called by. */
const FILE = /^\.?[\w@+-][\w@.+-]*\.[a-z][a-z\d]{0,6}$/i;
const BARE_FILE =
  /^\.?[\w@+-][\w@.+-]*\.(?:[cm]?[jt]sx?|jsonc?|jsonl|mdx?|go|py|rs|rb|java|kt|[ch]|cc|cpp|hpp|cs|php|sh|ya?ml|toml|ini|cfg|conf|env|lock|txt|log|csv|sql|html|s?css|svg|png|jpg|pdf|xml|proto|tf|vue|svelte|swift|scala|lua|exs?|nix|gradle|mod|sum|rst|ipynb|patch|diff|snap)$/;

function pathThings(text: string): readonly Thing[] {
  const base = text.slice(text.lastIndexOf("/") + 1);
  const names = text
    .split(/[^\w$]+/)
    .flatMap((piece): readonly Thing[] => (isName(piece) ? [{ kind: "name", text: piece }] : []));
  return FILE.test(base) ? [{ kind: "path", text: base }, ...names] : names;
}

/** `7` is everywhere; three digits, a fraction or a unit say something. */
function numberThings(text: string): readonly Thing[] {
  const number = /^v?(\d+(?:[.,_]\d+)*)([A-Za-z]*)$/.exec(text);
  if (!number) return isName(text) ? [{ kind: "name", text }] : [];
  const [, value = "", unit = ""] = number;
  const digits = value.replaceAll(/\D/g, "").length;
  const isTelling = digits >= 3 || digits < value.length || (unit !== "" && unit.length <= 3);
  return isTelling ? [{ kind: "number", text: value }] : [];
}

/** Humps or underscores: a word anyone would write is no name. */
function isName(text: string): boolean {
  return text.length >= 4 && /[a-z\d][A-Z]|[A-Za-z\d]_[A-Za-z\d]/.test(text);
}
