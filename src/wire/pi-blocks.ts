/**
 * The content blocks of pi's messages, read and spelled. See `pi.ts`.
 *
 * A thought carries the seal of whichever provider made it in one field: a signature, hidden thinking, or a whole
 * Responses item as JSON, of which the encrypted content is the seal.
 */
import {
  defined,
  isObject,
  type Json,
  type JsonObject,
  list,
  object,
  parseJson,
  string,
} from "../transcript/json.ts";
import type { Part, ResultPart, ThinkingPart, ToolResultPart } from "../transcript/message.ts";
import { samePart } from "../transcript/same-part.ts";

/** `content` is a string or a list of blocks. */
export function contentOf(content: Json | undefined): readonly Json[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : list(content);
}

export function readBlock(block: Json, of: string): Part {
  const fields = object(block);
  switch (fields["type"]) {
    case "text":
      return { type: "text", text: string(fields["text"]) ?? "" };
    case "thinking":
      return readThinking(fields);
    case "toolCall":
      return {
        type: "tool-call",
        callId: string(fields["id"]) ?? "",
        name: string(fields["name"]) ?? "",
        input: fields["arguments"] ?? {},
      };
    case "image": {
      const mediaType = string(fields["mimeType"]) ?? "";
      return { type: "image", source: { kind: "data", mediaType, base64: string(fields["data"]) ?? "" } };
    }
    default:
      return { type: "opaque", of, value: block };
  }
}

function readThinking(fields: JsonObject): ThinkingPart {
  const text = string(fields["thinking"]) ?? "";
  const seal = string(fields["thinkingSignature"]);
  if (seal === undefined) return { type: "thinking", text };
  if (fields["redacted"] === true) return { type: "thinking", text, encrypted: seal };
  const item = seal.startsWith("{") ? parseJson(seal) : undefined;
  if (!isObject(item)) return { type: "thinking", text, signature: seal };
  return { type: "thinking", text, ...defined({ encrypted: string(item["encrypted_content"]) }) };
}

export function readResult(message: JsonObject, of: string): ToolResultPart {
  return {
    type: "tool-result",
    callId: string(message["toolCallId"]) ?? "",
    output: contentOf(message["content"]).map((block): ResultPart => {
      const part = readBlock(block, of);
      return part.type === "text" || part.type === "image" ? part : { type: "opaque", of, value: block };
    }),
    isError: message["isError"] === true,
  };
}

/** The block for this part; `old` is the block it was read from. */
export function writeBlock(part: Part, old: Json | undefined): Json {
  const fields = object(old);
  switch (part.type) {
    case "text":
      return { ...kept(fields, "text"), type: "text", text: part.text };
    case "thinking":
      return writeThinking(part, kept(fields, "thinking"));
    case "tool-call":
      return {
        ...kept(fields, "toolCall"),
        type: "toolCall",
        id: part.callId,
        name: part.name,
        arguments: isObject(part.input) ? part.input : { input: part.input },
      };
    case "image":
      if (part.source.kind !== "data") return { type: "text", text: "[image]" };
      return { type: "image", data: part.source.base64, mimeType: part.source.mediaType };
    case "document":
      return {
        type: "text",
        text: part.source.kind === "text" ? part.source.text : `[${part.title ?? "document"}]`,
      };
    case "tool-result":
      return writeResult(part, fields);
    case "opaque":
      return part.value;
  }
}

/** `details` stays as it was: pi shows it to the person and sends it to no model. */
function writeResult(part: ToolResultPart, old: JsonObject): Json {
  const blocks = contentOf(old["content"]);
  const content = part.output.map((item, index) => {
    const block = blocks[index];
    return block !== undefined && samePart(item, readBlock(block, "")) ? block : writeBlock(item, block);
  });
  return { ...old, content, isError: part.isError };
}

function writeThinking(part: ThinkingPart, old: JsonObject): Json {
  const before = readThinking(old);
  const isSealed = part.signature === before.signature && part.encrypted === before.encrypted;
  const { thinkingSignature, redacted, ...rest } = old;
  return {
    ...rest,
    type: "thinking",
    thinking: part.text,
    ...(isSealed ? defined({ thinkingSignature, redacted }) : {}),
  };
}

/** What rides along: not where the block changes its type, and not the seal of a text that was another. */
function kept(old: JsonObject, type: string): JsonObject {
  if (old["type"] !== type) return {};
  const { textSignature: _, ...rest } = old;
  return rest;
}
