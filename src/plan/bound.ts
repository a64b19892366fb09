/**
 * The step in progress: while the model waits for results, the response with the calls must keep its sealed thinking, and
 * that thinking is valid only while nothing before it changes. So until the turn ends nothing before it can be edited,
 * unless the step leaves as a whole and its results are told by the page.
 */
import type { Range } from "../transcript/turns.ts";
import { isSealedThinking, type Situation } from "./situation.ts";

export interface BoundStep {
  readonly range: Range;
  /** Calls still run: the step can neither fold nor lose its thinking. */
  readonly isOpen: boolean;
}

export function boundStep({ transcript, steps, pairing }: Situation): BoundStep | undefined {
  const range = steps.at(-1);
  const response = range && transcript.messages[range.start];
  if (!range || !response || range.end !== transcript.messages.length) return undefined;
  const hasCalls = response.parts.some((part) => part.type === "tool-call");
  if (!hasCalls || !response.parts.some(isSealedThinking)) return undefined;
  const isOpen = pairing.pairs.some(({ call, result }) => call.messageIndex === range.start && !result);
  return { range, isOpen };
}
