/**
 * A summary as markdown, the same bytes each time: all sections in their order, each filled or marked empty, one bullet
 * a line, its refs behind it. What a line is about is not spelled out where its words say it (`about.ts`).
 */
import { type Quote, SECTIONS, type SectionName, type Summary, type SummaryLine } from "../plan/summary.ts";
import { aboutOf } from "./about.ts";
import { oneLine } from "./line.ts";

export const EMPTY = "(none)";

export function renderSummary(summary: Summary): string {
  return `${SECTIONS.map((name) => renderSection(name, summary.sections[name] ?? [])).join("\n\n")}\n`;
}

function renderSection(name: SectionName, lines: readonly SummaryLine[]): string {
  if (lines.length === 0) return `## ${name}\n${EMPTY}`;
  return `## ${name}\n${lines.map((line) => renderLine(name, line)).join("\n")}`;
}

/** `mark` stands behind the line itself, before what it quotes. */
export function renderLine(section: SectionName, line: SummaryLine, mark = ""): string {
  const text = oneLine(line.text, MAX_CHARS);
  const isSaid = line.about === aboutOf(section, text) && !/ \{[^{}]*\}$/.test(text);
  const about = isSaid ? "" : ` {${line.about ?? ""}}`;
  const refs =
    line.refs.length === 0 && about === "" && !isAmbiguous(text) ? "" : ` [${line.refs.join(" ")}]`;
  const quotes = (line.quotes ?? []).map((quote, index, all) =>
    renderQuote(quote, quote.ref !== (all[index - 1]?.ref ?? line.refs[0])),
  );
  return [`- ${text}${about}${refs}${mark}`, ...quotes].join("\n");
}

/** A line of a source behind its mark. The ref comes first, where no source could have put one. */
export function renderQuote({ text, ref }: Quote, isNewSource: boolean): string {
  return `  ${isNewSource ? `${ref} ` : ""}> ${oneLine(text, MAX_CHARS)}`;
}

export const QUOTE: RegExp = /^ {2}(?:(ref_\w+) )?> (.*)$/;

/** No single line of ours is longer; a summarizer's may be, and is cut. */
const MAX_CHARS = 2000;

/** Without brackets behind it, the end of such a text would be read as refs, and the whole as an empty section. */
function isAmbiguous(text: string): boolean {
  return /[\]}]\.?$/.test(text) || isEmptyMark(text);
}

export function isEmptyMark(text: string): boolean {
  return /^[([]?(none|empty|n\/a|nothing|-|—)( so far| yet)?[)\]]?\.?$/i.test(text) || text === "";
}
