/**
 * Turns and steps. A turn is one user message up to the next; a step is one model response with the results of
 * its calls. Both are ranges over message indices, `end` exclusive.
 */
import { hasUserWords, type Message, type Transcript } from "./message.ts";

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What precedes the first user message (a system message, a harness's preamble) belongs to the first turn. */
export function turnsOf(transcript: Transcript): readonly Range[] {
  const { messages } = transcript;
  const starts = indicesWhere(messages, hasUserWords);
  if (messages.length === 0) return [];
  if (starts.length === 0) return [{ start: 0, end: messages.length }];
  return starts.map((start, turn) => ({
    start: turn === 0 ? 0 : start,
    end: starts[turn + 1] ?? messages.length,
  }));
}

export function stepsOf(transcript: Transcript): readonly Range[] {
  const { messages } = transcript;
  return indicesWhere(messages, (message) => message.role === "assistant").map((start) => ({
    start,
    end: endOfResults(messages, start + 1),
  }));
}

/**
 * The last response: all messages of the model that stand together, because providers join neighbours of one role. What
 * follows it is one message too: words behind results do not end the wait for what the model makes of them. One that was
 * stopped while it thought has said nothing, and goes with the first edit before it: then the one before is the last.
 */
export function lastResponse({ messages }: Transcript): Range | undefined {
  const end = messages.findLastIndex((message) => message.role === "assistant" && hasSpoken(message)) + 1;
  if (end === 0) return undefined;
  let start = end - 1;
  while (messages[start - 1]?.role === "assistant") start -= 1;
  return { start, end };
}

/** Whether the model said or did anything besides thinking. */
export function hasSpoken(message: Message | undefined): boolean {
  return message?.parts.some(({ type }) => type !== "thinking") ?? false;
}

/** Results may be spread over several messages (OpenAI: one each); they end where something else begins. */
function endOfResults(messages: readonly Message[], from: number): number {
  let end = from;
  while (holdsResults(messages[end])) end += 1;
  return end;
}

/** A next response ends them too, whatever it holds: steps do not overlap, so that finding them all takes one pass. */
function holdsResults(message: Message | undefined): boolean {
  return message?.role !== "assistant" && message?.parts.some((part) => part.type === "tool-result") === true;
}

function indicesWhere(messages: readonly Message[], test: (message: Message) => boolean): readonly number[] {
  return messages.flatMap((message, index) => (test(message) ? [index] : []));
}
