/**
 * Where a session is cut. The window is chosen so that a session that compacts at 80 % of it, down to 50 %, does so exactly
 * k times before its end: the first cut is at 0.8 windows, each next one 0.3 windows further, and 0.15 windows follow the
 * last, in which the agent goes on and shows what it needed. The cuts are the same for every opponent.
 */
import { estimatorFor, measure, type NativeCompaction, type Session, type Transcript } from "palimpsest";
import type { Future } from "../probes/needed.ts";

export const TRIGGER = 0.8;
export const TARGET = 0.5;
const BEHIND = 0.15;

export interface Cascade {
  readonly windowTokens: number;
  /** How many messages had been said at each cut; the next one is the model's. */
  readonly cuts: readonly number[];
}

export interface CutOptions {
  /** In place of the one that gives exactly k compactions. */
  readonly windowTokens?: number | undefined;
  readonly trigger?: number | undefined;
}

export function cascadeOf(transcript: Transcript, compactions: number, options: CutOptions = {}): Cascade {
  const grown = growthOf(transcript);
  const total = grown.at(-1) ?? 0;
  const { windowTokens, trigger = TRIGGER } = options;
  const growth = trigger - TARGET;
  const chosen = windowTokens ?? Math.round(total / (trigger + growth * (compactions - 1) + BEHIND));
  const marks = Array.from({ length: compactions }, (_, index) => (trigger + growth * index) * chosen);
  const cuts: number[] = [];
  for (const mark of marks) {
    // One huge step may pass several marks: then the next compaction is before the next response.
    const cut = cutAt(transcript, grown, { tokens: mark, after: cuts.at(-1) ?? 0 });
    if (cut !== undefined) cuts.push(cut);
  }
  return { windowTokens: chosen, cuts };
}

/** One cut where this share of the session has been said. */
export function cutAtShare(transcript: Transcript, share: number): number | undefined {
  const grown = growthOf(transcript);
  return cutAt(transcript, grown, { tokens: (grown.at(-1) ?? 0) * share, after: 0 });
}

/** What followed a cut, up to where a native compaction changed what the agent knew. */
export function futureOf({ whole, compactions }: Session, from: number): Future {
  const next = compactions.filter(({ kind, at }) => kind === "summary" && at > from).map(({ at }) => at);
  return { messages: whole.messages, from, to: Math.min(whole.messages.length, ...next) };
}

/** Recorded compactions whose summary the file has in plain text. */
export function nativeCuts({ compactions }: Session): readonly NativeCompaction[] {
  return compactions.filter(({ kind, summary }) => kind === "summary" && summary !== undefined);
}

/** Tokens of messages up to and with each. Without what a host adds unseen: it is the same for every opponent. */
export function growthOf(transcript: Transcript): readonly number[] {
  const { messages } = measure(transcript, { counter: estimatorFor(transcript.model) });
  let sum = 0;
  return messages.map(({ tokens }) => {
    sum += tokens;
    return sum;
  });
}

/** Before the first response that would be asked for with so much in the context. */
function cutAt(
  { messages }: Transcript,
  grown: readonly number[],
  { tokens, after }: { readonly tokens: number; readonly after: number },
): number | undefined {
  for (let at = after + 1; at < messages.length; at += 1) {
    const isNext = messages[at]?.role === "assistant" && messages[at - 1]?.role !== "assistant";
    if (isNext && (grown[at - 1] ?? 0) >= tokens) return at;
  }
  return undefined;
}
