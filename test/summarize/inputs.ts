/** Inputs of the summarizers: a conversation, and the room its summary may take. */
import { estimateTokens } from "../../src/measure/estimate.ts";
import { SECTIONS, type SectionName, type Summary, type SummaryLine } from "../../src/plan/summary.ts";
import { extract } from "../../src/summarize/extractive.ts";
import type { SummarizeInput } from "../../src/summarize/summarizer.ts";
import type { Message } from "../../src/transcript/message.ts";
import { pairUp } from "../../src/transcript/pairs.ts";

export function inputOf(messages: readonly Message[], more: Partial<SummarizeInput> = {}): SummarizeInput {
  return { messages, userMessages: [], maxTokens: 6000, tokensOf: estimateTokens, ...more };
}

export function extractOf(...messages: readonly Message[]): Summary {
  return extract(inputOf(messages));
}

export function textsOf(summary: Summary, section: SectionName): readonly string[] {
  return (summary.sections[section] ?? []).map(({ text }) => text);
}

export function linesOf(summary: Summary): readonly (SummaryLine & { readonly name: SectionName })[] {
  return SECTIONS.flatMap((name) => (summary.sections[name] ?? []).map((line) => ({ name, ...line })));
}

/** A conversation in about `count` stretches; no call is cut from its result, as no plan would. */
export function stretchesOf(messages: readonly Message[], count: number): readonly (readonly Message[])[] {
  const open = messages.map(() => false);
  for (const { call, result } of pairUp({ messages }).pairs)
    for (let at = call.messageIndex + 1; at <= (result?.messageIndex ?? 0); at += 1) open[at] = true;
  const stretches: (readonly Message[])[] = [];
  const size = Math.ceil(messages.length / count);
  for (let start = 0; start < messages.length; ) {
    let end = Math.min(start + size, messages.length);
    while (open[end]) end += 1;
    stretches.push(messages.slice(start, end));
    start = end;
  }
  return stretches;
}
