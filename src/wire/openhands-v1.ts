/**
 * OpenHands V1 events (the agent SDK): each has a `kind`, and those the model sees hold the message they become.
 * Parallel calls are one `ActionEvent` each and share `llm_response_id`. Observations were a text under a name of
 * their own (`output`) in the first versions and are a list of contents since; both are read. State updates, pauses
 * and other kinds are for the harness alone.
 */
import {
  defined,
  isList,
  isObject,
  type Json,
  type JsonObject,
  list,
  number,
  object,
  string,
} from "../transcript/json.ts";
import type { Part, ResultPart, Role, ThinkingPart, ToolSchema } from "../transcript/message.ts";
import { placed, readChatCall, readChatMessage } from "./chat-completion.ts";
import { sourceOfUrl, urlOfSource } from "./data-url.ts";
import type { PlacedEvent, Reading } from "./openhands-view.ts";
import type { Spot } from "./session-file.ts";

export const OPENHANDS = "openhands";

export function readV1Event(placedEvent: PlacedEvent): Reading {
  const { event, spot } = placedEvent;
  switch (event["kind"]) {
    case "SystemPromptEvent":
      return readSystem(event, spot);
    case "MessageEvent":
      return readMessage(event, spot);
    case "ActionEvent":
      return readAction(event, spot);
    case "ObservationEvent":
    case "UserRejectObservation":
    case "AgentErrorEvent":
      return { says: { role: "tool", parts: [readResult(event, spot)] } };
    case "Condensation":
      return readCondensation(event, spot);
    case "CondensationSummaryEvent":
      return { says: { role: "user", parts: textAt(event["summary"], spot, ["summary"]).map(synthetic) } };
    default:
      return { isHidden: true };
  }
}

function readSystem(event: JsonObject, spot: Spot): Reading {
  const parts = ["system_prompt", "dynamic_context"].flatMap((key) =>
    textAt(object(event[key])["text"], spot, [key, "text"]),
  );
  const tools = list(event["tools"]).map((tool): ToolSchema => {
    const fields = object(isObject(object(tool)["function"]) ? object(tool)["function"] : tool);
    const description = string(fields["description"]);
    const name = string(fields["name"]) ?? string(fields["title"]) ?? string(fields["kind"]) ?? "";
    return { name, ...defined({ description, input: fields["parameters"] ?? fields["inputSchema"] }) };
  });
  return { says: { role: "system", parts }, ...(tools.length === 0 ? {} : { tools }) };
}

function readMessage(event: JsonObject, spot: Spot): Reading {
  const message = object(event["llm_message"]);
  const role: Role =
    message["role"] === "assistant" || message["role"] === "system" ? message["role"] : "user";
  const inside = { line: spot.line, path: [...spot.path, "llm_message"] };
  const said = contentParts(message["content"], inside, ["content"]);
  const added = contentParts(event["extended_content"], spot, ["extended_content"]).map(synthetic);
  return {
    says: {
      role,
      parts: [...thoughts(message, inside), ...said, ...added],
      ...defined({ responseId: string(event["llm_response_id"]) }),
    },
  };
}

function readAction(event: JsonObject, spot: Spot): Reading {
  const written = object(event["tool_call"]);
  const call = readChatCall(written);
  const callId = call.callId || (string(event["tool_call_id"]) ?? "");
  const name = call.name || (string(event["tool_name"]) ?? "");
  const thought = contentParts(event["thought"], spot, ["thought"]);
  return {
    says: {
      role: "assistant",
      parts: [...thoughts(event, spot), ...thought, placed({ ...call, callId, name }, spot, ["tool_call"])],
      ...defined({ responseId: string(event["llm_response_id"]) }),
    },
  };
}

/** Sealed blocks, or the plain text, or the item of the Responses API. */
function thoughts(fields: JsonObject, spot: Spot): readonly Part[] {
  const item = object(fields["responses_reasoning_item"]);
  const encrypted = string(item["encrypted_content"]);
  const text = list(item["summary"])
    .flatMap((line) => string(line) ?? [])
    .join("\n");
  if (encrypted !== undefined || text !== "") {
    const thinking: ThinkingPart = { type: "thinking", text, ...defined({ encrypted }) };
    return [placed(thinking, spot, ["responses_reasoning_item"])];
  }
  const { thinking_blocks, reasoning_content } = fields;
  return readChatMessage(defined({ thinking_blocks, reasoning_content }), spot);
}

function readResult(event: JsonObject, spot: Spot): Part {
  const observation = object(event["observation"]);
  const key = resultKey(event);
  const value = key.reduce<Json | undefined>((found, step) => object(found)[step], event);
  const output = [...contentsOf(value), ...contentsOf(event["extended_content"])];
  const code = number(observation["exit_code"]) ?? number(object(observation["metadata"])["exit_code"]) ?? 0;
  const isError =
    event["kind"] !== "ObservationEvent" ||
    observation["is_error"] === true ||
    (typeof observation["error"] === "string" && observation["error"] !== "") ||
    // -1 is a command that still runs.
    (code !== 0 && code !== -1);
  const callId = string(event["tool_call_id"]) ?? "";
  return placed({ type: "tool-result", callId, output, isError }, spot);
}

/** Where the text of a result stands, in each kind and version of it. */
export function resultKey(event: JsonObject): readonly string[] {
  if (event["kind"] === "AgentErrorEvent") return ["error"];
  if (event["kind"] === "UserRejectObservation") return ["rejection_reason"];
  const observation = object(event["observation"]);
  const keys = ["content", "output", "message", "text"];
  const key = keys.find((name) => isList(observation[name]) || typeof observation[name] === "string");
  return key === undefined ? ["observation"] : ["observation", key];
}

/** A text, a list of texts and images, or a value we have no word for. */
function contentsOf(value: Json | undefined): readonly ResultPart[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return [{ type: "text", text: value }];
  if (!isList(value)) return [{ type: "opaque", of: OPENHANDS, value }];
  return value.flatMap((item) => readContent(item).map(({ part }) => part));
}

/** An image content may hold several images. */
function readContent(item: Json): readonly { part: ResultPart; below: Spot["path"] }[] {
  const { text, image_urls } = object(item);
  if (typeof text === "string") return text === "" ? [] : [{ part: { type: "text", text }, below: ["text"] }];
  if (!isList(image_urls)) return [{ part: { type: "opaque", of: OPENHANDS, value: item }, below: [] }];
  return image_urls.flatMap((url, index) => {
    const source = sourceOfUrl(string(url) ?? "");
    return [{ part: { type: "image" as const, source }, below: ["image_urls", index] }];
  });
}

function contentParts(value: Json | undefined, spot: Spot, path: Spot["path"]): readonly Part[] {
  if (typeof value === "string") return textAt(value, spot, path);
  return list(value).flatMap((item, index) =>
    readContent(item).map(({ part, below }) => placed<Part>(part, spot, [...path, index, ...below])),
  );
}

function textAt(value: Json | undefined, spot: Spot, path: Spot["path"]): readonly Part[] {
  return typeof value === "string" && value !== "" ? [placed({ type: "text", text: value }, spot, path)] : [];
}

function synthetic(part: Part): Part {
  return part.type === "text" ? { ...part, synthetic: true } : part;
}

function readCondensation(event: JsonObject, spot: Spot): Reading {
  const ids = new Set(list(event["forgotten_event_ids"] ?? event["forgotten_events"]).map(String));
  const [summary] = textAt(event["summary"], spot, ["summary"]).map(synthetic);
  const offset = number(event["summary_offset"]) ?? 0;
  return { forgets: { includes: (id) => ids.has(id), offset, ...defined({ summary }) } };
}

/** The event with another result in it. */
export function writeV1Result(output: readonly ResultPart[], event: JsonObject): Json {
  const key = resultKey(event);
  const old = key.reduce<Json | undefined>((found, step) => object(found)[step], event);
  const value = isList(old) ? output.map(writeContent) : output.map(textOf).join("\n");
  const [first = "", second] = key;
  const inner = second === undefined ? value : { ...object(event[first]), [second]: value };
  const { extended_content: added } = event;
  return { ...event, [first]: inner, ...(isList(added) && added.length > 0 ? { extended_content: [] } : {}) };
}

function writeContent(part: ResultPart): Json {
  if (part.type === "opaque") return part.value;
  const url = part.type === "image" ? urlOfSource(part.source) : undefined;
  if (url !== undefined) return { type: "image", image_urls: [url] };
  return { type: "text", text: textOf(part) };
}

function textOf(part: ResultPart): string {
  return part.type === "text" ? part.text : `[${part.type}]`;
}
