/**
 * write → ground → merge → bound. Whoever is asked to write may fail; a bad answer is tried again with less, and then the
 * extractor writes, which cannot fail. What the attempts cost is recorded whether or not they were of use.
 */
import type { Summary, SummaryLine } from "../plan/summary.ts";
import type { Usage } from "../transcript/message.ts";
import { ask } from "./asking.ts";
import { quotesOf } from "./claims.ts";
import { extract, extractive } from "./extractive.ts";
import { ground } from "./ground.ts";
import { LADDER } from "./ladder.ts";
import { flat } from "./line.ts";
import { mergeSummaries } from "./merge.ts";
import { withLines, withoutLines } from "./quote-lines.ts";
import { renderSummary } from "./render.ts";
import { commonFolder, shortPaths } from "./short-paths.ts";
import { sourcesOf } from "./sources.ts";
import {
  BadAnswer,
  type LinesWanted,
  type SummarizeInput,
  type Summarizer,
  type Written,
} from "./summarizer.ts";

export type { LiveRequest, SummarizeInput, Summarizer, Written } from "./summarizer.ts";

export interface SummarizeOptions {
  readonly signal?: AbortSignal;
  /** Attempts of the summarizer before the extractor writes. */
  readonly maxAttempts?: number;
}

const MAX_ATTEMPTS = 3;

export async function summarize(
  input: SummarizeInput,
  summarizer: Summarizer,
  options: SummarizeOptions = {},
): Promise<Written> {
  const written = await write(input, summarizer, options);
  const grounded = ground(written.summary, sourcesOf(input), extract(input));
  // A model that rewrites has carried over what it wanted; the extractor only adds, and must be given what was.
  const isRewritten = input.form?.update === "rewrite" && written.by !== extractive.name;
  const earlier = isRewritten || !input.previous ? undefined : withoutLines(input.previous);
  const room = { ...input, ...(input.lines ? { isInSight: inSightOf(input.lines) } : {}) };
  const merged = mergeSummaries(earlier, grounded.summary, room);
  const added = grounded.summary;
  const notes = [...written.notes, ...grounded.notes, ...sizeNote(merged, input)];
  return { ...written, summary: quoting(merged, input), added, notes };
}

/** Whether the words a line quotes stand in what the user said and is shown. */
function inSightOf({ staying }: LinesWanted): (line: SummaryLine) => boolean {
  const texts = staying.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );
  const all = flat(texts.join("\n"));
  const known = new Map<string, boolean>();
  let at = 0;
  // Lines come in the order of what they quote: looked for from where the last one was, and each once.
  const isSaid = (text: string): boolean => {
    const [quote] = quotesOf(text);
    if (!quote) return false;
    const words = quote.text.replace(/…$/, "");
    const next = all.indexOf(words, at);
    const found = next < 0 ? all.indexOf(words) : next;
    if (found >= 0) at = found;
    return found >= 0;
  };
  return ({ text }) => {
    const is = known.get(text) ?? isSaid(text);
    known.set(text, is);
    return is;
  };
}

/** With what the narrative leaves of the room, exact lines. */
function quoting(summary: Summary, input: SummarizeInput): Summary {
  const { lines, messages, previous, tokensOf } = input;
  if (!lines) return summary;
  const folder = commonFolder(summary);
  const tokensShown = (text: string) => tokensOf(shortPaths(text, folder));
  const maxTokens = lines.maxTokens - tokensShown(renderSummary(summary));
  return withLines(summary, { ...lines, messages, previous, tokensOf: tokensShown, maxTokens });
}

async function write(
  input: SummarizeInput,
  summarizer: Summarizer,
  options: SummarizeOptions,
): Promise<Written> {
  if (summarizer.isLocal) return summarizer.write(input, options);
  const spent: Spent[] = [];
  const notes: string[] = [];
  for (const attempt of attemptsFor(input, options.maxAttempts ?? MAX_ATTEMPTS)) {
    if (options.signal?.aborted) break;
    try {
      const written = await ask(summarizer, attempt.input, options.signal);
      const checked = await verified(written, attempt, { summarizer, signal: options.signal });
      const cost = totalOf([...spent, ...checked.spent]);
      return { ...checked.written, ...cost, notes: [...notes, ...checked.written.notes] };
    } catch (error) {
      // A summarizer may fail in any way; none of them may cost the agent its compaction.
      if (error instanceof BadAnswer) spent.push(error);
      notes.push(
        `${summarizer.name}, ${attempt.name}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  const written = await extractive.write(input);
  return { ...written, ...totalOf(spent), notes: [...notes, `${extractive.name} wrote instead.`] };
}

interface Verifying {
  readonly summarizer: Summarizer;
  readonly signal: AbortSignal | undefined;
}

interface Verified {
  readonly written: Written;
  readonly spent: readonly Spent[];
}

/** Where the policy asks for a second pass, its answer; where that one is bad, the first stands. */
async function verified(first: Written, { input }: Attempt, asking: Verifying): Promise<Verified> {
  if (input.form?.isVerified !== true) return { written: first, spent: [first] };
  const { summarizer, signal } = asking;
  try {
    const second = await ask(summarizer, { ...input, draft: first.summary }, signal);
    return { written: second, spent: [first, second] };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const notes = [...first.notes, `the second pass was not used: ${why}`];
    const spent = error instanceof BadAnswer ? [first, error] : [first];
    return { written: { ...first, notes }, spent };
  }
}

interface Attempt {
  readonly name: string;
  readonly input: SummarizeInput;
}

function attemptsFor(input: SummarizeInput, maxAttempts: number): readonly Attempt[] {
  const { live, ...cold } = input;
  const whole = { name: live ? "on the live prefix" : "whole", input };
  return [whole, ...LADDER.map(({ name, shrink }) => ({ name, input: shrink(cold) }))]
    .filter(({ input: next }, index) => index === 0 || next.messages !== input.messages)
    .slice(0, maxAttempts);
}

interface Spent {
  readonly usage?: Usage;
  readonly costUsd?: number;
}

function totalOf(spent: readonly Spent[]): Spent {
  const usages = spent.flatMap(({ usage }) => (usage ? [usage] : []));
  const costs = spent.flatMap(({ costUsd }) => (costUsd === undefined ? [] : [costUsd]));
  const sum = (of: (usage: Usage) => number) => usages.reduce((total, usage) => total + of(usage), 0);
  return {
    ...(usages.length === 0
      ? {}
      : {
          usage: {
            uncachedTokens: sum((usage) => usage.uncachedTokens),
            cacheReadTokens: sum((usage) => usage.cacheReadTokens),
            cacheWriteTokens: sum((usage) => usage.cacheWriteTokens),
            outputTokens: sum((usage) => usage.outputTokens),
          },
        }),
    ...(costs.length === 0 ? {} : { costUsd: costs.reduce((total, cost) => total + cost, 0) }),
  };
}

/** Constraints, failed approaches and changed files are never cut; where they alone are too much, that is said. */
function sizeNote(summary: Summary, input: SummarizeInput): readonly string[] {
  const chars = Object.values(summary.sections)
    .flatMap((lines) => lines ?? [])
    .reduce((sum, { text }) => sum + text.length, 0);
  // Cheap first: counting tokens of a summary that is obviously small enough is not needed.
  if (chars < input.maxTokens * 2) return [];
  const tokens = Object.values(summary.sections)
    .flatMap((lines) => lines ?? [])
    .reduce((sum, { text }) => sum + input.tokensOf(text), 0);
  return tokens > input.maxTokens
    ? [
        `The summary has ${tokens} tokens, ${input.maxTokens} were asked for: what may not be left out takes that much.`,
      ]
    : [];
}
