/**
 * The table of what can be read back. Seed 003 measured it: a table halves invention compared with bare ids, because a
 * model chooses by the descriptions. It is capped: what is likeliest needed has a row of its own, the rest is counted
 * by kind. Descriptions come from tool output, so nothing in them may end a cell, a line or the table.
 */
import { shortenMiddle } from "../transcript/describe.ts";
import type { Part } from "../transcript/message.ts";

export interface RefTableRow {
  readonly ref: string;
  readonly kind: Part["type"];
  readonly description: string;
  readonly tokens: number;
  readonly at: number;
}

export interface RefTableOptions {
  readonly maxTokens: number;
  readonly tokensOf: (text: string) => number;
  /** Where the policy says which the model has. */
  readonly tools?: readonly string[];
}

const HEADER = "| ref | what it is | tokens |\n|---|---|---|";

export function refTable(
  rows: readonly RefTableRow[],
  { maxTokens, tokensOf, tools }: RefTableOptions,
): string {
  if (maxTokens <= 0) return "";
  const all = byNeed(rows);
  // A thought has no description: rows that all say "Thinking" help nobody choose.
  const sorted = all.filter(({ kind }) => kind !== "thinking");
  const lines: string[] = [];
  let tokens = tokensOf(HEADER) + GROUP_TOKENS;
  for (const row of sorted) {
    const line = lineOf(row);
    tokens += tokensOf(line) + 1;
    if (tokens > maxTokens) break;
    lines.push(line);
  }
  const rest = [...sorted.slice(lines.length), ...all.filter(({ kind }) => kind === "thinking")];
  if (lines.length === 0 && rest.length === 0) return "";
  return [
    ...(lines.length > 0 ? [HEADER, ...lines] : []),
    ...(rest.length > 0 ? [groupOf(rest, lines.length === 0, tools)] : []),
  ].join("\n");
}

/** Set aside for the line that counts the rest. */
const GROUP_TOKENS = 40;

/** Facts before words, words before calls, thinking last; within each the newest first. Rows come oldest first. */
function byNeed(rows: readonly RefTableRow[]): readonly RefTableRow[] {
  const unique = [...new Map(rows.map((row) => [row.ref, row])).values()];
  return unique
    .map((row, index) => ({ row, index }))
    .sort((a, b) => NEED[a.row.kind] - NEED[b.row.kind] || b.row.at - a.row.at || b.index - a.index)
    .map(({ row }) => row);
}

const NEED: Readonly<Record<Part["type"], number>> = {
  "tool-result": 0,
  text: 1,
  document: 1,
  image: 1,
  "tool-call": 2,
  thinking: 3,
  opaque: 3,
};

function lineOf({ ref, description, tokens }: RefTableRow): string {
  return `| ${plain(ref)} | ${plain(description)} | ${tokens} |`;
}

function plain(text: string): string {
  return shortenMiddle(text.replaceAll(/[⟦⟧`<>]/g, "").replaceAll("|", "¦"), 100);
}

const WORDS: Readonly<Record<Part["type"], string>> = {
  "tool-result": "results",
  text: "texts",
  document: "documents",
  image: "images",
  "tool-call": "calls",
  thinking: "thoughts",
  opaque: "items",
};

function groupOf(rows: readonly RefTableRow[], areAll: boolean, tools: RefTableOptions["tools"]): string {
  const counts = new Map<Part["type"], number>();
  for (const { kind } of rows) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const told = [...counts].map(([kind, count]) => `${count} ${WORDS[kind]}`).join(", ");
  return `${areAll ? rows.length : `And ${rows.length} more`} (${told})${findingBy(tools)}.`;
}

/** No tool is named that the model does not have. */
function findingBy(tools: RefTableOptions["tools"]): string {
  if (tools === undefined) return ': list_refs({ contains: "…" }) finds them by what they say';
  if (tools.includes("search_refs")) return ': search_refs({ query: "…" }) finds them by what they say';
  return tools.includes("list_refs") ? ": list_refs lists them" : "";
}
