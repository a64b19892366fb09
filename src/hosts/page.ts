/**
 * What the model is told around a compaction that the host does by itself: before it, what its summarizer may not leave
 * out; after it, the user's words, rules, files, open work, and the table of what can be read back. No model writes any of it.
 */
import { pageText } from "../apply/page.ts";
import { refTable } from "../apply/ref-table.ts";
import { estimatorFor } from "../measure/count.ts";
import { endsOf } from "../plan/previews/ends.ts";
import type { SectionName, Summary } from "../plan/summary.ts";
import type { RefRow } from "../store/store.ts";
import { extractive } from "../summarize/extractive.ts";
import { renderLine, renderSummary } from "../summarize/render.ts";
import { summarize } from "../summarize/summarize.ts";
import { defined } from "../transcript/json.ts";
import { hasUserWords, type Message, type Transcript } from "../transcript/message.ts";
import { refOf } from "../transcript/ref.ts";

export interface PageInput {
  readonly transcript: Transcript;
  readonly rows: readonly RefRow[];
  readonly maxTokens: number;
}

const MUST_HAVES: readonly SectionName[] = [
  "Constraints and Preferences",
  "Key Decisions",
  "Failed Approaches",
  "Errors Encountered",
  "Files Modified",
  "Next Steps",
];

/** For the host's summarizer, behind its own instructions. */
export async function instructionsText(input: PageInput): Promise<string> {
  const summary = await summaryOf(input, 0.6);
  return [
    "Everything said so far is kept outside the context and can be read back by its ref (ref_…) with the tool read_ref.",
    "Where a fact below has a ref, keep the ref beside it in the summary. Do not leave out or reword any of these:",
    sectionsOf(summary, MUST_HAVES),
    tableOf(input, 0.4),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

const AFTERWARDS: readonly SectionName[] = [
  "Constraints and Preferences",
  "Current Task",
  "Files Modified",
  "Files Read",
  "Failed Approaches",
  "Next Steps",
];

/** For the model, right after the host's summary. */
export async function pageAfter(input: PageInput): Promise<string> {
  const summary = await summaryOf(input, 0.4);
  return [
    "# Kept outside the context (palimpsest)",
    userWords(input.transcript.messages.filter(hasUserWords), input.maxTokens * 0.25),
    sectionsOf(summary, AFTERWARDS),
    `## What can be read back\n\n${tableOf(input, 0.35)}`,
    "Before you state a value, a line of code, an error text or a decision from before the summary: read its ref with `read_ref`. Do not guess what a ref holds, and never write a ref or a ⟦…⟧ stub into a file.",
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** In place of the host's own summary, where it lets us: all sections, the user's words, the table. */
export async function foldedPage(input: PageInput, focus: string | undefined): Promise<string> {
  const summary = await summaryOf(input, 0.5, focus);
  const said = userWords(input.transcript.messages.filter(hasUserWords), input.maxTokens * 0.25);
  return pageText({
    summaryText: [said, renderSummary(summary)].filter((text) => text !== "").join("\n\n"),
    table: tableOf(input, 0.25),
    areUserWordsKept: false,
  });
}

async function summaryOf(
  { transcript, maxTokens }: PageInput,
  share: number,
  focus?: string,
): Promise<Summary> {
  const tokensOf = (text: string) => Math.round(estimatorFor(transcript.model).text(text));
  const messages = transcript.messages;
  const input = { messages, userMessages: [], maxTokens: maxTokens * share, tokensOf, ...defined({ focus }) };
  return (await summarize(input, extractive)).summary;
}

function sectionsOf({ sections }: Summary, names: readonly SectionName[]): string {
  return names
    .flatMap((name) => {
      const lines = sections[name] ?? [];
      return lines.length === 0
        ? []
        : [`## ${name}\n${lines.map((line) => renderLine(name, line)).join("\n")}`];
    })
    .join("\n\n");
}

function tableOf({ rows, maxTokens, transcript }: PageInput, share: number): string {
  const tokensOf = (text: string) => Math.round(estimatorFor(transcript.model).text(text));
  return refTable(rows, { maxTokens: maxTokens * share, tokensOf });
}

/** The latest first, as they were said; a long one by its two ends. Older ones have a ref like everything else. */
function userWords(messages: readonly Message[], maxTokens: number): string {
  const counter = estimatorFor();
  const shown: string[] = [];
  let tokens = 0;
  for (const { parts } of messages.toReversed()) {
    const [part] = parts.filter((one) => one.type === "text" && one.synthetic !== true);
    if (part?.type !== "text") continue;
    const ends = { headTokens: maxTokens * 0.2, tailTokens: maxTokens * 0.1 };
    const isLong = counter.text(part.text) > maxTokens * 0.4;
    const words = isLong ? `${endsOf(part.text, ends)} [${refOf(part)}]` : part.text;
    tokens += counter.text(words);
    if (tokens > maxTokens) break;
    shown.unshift(words.trim().replaceAll(/^/gm, "> "));
  }
  return shown.length === 0 ? "" : `## What the user said, in their words\n\n${shown.join("\n\n")}`;
}
