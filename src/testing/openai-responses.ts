/**
 * OpenAI Responses, from the provider's side. https://platform.openai.com/docs/api-reference/responses-streaming
 *
 * The server keeps what it answered unless told not to (`store: false`), and requests may name it instead of sending it:
 * by `previous_response_id`, by `item_reference`, or by the id of reasoning. Reasoning is shown as a summary and sealed
 * as encrypted content. Not here: background responses, tools that the provider runs, server-side compaction.
 */
import { type Json, type JsonObject, list, object, string } from "../transcript/json.ts";
import { type Part, promptTokens } from "../transcript/message.ts";
import { makeCall, writeValue } from "../wire/openai-items.ts";
import { openaiResponses as wire } from "../wire/openai-responses.ts";
import type { Api, Asked, Made, Memory, Route, Trouble, Violation } from "./api.ts";
import { idFrom } from "./ids.ts";
import { error, refuse as refuseAsOpenAi } from "./openai-errors.ts";
import { refusals } from "./openai-responses-rules.ts";
import { itemEvents } from "./openai-responses-stream.ts";
import { event } from "./sse.ts";

const NAME = "openai-responses";
const ENCRYPTED = "reasoning.encrypted_content";

function route(path: string): Route | undefined {
  return /^(?:\/v1)?\/responses$/.test(path) ? { asks: "answer" } : undefined;
}

function read(body: JsonObject, asked: Route, memory: Memory): Asked {
  const { input } = body;
  const said = typeof input === "string" ? [{ role: "user", content: input }] : list(input);
  const before = memory.conversations.get(string(body["previous_response_id"]) ?? "") ?? [];
  const items = [...before, ...said.map((item) => lookUp(item, memory))];
  const transcript = wire.read({ ...body, input: items });
  return {
    route: asked,
    body,
    transcript,
    model: transcript.model ?? "",
    isStream: body["stream"] === true,
  };
}

function lookUp(item: Json, { items }: Memory): Json {
  const { type, id, encrypted_content: sealed } = object(item);
  const isNamed = type === "item_reference" || (type === "reasoning" && !sealed);
  return (isNamed ? items.get(string(id) ?? "") : undefined) ?? item;
}

function refuse(trouble: Trouble): Violation {
  if (trouble.kind !== "overflow") return refuseAsOpenAi(trouble);
  const why = "Your input exceeds the context window of this model. Please adjust your input and try again.";
  return error("overflow", why, { param: "input", named: "context_length_exceeded" });
}

function whole(made: Made): Json {
  return { ...responseOf(made), ...endOf(made), output: shownItems(made) };
}

/** The response as it stands while it is written. */
function responseOf({ asked, seed, at }: Made): JsonObject {
  const { body } = asked;
  return {
    id: idFrom("resp_", seed),
    object: "response",
    created_at: Math.floor(at / 1000),
    status: "in_progress",
    error: null,
    incomplete_details: null,
    instructions: body["instructions"] ?? null,
    max_output_tokens: body["max_output_tokens"] ?? null,
    model: asked.model,
    output: [],
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    previous_response_id: body["previous_response_id"] ?? null,
    reasoning: body["reasoning"] ?? { effort: null, summary: null },
    store: body["store"] ?? true,
    tool_choice: body["tool_choice"] ?? "auto",
    tools: body["tools"] ?? [],
    usage: null,
    metadata: body["metadata"] ?? {},
  };
}

function endOf(made: Made): JsonObject {
  const isCutShort = made.ends === "max-tokens" || made.ends === "window-full";
  return {
    status: isCutShort ? "incomplete" : "completed",
    incomplete_details: isCutShort ? { reason: "max_output_tokens" } : null,
    usage: usageOf(made),
  };
}

function usageOf({ usage, thinkingTokens }: Made): JsonObject {
  const prompt = promptTokens(usage);
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: usage.cacheReadTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: thinkingTokens },
    total_tokens: prompt + usage.outputTokens,
  };
}

/** Every item as the server keeps it. */
function itemsOf({ parts, seed, ends, asked }: Made): readonly JsonObject[] {
  return parts.map((part, index) => ({
    ...itemOf(part, ends === "refusal"),
    ...namespaced(part, asked.body),
    id: itemId(part, `${seed} ${index}`),
  }));
}

/** Codex offers the tools of an MCP server in a namespace, and is called in it: `mcp__server__tool`, as the wire reads it. */
function namespaced(part: Part, body: JsonObject): JsonObject {
  if (part.type !== "tool-call") return {};
  for (const tool of list(body["tools"]).map(object)) {
    const namespace = tool["type"] === "namespace" ? `${tool["name"]}` : undefined;
    if (namespace !== undefined && part.name.startsWith(`${namespace}__`))
      return { namespace, name: part.name.slice(namespace.length + 2) };
  }
  return {};
}

function itemOf(part: Part, isRefusal: boolean): JsonObject {
  if (part.type === "tool-call") return { ...makeCall(part), status: "completed" };
  if (part.type !== "text") return object(writeValue(part, undefined));
  const content = isRefusal
    ? { type: "refusal", refusal: part.text }
    : { type: "output_text", text: part.text, annotations: [], logprobs: [] };
  return { type: "message", status: "completed", role: "assistant", content: [content] };
}

function itemId(part: Part, seed: string): string {
  switch (part.type) {
    case "thinking":
      return idFrom("rs_", seed);
    case "tool-call":
      return idFrom(typeof part.input === "string" ? "ctc_" : "fc_", seed);
    default:
      return idFrom("msg_", seed);
  }
}

/** What is encrypted goes out only to those who ask for it. */
function shownItems(made: Made): readonly JsonObject[] {
  const isAsked = list(made.asked.body["include"]).includes(ENCRYPTED);
  return itemsOf(made).map((item) => {
    const { encrypted_content: _, ...shown } = item;
    return isAsked ? item : shown;
  });
}

function stream(made: Made): readonly string[] {
  const response = responseOf(made);
  const output = shownItems(made);
  const end: JsonObject = { ...response, ...endOf(made), output };
  const events: readonly JsonObject[] = [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    ...output.flatMap((item, index) => itemEvents(item, index, made.chunkChars)),
    { type: `response.${string(end["status"])}`, response: end },
  ];
  return events.map((data, sequence) => sent(data, sequence));
}

function sent(data: JsonObject, sequence: number): string {
  return event({ ...data, sequence_number: sequence }, string(data["type"]));
}

/** A stream that had begun does not end in an HTTP error, but in a response that failed. */
function streamError(violation: Violation, made: Made, eventsBefore: number): string {
  const { code, message } = object(object(violation.body)["error"]);
  const failed = { ...responseOf(made), status: "failed", error: { code: code ?? "server_error", message } };
  return sent({ type: "response.failed", response: failed }, eventsBefore);
}

function remember(made: Made, memory: Memory): void {
  const items = itemsOf(made);
  let reasoning: string | undefined;
  for (const item of items) {
    const id = string(item["id"]) ?? "";
    if (item["type"] === "reasoning") reasoning = id;
    else if (reasoning !== undefined) memory.reasonedFrom.set(id, reasoning);
    if (made.asked.body["store"] !== false) memory.items.set(id, item);
  }
  if (made.asked.body["store"] === false) return;
  const input = list(object(made.asked.transcript.native?.value)["input"]);
  memory.conversations.set(idFrom("resp_", made.seed), [...input, ...items]);
}

export const openaiResponses: Api = {
  name: NAME,
  seals: "encrypted",
  cache: "automatic",
  maxBytes: 32 * 1024 * 1024,
  route,
  read,
  refusals: (asked, _headers, memory) => refusals(asked, memory),
  refuse,
  whole,
  stream,
  streamError,
  count: (tokens) => ({ input_tokens: tokens }),
  remember,
};
