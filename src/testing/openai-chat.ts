/**
 * OpenAI Chat Completions, from the provider's side, as OpenAI and the servers that speak like it answer.
 * https://platform.openai.com/docs/api-reference/chat-streaming
 *
 * Thinking goes out as `reasoning_content`, which DeepSeek began and others took over; nothing seals it. Usage comes
 * at the end of a stream, and only where it was asked for.
 */
import { type Json, type JsonObject, object } from "../transcript/json.ts";
import { type Part, promptTokens } from "../transcript/message.ts";
import { openaiChat as wire } from "../wire/openai-chat.ts";
import { writeCall } from "../wire/openai-chat-parts.ts";
import type { Api, Asked, Made, Route, Trouble, Violation } from "./api.ts";
import { idFrom } from "./ids.ts";
import { refusals } from "./openai-chat-rules.ts";
import { error, refuse as refuseAsOpenAi } from "./openai-errors.ts";
import type { Ending } from "./script.ts";
import { event, slices } from "./sse.ts";

const NAME = "openai-chat";

function route(path: string): Route | undefined {
  return /^(?:\/v1)?\/chat\/completions$/.test(path) ? { asks: "answer" } : undefined;
}

function read(body: JsonObject, asked: Route): Asked {
  const transcript = wire.read(body);
  return {
    route: asked,
    body,
    transcript,
    model: transcript.model ?? "",
    isStream: body["stream"] === true,
  };
}

function refuse(trouble: Trouble): Violation {
  if (trouble.kind !== "overflow") return refuseAsOpenAi(trouble);
  const why = `This model's maximum context length is ${trouble.windowTokens} tokens. However, your messages resulted in ${trouble.tokens} tokens. Please reduce the length of the messages.`;
  return error("overflow", why, { param: "messages", named: "context_length_exceeded" });
}

function whole(made: Made): Json {
  const calls = callsOf(made);
  const thinking = textOf(made.parts, "thinking");
  const message = {
    role: "assistant",
    ...saidOf(made),
    ...(thinking === "" ? {} : { reasoning_content: thinking }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    annotations: [],
  };
  return {
    ...opening(made, "chat.completion"),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(made.ends) }],
    usage: usageOf(made),
  };
}

function opening({ asked, seed, at }: Made, kind: string): JsonObject {
  return {
    id: idFrom("chatcmpl-", seed),
    object: kind,
    created: Math.floor(at / 1000),
    model: asked.model,
    service_tier: "default",
    system_fingerprint: "fp_palimpsest",
  };
}

function saidOf({ parts, ends }: Made): JsonObject {
  const text = textOf(parts, "text");
  if (ends === "refusal") return { content: null, refusal: text };
  const isSilent = text === "" && parts.some((part) => part.type === "tool-call");
  return { content: isSilent ? null : text, refusal: null };
}

function textOf(parts: readonly Part[], type: "text" | "thinking"): string {
  return parts.map((part) => (part.type === type ? part.text : "")).join("");
}

function callsOf({ parts }: Made): readonly Json[] {
  return parts.flatMap((part) => (part.type === "tool-call" ? [writeCall(part, undefined)] : []));
}

function finishReason(ends: Ending): string {
  switch (ends) {
    case "done":
    case "refusal":
      return "stop";
    case "calls":
      return "tool_calls";
    case "max-tokens":
    case "window-full":
      return "length";
  }
}

function usageOf({ usage, thinkingTokens }: Made): JsonObject {
  const prompt = promptTokens(usage);
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: thinkingTokens },
  };
}

function stream(made: Made): readonly string[] {
  const hasUsage = object(made.asked.body["stream_options"])["include_usage"] === true;
  const chunk = (delta: JsonObject, finish: string | null = null): string =>
    event({
      ...opening(made, "chat.completion.chunk"),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(hasUsage ? { usage: null } : {}),
    });
  const ending = { ...opening(made, "chat.completion.chunk"), choices: [], usage: usageOf(made) };
  return [
    chunk({ role: "assistant", content: "", refusal: null }),
    ...deltasOf(made).map((delta) => chunk(delta)),
    chunk({}, finishReason(made.ends)),
    ...(hasUsage ? [event(ending)] : []),
    "data: [DONE]\n\n",
  ];
}

function deltasOf(made: Made): readonly JsonObject[] {
  const { parts, ends, chunkChars } = made;
  const field = ends === "refusal" ? "refusal" : "content";
  return [
    ...slices(textOf(parts, "thinking"), chunkChars).map((text) => ({ reasoning_content: text })),
    ...slices(textOf(parts, "text"), chunkChars).map((text) => ({ [field]: text })),
    ...callsOf(made).flatMap((call, index) => callDeltas(object(call), index, chunkChars)),
  ];
}

/** The call opens with its name and no arguments; they follow in pieces. */
function callDeltas(call: JsonObject, index: number, chars: number): readonly JsonObject[] {
  const { name, arguments: spelled } = object(call["function"]);
  const delta = (fields: JsonObject): JsonObject => ({ tool_calls: [{ index, ...fields }] });
  return [
    delta({ id: call["id"], type: "function", function: { name, arguments: "" } }),
    ...slices(String(spelled), chars).map((piece) => delta({ function: { arguments: piece } })),
  ];
}

export const openaiChat: Api = {
  name: NAME,
  seals: "none",
  cache: "automatic",
  maxBytes: 32 * 1024 * 1024,
  route,
  read,
  refusals,
  refuse,
  whole,
  stream,
  streamError: ({ body }) => event(body),
  count: (tokens) => ({ prompt_tokens: tokens }),
  remember: () => undefined,
};
