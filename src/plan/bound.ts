/**
 * The step in progress: while the model waits for results, the response with the calls must keep its sealed thinking, and
 * that thinking is valid only while nothing before it changes. So until it has spoken again nothing before it can be edited,
 * unless the step leaves as a whole and its results are told by the page. What the user says meanwhile changes nothing:
 * providers join those words with the results.
 */
import type { Transcript } from "../transcript/message.ts";
import { lastResponse, type Range } from "../transcript/turns.ts";
import { isSealedThinking, type Situation } from "./situation.ts";

export interface BoundStep {
  /** The response, all its messages, and its results. */
  readonly range: Range;
  /** Of the messages behind the response, the first. */
  readonly behind: number;
  /** Calls still run: the step can neither fold nor lose its thinking. */
  readonly isOpen: boolean;
}

/** @param isAtRest nobody works on the session: a call that runs never ends, and folds with its step */
export function boundStep(
  { transcript, steps, pairing }: Situation,
  isAtRest: boolean,
): BoundStep | undefined {
  const response = lastResponse(transcript);
  if (!response || !isWaitingIn(transcript, response)) return undefined;
  const isOpen =
    !isAtRest && pairing.pairs.some(({ call, result }) => call.messageIndex >= response.start && !result);
  const end = steps.at(-1)?.end ?? response.end;
  return { range: { start: response.start, end }, behind: response.end, isOpen };
}

/** The same question alone. */
export function isBound(transcript: Transcript): boolean {
  const response = lastResponse(transcript);
  return response !== undefined && isWaitingIn(transcript, response);
}

function isWaitingIn({ messages }: Transcript, { start, end }: Range): boolean {
  const parts = messages.slice(start, end).flatMap((message) => message.parts);
  return parts.some(({ type }) => type === "tool-call") && parts.some(isSealedThinking);
}
