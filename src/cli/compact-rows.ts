/** What a compaction shows, in order, without saying how: the same rows and sentences for `compact` and the demo. */
import { contentsOf } from "../measure/contents.ts";
import type { Edit } from "../plan/edit.ts";
import { headingsOf } from "../summarize/form.ts";
import { hasUserWords, type Message, type Part } from "../transcript/message.ts";
import type { Done } from "./compact-session.ts";
import { count, percent, plural } from "./table.ts";

/** Tokens of one kind before and after. */
export interface KindChange {
  readonly kind: string;
  readonly before: number;
  readonly after: number;
}

/** The page of a fold is told apart: it is ours, and it is what the rest was traded for. */
const PAGE_KIND = "summary and ref table";
/** What the host sends besides and the file does not show; known from usage, and not ours to shorten. */
const OVERHEAD_KIND = "besides the file";

export function kindChanges(done: Done): readonly KindChange[] {
  const { before, after, tokensOf, overheadTokens } = done;
  const pages = new Set(pagesIn(done));
  const said = { ...after, messages: after.messages.filter((message) => !pages.has(message)) };
  const was = new Map(
    contentsOf(before, { tokensOf }).byKind.map(({ kind, tokens }) => [kind as string, tokens]),
  );
  const is = new Map(
    contentsOf(said, { tokensOf }).byKind.map(({ kind, tokens }) => [kind as string, tokens]),
  );
  const pageTokens = sumOf([...pages].flatMap(({ parts }) => parts.map(tokensOf)));
  if (pageTokens > 0) is.set(PAGE_KIND, pageTokens);
  if (overheadTokens > 0) for (const kinds of [was, is]) kinds.set(OVERHEAD_KIND, overheadTokens);
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((kind) => ({ kind, before: was.get(kind) ?? 0, after: is.get(kind) ?? 0 }))
    .toSorted((a, b) => b.before - a.before || b.after - a.after);
}

function pagesIn({ after, compactions }: Done): readonly Message[] {
  const pages = new Set(compactions.flatMap(({ page }) => (page ? [page.text, page.leadIn] : [])));
  return after.messages.filter(({ parts }) =>
    parts.some((part) => part.type === "text" && part.synthetic === true && pages.has(part.text)),
  );
}

/** What left, gathered by why. */
export interface Leaving {
  readonly kind: Edit["kind"];
  readonly why: string;
  readonly parts: number;
  readonly tokens: number;
}

export function leavings({ compactions }: Done): readonly Leaving[] {
  const groups = new Map<string, Leaving>();
  for (const { edits } of compactions)
    for (const { kind, why, tokens } of edits) {
      const group = groups.get(`${kind}\n${why}`) ?? { kind, why, parts: 0, tokens: 0 };
      groups.set(`${kind}\n${why}`, { ...group, parts: group.parts + 1, tokens: group.tokens + tokens });
    }
  return [...groups.values()].toSorted((a, b) => b.tokens - a.tokens);
}

/** What survived, and why it did. */
export interface Survivor {
  readonly what: string;
  readonly why: string;
}

export function survivors(done: Done): readonly Survivor[] {
  return [...userSurvivors(done), ...tailSurvivor(done), ...summarySurvivors(done)];
}

function userSurvivors({ before, after }: Done): readonly Survivor[] {
  const said = before.messages.filter(hasUserWords);
  if (said.length === 0) return [];
  const kept = new Set(after.messages.flatMap(({ parts }) => parts));
  const whole = said.filter(({ parts }) => parts.every((part) => kept.has(part)));
  const all = whole.length === said.length ? "all" : `${count(whole.length)} of`;
  return [
    {
      what: `${all} ${plural(said.length, "user message")}, word for word`,
      why:
        whole.length === said.length
          ? "what the user said is not paraphrased"
          : "of the others the beginning and the end stand, or a ref",
    },
  ];
}

/** What the model and its tools said and is still there. */
function tailSurvivor(done: Done): readonly Survivor[] {
  const { before, after, compactions } = done;
  const pages = new Set(pagesIn(done));
  const stayed = after.messages.filter((message) => !pages.has(message) && !hasUserWords(message));
  if (stayed.length === 0) return [];
  const were = new Set(before.messages.flatMap(({ parts }) => parts));
  const shortened = stayed.flatMap(({ parts }) => parts).filter((part) => !were.has(part));
  const what = shortened.every(({ type }) => type === "tool-result") ? "result" : "part";
  const but = shortened.length === 0 ? "as they were" : `${plural(shortened.length, what)} shortened`;
  const isFolded = compactions.some(({ page }) => page !== undefined);
  return [
    {
      what: `${plural(stayed.length, "message")} of the ${isFolded ? "latest " : ""}steps, ${but}`,
      why: "the work in progress",
    },
  ];
}

function summarySurvivors(done: Done): readonly Survivor[] {
  const filled = filledSections(done);
  if (filled.length === 0) return [];
  const by = done.compactions.findLast(({ summary }) => summary !== undefined)?.summarizing?.by;
  const how = by === undefined || by === "extractive" ? "quoted, not retold" : `written by ${by}`;
  return [
    {
      what: `a summary of ${plural(filled.length, "section")}, ${how}`,
      why: "what was decided, tried, done; with refs",
    },
  ];
}

/** `Key Decisions 7`, `Session Intent in the user's words`: the headings of the policy's summary as it stands, with their lines. */
export function filledSections({ order, compactions }: Done): readonly string[] {
  const last = compactions.findLast(({ summary }) => summary !== undefined)?.summary;
  return headingsOf(order.policy.summary).flatMap(({ title, of }) => {
    const lines = sumOf(of.map((name) => last?.sections[name]?.length ?? 0));
    if (lines > 0) return [`${title} ${lines}`];
    return of.some((name) => last?.emptied?.[name] === "said") ? [`${title} in the user's words`] : [];
  });
}

/** `168,594 → 41,003 tokens (24.3 %), 252 → 87 messages`. */
export function sizesLine({ tokensBefore, tokensAfter, before, after, messagesWritten }: Done): string {
  const messages = messagesWritten ?? after.messages.length;
  const share = percent(tokensAfter / Math.max(1, tokensBefore));
  return `${count(tokensBefore)} → ${count(tokensAfter)} tokens (${share} of what it was), ${count(before.messages.length)} → ${count(messages)} messages`;
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Every part an edit of these compactions touched, once. */
export function partsThatLeft({ originals }: Done): readonly Part[] {
  return [...new Map(originals.map(({ ref, part }) => [ref, part])).values()];
}
