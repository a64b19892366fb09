/** A compaction as a person likes to read it: how much smaller, what left and why, what stayed, where the rest is. */

import { shorten, shortenMiddle } from "../transcript/describe.ts";
import { largest } from "../transcript/extremes.ts";
import { wireTitle } from "../wire/wires.ts";
import { type CompactReport, compactReport } from "./compact-report.ts";
import {
  filledSections,
  type KindChange,
  kindChanges,
  leavings,
  sizesLine,
  survivors,
} from "./compact-rows.ts";
import type { Done } from "./compact-session.ts";
import { type Colors, colorsFor, type Io } from "./io.ts";
import { qualityLines } from "./quality-text.ts";
import { bar, block, count, percent, plural, table } from "./table.ts";

const ROWS = 8;
const BAR_CELLS = 20;
const UNCHANGED = {
  "nothing-to-do": "Nothing was done",
  failed: "Nothing was done",
  "not-smaller": "Nothing was done: it would not have become smaller",
  "not-legal": "Nothing was done: a provider would have refused the result",
} as const;

export interface Where {
  readonly storePath: string;
  readonly out: string | undefined;
}

export function compactText(done: Done, where: Where, io: Io): string {
  const colors = colorsFor(io);
  const report = compactReport(done);
  return [
    ...headLines(done, report, colors),
    ...bodyLines(done, report, io),
    ...endLines(done, where, colors),
    "",
  ].join("\n");
}

function headLines(done: Done, report: CompactReport, colors: Colors): readonly string[] {
  const { given, order, windowTokens, tokensAfter } = done;
  const model = given.session.seen.model;
  const title = [wireTitle(given.session.wire), ...(model === undefined ? [] : [shorten(model)]), given.name];
  const head = `${colors.bold(title.join(" · "))} · policy ${order.policy.name}`;
  if (report.outcome.kind === "unchanged") {
    const { because, detail } = report.outcome;
    const size = `${plural(done.tokensBefore, "token")} in ${plural(done.before.messages.length, "message")}, ${percent(done.tokensBefore / windowTokens)} of ${count(windowTokens)}`;
    return [head, size, `${UNCHANGED[because]}: ${detail}`];
  }
  const times = order.cascade > 1 ? `, compacted ${report.outcome.compactions} times as it grew` : "";
  return [
    head,
    `${sizesLine(done)}, ${percent(tokensAfter / windowTokens)} of ${count(windowTokens)}`,
    `in ${count(done.elapsedMs)} ms${times}${order.isDryRun ? "; a dry run: nothing was kept or written" : ""}`,
  ];
}

function bodyLines(done: Done, report: CompactReport, io: Io): readonly string[] {
  const colors = colorsFor(io);
  const { notes } = report.outcome;
  const noteLines = block("Notes", atMost(notes.map((note) => shorten(note, io.columns - 4))), colors.bold);
  if (report.outcome.kind === "unchanged") return noteLines;
  return [
    ...block("By kind: before, after", kindLines(kindChanges(done), colors), colors.bold),
    ...block("What left, and why", leavingLines(done, colors), colors.bold),
    ...block("What survived, and why", survivorLines(done, io), colors.bold),
    ...block(
      `What became refs: ${count(report.refs.length)}, the largest first`,
      refLines(report.refs, io),
      colors.bold,
    ),
    ...block("Quality, as far as it can be measured", qualityLines(report.quality, colors), colors.bold),
    ...noteLines,
  ];
}

export function kindLines(changes: readonly KindChange[], colors: Colors): readonly string[] {
  const most = Math.max(1, largest(changes.map(({ before, after }) => Math.max(before, after))));
  const cells = changes
    .filter(({ before, after }) => before + after > 0)
    .map(({ kind, before, after }) => [
      kind,
      count(before),
      count(after),
      beforeAfter(before / most, after / most),
    ]);
  return table(cells, [
    { align: "left" },
    { align: "right" },
    { align: "right", style: colors.bold },
    { align: "left", style: colors.cyan },
  ]);
}

/** What stayed is solid, what left is light; what was added stands alone. */
function beforeAfter(before: number, after: number): string {
  const solid = bar(after, BAR_CELLS).trimEnd();
  const left = Math.round(before * BAR_CELLS) - solid.length;
  return `${solid}${left > 0 ? "░".repeat(left) : ""}`;
}

function leavingLines(done: Done, colors: Colors): readonly string[] {
  const rows = leavings(done);
  const cells = rows
    .slice(0, ROWS)
    .map(({ kind, why, parts, tokens }) => [
      kind,
      plural(parts, "part"),
      `${count(tokens)} tokens`,
      shorten(why),
    ]);
  const more = rows.length > ROWS ? [`and ${plural(rows.length - ROWS, "other reason")}`] : [];
  return [
    ...table(cells, [
      { align: "left", style: colors.bold },
      { align: "right" },
      { align: "right" },
      { align: "left", style: colors.dim },
    ]),
    ...more,
  ];
}

export function survivorLines(done: Done, io: Io): readonly string[] {
  const colors = colorsFor(io);
  const cells = survivors(done).map(({ what, why }) => [what, why]);
  return [
    ...table(cells, [{ align: "left" }, { align: "left", style: colors.dim }]),
    ...wrapped(filledSections(done), io.columns - 4).map((line) => colors.dim(`  ${line}`)),
  ];
}

/** As many to a line as fit, a name and its number together. */
function wrapped(pieces: readonly string[], chars: number): readonly string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + piece.length + 3 <= chars)
      lines[lines.length - 1] = `${line} · ${piece}`;
    else lines.push(piece);
  }
  return lines;
}

export function refLines(rows: CompactReport["refs"], io: Io, most: number = ROWS): readonly string[] {
  const colors = colorsFor(io);
  const cells = rows
    .slice(0, most)
    .map(({ ref, tokens, description }) => [ref, count(tokens), shortenMiddle(description, io.columns - 32)]);
  const more = rows.length > most ? [colors.dim(`and ${count(rows.length - most)} more`)] : [];
  return [
    ...table(cells, [{ align: "left", style: colors.cyan }, { align: "right" }, { align: "left" }]),
    ...more,
  ];
}

function endLines(
  { given, kept, order, compactions }: Done,
  { storePath, out }: Where,
  colors: Colors,
): readonly string[] {
  if (order.isDryRun) return out === undefined ? [] : ["", colors.dim(`${out} was not written`)];
  const id = shorten(kept?.as ?? given.id);
  return [
    "",
    ...(out === undefined ? [] : [`Written to ${out}`]),
    ...(compactions.length === 0
      ? []
      : [colors.dim(`Everything that left: palimpsest refs --session ${shorten(given.id)}`)]),
    colors.dim(`The original file: palimpsest restore ${id} -o F (kept in ${storePath})`),
  ];
}

function atMost(lines: readonly string[]): readonly string[] {
  return lines.length <= ROWS ? lines : [...lines.slice(0, ROWS), `and ${count(lines.length - ROWS)} more`];
}
