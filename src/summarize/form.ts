/**
 * How a policy wants its summary: which headings, holding which of our sections, in markdown or as elements, file lists
 * as sections or as tags. The summary itself is always the typed one; a form is only how it is asked for and shown, so
 * that every system can be merged, grounded and bounded by the same code.
 */
import type { HeadingRule, Policy } from "../plan/policy.ts";
import { SECTIONS, type SectionName, type Summary, type SummaryLine } from "../plan/summary.ts";
import { emptyMark, renderLine } from "./render.ts";

export type SummaryForm = Pick<
  Policy["summary"],
  "sections" | "element" | "files" | "prompt" | "isVerified" | "update"
>;

const FILE_SECTIONS: ReadonlySet<SectionName> = new Set(["Files Modified", "Files Read"]);

/** The headings asked for, in order. Where files are told by tags or not at all, our sections for them are none. */
export function headingsOf({
  sections,
  files,
}: Pick<SummaryForm, "sections" | "files">): readonly HeadingRule[] {
  const named = sections ?? SECTIONS.filter((name) => files === "sections" || !FILE_SECTIONS.has(name));
  return named.map((section) => (typeof section === "string" ? { title: section, of: [section] } : section));
}

/** Whether it is our own: all twelve sections under their own names. */
export function isOwnForm({ sections, element, files }: SummaryForm): boolean {
  return sections === undefined && element === undefined && files === "sections";
}

export interface FormContent {
  /** The user's messages that folded, for headings that hold them. */
  readonly userMessages?: readonly string[];
  /** False: no line names its refs, for systems that have none. */
  readonly areRefsShown?: boolean;
  /** What is to be said of a file beside its line, by path. */
  readonly marks?: ReadonlyMap<string, string>;
}

export function renderForm(summary: Summary, form: SummaryForm, content: FormContent = {}): string {
  const blocks = headingsOf(form).map((heading) => {
    const lines = linesUnder(heading, summary, content);
    const body = lines.length === 0 ? emptyMark(summary, heading.of) : lines.join("\n");
    if (form.element === undefined) return `## ${heading.title}\n${body}`;
    return `<${heading.title}>\n${body}\n</${heading.title}>`;
  });
  const told =
    form.element === undefined
      ? blocks.join("\n\n")
      : `<${form.element}>\n${blocks.join("\n")}\n</${form.element}>`;
  return form.files === "tags" ? `${told}\n\n${fileTags(summary)}\n` : `${told}\n`;
}

function linesUnder(heading: HeadingRule, summary: Summary, content: FormContent): readonly string[] {
  const words = heading.holdsUserMessages ? (content.userMessages ?? []) : [];
  const found = heading.of.flatMap((name) => (summary.sections[name] ?? []).map((line) => ({ name, line })));
  const told = [...found.map(({ line }) => line.text), ...words.map((text) => oneLine(text))];
  const lines = found
    .filter(({ line }, index) => line.quotes || !isToldBy(line.text, told, index))
    .map(({ name, line }) => shownLine(name, line, content));
  return [...lines, ...words.map((text) => `- ${text.trim().replaceAll("\n", "\n  ")}`)];
}

function shownLine(name: SectionName, line: SummaryLine, content: FormContent): string {
  const mark = markOf(line, content);
  if (content.areRefsShown === false) return `- ${line.text.replaceAll(/\s*\n\s*/g, " ")}${mark}`;
  return renderLine(name, line, mark);
}

/** Several sections under one heading say some things twice: what another line says as well, at greater length, is left out. */
function isToldBy(text: string, told: readonly string[], index: number): boolean {
  const said = /^["“](.+?)(?:…)?["”]$/.exec(text)?.[1];
  if (said === undefined || said.length < LEAST_CHARS) return told.indexOf(text) < index;
  return told.some(
    (other, at) => at !== index && other.includes(said) && (other.length > text.length || at < index),
  );
}

/** Shorter words stand in longer ones by accident. */
const LEAST_CHARS = 12;

function oneLine(text: string): string {
  return `"${text.trim().replaceAll(/\s+/g, " ")}"  `;
}

function markOf({ about }: SummaryLine, { marks }: FormContent): string {
  const mark = about === undefined ? undefined : marks?.get(about);
  return mark === undefined ? "" : ` (${mark})`;
}

/** `<read-files>` and `<modified-files>`: one path a line, cumulative, because the sections they come from are. */
function fileTags(summary: Summary): string {
  const paths = (name: SectionName) =>
    (summary.sections[name] ?? []).flatMap(({ about }) => (about === undefined ? [] : [about]));
  const block = (tag: string, lines: readonly string[]) =>
    [`<${tag}>`, ...lines.map(contained), `</${tag}>`].join("\n");
  return `${block("read-files", paths("Files Read"))}\n${block("modified-files", paths("Files Modified"))}`;
}

/** A path is somebody's words too: it cannot close the list it stands in. */
function contained(path: string): string {
  return path.replaceAll("<", "‹").replaceAll(">", "›");
}
