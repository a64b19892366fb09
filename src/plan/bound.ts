/**
 * The step in progress: while the model waits for results, the response with the calls must keep its sealed thinking, and
 * that thinking is valid only while nothing before it changes. So until the turn ends nothing before it can be edited,
 * unless the step leaves as a whole and its results are told by the page.
 */
import type { Transcript } from "../transcript/message.ts";
import { type Range, stepsOf } from "../transcript/turns.ts";
import { isSealedThinking, type Situation } from "./situation.ts";

export interface BoundStep {
  readonly range: Range;
  /** Calls still run: the step can neither fold nor lose its thinking. */
  readonly isOpen: boolean;
}

export function boundStep({ transcript, steps, pairing }: Situation): BoundStep | undefined {
  const range = steps.at(-1);
  if (!range || !isWaitingIn(transcript, range)) return undefined;
  const isOpen = pairing.pairs.some(({ call, result }) => call.messageIndex === range.start && !result);
  return { range, isOpen };
}

/** The same question alone. */
export function isBound(transcript: Transcript): boolean {
  const range = stepsOf(transcript).at(-1);
  return range !== undefined && isWaitingIn(transcript, range);
}

function isWaitingIn({ messages }: Transcript, { start, end }: Range): boolean {
  const response = messages[start];
  if (!response || end !== messages.length) return false;
  return response.parts.some(({ type }) => type === "tool-call") && response.parts.some(isSealedThinking);
}
