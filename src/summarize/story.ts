/**
 * A stretch of conversation as its extractors want it: who said what, and what was done with which outcome, in order.
 * Made once, in one pass; outputs are not looked into here (`outcome.ts` does, and only at their ends).
 */
import type {
  Message,
  Part,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from "../transcript/message.ts";
import { type Pair, pairUp } from "../transcript/pairs.ts";
import { type ToolUse, toolUse } from "../transcript/tool-use.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import type { SummarizeInput } from "./summarizer.ts";

export interface Said {
  readonly kind: "said";
  readonly by: "user" | "assistant" | "thinking" | "harness";
  readonly text: string;
  readonly part: TextPart | ThinkingPart;
}

export interface Deed {
  readonly kind: "deed";
  readonly call: ToolCallPart;
  readonly result?: ToolResultPart;
  readonly use: ToolUse;
  readonly outcome: Outcome;
}

export type Event = Said | Deed;

export interface Story {
  readonly events: readonly Event[];
  readonly said: readonly Said[];
  readonly deeds: readonly Deed[];
}

export function storyOf(input: Pick<SummarizeInput, "messages" | "userMessages">): Story {
  const messages = inOrder(input.messages, input.userMessages);
  const results = new Map(pairUp({ messages }).pairs.map((pair) => [pair.call.part, pair] as const));
  const events: Event[] = [];
  for (const message of messages)
    for (const part of message.parts) {
      const event = eventOf(message, part, results);
      if (event) events.push(event);
    }
  return {
    events,
    said: events.filter((event) => event.kind === "said"),
    deeds: events.filter((event) => event.kind === "deed"),
  };
}

/** User messages that do not stand among the others go where their time says; without one, they go first. */
function inOrder(messages: readonly Message[], userMessages: readonly Message[]): readonly Message[] {
  const known = new Set(messages);
  const missing = userMessages.filter((message) => !known.has(message));
  if (missing.length === 0) return messages;
  const merged: Message[] = [];
  let next = 0;
  for (const message of messages) {
    for (let candidate = missing[next]; candidate; candidate = missing[next]) {
      if (candidate.at !== undefined && message.at !== undefined && candidate.at > message.at) break;
      merged.push(candidate);
      next += 1;
    }
    merged.push(message);
  }
  return [...merged, ...missing.slice(next)];
}

function eventOf(message: Message, part: Part, pairs: ReadonlyMap<ToolCallPart, Pair>): Event | undefined {
  if (part.type === "text") {
    // The page of an earlier fold may stand in either role; it is merged as data, never read again as speech.
    if (part.synthetic) return { kind: "said", by: "harness", text: part.text, part };
    if (message.role === "assistant") return { kind: "said", by: "assistant", text: part.text, part };
    if (message.role !== "user") return undefined;
    const text = withoutHarness(part.text);
    return text === "" ? undefined : { kind: "said", by: "user", text, part };
  }
  if (part.type === "thinking") return { kind: "said", by: "thinking", text: part.text, part };
  if (part.type !== "tool-call") return undefined;
  const result = pairs.get(part)?.result?.part;
  const use = toolUse(part);
  return { kind: "deed", call: part, use, outcome: outcomeOf(use, result), ...(result ? { result } : {}) };
}

/** Hosts put their own words between the user's: what is open in the editor, which slash command was typed. */
function withoutHarness(text: string): string {
  if (!text.includes("<")) return text.trim();
  return text
    .replaceAll(
      /<(system-reminder|ide_\w+|command-\w+|local-command-\w+|environment_\w+|user_instructions|bash-\w+)>[\s\S]*?<\/\1>/g,
      "",
    )
    .trim();
}

/** Whole sentences and bullets, as they stand. Code blocks and quotes of others are no one's sentences. */
export function sentencesOf(text: string, maxChars = 20_000): readonly string[] {
  const prose = text.slice(0, maxChars).replaceAll(/```[\s\S]*?(```|$)/g, "\n");
  const sentences: string[] = [];
  for (const line of prose.split("\n")) {
    if (line.length === 0 || line.startsWith(">") || /^\s*\|/.test(line)) continue;
    for (const piece of line.split(SENTENCE_END)) {
      const sentence = piece.replace(/^\s*(?:[-*•]|\d+[.)]|#+)\s+/, "").trim();
      if (sentence.length > 2) sentences.push(sentence);
    }
  }
  return sentences;
}

/** A stop, and then a beginning: `e.g. this`, `a.ts` and `2.6 s` do not end a sentence. */
const SENTENCE_END =
  /(?<=[.!?…。！？]["'`)\]*”]*)(?<!\b(?:e\.g|i\.e|vs|etc|approx|no)\.)\s+(?=`|["'(*[“]*[\p{Lu}\p{N}\p{Lo}])|(?<=[。！？])/u;
