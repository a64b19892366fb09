/**
 * OpenAI Chat Completions request bodies, as OpenAI and the many servers that speak like it take them.
 * https://platform.openai.com/docs/api-reference/chat
 *
 * One message is one message; each result is a `tool` message of its own, and calls and reasoning stand beside the
 * content. From elsewhere: results come first and one by one; what a `tool` message cannot hold (images, files) goes
 * into a user message behind the last of them, and the result says `[image]` where it was; free-text calls are
 * wrapped as `{ input }`, because few servers know custom tools; thinking is left out.
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
import {
  type Message,
  type Part,
  type ResultPart,
  type Role,
  resultText,
  type ToolCallPart,
  type ToolResultPart,
  type ToolSchema,
  type Transcript,
} from "../transcript/message.ts";
import { sameParts } from "../transcript/same-part.ts";
import { withSendableIds } from "./foreign.ts";
import { CHAT, readCall, readContent, writeCall, writeContent } from "./openai-chat-parts.ts";
import type { BodyWire, Confidence } from "./wire.ts";

const NAME = CHAT;
/** Where servers that show their reasoning put it; the first that is there is read. */
const REASONING = ["reasoning_content", "reasoning"] as const;

/** `{ model, messages, tools? }`, or the bare list of messages some hosts keep on disk. */
function read(body: Json): Transcript {
  const fields = object(body);
  const tools = fields["tools"] ?? fields["functions"];
  return {
    ...defined({ model: string(fields["model"]) }),
    ...(isList(tools) ? { tools: tools.map(readTool) } : {}),
    messages: messagesOf(body).map(readMessage),
    native: { of: NAME, value: body },
  };
}

function messagesOf(body: Json): readonly Json[] {
  return isList(body) ? body : list(object(body)["messages"]);
}

function readMessage(message: Json): Message {
  const fields = object(message);
  return { role: roleOf(fields), parts: partsOf(fields), native: { of: NAME, value: message } };
}

function roleOf(fields: JsonObject): Role {
  switch (fields["role"]) {
    case "system":
    case "developer":
      return "system";
    case "assistant":
      return "assistant";
    case "tool":
    case "function":
      return "tool";
    default:
      return "user";
  }
}

function partsOf(fields: JsonObject): readonly Part[] {
  if (roleOf(fields) === "tool") return [readResult(fields)];
  const reasoning = reasoningOf(fields);
  const legacy = fields["function_call"];
  return [
    ...(reasoning ? [{ type: "thinking" as const, text: reasoning.text }] : []),
    ...readContent(fields["content"]),
    ...list(fields["tool_calls"]).map(readCall),
    ...(legacy === undefined || legacy === null ? [] : [readCall(legacy)]),
  ];
}

/** A legacy function result has no id: it answers the last call of its name, and the name is the id. */
function readResult(fields: JsonObject): ToolResultPart {
  const { content } = fields;
  return {
    type: "tool-result",
    callId: string(fields["tool_call_id"]) ?? string(fields["name"]) ?? "",
    output: typeof content === "string" ? [{ type: "text", text: content }] : readContent(content),
    isError: false,
  };
}

function reasoningOf(fields: JsonObject): { key: string; text: string } | undefined {
  const key = REASONING.find((name) => typeof fields[name] === "string" && fields[name] !== "");
  return key && { key, text: string(fields[key]) ?? "" };
}

function readTool(tool: Json): ToolSchema {
  const fields = object(tool);
  const made = object(fields["function"] ?? fields["custom"] ?? tool);
  return {
    name: string(made["name"]) ?? string(fields["type"]) ?? "",
    ...defined({ description: string(made["description"]), input: made["parameters"] }),
    native: tool,
  };
}

function write(original: Transcript): Json {
  const transcript = withSendableIds(original, NAME);
  const isOwn = transcript.native?.of === NAME;
  const old = isOwn ? (transcript.native?.value ?? {}) : {};
  const system: Message = { role: "system", parts: transcript.system ?? [] };
  const messages = [...shaped([system, ...transcript.messages])].flatMap(writeMessage);
  if (isList(old)) return messages;
  const fields = object(old);
  const isLegacy = isList(fields["functions"]) && !isList(fields["tools"]);
  const tools = transcript.tools?.map((tool) => writeTool(tool, isOwn));
  return {
    ...fields,
    ...defined({ model: transcript.model }),
    messages,
    ...defined(isLegacy ? { functions: tools } : { tools }),
  };
}

/** A user message between two results of one response is refused, so what they cannot hold waits for their end. */
function* shaped(messages: readonly Message[]): Generator<Message> {
  let held: Part[] = [];
  for (const message of messages.flatMap(splitResults)) {
    if (message.role !== "tool") {
      if (held.length > 0) yield { role: "user", parts: held };
      held = [];
    }
    yield message;
    if (!isNative(message)) held.push(...mediaOf(message));
  }
  if (held.length > 0) yield { role: "user", parts: held };
}

/** From elsewhere, a message may mix results with words, or hold several results. */
function splitResults(message: Message): readonly Message[] {
  if (isNative(message)) return [message];
  const role = message.role === "tool" ? "user" : message.role;
  const rest = message.parts.filter((part) => isSpeakable(part, role));
  const results = message.parts.filter((part) => part.type === "tool-result");
  return [
    ...results.map((part): Message => ({ role: "tool", parts: [part] })),
    ...(rest.length > 0 ? [{ role, parts: rest }] : []),
  ];
}

/** Only users may send media; an assistant's own is left out, and so is its thinking. */
function isSpeakable(part: Part, role: Role): boolean {
  if (part.type === "text") return part.text.trim() !== "";
  if (part.type === "tool-call") return role === "assistant";
  if (part.type === "opaque") return role === "user" && part.of === CHAT;
  return role === "user" && (part.type === "image" || part.type === "document");
}

function mediaOf(message: Message): readonly Part[] {
  return message.parts.flatMap((part) =>
    part.type === "tool-result"
      ? part.output.filter(({ type }) => type === "image" || type === "document")
      : [],
  );
}

function writeMessage(message: Message): readonly Json[] {
  if (isNative(message)) return writeOwn(message, object(message.native?.value));
  const [first] = message.parts;
  if (first?.type === "tool-result")
    return [{ role: "tool", tool_call_id: first.callId, content: resultText(first) }];
  const calls = message.parts.filter(isCall).map((part) => writeCall(part, undefined));
  const content = writeContent(message.parts.filter(isContent));
  return [{ role: message.role, content, ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
}

/** As it came where nothing was edited; else only the fields that changed. */
function writeOwn(message: Message, old: JsonObject): readonly Json[] {
  const before = partsOf(old);
  const { parts } = message;
  const [first] = parts;
  if (sameParts(parts, before)) return [message.native?.value ?? null];
  if (first?.type === "tool-result") return [{ ...old, content: writeOutput(first, old["content"]) }];
  if (first === undefined) return [];
  const changed = { ...old };
  if (!sameParts(parts.filter(isThinking), before.filter(isThinking))) setThinking(changed, parts);
  if (!sameParts(parts.filter(isContent), before.filter(isContent)))
    changed["content"] = writeContent(parts.filter(isContent), old["content"]);
  if (!sameParts(parts.filter(isCall), before.filter(isCall))) setCalls(changed, parts.filter(isCall));
  return [changed];
}

function writeOutput(part: ToolResultPart, old: Json | undefined): Json {
  const isOneText = part.output.length === 1 && part.output[0]?.type === "text";
  return isList(old) || isOneText ? writeContent(part.output, old) : resultText(part);
}

/** `reasoning_details` says the same again, sealed; it cannot stand once the text is another. */
function setThinking(fields: Record<string, Json | undefined>, parts: readonly Part[]): void {
  const key = reasoningOf(fields)?.key ?? REASONING[0];
  const text = parts.map((part) => (part.type === "thinking" ? part.text : "")).join("");
  delete fields["reasoning_details"];
  if (text === "") delete fields[key];
  else fields[key] = text;
}

/** An empty list of calls is refused, so the last one takes its field along. */
function setCalls(fields: Record<string, Json | undefined>, calls: readonly ToolCallPart[]): void {
  const written = calls.map((part) => writeCall(part, part.native));
  const isLegacy = !isList(fields["tool_calls"]) && "function_call" in fields;
  if (isLegacy && written.length === 1) fields["function_call"] = written[0];
  else if (written.length > 0) fields["tool_calls"] = written;
  else {
    delete fields["tool_calls"];
    delete fields["function_call"];
  }
}

function isNative(message: Message): boolean {
  return message.native?.of === NAME;
}

function isThinking(part: Part): boolean {
  return part.type === "thinking";
}

function isCall(part: Part): part is ToolCallPart {
  return part.type === "tool-call";
}

function isContent(part: Part): part is ResultPart {
  return part.type === "text" || part.type === "image" || part.type === "document" || part.type === "opaque";
}

function writeTool(tool: ToolSchema, isOwn: boolean): Json {
  if (isOwn && tool.native !== undefined) return tool.native;
  const made = defined({ description: tool.description, parameters: tool.input });
  return { type: "function", function: { name: tool.name, ...made } };
}

const KEYS = ["max_completion_tokens", "response_format", "stream_options", "functions", "frequency_penalty"];

function detect(body: Json): Confidence {
  const fields = object(body);
  const messages = messagesOf(body).map(object);
  const pieces = messages.flatMap(({ content }) => list(content).map(object));
  if ("system" in fields || "anthropic_version" in fields) return 0;
  if (messages.length === 0 || !messages.every(isMessage) || !pieces.every(isPiece)) return 0;
  const isMarked =
    // Anthropic has no system message at the start, and these keys, names and fields are OpenAI's.
    messages[0]?.["role"] === "system" ||
    messages.some(isMarkedMessage) ||
    pieces.some(({ type }) => type !== "text") ||
    KEYS.some((key) => key in fields) ||
    list(fields["tools"]).some((tool) => "function" in object(tool)) ||
    /^(gpt|chatgpt|o\d)/.test(string(fields["model"]) ?? "");
  return isMarked ? 2 : 1;
}

function isMessage(message: JsonObject): boolean {
  return typeof message["role"] === "string" && ("content" in message || isMarkedMessage(message));
}

/** Anthropic's blocks, Responses' content and the AI SDK's parts are none. */
function isPiece(piece: JsonObject): boolean {
  const { type } = piece;
  return type === "text" || type === "refusal" || (typeof type === "string" && isObject(piece[type]));
}

function isMarkedMessage(message: JsonObject): boolean {
  const marks = ["tool_calls", "tool_call_id", "function_call"];
  return message["role"] === "developer" || marks.some((key) => key in message);
}

export const openaiChat: BodyWire = {
  kind: "body",
  name: NAME,
  title: "OpenAI Chat Completions",
  read,
  write,
  detect,
};
