/**
 * A summary as markdown, the same bytes each time: all sections in their order, each filled or marked empty, one bullet
 * a line, its refs behind it. What a line is about is not spelled out where its words say it (`about.ts`).
 */
import {
  type Emptied,
  type Quote,
  SECTIONS,
  type SectionName,
  type Summary,
  type SummaryLine,
} from "../plan/summary.ts";
import { aboutOf } from "./about.ts";
import { oneLine } from "./line.ts";

export const EMPTY = "(none)";

/** What stands in an empty section whose lines are elsewhere: `(none)` would be untrue. */
const EMPTIED: Readonly<Record<Emptied, string>> = {
  said: "(in the user's messages, word for word)",
  room: "(no room here; behind the refs)",
};

/** For what is shown under one heading. */
export function emptyMark({ emptied }: Summary, names: readonly SectionName[]): string {
  const why = names.map((name) => emptied?.[name]).find((found) => found !== undefined);
  return why === undefined ? EMPTY : EMPTIED[why];
}

/** What an empty section says became of its lines. */
export function emptiedBy(text: string): Emptied | undefined {
  return (Object.keys(EMPTIED) as Emptied[]).find((why) => EMPTIED[why] === text);
}

export function renderSummary(summary: Summary): string {
  return `${SECTIONS.map((name) => renderSection(name, summary)).join("\n\n")}\n`;
}

function renderSection(name: SectionName, summary: Summary): string {
  const lines = summary.sections[name] ?? [];
  if (lines.length === 0) return `## ${name}\n${emptyMark(summary, [name])}`;
  return `## ${name}\n${lines.map((line) => renderLine(name, line)).join("\n")}`;
}

/** `mark` stands behind the line itself, before what it quotes. */
export function renderLine(section: SectionName, line: SummaryLine, mark = ""): string {
  if (mark !== "") return spellLine(section, line, mark);
  const known = rendered.get(line);
  if (known?.section === section) return known.text;
  const text = spellLine(section, line, mark);
  rendered.set(line, { section, text });
  return text;
}

/** Lines never change, and each is spelled to be sized, to be counted and to be shown. */
const rendered = new WeakMap<SummaryLine, { readonly section: SectionName; readonly text: string }>();

function spellLine(section: SectionName, line: SummaryLine, mark: string): string {
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
  if (emptiedBy(text) !== undefined) return true;
  return /^[([]?(none|empty|n\/a|nothing|-|—)( so far| yet)?[)\]]?\.?$/i.test(text) || text === "";
}
