/** Tables and bars for a person at a terminal. Free text goes last, so that wide letters disturb no column. */
import { largest } from "../transcript/extremes.ts";

export type Align = "left" | "right";

export interface Column {
  readonly align: Align;
  readonly style?: (text: string) => string;
}

/** Rows of plain cells, padded to their columns; styles are put on after padding, since they have no width. */
export function table(rows: readonly (readonly string[])[], columns: readonly Column[]): readonly string[] {
  const widths = columns.map((_, index) => Math.max(0, largest(rows.map((row) => row[index]?.length ?? 0))));
  return rows.map((row) =>
    row
      .map((cell, index) => {
        const { align = "left", style = (text: string) => text } = columns[index] ?? {};
        const isLast = index === row.length - 1;
        const width = widths[index] ?? 0;
        return style(align === "right" ? cell.padStart(width) : isLast ? cell : cell.padEnd(width));
      })
      .join("  ")
      .trimEnd(),
  );
}

/** Lines under a title; no title where there are none. */
export function block(
  title: string,
  lines: readonly string[],
  style: (text: string) => string,
): readonly string[] {
  return lines.length === 0 ? [] : ["", style(title), ...lines.map((line) => `  ${line}`)];
}

/** Eighths of a block: a bar of 20 cells shows half a percent. */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

export function bar(share: number, cells: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * cells * 8);
  const full = "█".repeat(Math.floor(eighths / 8));
  return `${full}${EIGHTHS[eighths % 8] ?? ""}`.padEnd(cells);
}

export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** "1 message", "2 messages". */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

const HEIGHTS = "▁▂▃▄▅▆▇█";

/** Values over time in one line; when there are more than fit, each cell shows the largest of its share. */
export function sparkline(values: readonly number[], cells: number): string {
  const top = Math.max(1, largest(values));
  const width = Math.min(cells, values.length);
  return Array.from({ length: width }, (_, cell) => {
    const share = values.slice(
      Math.floor((cell * values.length) / width),
      Math.floor(((cell + 1) * values.length) / width),
    );
    const height = Math.min(1, largest(share) / top);
    return HEIGHTS[Math.min(HEIGHTS.length - 1, Math.floor(height * HEIGHTS.length))] ?? "";
  }).join("");
}
