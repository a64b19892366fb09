/**
 * Markdown → summary. What `render` wrote comes back exactly. What a model wrote is read with patience: other heading
 * levels and spellings, numbered lists, lines that were wrapped, refs with commas; whatever stands outside a known
 * section is not part of the summary.
 */
import type { HeadingRule } from "../plan/policy.ts";
import {
  type Emptied,
  type Quote,
  SECTIONS,
  type SectionName,
  type Summary,
  type SummaryLine,
} from "../plan/summary.ts";
import { isRef, type Ref } from "../transcript/ref.ts";
import { aboutOf } from "./about.ts";
import { oneLine } from "./line.ts";
import { emptiedBy, isEmptyMark, QUOTE } from "./render.ts";

export function parseSummary(text: string, headings: readonly HeadingRule[] = []): Summary {
  const sections: { [name in SectionName]?: SummaryLine[] } = {};
  const emptied: { [name in SectionName]?: Emptied } = {};
  let open: SectionName | undefined;
  for (const { heading, body, quotes } of blocksOf(text)) {
    if (heading !== undefined) open = sectionUnder(heading, headings);
    if (open === undefined || body === undefined) continue;
    const line = withQuotes(parseLine(open, body), quotes);
    const why = emptiedBy(body);
    if (why) emptied[open] = why;
    if (line) sections[open] = [...(sections[open] ?? []), line];
  }
  return { sections, ...(Object.keys(emptied).length > 0 ? { emptied } : {}) };
}

/** The sections a text has a heading for, whether they hold anything or not. */
export function headingsIn(text: string, headings: readonly HeadingRule[] = []): ReadonlySet<SectionName> {
  const names = blocksOf(text).map(({ heading }) =>
    heading === undefined ? undefined : sectionUnder(heading, headings),
  );
  return new Set(names.filter((name) => name !== undefined));
}

interface Block {
  readonly heading?: string;
  readonly body?: string;
  /** As they stand: what they come from is told by the first that names it. */
  readonly quotes?: readonly (readonly [ref: string | undefined, text: string])[];
}

function withQuotes(line: SummaryLine | undefined, quotes: Block["quotes"] = []): SummaryLine | undefined {
  let ref = line?.refs[0];
  const found = quotes.flatMap(([named, text]): readonly Quote[] => {
    if (named !== undefined && isRef(named)) ref = named;
    return ref === undefined ? [] : [{ text: oneLine(text, 2000), ref }];
  });
  return line && found.length > 0 ? { ...line, quotes: found } : line;
}

/** Headings and bullets; a line that goes on the one before is joined to it. */
function blocksOf(text: string): readonly Block[] {
  const blocks: { heading?: string; body?: string; quotes?: [string | undefined, string][] }[] = [];
  for (const raw of text.split(/\r?\n/)) {
    const heading = /^\s{0,3}(?:#{1,6}\s+(.+)|\*\*([^*]+)\*\*:?\s*)$/.exec(raw);
    const named = heading?.[1] ?? heading?.[2];
    if (named !== undefined && (raw.trimStart().startsWith("#") || sectionNamed(named))) {
      blocks.push({ heading: named });
      continue;
    }
    if (raw.trim() === "" || /^\s*```/.test(raw)) continue;
    const quote = QUOTE.exec(raw);
    if (quote && blocks.at(-1)?.body !== undefined) {
      (blocks.at(-1) as { quotes?: unknown[] }).quotes ??= [];
      blocks.at(-1)?.quotes?.push([quote[1], quote[2] ?? ""]);
      continue;
    }
    const bullet = /^([-*+•]|\d+[.)])\s+(.*)$/.exec(raw);
    const last = blocks.at(-1);
    if (!bullet && /^\s/.test(raw) && last?.body !== undefined) {
      last.body += ` ${raw.trim().replace(/^[-*+•]\s+/, "; ")}`;
    } else blocks.push({ body: bullet?.[2] ?? raw.trim() });
  }
  return blocks;
}

function parseLine(section: SectionName, body: string): SummaryLine | undefined {
  const { rest, refs, isMarked } = refsBehind(body);
  if (!isMarked && isEmptyMark(rest.trim())) return undefined;
  const spelled = isMarked ? /^(.*) \{([^{}]*)\}$/.exec(rest) : null;
  const text = oneLine(spelled?.[1] ?? rest, 2000);
  if (text === "" && refs.length === 0) return undefined;
  const about = spelled ? spelled[2] || undefined : aboutOf(section, text);
  return { text, refs, ...(about === undefined ? {} : { about }) };
}

/** Only the last brackets are refs, and only if they hold nothing else: those inside the text are someone's words. */
function refsBehind(body: string): {
  readonly rest: string;
  readonly refs: readonly Ref[];
  readonly isMarked: boolean;
} {
  const found = /^(.*?)\s*\[((?:ref_\w+[\s,;]*)*)\]\.?$/s.exec(body);
  if (!found) return { rest: body, refs: [], isMarked: false };
  const refs = (found[2] ?? "").split(/[\s,;]+/).filter(isRef);
  return { rest: found[1] ?? "", refs, isMarked: true };
}

const NAMED: readonly (readonly [RegExp, SectionName])[] = [
  [/intent|goal|objective|primary request/i, "Session Intent"],
  [/constraint|preference/i, "Constraints and Preferences"],
  [/current (task|work)|in progress/i, "Current Task"],
  [/decision/i, "Key Decisions"],
  [/failed|dead ends|did not work/i, "Failed Approaches"],
  [/errors?/i, "Errors Encountered"],
  [/(files?.*(modified|changed|edited|created))|modified files/i, "Files Modified"],
  [/files? (read|viewed)|read files/i, "Files Read"],
  [/command/i, "Commands and Results"],
  [/question|unknown/i, "Open Questions"],
  [/next/i, "Next Steps"],
  [/critical|context/i, "Critical Context"],
];

/** A policy's own heading first, by its title; its lines go to the first section it holds. */
function sectionUnder(heading: string, headings: readonly HeadingRule[]): SectionName | undefined {
  const plain = (title: string) =>
    title
      .replaceAll(/[*_`:#]/g, "")
      .trim()
      .toLowerCase();
  const own = headings.find(({ title }) => plain(heading).startsWith(plain(title)));
  return own ? own.of[0] : sectionNamed(heading);
}

function sectionNamed(heading: string): SectionName | undefined {
  const plain = heading.replaceAll(/[*_`:#]/g, "").trim();
  const exact = SECTIONS.find((name) => name.toLowerCase() === plain.toLowerCase());
  if (exact) return exact;
  if (plain.length > 60) return undefined;
  return NAMED.find(([pattern]) => pattern.test(plain))?.[1];
}
