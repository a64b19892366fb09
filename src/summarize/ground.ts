/**
 * Law 7: a summary may not lie, and may not leave out what must be in it. Whoever wrote it, every claim is looked up in
 * the sources; what is not there is struck, the line shortened where the rest stands without it. Then every must-have
 * the extractor found (constraints, decisions, failed approaches, errors, changed files, open tasks) that is missing is
 * added, in the extractor's words.
 */
import { SECTIONS, type SectionName, type Summary, type SummaryLine } from "../plan/summary.ts";
import { type Claim, claimsOf, quotesOf } from "./claims.ts";
import { evidenceOf } from "./line.ts";
import type { Sources } from "./sources.ts";

export interface Grounded {
  readonly summary: Summary;
  /** What was struck and what was added. */
  readonly notes: readonly string[];
}

export function ground(summary: Summary, sources: Sources, mustHaves?: Summary): Grounded {
  const notes: string[] = [];
  const sections: { [name in SectionName]?: readonly SummaryLine[] } = {};
  for (const name of SECTIONS) {
    const must = mustHaves?.sections[name] ?? [];
    const own = new Set(must.map(({ text }) => text));
    const standing = (line: SummaryLine) => {
      const { line: kept, note } = groundLine(line, sources, own.has(line.text));
      if (note !== undefined) notes.push(`${name}: ${note}`);
      return kept ? [kept] : [];
    };
    const stated = (summary.sections[name] ?? []).flatMap(standing);
    // The extractor is held to the same law: what it cannot prove is not added either.
    const missing = MUST.has(name) ? missingFrom(stated, must).flatMap(standing) : [];
    const added = missing.filter(({ text }) => !stated.some((line) => line.text === text));
    notes.push(...added.map(({ text }) => `${name}: added ${text}`));
    if (stated.length + added.length > 0) sections[name] = [...stated, ...added];
  }
  return { summary: { sections }, notes };
}

const MUST: ReadonlySet<SectionName> = new Set([
  "Constraints and Preferences",
  "Key Decisions",
  "Failed Approaches",
  "Errors Encountered",
  "Files Modified",
  "Next Steps",
]);

/** `isOwn`: the extractor's line, whose counts ("edited 3 times") are counted, not quoted; its quotes are checked like any. */
function groundLine(
  line: SummaryLine,
  sources: Sources,
  isOwn: boolean,
): { readonly line?: SummaryLine; readonly note?: string } {
  const refs = line.refs.filter((ref) => sources.has(ref));
  const looked = evidenceOf(line);
  const claims = isOwn ? quotesOf(line.text) : claimsOf(line.text);
  const struck = claims.filter((claim) => !sources.supports(claim, looked));
  const named = refs.length > 0 ? refs : foundRefs(line, sources);
  if (named.length === 0) return { note: `struck, no source: ${line.text}` };
  if (struck.length === 0)
    return { line: named === refs && refs.length === line.refs.length ? line : { ...line, refs: named } };
  const text = without(line.text, struck);
  const what = struck.map((claim) => claim.text).join(", ");
  if (text === undefined) return { note: `struck ${what}: ${line.text}` };
  return { line: { ...withText(line, text), refs: named }, note: `struck ${what} from: ${line.text}` };
}

function withText({ about, ...line }: SummaryLine, text: string): SummaryLine {
  return { ...line, text, ...(about !== undefined && text.includes(about) ? { about } : {}) };
}

function foundRefs(line: SummaryLine, sources: Sources): SummaryLine["refs"] {
  const claims = claimsOf(line.text).flatMap(({ text }) => wordsOf(text));
  const ref =
    sources.sourceOf(claims.length > 0 ? claims : wordsOf(line.text).filter((word) => word.length > 3)) ??
    sources.sourceOf(wordsOf(line.text));
  return ref === undefined ? [] : [ref];
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_$]+/gu) ?? [];
}

/** The line without the clauses that hold a struck claim; nothing where its beginning is one of them or too little is left. */
function without(text: string, struck: readonly Claim[]): string | undefined {
  const clauses = clausesOf(text);
  const isStruck = ({ start, end }: Clause) => struck.some((claim) => claim.start < end && claim.end > start);
  const [head] = clauses;
  if (!head || isStruck(head)) return undefined;
  const rest = clauses
    .filter((clause) => !isStruck(clause))
    .map(({ start, end }) => text.slice(start, end))
    .join("");
  const left = rest.replace(/[\s,;:—–-]+$/, "").trim();
  return wordsOf(left).length < 2 && claimsOf(left).length === 0 ? undefined : left;
}

interface Clause {
  readonly start: number;
  readonly end: number;
}

/** Cut before `,`, `;`, ` — `, `(` and at sentence ends, but never inside quotes. */
function clausesOf(text: string): readonly Clause[] {
  const quotes = quotesOf(text);
  const cuts = [...text.matchAll(/[,;](?= )| [—–] | \(|(?<=[.!?]) /g)]
    .map(({ index }) => index)
    .filter((index) => !quotes.some(({ start, end }) => index >= start && index < end));
  const bounds = [0, ...cuts, text.length];
  return bounds.slice(0, -1).map((start, at) => ({ start, end: bounds[at + 1] ?? text.length }));
}

/** A must-have is there if a line says the same about the same, holds its longest quote, or most of its words. */
export function missingFrom(
  lines: readonly SummaryLine[],
  mustHaves: readonly SummaryLine[],
): readonly SummaryLine[] {
  const texts = new Set(lines.map(({ text }) => text));
  const abouts = new Set(lines.flatMap(({ about }) => (about === undefined ? [] : [about])));
  let bags: readonly ReadonlySet<string>[] | undefined;
  const all = lines.map(({ text }) => text).join("\n");
  return mustHaves.filter((must) => {
    if (texts.has(must.text) || (must.about !== undefined && abouts.has(must.about))) return false;
    if (must.about !== undefined) return !all.includes(must.about);
    const [first] = quotesOf(must.text).toSorted((a, b) => b.text.length - a.text.length);
    if (first && all.includes(first.text)) return false;
    const words = [...new Set(wordsOf(must.text.toLowerCase()))];
    bags ??= lines.map(({ text }) => new Set(wordsOf(text.toLowerCase())));
    return !bags.some((bag) => words.filter((word) => bag.has(word)).length >= 0.8 * words.length);
  });
}
