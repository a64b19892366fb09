/**
 * What a provider said a request used, in our words. Every API and SDK spells it its own way, and the same word means two
 * things: `input_tokens` is without the cached part at Anthropic and with it at OpenAI. Told apart by the fields that
 * stand beside it, so that `observe` can be handed what the SDK returned.
 */
import { isList, isObject, type Json, type JsonObject, object } from "../transcript/json.ts";
import type { Usage } from "../transcript/message.ts";

/** Undefined where no spelling we know is recognised: a wrong count is worse than none. */
export function usageFrom(value: object): Usage | undefined {
  // SDKs type it as interfaces, which no index signature fits; only fields that are looked at count.
  const fields = object(value as Json);
  for (const spelling of SPELLINGS) {
    const usage = spelling(fields);
    if (usage) return isSane(usage) ? usage : undefined;
  }
  return undefined;
}

const SPELLINGS: readonly ((fields: JsonObject) => Usage | undefined)[] = [
  ours,
  aiSdk,
  aiSdkFlat,
  anthropic,
  openaiChat,
  inclusive,
  gemini,
];

function ours(fields: JsonObject): Usage | undefined {
  if (typeof fields["uncachedTokens"] !== "number") return undefined;
  const { costUsd, cacheWrite1hTokens } = fields;
  return {
    uncachedTokens: fields["uncachedTokens"],
    cacheReadTokens: count(fields["cacheReadTokens"]),
    cacheWriteTokens: count(fields["cacheWriteTokens"]),
    ...(typeof cacheWrite1hTokens === "number" ? { cacheWrite1hTokens } : {}),
    outputTokens: count(fields["outputTokens"]),
    ...(typeof costUsd === "number" ? { costUsd } : {}),
  };
}

/** What AI SDK providers return (V3, V4): `{ inputTokens: { total, noCache, cacheRead, cacheWrite } }`. */
function aiSdk(fields: JsonObject): Usage | undefined {
  const input = fields["inputTokens"];
  if (!isObject(input)) return undefined;
  const cacheReadTokens = count(input["cacheRead"]);
  const cacheWriteTokens = count(input["cacheWrite"]);
  const uncached = input["noCache"] ?? count(input["total"]) - cacheReadTokens - cacheWriteTokens;
  return {
    uncachedTokens: count(uncached),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: count(object(fields["outputTokens"])["total"]),
  };
}

/** What `generateText` and the OpenAI Agents SDK return: the total, and what of it was cached beside. */
function aiSdkFlat(fields: JsonObject): Usage | undefined {
  if (typeof fields["inputTokens"] !== "number") return undefined;
  const details = firstOf(fields["inputTokenDetails"] ?? fields["inputTokensDetails"]);
  const read = details["cacheReadTokens"] ?? details["cached_tokens"] ?? fields["cachedInputTokens"];
  const cacheWriteTokens = count(details["cacheWriteTokens"] ?? details["cache_write_tokens"]);
  return within(fields["inputTokens"], count(read), cacheWriteTokens, fields["outputTokens"]);
}

/** Input without what the cache read and wrote; the mark is one of the fields for that. */
function anthropic(fields: JsonObject): Usage | undefined {
  const isMarked = "cache_read_input_tokens" in fields || "cache_creation_input_tokens" in fields;
  if (typeof fields["input_tokens"] !== "number" || !isMarked) return undefined;
  const long = object(fields["cache_creation"])["ephemeral_1h_input_tokens"];
  return {
    uncachedTokens: fields["input_tokens"],
    cacheReadTokens: count(fields["cache_read_input_tokens"]),
    cacheWriteTokens: count(fields["cache_creation_input_tokens"]),
    ...(typeof long === "number" && long > 0 ? { cacheWrite1hTokens: long } : {}),
    outputTokens: count(fields["output_tokens"]),
  };
}

function openaiChat(fields: JsonObject): Usage | undefined {
  if (typeof fields["prompt_tokens"] !== "number") return undefined;
  const details = object(fields["prompt_tokens_details"]);
  const written = count(details["cache_write_tokens"]);
  return within(
    fields["prompt_tokens"],
    count(details["cached_tokens"]),
    written,
    fields["completion_tokens"],
  );
}

/** OpenAI Responses and LangChain's `usage_metadata`: one total, with what was cached as a detail of it. */
function inclusive(fields: JsonObject): Usage | undefined {
  if (typeof fields["input_tokens"] !== "number") return undefined;
  const responses = object(fields["input_tokens_details"]);
  const langchain = object(fields["input_token_details"]);
  const read = count(responses["cached_tokens"] ?? langchain["cache_read"]);
  const written = count(responses["cache_write_tokens"] ?? langchain["cache_creation"]);
  return within(fields["input_tokens"], read, written, fields["output_tokens"]);
}

function gemini(fields: JsonObject): Usage | undefined {
  if (typeof fields["promptTokenCount"] !== "number") return undefined;
  const prompt = fields["promptTokenCount"] + count(fields["toolUsePromptTokenCount"]);
  const output = count(fields["candidatesTokenCount"]) + count(fields["thoughtsTokenCount"]);
  return within(prompt, count(fields["cachedContentTokenCount"]), 0, output);
}

function within(total: number, read: number, written: number, output: Json | undefined): Usage {
  return {
    uncachedTokens: Math.max(0, total - read - written),
    cacheReadTokens: read,
    cacheWriteTokens: written,
    outputTokens: count(output),
  };
}

/** Of a list of details, one per request, the first: a usage is that of one request. */
function firstOf(value: Json | undefined): JsonObject {
  return object(isList(value) ? value[0] : value);
}

function count(value: Json | undefined): number {
  return typeof value === "number" && value > 0 ? value : 0;
}

function isSane(usage: Usage): boolean {
  const { uncachedTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  return [uncachedTokens, cacheReadTokens, cacheWriteTokens, outputTokens].every(
    (tokens) => Number.isFinite(tokens) && tokens >= 0,
  );
}
