/**
 * Anthropic content blocks, as they stand in Messages bodies, in Claude Code's records and in Cline's files.
 * `writeBlock` changes only what differs from the block it is given, so `cache_control`, `caller`, `citations` and
 * whatever comes next year stay where they were.
 */
import {
  defined,
  isList,
  isObject,
  type Json,
  type JsonObject,
  list,
  object,
  string,
} from "../transcript/json.ts";
import type {
  DocumentPart,
  ImagePart,
  MediaSource,
  OpaquePart,
  Part,
  ResultPart,
  ToolResultPart,
} from "../transcript/message.ts";
import { samePart } from "../transcript/same-part.ts";

export const ANTHROPIC = "anthropic";

export function readBlock(block: Json): Part {
  const fields = object(block);
  switch (fields["type"]) {
    case "text":
      return { type: "text", text: string(fields["text"]) ?? "" };
    case "thinking":
      return {
        type: "thinking",
        text: string(fields["thinking"]) ?? "",
        ...defined({ signature: string(fields["signature"]) }),
      };
    case "redacted_thinking":
      return { type: "thinking", text: "", encrypted: string(fields["data"]) ?? "" };
    case "tool_use":
      return {
        type: "tool-call",
        callId: string(fields["id"]) ?? "",
        name: string(fields["name"]) ?? "",
        input: fields["input"] ?? {},
      };
    case "tool_result":
      return readResult(fields);
    default:
      return readMedia(fields) ?? { type: "opaque", of: ANTHROPIC, value: block };
  }
}

/** `content` is a string or a list of blocks, for messages and for tool results alike. */
export function readContent(content: Json | undefined): readonly Json[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return list(content);
}

function readResult(fields: JsonObject): ToolResultPart {
  const output = readContent(fields["content"]).map((block): ResultPart => {
    const part = readBlock(block);
    return part.type === "text" || part.type === "image" || part.type === "document" ? part : opaque(block);
  });
  return {
    type: "tool-result",
    callId: string(fields["tool_use_id"]) ?? "",
    output,
    isError: fields["is_error"] === true,
  };
}

function readMedia(fields: JsonObject): ImagePart | DocumentPart | undefined {
  const source = readSource(object(fields["source"]));
  if (!source) return undefined;
  if (fields["type"] === "image") return { type: "image", source };
  if (fields["type"] === "document")
    return { type: "document", source, ...defined({ title: string(fields["title"]) }) };
  return undefined;
}

function readSource(source: JsonObject): MediaSource | undefined {
  const mediaType = string(source["media_type"]);
  switch (source["type"]) {
    case "base64":
      return { kind: "data", mediaType: mediaType ?? "", base64: string(source["data"]) ?? "" };
    case "text":
      return { kind: "text", mediaType: mediaType ?? "text/plain", text: string(source["data"]) ?? "" };
    case "url":
      return { kind: "url", url: string(source["url"]) ?? "" };
    case "file":
      return { kind: "file", id: string(source["file_id"]) ?? "" };
    default:
      return undefined;
  }
}

function opaque(value: Json): OpaquePart {
  return { type: "opaque", of: ANTHROPIC, value };
}

/** The block for this part; `old`, where there is one, is the block it was read from. */
export function writeBlock(part: Part, old?: Json): Json {
  if (old !== undefined && samePart(part, readBlock(old))) return old;
  const made = makeBlock(part, isObject(old) ? old : undefined);
  if (!isObject(old) || !isObject(made) || old["type"] !== made["type"]) return made;
  // A seal belongs to the words it was made for: without one of its own, reworded thinking has none.
  const { signature: _, ...unsealed } = old;
  return { ...(part.type === "thinking" ? unsealed : old), ...made };
}

function makeBlock(part: Part, old: JsonObject | undefined): Json {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "thinking":
      if (part.encrypted !== undefined) return { type: "redacted_thinking", data: part.encrypted };
      return { type: "thinking", thinking: part.text, ...defined({ signature: part.signature }) };
    case "tool-call":
      return {
        type: "tool_use",
        id: part.callId,
        name: part.name,
        input: isObject(part.input) ? part.input : { input: part.input },
      };
    case "tool-result":
      return makeResult(part, old);
    case "image":
      return { type: "image", source: makeSource(part.source) };
    case "document":
      return { type: "document", source: makeSource(part.source), ...defined({ title: part.title }) };
    case "opaque":
      return part.value;
  }
}

function makeResult(part: ToolResultPart, old: JsonObject | undefined): Json {
  const [only] = part.output;
  const asText = part.output.length === 1 && only?.type === "text" && !isList(old?.["content"]);
  return {
    type: "tool_result",
    tool_use_id: part.callId,
    content: asText
      ? only.text
      : part.output.map((item, index) => writeBlock(item, list(old?.["content"])[index])),
    ...(part.isError || old?.["is_error"] !== undefined ? { is_error: part.isError } : {}),
  };
}

function makeSource(source: MediaSource): Json {
  switch (source.kind) {
    case "data":
      return { type: "base64", media_type: source.mediaType, data: source.base64 };
    case "text":
      return { type: "text", media_type: source.mediaType, data: source.text };
    case "url":
      return { type: "url", url: source.url };
    case "file":
      return { type: "file", file_id: source.id };
  }
}
