/**
 * Which facts the agent needed after a cut, told without asking a model: it wrote them itself, before any tool or user had
 * shown them again. What was shown again would have been known without the past.
 */
import type { Message, Part } from "palimpsest";
import { linesOfPart } from "./lines.ts";

export interface Needed {
  readonly value: string;
  /** Index of the message in which the agent wrote it first. */
  readonly at: number;
}

export interface Future {
  readonly messages: readonly Message[];
  readonly from: number;
  /** Exclusive; a native compaction ends it, because from there on the agent knew what that left. */
  readonly to: number;
}

export function neededAfter(facts: { has(value: string): boolean }, future: Future): readonly Needed[] {
  const needed: Needed[] = [];
  const seen = new Set<string>();
  for (let at = future.from; at < future.to; at += 1) {
    const message = future.messages[at];
    for (const part of message?.parts ?? []) {
      const isAgent = message?.role === "assistant" && isWritten(part);
      for (const value of valuesIn(part)) {
        if (seen.has(value) || !facts.has(value)) continue;
        seen.add(value);
        if (isAgent) needed.push({ value, at });
      }
    }
  }
  return needed;
}

/** Every fact the agent wrote again, shown in between or not: what native summaries were measured by. */
export function usedAfter(facts: { has(value: string): boolean }, future: Future): readonly string[] {
  const used = new Set<string>();
  for (const message of future.messages.slice(future.from, future.to))
    if (message.role === "assistant")
      for (const part of message.parts.filter(isWritten))
        for (const value of valuesIn(part)) if (facts.has(value)) used.add(value);
  return [...used];
}

function isWritten(part: Part): boolean {
  return part.type === "text" || part.type === "thinking" || part.type === "tool-call";
}

function* valuesIn(part: Part): Iterable<string> {
  for (const { atoms } of linesOfPart(part)) for (const { value } of atoms) yield value;
}
