/**
 * What stays at the end, and where the cut before it may stand. A policy may give several limits: the one that keeps
 * most holds.
 */
import { smallest } from "../transcript/extremes.ts";
import { hasUserWords } from "../transcript/message.ts";
import { cutsOf } from "./cuts.ts";
import type { TailRule } from "./policy.ts";
import { isPage, type Situation } from "./situation.ts";
import { tokensIn } from "./size.ts";

/** What other edits save, by message. */
export type SavedAt = ReadonlyMap<number, number>;

/** The first message of what stays in any case. */
export function tailStart(situation: Situation, tail: TailRule, savedAt: SavedAt): number {
  const { messages } = situation.transcript;
  const saved = (index: number) => (tail.isCountedCleared ? (savedAt.get(index) ?? 0) : 0);
  const sizes = messageTokens(situation).map((tokens, index) => tokens - saved(index));
  const starts = [messages.length];
  if (tail.minMessages !== undefined) starts.push(messages.length - tail.minMessages);
  if (tail.shareOfMessages !== undefined)
    starts.push(Math.floor(messages.length * (1 - shareKept(situation, tail, tail.shareOfMessages))));
  if (tail.shareOfTokens !== undefined) starts.push(newestWithin(sizes, sum(sizes) * tail.shareOfTokens));
  if (tail.minSteps) starts.push(situation.steps.at(-tail.minSteps)?.start ?? 0);
  if (tail.minTurns) starts.push(situation.turns.at(-tail.minTurns)?.start ?? 0);
  if (tail.tokens) starts.push(newestWithin(sizes, tokensIn(tail.tokens, situation.room)));
  return Math.max(0, smallest(starts));
}

/** Estimates run low on code; and below a tenth of the window a message is not large. Both are OpenCode's numbers. */
const SAFETY = 1.2;
const LARGE_SHARE = 0.1;

/** Where messages are large, fewer of them stay, so that the page has room. */
function shareKept(situation: Situation, { shareOfMessagesAtLeast }: TailRule, share: number): number {
  if (shareOfMessagesAtLeast === undefined || share <= shareOfMessagesAtLeast) return share;
  const sizes = messageTokens(situation).filter((_, index) => !isPage(situation, index));
  const average = ((sum(sizes) / Math.max(1, sizes.length)) * SAFETY) / situation.room.windowTokens;
  return average > LARGE_SHARE ? share - Math.min(average * 2, share - shareOfMessagesAtLeast) : share;
}

function messageTokens({ transcript, tokensOf }: Situation): readonly number[] {
  return transcript.messages.map(({ parts }) => sum(parts.map(tokensOf)));
}

function newestWithin(sizes: readonly number[], maxTokens: number): number {
  let tokens = 0;
  for (let index = sizes.length - 1; index >= 0; index -= 1) {
    tokens += sizes[index] ?? 0;
    if (tokens > maxTokens) return index + 1;
  }
  return 0;
}

/**
 * The cuts a policy allows, up to a limit. One that cuts only before the user's words cuts before the first of them behind
 * the limit, so it keeps less than it wants rather than more; where there is none behind it, everything folds that ends
 * with the model's answer, else the last of their words is the cut; where the user said nothing more, any cut will do.
 */
export function cutsUpTo(situation: Situation, { cutsAt }: TailRule): (limit: number) => readonly number[] {
  const { messages } = situation.transcript;
  const legal = cutsOf(situation).flatMap((isCut, index) => (isCut ? [index] : []));
  const within = (limit: number) => legal.filter((cut) => cut <= limit);
  const atUser = legal.filter((index) => index > 0 && messages[index] && hasUserWords(messages[index]));
  if (cutsAt !== "user" || atUser.length === 0) return within;
  const ends = isAnswered(situation) ? [...atUser, messages.length] : atUser;
  return (limit) => {
    const next = ends.findIndex((cut) => cut >= limit);
    return next < 0 ? ends : ends.slice(0, next + 1);
  };
}

function isAnswered({ transcript }: Situation): boolean {
  const last = transcript.messages.at(-1);
  return last?.role === "assistant" && !last.parts.some(({ type }) => type === "tool-call");
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
