/**
 * The content parts of AI SDK messages. Version 4 said `args`, `result` and `mimeType` where later ones say
 * `input`, `output` and `mediaType`; a part goes out in the words it came in. What a provider ran itself (its call,
 * and the result inside the assistant's own message) is opaque: it is not ours to pair or to edit.
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
  OpaquePart,
  Part,
  ResultPart,
  Role,
  ThinkingPart,
  ToolResultPart,
} from "../transcript/message.ts";
import { samePart } from "../transcript/same-part.ts";
import { makeFile, readFile, writeFile } from "./ai-sdk-files.ts";
import { valueText } from "./value-text.ts";

export const AI_SDK = "ai-sdk";

export function readPart(value: Json, role: Role): Part {
  const fields = object(value);
  switch (fields["type"]) {
    case "text":
      return {
        type: "text",
        text: string(fields["text"]) ?? "",
        ...(isOurs(fields) ? { synthetic: true } : {}),
      };
    case "reasoning":
    case "redacted-reasoning":
      return { type: "thinking", text: string(fields["text"]) ?? "", ...sealOf(fields) };
    case "tool-call":
      if (fields["providerExecuted"] === true) return opaque(value);
      return {
        type: "tool-call",
        callId: string(fields["toolCallId"]) ?? "",
        name: string(fields["toolName"]) ?? "",
        input: fields["input"] ?? fields["args"] ?? {},
      };
    case "tool-result":
      return role === "assistant" ? opaque(value) : readResult(fields);
    default:
      return readFile(fields) ?? opaque(value);
  }
}

/** `providerOptions: { palimpsest: { synthetic: true } }`: the harness's words in the user's name. Providers ignore it. */
function isOurs(fields: JsonObject): boolean {
  return object(object(fields["providerOptions"])["palimpsest"])["synthetic"] === true;
}

function opaque(value: Json): OpaquePart {
  return { type: "opaque", of: AI_SDK, value };
}

/** Each provider keeps its seal under its own name, and calls it something else. */
function sealOf(fields: JsonObject): Pick<ThinkingPart, "signature" | "encrypted"> {
  const providers = Object.values(object(fields["providerOptions"] ?? fields["providerMetadata"])).map(
    object,
  );
  const find = (...keys: readonly string[]) =>
    providers.flatMap((options) => keys.flatMap((key) => string(options[key]) ?? []))[0];
  return defined({
    signature: find("signature", "thoughtSignature") ?? string(fields["signature"]),
    encrypted: find("redactedData", "reasoningEncryptedContent") ?? string(fields["data"]),
  });
}

function readResult(fields: JsonObject): ToolResultPart {
  const callId = string(fields["toolCallId"]) ?? "";
  const { type, value, reason } = object(fields["output"]);
  const isError = isErrorType(type) || fields["isError"] === true;
  if (type === "content") return { type: "tool-result", callId, output: list(value).map(readItem), isError };
  const text =
    type === "execution-denied" ? (reason ?? DENIED) : isVersion4(fields) ? fields["result"] : value;
  return { type: "tool-result", callId, output: [{ type: "text", text: valueText(text) }], isError };
}

const DENIED = "Tool execution denied.";

function isVersion4(fields: JsonObject): boolean {
  return fields["output"] === undefined && "result" in fields;
}

function isErrorType(type: Json | undefined): boolean {
  return type === "error-text" || type === "error-json" || type === "execution-denied";
}

function readItem(item: Json): ResultPart {
  const fields = object(item);
  if (fields["type"] === "text") return { type: "text", text: string(fields["text"]) ?? "" };
  return readFile(fields) ?? opaque(item);
}

/** The part again; `old` is the part it was read from, untouched and the very same object where nothing differs. */
export function writePart(part: Part, old: Json, role: Role): Json {
  const was = readPart(old, role);
  if (samePart(part, was)) return old;
  if (!isObject(old) || was.type !== part.type) return makePart(part) ?? { type: "text", text: "" };
  switch (part.type) {
    case "text":
      return { ...old, text: part.text };
    case "thinking":
      return isSameSeal(part, was) ? { ...old, text: part.text } : { type: "reasoning", text: part.text };
    case "tool-call": {
      const key = "args" in old ? "args" : "input";
      return { ...old, toolCallId: part.callId, toolName: part.name, [key]: part.input };
    }
    case "tool-result":
      return { ...old, toolCallId: part.callId, ...writeResult(part, old) };
    case "image":
    case "document":
      return writeFile(part, old);
    case "opaque":
      return part.value;
  }
}

function isSameSeal(a: ThinkingPart, b: Part): boolean {
  return b.type === "thinking" && a.signature === b.signature && a.encrypted === b.encrypted;
}

/** Edited, a result says `text` where it said `json`: a stub is prose, and JSON would put it into quotes. */
function writeResult(part: ToolResultPart, old: JsonObject): JsonObject {
  const [only] = part.output;
  if (isVersion4(old)) {
    const result = part.output.length === 1 && only?.type === "text" ? only.text : part.output.map(itemOf);
    return { result, ...(part.isError || "isError" in old ? { isError: part.isError } : {}) };
  }
  const before = object(old["output"]);
  const { reason: _, ...rest } = before;
  if (before["type"] !== "content") return { output: { ...rest, ...makeOutput(part) } };
  const items = list(before["value"]);
  return {
    output: {
      ...before,
      value: part.output.map((item, index) => {
        const candidate = items[index];
        return candidate !== undefined && samePart(item, readItem(candidate)) ? candidate : itemOf(item);
      }),
    },
  };
}

/** A part from elsewhere; nothing where the SDK has no word for it. */
export function makePart(part: Part, toolName = "unknown"): Json | undefined {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "thinking":
      return undefined;
    case "tool-call":
      return { type: "tool-call", toolCallId: part.callId, toolName: part.name, input: part.input };
    case "tool-result":
      return { type: "tool-result", toolCallId: part.callId, toolName, output: makeOutput(part) };
    case "image":
    case "document":
      return makeFile(part);
    case "opaque":
      return part.of === AI_SDK ? part.value : undefined;
  }
}

function makeOutput(part: ToolResultPart): JsonObject {
  const texts = part.output.flatMap((item) => (item.type === "text" ? [item.text] : []));
  // An error has no place for media; its words are what matters.
  if (part.isError) return { type: "error-text", value: texts.join("\n") };
  if (texts.length === part.output.length) return { type: "text", value: texts.join("\n") };
  return { type: "content", value: part.output.map(itemOf).filter((item) => item !== null) };
}

function itemOf(item: ResultPart): Json {
  if (item.type === "text") return { type: "text", text: item.text };
  if (item.type === "opaque") return item.of === AI_SDK ? item.value : null;
  const { data, mediaType, filename } = object(makeFile(item));
  if (item.source.kind === "url")
    return { type: "file-url", url: item.source.url, ...defined({ mediaType }) };
  return data === undefined ? null : { type: "file-data", data, ...defined({ mediaType, filename }) };
}

/** `content` is a string or a list of parts. */
export function partsOf(content: Json | undefined): readonly Json[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return isList(content) ? content : [];
}
