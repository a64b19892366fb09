/**
 * What stands inside a Chat Completions message: pieces of content, and tool calls in their three spellings
 * (function, custom, and the legacy `function_call` without an id). Writing changes only what differs.
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
  ResultPart,
  ToolCallPart,
} from "../transcript/message.ts";
import { samePart } from "../transcript/same-part.ts";
import { readArguments, spellArguments } from "./call-arguments.ts";
import { sourceOfUrl, urlOfSource } from "./data-url.ts";

export const CHAT = "openai-chat";

/** A string, a list, or nothing; an empty string is nothing (many servers write it beside calls). */
export function readContent(content: Json | undefined): readonly ResultPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return list(content).map((value) => ({ ...readPiece(value), native: value }));
}

function readPiece(value: Json): ResultPart {
  const fields = object(value);
  switch (fields["type"]) {
    case "text":
      return { type: "text", text: string(fields["text"]) ?? "" };
    case "refusal":
      return { type: "text", text: string(fields["refusal"]) ?? "" };
    case "image_url":
      return readImage(fields["image_url"]) ?? { type: "opaque", of: CHAT, value };
    case "file":
      return readFile(object(fields["file"])) ?? { type: "opaque", of: CHAT, value };
    default:
      return { type: "opaque", of: CHAT, value };
  }
}

/** `{ url }`; some servers take the URL itself. */
function readImage(image: Json | undefined): ImagePart | undefined {
  const url = string(image) ?? string(object(image)["url"]);
  return url === undefined ? undefined : { type: "image", source: sourceOfUrl(url) };
}

function readFile(file: JsonObject): DocumentPart | undefined {
  const source = readFileSource(file);
  return source && { type: "document", source, ...defined({ title: string(file["filename"]) }) };
}

function readFileSource(file: JsonObject): MediaSource | undefined {
  const data = string(file["file_data"]);
  if (data?.startsWith("data:")) return sourceOfUrl(data);
  if (data !== undefined) return { kind: "data", mediaType: "", base64: data };
  const id = string(file["file_id"]);
  return id === undefined ? undefined : { kind: "file", id };
}

/** A string stays a string as long as it is one text; nothing is `null`. */
export function writeContent(parts: readonly ResultPart[], old?: Json): Json {
  const [only] = parts;
  if (only === undefined) return null;
  if (parts.length === 1 && only.type === "text" && !isList(old)) return only.text;
  return parts.map((part) => writePiece(part, isList(old) ? part.native : undefined));
}

function writePiece(part: ResultPart, old: Json | undefined): Json {
  if (!isObject(old)) return makePiece(part, {});
  if (samePart(part, readPiece(old))) return old;
  const made = makePiece(part, old);
  return isObject(made) && made["type"] === old["type"] ? { ...old, ...made } : made;
}

function makePiece(part: ResultPart, old: JsonObject): Json {
  switch (part.type) {
    case "text":
      if (old["type"] === "refusal") return { type: "refusal", refusal: part.text };
      return { type: "text", text: part.text };
    case "image":
      return makeImage(part.source);
    case "document":
      return makeFile(part);
    case "opaque":
      return part.value;
  }
}

/** Images by id and files by URL have no spelling here. A line that names them is more than leaving them out. */
function makeImage(source: MediaSource): Json {
  const url = urlOfSource(source);
  if (url !== undefined) return { type: "image_url", image_url: { url } };
  return { type: "text", text: `[image: ${source.kind === "file" ? source.id : "unknown"}]` };
}

function makeFile({ source, title }: DocumentPart): Json {
  if (source.kind === "url") return { type: "text", text: `[document: ${title ?? source.url}]` };
  if (source.kind === "file") return { type: "file", file: { file_id: source.id } };
  const data = defined({ file_data: urlOfSource(source) });
  return { type: "file", file: { filename: title ?? "document", ...data } };
}

export function readCall(call: Json): ToolCallPart {
  const fields = object(call);
  const made = object(fields["function"] ?? fields["custom"] ?? call);
  const name = string(made["name"]) ?? "";
  const isFree = isObject(fields["custom"]);
  return {
    type: "tool-call",
    callId: string(fields["id"]) ?? name,
    name,
    input: isFree ? (made["input"] ?? "") : readInput(made["arguments"]),
    native: call,
  };
}

/** Some servers and many saved files hold the arguments as an object. */
function readInput(value: Json | undefined): Json {
  return typeof value === "string" ? readArguments(value) : (value ?? {});
}

/** The call as it came where it still says the same, so that its arguments keep their very bytes. */
export function writeCall(part: ToolCallPart, old: Json | undefined): Json {
  if (!isObject(old)) return makeCall(part);
  if (samePart(part, readCall(old))) return old;
  if (isObject(old["custom"]))
    return { ...old, custom: { ...old["custom"], name: part.name, input: freeText(part.input) } };
  const fields = { name: part.name, arguments: spellArguments(part.input) };
  return isObject(old["function"])
    ? { ...old, id: part.callId, function: { ...old["function"], ...fields } }
    : { ...old, ...fields };
}

/** Free text is wrapped: a function's arguments are an object for every server there is. */
function makeCall(part: ToolCallPart): Json {
  const input = isObject(part.input) ? part.input : { input: part.input };
  return {
    id: part.callId,
    type: "function",
    function: { name: part.name, arguments: spellArguments(input) },
  };
}

function freeText(input: Json): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}
