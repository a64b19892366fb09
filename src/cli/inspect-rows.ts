/** What an inspection shows, in order, without saying how: the same rows and sentences for the terminal and the page. */
import type { Inspection } from "../inspect.ts";
import { wireTitle } from "../wire/wires.ts";
import { count, percent, plural } from "./table.ts";

/** One row of a chart: its tokens make the bar, the rest stands beside it. */
export interface ChartRow {
  readonly label: string;
  readonly tokens: number;
  readonly share: number;
  readonly beside: string;
}

export interface Chart {
  readonly title: string;
  readonly rows: readonly ChartRow[];
}

export interface Note {
  readonly title: string;
  readonly lines: readonly string[];
}

export function headingOf(inspection: Inspection): {
  readonly title: string;
  readonly lines: readonly string[];
} {
  const { messages, turns, steps, toolCalls, tokens, context } = inspection;
  const note = context.windowNote === undefined ? "" : ` (${context.windowNote})`;
  return {
    title: `${wireTitle(inspection.wire)}${inspection.model === undefined ? "" : ` · ${inspection.model}`}`,
    lines: [
      `${plural(messages, "message")} in ${plural(turns, "turn")}, ${plural(steps, "step")}, ${plural(toolCalls, "tool call")}`,
      `${plural(tokens, "token")} were said (${inspection.basisNote})`,
      `${plural(context.tokens, "token")} in ${plural(context.messages, "message")} are in the context now: ${percent(context.share)} of ${count(context.windowTokens)}${note}`,
      ...(context.overheadTokens > 0
        ? [
            `${count(context.overheadTokens)} of them are system prompt, tools and reminders that the file does not show`,
          ]
        : []),
    ],
  };
}

export function chartsOf(inspection: Inspection): readonly Chart[] {
  const { byKind, byTool, byFile, byTurn, largest } = inspection;
  const chart = <T extends { readonly tokens: number }>(
    title: string,
    rows: readonly T[],
    words: (row: T) => readonly [string, string],
  ): Chart => ({
    title,
    rows: rows.map((row) => {
      const [label, beside] = words(row);
      return { label, beside, tokens: row.tokens, share: row.tokens / Math.max(1, inspection.tokens) };
    }),
  });
  const largestTurns = byTurn.toSorted((a, b) => b.tokens - a.tokens);
  return [
    chart("What fills it", byKind, (row) => [row.kind, `in ${plural(row.count, "part")}`]),
    chart("By tool", byTool, (row) => [
      row.tool,
      `${plural(row.calls, "call")}${row.errors === 0 ? "" : `, ${count(row.errors)} failed`}`,
    ]),
    chart("By file", byFile, (row) => [
      row.path,
      `${plural(row.reads, "read")}, ${plural(row.edits, "change")}`,
    ]),
    chart("By turn, the largest first", largestTurns, (row) => [`turn ${row.turn}`, row.says]),
    chart("Largest single parts", largest, (row) => [row.kind, row.what]),
  ];
}

export function notesOf(inspection: Inspection): readonly Note[] {
  return [
    { title: "Could go without loss", lines: wasteLines(inspection) },
    { title: "What the harness compacted away", lines: compactionLines(inspection) },
    { title: "Recorded usage", lines: usageLines(inspection) },
    { title: "Also in this file", lines: asideLines(inspection) },
    { title: "Not read", lines: skippedLines(inspection) },
  ];
}

/** Below a thousandth of the session it is not worth a line. */
const WORTH_SAYING = 0.001;

function wasteLines({ repeats, superseded, tokens }: Inspection): readonly string[] {
  const [worst] = repeats;
  const [stalest] = superseded;
  const isWorth = (rows: readonly { readonly tokens: number }[]) => sum(rows) > tokens * WORTH_SAYING;
  const share = (rows: readonly { readonly tokens: number }[]) =>
    `${plural(sum(rows), "token")} (${percent(sum(rows) / Math.max(1, tokens))})`;
  return [
    ...(worst && isWorth(repeats)
      ? [`${share(repeats)} repeat an earlier output to the byte; most: ${worst.what}, ${worst.times} times`]
      : []),
    ...(stalest && isWorth(superseded)
      ? [
          `${share(superseded)} are reads of files that were read again or changed later; most: ${stalest.path}`,
        ]
      : []),
  ];
}

function compactionLines({ compactions }: Inspection): readonly string[] {
  return compactions.map(({ kind, at, removedMessages, removedTokens, summaryTokens, trigger }) => {
    const what =
      kind === "summary"
        ? `${plural(removedMessages, "message")} left`
        : `the results of ${plural(removedMessages, "message")} were emptied`;
    const left =
      summaryTokens === undefined ? "" : `, a summary of ${plural(summaryTokens, "token")} stands for them`;
    return `after message ${count(at)}: ${what}, ${plural(removedTokens, "token")}${left}${trigger === undefined ? "" : ` (${trigger})`}`;
  });
}

function usageLines({ usage }: Inspection): readonly string[] {
  if (!usage) return [];
  const cost =
    usage.costUsd === undefined
      ? `cost unknown: ${usage.costNote}`
      : `$${usage.costUsd.toFixed(2)} (${usage.costNote})`;
  return [
    `${plural(usage.requests, "request")}, the largest prompt ${plural(usage.peakPromptTokens, "token")}, ${cost}`,
    `${count(usage.cacheReadTokens)} read from the cache, ${count(usage.cacheWriteTokens)} written to it, ${count(usage.uncachedTokens)} uncached, ${count(usage.outputTokens)} output`,
    ...(usage.outputNote === undefined ? [] : [usage.outputNote]),
  ];
}

function asideLines({ asides }: Inspection): readonly string[] {
  return asides.map(
    ({ kind, name, messages, tokens }) =>
      `${kind} ${name}: ${plural(messages, "message")}, ${plural(tokens, "token")}`,
  );
}

function skippedLines({ skipped }: Inspection): readonly string[] {
  return skipped.map(
    ({ line, offset, bytes, why }) =>
      `line ${line} (at byte ${count(offset)}, ${plural(bytes, "byte")}): ${why}`,
  );
}

function sum(rows: readonly { readonly tokens: number }[]): number {
  return rows.reduce((total, row) => total + row.tokens, 0);
}
