/**
 * Chat completions as harnesses keep them inside their own files (SWE-agent, mini-swe-agent, OpenHands): content,
 * tool calls and usage in the spelling of OpenAI's chat API, which LiteLLM gives every provider. Writing changes
 * only what differs, so `index`, `cache_control` and whatever else stands beside a value stay where they were.
 */
import {
  defined,
  isObject,
  type Json,
  type JsonObject,
  list,
  number,
  object,
  string,
} from "../transcript/json.ts";
import type { Part, ResultPart, ToolCallPart, Usage } from "../transcript/message.ts";
import { samePart } from "../transcript/same-part.ts";
import { readBlock, writeBlock } from "./anthropic-blocks.ts";
import { readArguments, spellArguments } from "./call-arguments.ts";
import { sourceOfUrl, urlOfSource } from "./data-url.ts";
import type { Spot } from "./session-file.ts";

export const CHAT = "openai-chat";

/** A whole message: what the model thought, what it said, what it called; each part with its place in the file. */
export function readChatMessage(message: JsonObject, spot: Spot): readonly Part[] {
  const calls = list(message["tool_calls"]).map((call, index) =>
    placed(readChatCall(object(call)), spot, ["tool_calls", index]),
  );
  return [...readThinking(message, spot), ...readChatText(message, spot), ...calls];
}

/** The content of a message as parts of its own. */
export function readChatText(message: JsonObject, spot: Spot): readonly Part[] {
  const { content } = message;
  return readChatContent(content).map((part, index) =>
    placed(part, spot, Array.isArray(content) ? ["content", index] : ["content"]),
  );
}

/** The part, and where below `spot` it stands. */
export function placed<P extends Part>(part: P, spot: Spot, below: Spot["path"] = []): P {
  return { ...part, native: { line: spot.line, path: [...spot.path, ...below] } };
}

/** What stands where the part was read from, changed to say what the part says now. */
export function writeChatPart(part: Part, old: Json | undefined): Json {
  switch (part.type) {
    case "tool-call":
      return writeChatCall(part, old);
    case "tool-result":
      return writeChatContent(part.output, old);
    case "thinking":
      return typeof old === "string" ? part.text : writeBlock(part, old);
    default:
      if (typeof old === "string" && part.type === "text") return part.text;
      return list(writeChatContent([part], [old ?? null]))[0] ?? null;
  }
}

/** `content`: a string, or a list of text and images. Nothing is an empty list, not an empty text. */
export function readChatContent(content: Json | undefined): readonly ResultPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return list(content).map((item): ResultPart => {
    const { type, text, image_url } = object(item);
    if (typeof text === "string" && /^(input_|output_)?text$/.test(string(type) ?? "text"))
      return { type: "text", text };
    const url = string(image_url) ?? string(object(image_url)["url"]);
    return url === undefined
      ? { type: "opaque", of: CHAT, value: item }
      : { type: "image", source: sourceOfUrl(url) };
  });
}

/** A string stays a string as long as it is one text; in a list, a text keeps what stood beside the first. */
function writeChatContent(parts: readonly ResultPart[], old: Json | undefined): Json {
  const [only] = parts;
  const isOneText = parts.length === 1 && only?.type === "text";
  if (isOneText && !Array.isArray(old)) return only.text;
  const items = list(old);
  const textShape = items.find((item) => typeof object(item)["text"] === "string") ?? { type: "text" };
  return parts.map((part) => {
    const same = items.find((item) => readChatContent([item]).every((read) => samePart(read, part)));
    return same ?? writeChatItem(part, object(textShape));
  });
}

function writeChatItem(part: ResultPart, textShape: JsonObject): Json {
  if (part.type === "text") return { ...textShape, text: part.text };
  if (part.type === "opaque") return part.value;
  const url = urlOfSource(part.source);
  return url === undefined
    ? { type: "text", text: `[${part.type}]` }
    : { type: "image_url", image_url: { url } };
}

/** `{ id, function: { name, arguments } }`, or the same without the wrapping (OpenHands V1, Responses). */
export function readChatCall(call: JsonObject): ToolCallPart {
  const made = isObject(call["function"]) ? call["function"] : call;
  return {
    type: "tool-call",
    callId: string(call["call_id"]) ?? string(call["id"]) ?? "",
    name: string(made["name"]) ?? "",
    input:
      typeof made["arguments"] === "string" ? readArguments(made["arguments"]) : (made["arguments"] ?? {}),
  };
}

function writeChatCall(part: ToolCallPart, old: Json | undefined): Json {
  const call = object(old);
  const made = isObject(call["function"]) ? call["function"] : call;
  const isText = made["arguments"] === undefined || typeof made["arguments"] === "string";
  const input = isText ? spellArguments(part.input) : part.input;
  const changed = { ...made, name: part.name, arguments: input };
  return isObject(call["function"]) ? { ...call, function: changed } : changed;
}

/** What the model thought, where it is kept: sealed blocks (Anthropic) rather than the loose text beside them. */
function readThinking(message: JsonObject, spot: Spot): readonly Part[] {
  const blocks = list(message["thinking_blocks"]);
  if (blocks.length > 0)
    return blocks.map((block, index) => placed(readBlock(block), spot, ["thinking_blocks", index]));
  const text = string(message["reasoning_content"]);
  return text ? [placed({ type: "thinking", text }, spot, ["reasoning_content"])] : [];
}

/** `prompt_tokens` counts everything that was sent, whether it came from the cache or went into it. */
export function readChatUsage(usage: JsonObject): Usage | undefined {
  const prompt = number(usage["prompt_tokens"]) ?? number(usage["input_tokens"]) ?? 0;
  const details = object(usage["prompt_tokens_details"] ?? usage["input_tokens_details"]);
  const cacheReadTokens =
    number(details["cached_tokens"]) ??
    number(usage["cache_read_input_tokens"]) ??
    number(usage["cache_read_tokens"]) ??
    0;
  const cacheWriteTokens =
    number(usage["cache_creation_input_tokens"]) ?? number(usage["cache_write_tokens"]) ?? 0;
  if (prompt + cacheReadTokens + cacheWriteTokens === 0) return undefined;
  return {
    uncachedTokens: uncachedOf(prompt, cacheReadTokens + cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: number(usage["completion_tokens"]) ?? number(usage["output_tokens"]) ?? 0,
    ...defined({ costUsd: number(usage["cost"]) }),
  };
}

/** Some gateways count the cached tokens apart; then the prompt is smaller than they are together. */
export function uncachedOf(promptTokens: number, cachedTokens: number): number {
  return promptTokens >= cachedTokens ? promptTokens - cachedTokens : promptTokens;
}
