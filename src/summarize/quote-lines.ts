/**
 * Exact lines of what folds, put under their sections of a summary that is written and bounded: with what it has left of
 * its room. The narrative says why; these say what, in the words of their sources, each beside the ref it stands in.
 */
import { type Quote, SECTIONS, type SectionName, type Summary, type SummaryLine } from "../plan/summary.ts";
import type { Message } from "../transcript/message.ts";
import { chooseLines } from "./choose-lines.ts";
import type { Heading, SourceLine } from "./gathering.ts";
import { renderLine, renderQuote } from "./render.ts";
import type { Scan } from "./scan.ts";
import { sourceLinesOf } from "./source-lines.ts";

export interface Quoting {
  readonly messages: readonly Message[];
  readonly previous?: Summary | undefined;
  /** What the model will see beside the page, as it will see it: the words that stay, and what stands behind the fold. */
  readonly staying: readonly Message[];
  readonly behind: readonly Message[];
  readonly maxTokens: number;
  readonly tokensOf: (text: string) => number;
}

export function withLines(summary: Summary, quoting: Quoting): Summary {
  const plain = withoutLines(summary);
  const { known, shown, ...sourced } = sourceLinesOf(quoting);
  const told = new Map(SECTIONS.map((section) => [section, aboutsOf(plain.sections[section] ?? [])]));
  const narrative = SECTIONS.flatMap((section) =>
    (plain.sections[section] ?? []).map(({ text }) => saidIn(section, known.scanOf(text))),
  );
  const chosen = chooseLines(sourced.lines, {
    ...sourced,
    shown: [...shown, ...narrative],
    maxTokens: quoting.maxTokens,
    tokensOf: (line, isFirst, isNewSource) => quoting.tokensOf(renderedFor(line, isFirst, isNewSource)),
    isThere: ({ section, about }) => about !== undefined && told.get(section)?.has(about) === true,
  });
  return quotedUnder(plain, chosen);
}

/** That a file was edited is told in our words: what the session calls it by is not, and may be quoted still. */
function saidIn(section: SectionName, said: Scan): Scan {
  return section.startsWith("Files") ? { ...said, words: 0 } : said;
}

function aboutsOf(lines: readonly SummaryLine[]): ReadonlySet<string> {
  return new Set(lines.flatMap(({ about }) => (about === undefined ? [] : [about])));
}

function renderedFor({ text, source }: SourceLine, isFirst: boolean, isNewSource: boolean): string {
  const { ref, heading } = source;
  const quote = renderQuote({ text, ref: ref() }, !isFirst && isNewSource);
  return isFirst ? `${renderLine(heading.section, lineFor(heading, [ref()]))}\n${quote}\n` : `${quote}\n`;
}

/** The lines of an earlier page are chosen anew, with those of now; a heading that names no thing goes with them. */
export function withoutLines(summary: Summary): Summary {
  const sections = Object.entries(summary.sections).map(([name, lines]) => {
    const bare = (lines ?? []).flatMap(({ quotes, ...line }): readonly SummaryLine[] =>
      quotes && line.about === undefined ? [] : [line],
    );
    return [name, bare] as const;
  });
  return { ...summary, sections: Object.fromEntries(sections) };
}

function quotedUnder(summary: Summary, chosen: readonly SourceLine[]): Summary {
  const groups = new Map<number, SourceLine[]>();
  for (const line of chosen.toSorted((a, b) => a.order - b.order)) {
    const { place } = line.source;
    const group = groups.get(place);
    if (group) group.push(line);
    else groups.set(place, [line]);
  }
  const sections: { [name in SectionName]?: readonly SummaryLine[] } = { ...summary.sections };
  // What is told for its lines alone stands before the rest: with the oldest, which leave first.
  for (const lines of [...groups.values()].reverse()) {
    const [first] = lines;
    if (!first) continue;
    const { heading, ref } = first.source;
    const { section, about } = heading;
    const quotes = lines.map(({ text, source }): Quote => ({ text, ref: source.ref() }));
    const known = sections[section] ?? [];
    const at = about === undefined ? -1 : known.findIndex((line) => line.about === about);
    const line = known[at];
    sections[section] = line
      ? known.with(at, { ...line, quotes })
      : [{ ...lineFor(heading, [ref()]), quotes }, ...known];
  }
  return { ...summary, sections };
}

function lineFor({ text, about }: Heading, refs: SummaryLine["refs"]): SummaryLine {
  return { text, refs, ...(about === undefined ? {} : { about }) };
}
