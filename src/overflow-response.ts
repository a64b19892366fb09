/**
 * Overflows that come with status 200. Some providers cut the prompt or the answer and say so only in the reason it
 * stopped, or not at all: then the reported usage tells.
 */

import type { Overflow } from "./overflow.ts";
import { type JsonObject, list, number, object, string } from "./transcript/json.ts";

/** Xiaomi's models answer with nothing and reason `length` when the prompt has filled the window to the brim. */
const BRIM = 0.99;

export function responseOverflow(response: unknown, windowTokens: number | undefined): Overflow | undefined {
  if (typeof response !== "object" || response === null) return undefined;
  // Any object: each field is checked before use.
  const facts = factsOf(response as JsonObject);
  const { promptTokens: tokens } = facts;
  const overflow = (provider: string): Overflow => ({
    kind: "overflow",
    provider,
    ...(tokens === undefined ? {} : { tokens }),
    ...(windowTokens === undefined ? {} : { limit: windowTokens }),
  });
  if (facts.stopReason === "model_context_window_exceeded") return overflow("Anthropic, stop reason");
  if (windowTokens === undefined || tokens === undefined) return undefined;
  if (tokens > windowTokens) return overflow("any, silent");
  const isCutToNothing = /^(length|max_tokens)$/i.test(facts.stopReason ?? "") && facts.outputTokens === 0;
  return isCutToNothing && tokens >= windowTokens * BRIM ? overflow("any, no room to answer") : undefined;
}

interface ResponseFacts {
  readonly stopReason?: string | undefined;
  readonly promptTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

/** From our own usage, and from the bodies and last stream events of the four wires. */
function factsOf(body: JsonObject): ResponseFacts {
  const inner = {
    ...object(body["response"]),
    ...object(body["message"]),
    ...object(body["delta"]),
    ...body,
  };
  const usage = object(inner["usage"] ?? inner["usageMetadata"]);
  const choice = { ...object(list(inner["choices"])[0]), ...object(list(inner["candidates"])[0]) };
  const reasons = [
    inner["stop_reason"],
    inner["stopReason"],
    choice["finish_reason"],
    choice["finishReason"],
  ];
  const further = [inner["finishReason"], object(inner["incomplete_details"])["reason"]];
  return {
    stopReason: [...reasons, ...further].map(string).find((reason) => reason !== undefined),
    promptTokens: sum(usage, PROMPT_FIELDS),
    outputTokens: sum(usage, OUTPUT_FIELDS),
  };
}

/** One row for each spelling; its fields add up. The first row of which a field is there counts. */
const PROMPT_FIELDS: readonly (readonly string[])[] = [
  ["uncachedTokens", "cacheReadTokens", "cacheWriteTokens"],
  ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"],
  ["prompt_tokens"],
  ["promptTokenCount"],
  ["inputTokens"],
];
const OUTPUT_FIELDS: readonly (readonly string[])[] = [
  ["outputTokens"],
  ["output_tokens"],
  ["completion_tokens"],
  ["candidatesTokenCount"],
];

function sum(usage: JsonObject, spellings: readonly (readonly string[])[]): number | undefined {
  const fields = spellings.find((names) => names.some((name) => number(usage[name]) !== undefined));
  return fields?.reduce((total, name) => total + (number(usage[name]) ?? 0), 0);
}
