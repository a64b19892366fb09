/** Lines of a text that are worth showing, with their neighbours, and a mark for what is left out between them. */
import { estimateTokens } from "../../measure/estimate.ts";

/** A longer line is cut: one line of a minified file would use up the whole preview. */
const MAX_LINE_CHARS = 300;

export interface ShownLines {
  readonly lines: readonly string[];
  /** Indices, ascending. */
  readonly shown: readonly number[];
  readonly maxTokens: number;
  readonly isNumbered?: boolean;
}

export function showLines({ lines, shown, maxTokens, isNumbered }: ShownLines): string {
  const out: string[] = [];
  let tokens = 0;
  let last = -1;
  for (const index of shown) {
    const line = clip(lines[index] ?? "");
    const text = isNumbered ? `${index + 1}: ${line}` : line;
    tokens += estimateTokens(text) + 1;
    if (tokens > maxTokens) break;
    if (index > last + 1) out.push(gap(index - last - 1));
    out.push(text);
    last = index;
  }
  if (last < lines.length - 1) out.push(gap(lines.length - 1 - last));
  return out.join("\n");
}

function gap(lines: number): string {
  return `[… ${lines} ${lines === 1 ? "line" : "lines"} …]`;
}

function clip(line: string): string {
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line;
}

/** Each found line with as many after it, in order, each once. */
export function withFollowing(
  found: readonly number[],
  following: number,
  length: number,
): readonly number[] {
  const shown: number[] = [];
  for (const index of found)
    for (
      let line = Math.max(index, (shown.at(-1) ?? -1) + 1);
      line <= index + following && line < length;
      line += 1
    )
      shown.push(line);
  return shown;
}

/** The end, as far back as this many tokens and lines reach; where it begins too. */
export function lastLines(
  lines: readonly string[],
  { maxLines, maxTokens }: { readonly maxLines: number; readonly maxTokens: number },
): { readonly text: string; readonly from: number } {
  let from = lines.length;
  let tokens = 0;
  while (from > 0 && lines.length - from < maxLines) {
    tokens += estimateTokens(clip(lines[from - 1] ?? "")) + 1;
    if (tokens > maxTokens) break;
    from -= 1;
  }
  return { text: lines.slice(from).map(clip).join("\n"), from };
}
