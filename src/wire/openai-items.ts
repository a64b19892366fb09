/**
 * Items of OpenAI's Responses API ↔ parts, as they stand in request bodies and in Codex's files. A message item holds
 * several parts, every other item is one. Each part is read with the path to its value inside the item, so that a
 * body and a file can both put an edit back where it came from; writing changes only what differs.
 *
 * Calls the provider runs itself (`web_search_call`, `mcp_call`) and pairs that are not text (`tool_search_call` and
 * `_output`, `computer_call` and `_output`) are carried as they are: there is nothing in them an edit could shorten
 * without changing what the model can do next. Results have no error flag here; whether one failed is in its text.
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
  Part,
  ResultPart,
  Role,
  Spelling,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from "../transcript/message.ts";
import { samePart } from "../transcript/same-part.ts";
import { readArguments, spellArguments } from "./call-arguments.ts";
import { sourceOfUrl, urlOfSource } from "./data-url.ts";

/** An opaque item, and an opaque piece of a message's content: the two cannot stand in each other's place. */
export const OPENAI_ITEM: Spelling = "openai-item";
export const OPENAI_CONTENT: Spelling = "openai-content";

/** A part, and where its value stands inside the item. */
export interface LocatedPart {
  readonly part: Part;
  readonly path: readonly (string | number)[];
}

export function readItem(item: Json): readonly LocatedPart[] {
  const content = isMessageItem(item) ? object(item)["content"] : undefined;
  if (typeof content === "string") return [{ part: { type: "text", text: content }, path: ["content"] }];
  // A message of nothing has no part to stand for it, so it is carried like an item we do not know.
  if (list(content).length === 0) return [{ part: readValue(item, OPENAI_ITEM), path: [] }];
  return list(content).map((value, index) => ({
    part: readValue(value, OPENAI_CONTENT),
    path: ["content", index],
  }));
}

/** Bodies may leave out `type`; another agent's message (Codex) has the shape of one. */
export function isMessageItem(item: Json): boolean {
  const { type, role } = object(item);
  return type === "message" || type === "agent_message" || (type === undefined && typeof role === "string");
}

/** Whose side an item stands on. Consecutive items of the assistant are one message, and so are those of tools. */
export function roleOfItem(item: Json): Role {
  const { type, role } = object(item);
  if (!isMessageItem(item)) return string(type)?.endsWith("_output") ? "tool" : "assistant";
  if (role === "developer" || role === "system") return "system";
  return role === "assistant" ? "assistant" : "user";
}

export function isRun(role: Role): boolean {
  return role === "assistant" || role === "tool";
}

function readValue(value: Json, of: Spelling): Part {
  // A piece of content that is a bare text; edited, it is written as one.
  if (typeof value === "string" && of === OPENAI_CONTENT) return { type: "text", text: value };
  const fields = object(value);
  switch (fields["type"]) {
    case "input_text":
    case "output_text":
    case "text":
      return { type: "text", text: string(fields["text"]) ?? "" };
    case "refusal":
      return { type: "text", text: string(fields["refusal"]) ?? "" };
    case "reasoning":
      return readReasoning(fields);
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call":
      return readCall(fields);
    case "function_call_output":
    case "custom_tool_call_output":
      return readResult(fields);
    default:
      return readMedia(fields) ?? { type: "opaque", of, value };
  }
}

function readReasoning(fields: JsonObject): ThinkingPart {
  const texts = [...list(fields["summary"]), ...list(fields["content"])].flatMap(
    (piece) => string(object(piece)["text"]) ?? [],
  );
  return {
    type: "thinking",
    text: texts.join("\n\n"),
    ...defined({ encrypted: string(fields["encrypted_content"]) }),
  };
}

function readCall(fields: JsonObject): ToolCallPart {
  const callId = string(fields["call_id"]) ?? string(fields["id"]) ?? "";
  if (fields["type"] === "local_shell_call")
    return { type: "tool-call", callId, name: "local_shell", input: fields["action"] ?? {} };
  const isFree = fields["type"] === "custom_tool_call";
  const input = isFree ? (fields["input"] ?? "") : readArguments(string(fields["arguments"]) ?? "");
  return { type: "tool-call", callId, name: nameOf(fields), input };
}

/** Two servers may have a tool of one name; the namespace tells them apart (Codex, for MCP). */
function nameOf(fields: JsonObject): string {
  const name = string(fields["name"]) ?? "";
  const namespace = string(fields["namespace"]) ?? "";
  return namespace === "" ? name : `${namespace}__${name}`;
}

function readResult(fields: JsonObject): ToolResultPart {
  const output = fields["output"];
  return {
    type: "tool-result",
    callId: string(fields["call_id"]) ?? "",
    output: typeof output === "string" ? [{ type: "text", text: output }] : readOutput(output),
    isError: false,
  };
}

function readOutput(output: Json | undefined): readonly ResultPart[] {
  if (output === undefined || output === null) return [];
  return (isList(output) ? output : [output]).map((value): ResultPart => {
    const part = readValue(value, OPENAI_CONTENT);
    const isPlain = part.type === "text" || part.type === "image" || part.type === "document";
    return isPlain ? part : { type: "opaque", of: OPENAI_CONTENT, value };
  });
}

function readMedia(fields: JsonObject): ImagePart | DocumentPart | undefined {
  const source = readSource(fields);
  if (!source) return undefined;
  if (fields["type"] === "input_image") return { type: "image", source };
  if (fields["type"] === "input_file")
    return { type: "document", source, ...defined({ title: string(fields["filename"]) }) };
  return undefined;
}

function readSource(fields: JsonObject): MediaSource | undefined {
  const data = string(fields["file_data"]);
  if (data !== undefined)
    return data.startsWith("data:") ? sourceOfUrl(data) : { kind: "data", mediaType: "", base64: data };
  const url = string(fields["image_url"]) ?? string(fields["file_url"]);
  if (url !== undefined) return sourceOfUrl(url);
  const id = string(fields["file_id"]);
  return id === undefined ? undefined : { kind: "file", id };
}

/** The value for this part, at the place it was read from; `old` is what stood there. */
export function writeValue(part: Part, old: Json | undefined): Json {
  if (typeof old === "string") return part.type === "text" ? part.text : [makeValue(part, {})];
  const before = object(old);
  if (old !== undefined && samePart(part, readValue(old, part.type === "opaque" ? part.of : OPENAI_CONTENT)))
    return old;
  const made = makeValue(part, before);
  return isObject(made) && made["type"] === before["type"] ? { ...before, ...made } : made;
}

function makeValue(part: Part, old: JsonObject): Json {
  switch (part.type) {
    case "text":
      return makeText(part.text, old);
    case "thinking":
      return makeReasoning(part, old);
    case "tool-call":
      return makeCall(part, old);
    case "tool-result":
      return makeResult(part, old);
    case "image":
      return { type: "input_image", ...imageFields(part.source) };
    case "document":
      return { type: "input_file", ...fileFields(part) };
    case "opaque":
      return part.value;
  }
}

/** What the model said is `output_text`, also in a request; all else is input. */
function makeText(text: string, old: JsonObject): JsonObject {
  if (old["type"] === "refusal") return { type: "refusal", refusal: text };
  const isTextType = old["type"] === "output_text" || old["type"] === "text";
  return { type: isTextType ? old["type"] : "input_text", text };
}

/** The text may stand in the summary and in the content; once edited it stands in the summary alone. */
function makeReasoning(part: ThinkingPart, old: JsonObject): JsonObject {
  return {
    type: "reasoning",
    summary: part.text === "" ? [] : [{ type: "summary_text", text: part.text }],
    ...(old["content"] === undefined ? {} : { content: [] }),
    ...defined({ encrypted_content: part.encrypted }),
  };
}

/** A tool that takes free text is a custom tool; one that came as either stays what it was, whatever it is given. */
export function makeCall(part: ToolCallPart, old: JsonObject = {}): JsonObject {
  const named = nameOf(old) === part.name ? {} : { name: part.name };
  const common = { call_id: part.callId, ...named };
  if (old["type"] === "local_shell_call") return { type: "local_shell_call", action: part.input };
  const isFree = typeof part.input === "string" && old["type"] !== "function_call";
  if (isFree || old["type"] === "custom_tool_call")
    return { type: "custom_tool_call", ...common, input: freeText(part.input) };
  return { type: "function_call", ...common, arguments: spellArguments(part.input) };
}

function freeText(input: Json): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

export function makeResult(part: ToolResultPart, old: JsonObject): JsonObject {
  const before = old["output"];
  const [only] = part.output;
  const asText = only?.type === "text" && part.output.length === 1 && !isList(before);
  return {
    type: old["type"] === "custom_tool_call_output" ? "custom_tool_call_output" : "function_call_output",
    call_id: part.callId,
    output: asText ? only.text : part.output.map((item, index) => writeValue(item, list(before)[index])),
  };
}

function imageFields(source: MediaSource): JsonObject {
  return source.kind === "file" ? { file_id: source.id } : defined({ image_url: urlOfSource(source) });
}

function fileFields({ source, title }: DocumentPart): JsonObject {
  if (source.kind === "file") return { file_id: source.id };
  if (source.kind === "url") return { file_url: source.url };
  return { filename: title ?? "document", ...defined({ file_data: urlOfSource(source) }) };
}
