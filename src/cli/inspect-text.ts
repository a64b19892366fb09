/** An inspection as a person likes to read it in a terminal: from the general to the particular. */

import type { Inspection } from "../inspect.ts";
import { largest } from "../transcript/extremes.ts";
import { type Chart, chartsOf, headingOf, notesOf } from "./inspect-rows.ts";
import { type Colors, colorsFor, type Io } from "./io.ts";
import { bar, block, type Column, count, percent, sparkline, table } from "./table.ts";

const ROWS = 8;
const BAR_CELLS = 20;
/** What a row needs beside its label: bar, share, tokens, gaps, and some room for words. */
const BESIDE_CHARS = 62;

export function inspectText(inspection: Inspection, name: string, io: Io): string {
  const colors = colorsFor(io);
  const { title, lines } = headingOf(inspection);
  return [
    `${colors.bold(title)} · ${name}`,
    ...lines,
    ...promptLine(inspection, io, colors),
    ...chartsOf(inspection).flatMap((chart) =>
      block(chart.title, chartLines(chart, io, colors), colors.bold),
    ),
    ...notesOf(inspection).flatMap((note) => block(note.title, atMost(note.lines), colors.bold)),
    "",
  ].join("\n");
}

function promptLine({ prompts }: Inspection, io: Io, colors: Colors): readonly string[] {
  if (prompts.length < 2) return [];
  const sizes = prompts.map(({ tokens }) => tokens);
  const line = sparkline(sizes, Math.min(60, io.columns - 45));
  return [`${colors.cyan(line)} prompt size by request, at most ${count(largest(sizes))}`];
}

function chartLines({ rows }: Chart, io: Io, colors: Colors): readonly string[] {
  const columns: readonly Column[] = [
    { align: "left" },
    { align: "left", style: colors.cyan },
    { align: "right" },
    { align: "right", style: colors.bold },
    { align: "left", style: colors.dim },
  ];
  const labelChars = Math.max(12, io.columns - BESIDE_CHARS);
  const shown = rows.slice(0, ROWS);
  const most = Math.max(largest(rows.map(({ share }) => share)), Number.EPSILON);
  const cells = shown.map(({ label, tokens, share, beside }) => [
    tail(label, labelChars),
    bar(share / most, BAR_CELLS),
    percent(share),
    count(tokens),
    beside,
  ]);
  const left = rows.slice(ROWS).reduce((total, { tokens }) => total + tokens, 0);
  const more =
    rows.length > ROWS ? [colors.dim(`and ${count(rows.length - ROWS)} more, ${count(left)} tokens`)] : [];
  return [...table(cells, columns), ...more];
}

function atMost(lines: readonly string[]): readonly string[] {
  return lines.length <= ROWS ? lines : [...lines.slice(0, ROWS), `and ${count(lines.length - ROWS)} more`];
}

/** The end of a path says more than its beginning. */
function tail(text: string, chars: number): string {
  return text.length <= chars ? text : `…${text.slice(text.length - chars + 1)}`;
}
