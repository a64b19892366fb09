/**
 * What seed 004 asks to be known of a compaction ("Quality Metrics"), computed for every policy from what the model reads
 * and from what was there before. What cannot be known without asking a model is said to be unknown.
 */

import { failuresIn } from "./failed-approaches.ts";
import type { Compaction } from "./plan/ledger.ts";
import type { Policy } from "./plan/policy.ts";
import type { SummaryLine } from "./plan/summary.ts";
import { headingsOf } from "./summarize/form.ts";
import { missingFrom } from "./summarize/ground.ts";
import { EMPTY } from "./summarize/render.ts";
import { hasUserWords, type Part, promptTokens, type Transcript } from "./transcript/message.ts";
import { refOf } from "./transcript/ref.ts";

export interface Judged {
  readonly policy: Policy;
  readonly before: Transcript;
  readonly after: Transcript;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Of both: what is sent besides the messages. */
  readonly overheadTokens: number;
  readonly compactions: readonly Compaction[];
  readonly tokensOf: (part: Part) => number;
}

export interface Quality {
  /** Before ÷ after, of the whole prompt. */
  readonly compressionRatio: number;
  /** The same of what was touched: what left, against what stands for it. Null where nothing was. */
  readonly replaced: {
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    readonly ratio: number;
  } | null;
  readonly cacheHitRate: {
    /** Of all prompts the session recorded; null where its file has no usage. What comes after is the provider's to say. */
    readonly recorded: number | null;
    /** The share of the next prompt that begins it as it began before: what a provider can still have cached. */
    readonly keptPrefix: number;
  };
  /** Those the extractor finds in the conversation; kept: stated on the page, or all that shows them still stands. */
  readonly failedApproaches: { readonly found: number; readonly kept: number };
  /** The headings the policy asks for, as they stand on its page; null where it writes none. */
  readonly sections: {
    readonly filled: readonly string[];
    readonly empty: readonly string[];
    readonly missing: readonly string[];
  } | null;
  readonly taskContinuation: {
    readonly successRate: null;
    readonly why: string;
    /** Whether what the user asked last is still there in their words. */
    readonly lastRequest: "verbatim" | "quoted" | "gone" | "none";
  };
}

export function qualityOf(judged: Judged): Quality {
  return {
    compressionRatio: ratioOf(judged.tokensBefore, judged.tokensAfter),
    replaced: replacedIn(judged),
    cacheHitRate: { recorded: recordedHitRate(judged.before), keptPrefix: keptPrefix(judged) },
    failedApproaches: failuresKept(judged),
    sections: sectionsOn(judged),
    taskContinuation: {
      successRate: null,
      why: "whether the task goes on well shows only when a model goes on; palimpsest arena asks for what it would need",
      lastRequest: lastRequest(judged),
    },
  };
}

function ratioOf(before: number, after: number): number {
  return Number((before / Math.max(1, after)).toFixed(2));
}

function replacedIn({ before, after, tokensOf }: Judged): Quality["replaced"] {
  const were = new Set(partsOf(before));
  const are = new Set(partsOf(after));
  const sum = (parts: Iterable<Part>, others: ReadonlySet<Part>) =>
    [...parts].reduce((total, part) => (others.has(part) ? total : total + tokensOf(part)), 0);
  const [tokensBefore, tokensAfter] = [sum(were, are), sum(are, were)];
  return tokensBefore === 0 ? null : { tokensBefore, tokensAfter, ratio: ratioOf(tokensBefore, tokensAfter) };
}

function partsOf({ messages }: Transcript): readonly Part[] {
  return messages.flatMap(({ parts }) => parts);
}

function recordedHitRate({ messages }: Transcript): number | null {
  const usages = messages.flatMap(({ usage }) => (usage ? [usage] : []));
  const prompts = usages.reduce((sum, usage) => sum + promptTokens(usage), 0);
  const read = usages.reduce((sum, { cacheReadTokens }) => sum + cacheReadTokens, 0);
  return prompts === 0 ? null : share(read / prompts);
}

function keptPrefix({ before, after, overheadTokens, tokensAfter, tokensOf }: Judged): number {
  const changed = after.messages.findIndex((message, index) => message !== before.messages[index]);
  const same = changed < 0 ? after.messages : after.messages.slice(0, changed);
  const tokens = same.reduce((sum, { parts }) => parts.reduce((all, part) => all + tokensOf(part), sum), 0);
  return share(Math.min(1, (overheadTokens + tokens) / Math.max(1, tokensAfter)));
}

function share(value: number): number {
  return Number(value.toFixed(4));
}

function failuresKept(judged: Judged): Quality["failedApproaches"] {
  const { before, after } = judged;
  const found = failuresIn(before.messages);
  const stands = new Set<string>(partsOf(after).map(refOf));
  const gone = found.filter(({ refs }) => !refs.every((ref) => stands.has(ref)));
  return { found: found.length, kept: found.length - missingFrom(statedOn(judged), gone).length };
}

/** The lines of the summary that the policy's headings show. */
function statedOn({ compactions, policy }: Judged): readonly SummaryLine[] {
  const sections = compactions.findLast(({ summary }) => summary !== undefined)?.summary?.sections ?? {};
  const shown = new Set(headingsOf(policy.summary).flatMap(({ of }) => of));
  return [...shown].flatMap((name) => sections[name] ?? []);
}

function sectionsOn({ compactions, policy }: Judged): Quality["sections"] {
  const page = compactions.findLast(({ summary }) => summary !== undefined)?.page?.text;
  if (page === undefined) return null;
  const titles = headingsOf(policy.summary).map(({ title }) => title);
  const bodies = titles.map((title) => bodiesUnder(title, page, policy.summary.element !== undefined));
  const where = (test: (found: readonly string[]) => boolean) =>
    titles.filter((_, index) => test(bodies[index] ?? []));
  const isFilled = (found: readonly string[]) => found.some((line) => line !== EMPTY);
  return {
    filled: where(isFilled),
    empty: where((found) => found.length > 0 && !isFilled(found)),
    missing: where((found) => found.length === 0),
  };
}

/** The first line under each heading of that name: a page that is appended to has several. */
function bodiesUnder(title: string, page: string, isElement: boolean): readonly string[] {
  const opening = isElement ? `<${title}>` : `## ${title}`;
  const lines = page.split("\n");
  return lines.flatMap((line, index) => (line === opening ? [lines[index + 1] ?? ""] : []));
}

function lastRequest({ before, after }: Judged): Quality["taskContinuation"]["lastRequest"] {
  const words = before.messages
    .findLast(hasUserWords)
    ?.parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part] : []));
  if (!words || words.length === 0) return "none";
  const stands = new Set(partsOf(after));
  if (words.every((part) => stands.has(part))) return "verbatim";
  const texts = partsOf(after).flatMap((part) => (part.type === "text" ? [plain(part.text)] : []));
  return words.every(({ text }) => texts.some((shown) => shown.includes(plain(text)))) ? "quoted" : "gone";
}

/** A quoted text is indented. */
function plain(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
