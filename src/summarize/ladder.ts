/**
 * When a summarizer's input is too large, or its answer was bad: the same input with less in it, rung by rung. First
 * what it cannot read anyway (media), then the middle of large results, then the oldest steps, each call with its
 * result. The user's words are never left out.
 */
import { hasUserWords, type Message, type Part, resultText } from "../transcript/message.ts";
import { pairUp } from "../transcript/pairs.ts";
import type { SummarizeInput } from "./summarizer.ts";

export interface Rung {
  readonly name: string;
  shrink(input: SummarizeInput): SummarizeInput;
}

export const LADDER: readonly Rung[] = [
  { name: "without media", shrink: (input) => onParts(input, (part) => (isMedia(part) ? [] : [part])) },
  {
    name: "large results trimmed",
    shrink: (input) => onParts(withoutMedia(input), (part) => [trimmed(part, 2000)]),
  },
  {
    name: "the newer half",
    shrink: (input) =>
      newest(
        onParts(withoutMedia(input), (part) => [trimmed(part, 600)]),
        0.5,
      ),
  },
];

function withoutMedia(input: SummarizeInput): SummarizeInput {
  return onParts(input, (part) => (isMedia(part) ? [] : [part]));
}

function isMedia(part: Part): boolean {
  return part.type === "image" || part.type === "document";
}

function onParts(input: SummarizeInput, change: (part: Part) => readonly Part[]): SummarizeInput {
  const messages = input.messages.flatMap((message): readonly Message[] => {
    const parts = message.parts.flatMap(change);
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
  return { ...input, messages };
}

/** Head and tail: what a run was about stands at its beginning, what came of it at its end. */
function trimmed(part: Part, chars: number): Part {
  if (part.type !== "tool-result") return part;
  const text = resultText(part);
  if (text.length <= chars * 2) return part;
  const left = `${text.slice(0, chars)}\n… ${text.length - chars * 2} characters left out …\n${text.slice(-chars)}`;
  return { ...part, output: [{ type: "text", text: left }] };
}

function newest(input: SummarizeInput, share: number): SummarizeInput {
  const cut = Math.floor(input.messages.length * (1 - share));
  const gone = new Set<Part>();
  for (const { call, result } of pairUp({ messages: input.messages }).pairs) {
    if (call.messageIndex >= cut) continue;
    gone.add(call.part);
    if (result) gone.add(result.part);
  }
  const messages = input.messages.flatMap((message, index): readonly Message[] => {
    if (index < cut && !hasUserWords(message)) return [];
    const parts = message.parts.filter((part) => !gone.has(part));
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
  return { ...input, messages };
}
