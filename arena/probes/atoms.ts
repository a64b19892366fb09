/**
 * Exact things in a line of text: paths, urls, hashes, issue numbers, numbers, identifiers. The source and what a
 * compactor left are read by the same rule, so that "visible" means the same exact value at the same word boundaries:
 * `25` is not found in `1257`.
 *
 * General rules of spelling, fitted to no session: what is no exact thing by them is simply not asked about.
 */

export type AtomKind = "path" | "url" | "hash" | "issue" | "number" | "identifier";

export interface Atom {
  readonly kind: AtomKind;
  readonly value: string;
}

const ATOM = new RegExp(
  [
    "(?<url>https?://[^\\s\"'`<>()\\[\\]{}|\\\\]+)",
    "(?<path>(?:[\\w@.+~-]*/)*[\\w@+-][\\w@.+-]*\\.[A-Za-z][A-Za-z0-9]{0,5}(?![\\w/]))",
    "(?<hash>(?<![\\w-])(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{7,40})(?![\\w-]))",
    "(?<issue>(?<![\\w&])#\\d{1,6}(?!\\w)|(?<![\\w-])[A-Z][A-Z0-9]{1,9}-\\d{1,6}(?![\\w-]))",
    // A unit may follow: `250ms`, and a version may begin with its letter.
    "(?<number>(?<![\\w.])v?\\d+(?:[.,]\\d+)*(?!\\w{3,}|\\d))",
    "(?<identifier>[A-Za-z_$][\\w$]*)",
  ].join("|"),
  "g",
);

/** File endings tell a path from `foo.bar` in code. */
const ENDINGS = new Set(
  "ts tsx js jsx mjs cjs json jsonl md mdx go py rs rb java kt c h cc cpp hpp cs php sh bash zsh yml yaml toml ini cfg conf env lock txt log csv tsv sql html css scss svg png jpg gif pdf xml proto tf vue svelte swift scala lua pl ex exs erl hs ml nix gradle properties mod sum rst ipynb patch diff snap tmpl".split(
    " ",
  ),
);

/** Each value once, in the order of the line. */
export function atomsIn(line: string): readonly Atom[] {
  const atoms = new Map<string, Atom>();
  const listing = LISTING.exec(line)?.[0].length ?? 0;
  for (const found of line.matchAll(ATOM)) {
    const atom = atomOf(found.groups ?? {}, found.index < listing);
    if (atom) atoms.set(atom.value, atom);
    // `pkg.loadConfig` and `a/b.test` are no files, but hold names.
    else if (found.groups?.["path"] !== undefined)
      for (const name of found.groups["path"].split(/[/.]/))
        if (isName(name)) atoms.set(name, identifier(name));
  }
  return [...atoms.values()];
}

/** The number of a line in a listing or in the output of a search: a place, not a fact. */
const LISTING = /^\s*(?:[\w./@-]+[:-])?\d+(?:→|\t|\||[:-](?=\s|\D))/;

function atomOf(groups: Readonly<Record<string, string | undefined>>, isListing: boolean): Atom | undefined {
  const { url, path, hash, issue, number, identifier: name } = groups;
  if (url !== undefined) return { kind: "url", value: url.replace(/[.,;:!?*]+$/, "") };
  if (path !== undefined) return pathAtom(path);
  if (hash !== undefined && /\d/.test(hash) && /[a-f]/.test(hash)) return { kind: "hash", value: hash };
  if (issue !== undefined) return { kind: "issue", value: issue };
  const digits = number?.replace(/^v/, "") ?? (hash !== undefined && /^\d+$/.test(hash) ? hash : undefined);
  if (digits !== undefined)
    return isListing || !isTelling(digits) ? undefined : { kind: "number", value: digits };
  return name !== undefined && isName(name) ? identifier(name) : undefined;
}

/** A path is known by its last part: agents and summaries leave the folders out, and mean the same file. */
function pathAtom(path: string): Atom | undefined {
  const base = path.slice(path.lastIndexOf("/") + 1);
  const ending = base.slice(base.lastIndexOf(".") + 1).toLowerCase();
  return ENDINGS.has(ending) && base.length > ending.length + 1 ? { kind: "path", value: base } : undefined;
}

function identifier(value: string): Atom {
  return { kind: "identifier", value };
}

/** Humps or underscores: a word anyone would write is no name. */
function isName(text: string): boolean {
  return (
    text.length >= 5 &&
    text.length <= 80 &&
    (/[a-z0-9][A-Z]/.test(text) || /[A-Za-z0-9]_[A-Za-z0-9]/.test(text)) &&
    !/^_+$/.test(text)
  );
}

/** `7` and `12` are everywhere; three digits or a fraction say something. */
function isTelling(digits: string): boolean {
  const plain = digits.replaceAll(/[.,]/g, "");
  return plain.length >= 3 || /\d\.\d/.test(digits);
}

/** Words anyone would look for: lower case, four letters and more, no function words. */
export function proseWords(line: string): readonly string[] {
  const words = new Set<string>();
  for (const [word] of line.matchAll(/(?<![\w$/.-])[A-Za-z][a-z]{3,19}(?![\w$]|[/.-]\w)/g)) {
    const plain = word.toLowerCase();
    if (!STOP.has(plain)) words.add(plain);
  }
  return [...words];
}

const STOP = new Set(
  "that this with from have will your they them then than when what which where there their been were into also some more most very just only over such each other about would could should these those here does done being because after before while using used uses make made like need needs want file files line lines code true false null none void self return const function import export string number type class interface async await else case break continue default public private static final undefined".split(
    " ",
  ),
);
