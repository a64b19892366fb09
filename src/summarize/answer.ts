/**
 * From what came back to a summary, or to the reason why it is none. A bad answer must never be stored: it would stand
 * for everything it replaced.
 */
import type { HeadingRule } from "../plan/policy.ts";
import type { Summary } from "../plan/summary.ts";
import type { Usage } from "../transcript/message.ts";
import { headingsOf, isOwnForm } from "./form.ts";
import { headingsIn, parseSummary } from "./parse.ts";
import { materialOf } from "./prompt.ts";
import { BadAnswer, type SummarizeInput } from "./summarizer.ts";

export interface Answer {
  readonly text: string;
  /** How it ended, where that is known. */
  readonly ended?: "stop" | "length" | "tool-calls" | "refused";
  readonly usage?: Usage;
  readonly costUsd?: number;
}

export function readAnswer(answer: Answer, input: SummarizeInput): Summary {
  const text = withoutAnalysis(answer.text);
  const bad = (kind: BadAnswer["kind"], why: string) =>
    new BadAnswer(kind, `The summary was not used: ${why}.`, answer);
  if (answer.text.trim() === "" && answer.ended !== "tool-calls") throw bad("empty", "the answer is empty");
  if (
    answer.ended === "tool-calls" ||
    /^\s*(?:<tool_call>|<function_calls>|\{\s*"(?:tool|function|name)")/.test(text)
  )
    throw bad("tool-calling", "the answer is a tool call");
  if (answer.ended === "length") throw bad("truncated", "the answer was cut off");
  if (text.trim() === "") throw bad("analysis-only", "the answer holds an analysis and nothing else");
  const asked = headingsOf(input.form ?? { files: "sections" });
  const own = input.form && !isOwnForm(input.form) ? asked : [];
  const headings = headingsIn(text, own);
  if (answer.ended === "refused" || (headings.size === 0 && REFUSAL.test(text)))
    throw bad("refused", "the model refused");
  if (headings.size < enoughOf(asked))
    throw bad("unparseable", `it has ${headings.size} of ${asked.length} sections`);
  const last = asked.at(-1)?.of[0];
  if (answer.ended === undefined && last !== undefined && !headings.has(last))
    throw bad("truncated", "its last section is missing");
  const summary = parseSummary(text, own);
  if (Object.values(summary.sections).every((lines) => (lines ?? []).length === 0))
    throw bad("empty", "all its sections are empty");
  const sourceTokens = input.tokensOf(materialOf([...input.messages, ...input.userMessages]));
  if (input.tokensOf(text) >= Math.max(sourceTokens, SMALL_TOKENS))
    throw bad("too-large", "it is larger than what it stands for");
  return summary;
}

/** A model that leaves out half of the checklist has not read it. Several headings may go to one section. */
function enoughOf(asked: readonly HeadingRule[]): number {
  return Math.floor(new Set(asked.map(({ of }) => of[0])).size / 2);
}

/** The headings alone take this much; a source that is smaller is not worth summarizing, but no reason to refuse. */
const SMALL_TOKENS = 300;
const REFUSAL =
  /^\W*(?:I['’]m sorry|I am sorry|sorry|I can(?:['’]t|not)|I['’]m (?:unable|not able)|as an AI|I won['’]t)\b/i;

function withoutAnalysis(text: string): string {
  return text
    .replaceAll(/<(analysis|think|thinking|scratchpad)>[\s\S]*?(?:<\/\1>|$)/gi, "")
    .replaceAll(/<\/?summary>/gi, "");
}
