/**
 * Anthropic Messages, from the provider's side. https://docs.anthropic.com/en/api/messages-streaming
 *
 * Thinking is sealed with a signature that holds for the conversation before it; what is cached is marked in the
 * request. Not here: server tools, citations, context editing, threads.
 */
import { type Json, type JsonObject, object, string } from "../transcript/json.ts";
import type { Part, Usage } from "../transcript/message.ts";
import { writeBlock } from "../wire/anthropic-blocks.ts";
import { anthropicMessages } from "../wire/anthropic-messages.ts";
import { droppedThinking, refusals } from "./anthropic-rules.ts";
import type { Api, Asked, Made, Memory, Route, Trouble, Violation, ViolationCode } from "./api.ts";
import { idFrom } from "./ids.ts";
import type { Ending } from "./script.ts";
import { event, slices } from "./sse.ts";

const NAME = "anthropic";

function route(path: string): Route | undefined {
  const found = /^(?:\/v1)?\/messages(\/count_tokens)?$/.exec(path);
  return found ? { asks: found[1] ? "count" : "answer" } : undefined;
}

function read(body: JsonObject, asked: Route): Asked {
  const transcript = anthropicMessages.read(body);
  return {
    route: asked,
    body,
    transcript,
    model: transcript.model ?? "",
    isStream: body["stream"] === true,
  };
}

/** Status, type and words for what is not about the conversation. */
function refuse(trouble: Trouble): Violation {
  switch (trouble.kind) {
    case "bad-json":
      return error("bad-json", "The request body is not valid JSON: expected value at line 1 column 1");
    case "request-too-large":
      return error("request-too-large", "Request exceeds the maximum size", 413);
    case "unknown-model":
      return error("unknown-model", `model: ${trouble.model}`, 404);
    case "bad-key":
      return error("bad-key", "invalid x-api-key", 401);
    case "overflow":
      return error(
        "overflow",
        `prompt is too long: ${trouble.tokens} tokens > ${trouble.windowTokens} maximum`,
      );
    case "overloaded":
      return error("overloaded", "Overloaded", 529);
    case "rate-limit":
      return error(
        "rate-limit",
        "This request would exceed your account's rate limit. Please try again later.",
        429,
      );
    case "server-error":
      return error("server-error", "Internal server error", 500);
    case "scripted":
      return error("scripted", trouble.message, trouble.status);
  }
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

function error(code: ViolationCode, message: string, status = 400): Violation {
  const type = ERROR_TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  const body = { type: "error", error: { type, message }, request_id: idFrom("req_", message) };
  return { code, message, status, body };
}

function whole(made: Made): Json {
  return {
    ...opening(made),
    content: made.parts.map((part) => writeBlock(part)),
    stop_reason: stopReason(made.ends),
    usage: usageOf(made.usage),
  };
}

function opening({ asked, seed }: Made): JsonObject {
  const dropped = droppedThinking(asked);
  return {
    id: idFrom("msg_01", seed),
    type: "message",
    role: "assistant",
    model: asked.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(dropped.length > 0 ? { input_transformations: dropped } : {}),
  };
}

function stopReason(ends: Ending): string {
  switch (ends) {
    case "done":
      return "end_turn";
    case "calls":
      return "tool_use";
    case "max-tokens":
      return "max_tokens";
    case "refusal":
      return "refusal";
    case "window-full":
      return "model_context_window_exceeded";
  }
}

function usageOf(usage: Usage): JsonObject {
  const long = usage.cacheWrite1hTokens ?? 0;
  return {
    input_tokens: usage.uncachedTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWriteTokens - long,
      ephemeral_1h_input_tokens: long,
    },
    output_tokens: usage.outputTokens,
    service_tier: "standard",
  };
}

function stream(made: Made): readonly string[] {
  const usage = usageOf(made.usage);
  const message = { ...opening(made), usage: { ...usage, output_tokens: 1 } };
  const blocks = made.parts.flatMap((part, index) => streamBlock(part, index, made.chunkChars));
  const [first, ...others] = blocks;
  return [
    sent({ type: "message_start", message }),
    ...(first === undefined ? [] : [first]),
    sent({ type: "ping" }),
    ...others,
    sent({
      type: "message_delta",
      delta: { stop_reason: stopReason(made.ends), stop_sequence: null },
      usage: { ...usage, cache_creation: undefined, service_tier: undefined },
    }),
    sent({ type: "message_stop" }),
  ];
}

function streamBlock(part: Part, index: number, chars: number): readonly string[] {
  const block = object(writeBlock(part));
  const { start, deltas } = unfold(block, chars);
  return [
    sent({ type: "content_block_start", index, content_block: start }),
    ...deltas.map((delta) => sent({ type: "content_block_delta", index, delta })),
    sent({ type: "content_block_stop", index }),
  ];
}

/** A block as it opens, and what then fills it. */
function unfold(block: JsonObject, chars: number): { start: JsonObject; deltas: readonly JsonObject[] } {
  const text = (field: string) => slices(string(block[field]) ?? "", chars);
  switch (block["type"]) {
    case "text":
      return {
        start: { type: "text", text: "" },
        deltas: text("text").map((piece) => ({ type: "text_delta", text: piece })),
      };
    case "thinking":
      return {
        start: { type: "thinking", thinking: "", signature: "" },
        deltas: [
          ...text("thinking").map((piece) => ({ type: "thinking_delta", thinking: piece })),
          { type: "signature_delta", signature: block["signature"] ?? "" },
        ],
      };
    case "tool_use": {
      const pieces = ["", ...slices(JSON.stringify(block["input"] ?? {}), chars)];
      return {
        start: { ...block, input: {} },
        deltas: pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
      };
    }
    default:
      return { start: block, deltas: [] };
  }
}

function sent(data: JsonObject): string {
  return event(data, string(data["type"]));
}

/** Calls behind thinking: `missing-thinking` asks for them. */
function remember({ parts }: Made, { thoughtful }: Memory): void {
  if (!parts.some((part) => part.type === "thinking")) return;
  for (const part of parts) if (part.type === "tool-call") thoughtful.set(part.callId, true);
}

export const anthropic: Api = {
  name: NAME,
  seals: "signature",
  cache: "marked",
  maxBytes: 32 * 1024 * 1024,
  route,
  read,
  refusals: (asked, headers, memory) => refusals(asked, { headers, memory, refuse: error }),
  refuse,
  whole,
  stream,
  streamError: ({ body }) => sent(object(body)),
  count: (tokens) => ({ input_tokens: tokens }),
  remember,
};
