/**
 * A question on the host's own prefix. What is asked goes behind everything the host sends, in the host's own spelling, so
 * that the provider reads all of it from its cache.
 *
 * The SDK would spell system, tools and history its own way, and a cache compares what it is sent. So the SDK is asked the
 * question alone, and the prefix is put before it on its way out; keys, retries and the answer stay the SDK's. Where the
 * host itself speaks through the SDK, the SDK spells both, and the same.
 */
import type { ModelMessage, ToolSet } from "ai";
import {
  isList,
  isObject,
  type Json,
  type JsonObject,
  list,
  number,
  object,
  parseJson,
} from "../transcript/json.ts";
import { liveInstructionFor } from "./prompt.ts";
import type { Api, Provider } from "./sdk-model.ts";
import type { LiveRequest, SummarizeInput } from "./summarizer.ts";

export function apiOf(provider: Provider, live: LiveRequest | undefined): Api {
  switch (provider) {
    case "anthropic":
      return "anthropic-messages";
    case "openai":
      return live?.wire === "openai-chat" ? "openai-chat" : "openai-responses";
    case "openai-compatible":
      return "openai-chat";
  }
}

export interface SdkRequest {
  messages: ModelMessage[];
  system?: string;
  tools?: ToolSet;
}

/** What the SDK is given where it spells the prefix itself. */
export function sdkRequest(live: LiveRequest, input: SummarizeInput): SdkRequest {
  const { system, tools, messages } = live.in("ai-sdk");
  const question: ModelMessage = { role: "user", content: liveInstructionFor(input) };
  // Messages and tools of the SDK are its own objects; the wire hands them through as they came.
  const said = list(messages) as unknown as readonly ModelMessage[];
  return {
    messages: [...said, question],
    ...(system === undefined ? {} : { system: system as unknown as string }),
    ...(isObject(tools) ? { tools: withoutExecution(tools) } : {}),
  };
}

/** A summarizer runs no tools: a call is a bad answer, and it must stay without effect. */
function withoutExecution(tools: JsonObject): ToolSet {
  const bare = Object.entries(tools).map(([name, tool]) => [name, { ...object(tool), execute: undefined }]);
  return Object.fromEntries(bare) as ToolSet;
}

/** Fields that stand in the prompt, or that the cache is bound to. What else the host asked for was for its own answer. */
const KEPT: Readonly<Record<Api, readonly string[]>> = {
  "anthropic-messages": ["system", "tools", "tool_choice", "thinking"],
  "openai-chat": ["tools", "prompt_cache_key", "reasoning_effort"],
  "openai-responses": ["instructions", "tools", "prompt_cache_key", "previous_response_id", "reasoning"],
};

const MESSAGES: Readonly<Record<Api, string>> = {
  "anthropic-messages": "messages",
  "openai-chat": "messages",
  "openai-responses": "input",
};

/** `fetch` with the host's prefix before what the SDK asks. */
export function behindPrefix(live: LiveRequest, api: Api): typeof fetch {
  return (url, init) => {
    const asked = typeof init?.body === "string" ? parseJson(init.body) : undefined;
    // Not a question in JSON: nothing to put a prefix before.
    if (!isObject(asked)) return fetch(url, init);
    return fetch(url, { ...init, body: JSON.stringify(joined(live.in(api), asked, api)) });
  };
}

function joined(prefix: JsonObject, asked: JsonObject, api: Api): JsonObject {
  const field = MESSAGES[api];
  const kept = KEPT[api].flatMap((key) => {
    const value = prefix[key];
    return value === undefined || (key === "tool_choice" && isForced(value)) ? [] : [[key, value] as const];
  });
  return {
    ...asked,
    ...Object.fromEntries(kept),
    ...roomToThink(prefix, asked),
    [field]: [...messagesIn(prefix[field]), ...list(asked[field])],
  };
}

/** A model that must call a tool cannot answer. */
function isForced(choice: Json): boolean {
  return object(choice)["type"] !== "auto";
}

/** Thinking is paid from the same budget, and Anthropic refuses a budget that leaves nothing for the answer. */
function roomToThink(prefix: JsonObject, asked: JsonObject): JsonObject {
  const budget = number(object(prefix["thinking"])["budget_tokens"]);
  const most = number(asked["max_tokens"]);
  return budget === undefined || most === undefined ? {} : { max_tokens: most + budget };
}

function messagesIn(value: Json | undefined): readonly Json[] {
  if (isList(value)) return value;
  return typeof value === "string" ? [{ role: "user", content: value }] : [];
}
