/**
 * What stays at the end, and where the cut before it may stand. A policy may give several limits: the one that keeps
 * most holds.
 */
import { hasUserWords } from "../transcript/message.ts";
import { cutsOf } from "./cuts.ts";
import type { TailRule } from "./policy.ts";
import { isPage, type Situation } from "./situation.ts";
import { tokensIn } from "./size.ts";

/** The first message of what stays in any case. */
export function tailStart(situation: Situation, tail: TailRule): number {
  const { messages } = situation.transcript;
  const starts = [messages.length];
  if (tail.minMessages !== undefined) starts.push(messages.length - tail.minMessages);
  if (tail.shareOfMessages !== undefined)
    starts.push(Math.floor(messages.length * (1 - shareKept(situation, tail, tail.shareOfMessages))));
  if (tail.shareOfTokens !== undefined)
    starts.push(newestWithin(situation, sum(messageTokens(situation)) * tail.shareOfTokens));
  if (tail.minSteps) starts.push(situation.steps.at(-tail.minSteps)?.start ?? 0);
  if (tail.minTurns) starts.push(situation.turns.at(-tail.minTurns)?.start ?? 0);
  if (tail.tokens) starts.push(newestWithin(situation, tokensIn(tail.tokens, situation.room)));
  return Math.max(0, Math.min(...starts));
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

function newestWithin(situation: Situation, maxTokens: number): number {
  const sizes = messageTokens(situation);
  let tokens = 0;
  for (let index = sizes.length - 1; index >= 0; index -= 1) {
    tokens += sizes[index] ?? 0;
    if (tokens > maxTokens) return index + 1;
  }
  return 0;
}

/**
 * The cuts a policy allows, up to a limit. One that cuts only before the user's words would rather keep less than it
 * wants than cut elsewhere; where the user said nothing more, any cut will do.
 */
export function cutsUpTo(situation: Situation, { cutsAt }: TailRule): (limit: number) => readonly number[] {
  const { messages } = situation.transcript;
  const legal = cutsOf(situation).flatMap((isCut, index) => (isCut ? [index] : []));
  const atUser = legal.filter((index) => index > 0 && messages[index] && hasUserWords(messages[index]));
  return (limit) => {
    const within = (cuts: readonly number[]) => cuts.filter((cut) => cut <= limit);
    if (cutsAt !== "user" || atUser.length === 0) return within(legal);
    return within(atUser).length > 0 ? within(atUser) : atUser.slice(-1);
  };
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
