/**
 * OpenAI Responses request bodies. https://platform.openai.com/docs/api-reference/responses
 *
 * The input is a flat list of items. One response is a run of them, so a run of the assistant's items is one message
 * and a run of outputs is one `tool` message; parts remember their item, and what was not edited goes out as the same
 * items. From elsewhere: thinking goes along only where OpenAI itself sealed it, and an assistant's images are left
 * out, because its messages hold text alone. A chain by `previous_response_id` is carried; what stands behind it is
 * on the server, and not read.
 */
import {
  defined,
  isList,
  type Json,
  type JsonObject,
  list,
  number,
  object,
  string,
} from "../transcript/json.ts";
import type {
  Message,
  Part,
  ToolCallPart,
  ToolResultPart,
  ToolSchema,
  Transcript,
} from "../transcript/message.ts";
import { callsByResult, pairUp } from "../transcript/pairs.ts";
import { sameParts } from "../transcript/same-part.ts";
import { withSendableIds } from "./foreign.ts";
import {
  isMessageItem,
  isRun,
  makeCall,
  makeResult,
  OPENAI_CONTENT,
  OPENAI_ITEM,
  readItem,
  roleOfItem,
  writeValue,
} from "./openai-items.ts";
import type { BodyWire, Confidence } from "./wire.ts";

const NAME = "openai-responses";
/** Whose sealed reasoning this API accepts: its own, and what Codex kept of it. */
const SEALED_BY_OPENAI: readonly string[] = [NAME, "codex"];

/** `{ model, instructions?, input, tools? }`, or the bare list of items some hosts keep. */
function read(body: Json): Transcript {
  const fields = object(body);
  const instructions = string(fields["instructions"]);
  return {
    ...defined({ model: string(fields["model"]) }),
    ...(instructions === undefined ? {} : { system: [{ type: "text", text: instructions }] }),
    ...(isList(fields["tools"]) ? { tools: fields["tools"].map(readTool) } : {}),
    messages: runsOf(itemsOf(body)).map(readRun),
    native: { of: NAME, value: body },
  };
}

/** A string is short for one user message. */
function itemsOf(body: Json): readonly Json[] {
  if (isList(body)) return body;
  const { input } = object(body);
  return typeof input === "string" ? [userItem(input)] : list(input);
}

function userItem(text: string): JsonObject {
  return { role: "user", content: text };
}

function runsOf(items: readonly Json[]): readonly (readonly Json[])[] {
  const runs: Json[][] = [];
  for (const item of items) {
    const open = runs.at(-1);
    const role = roleOfItem(item);
    if (open?.[0] !== undefined && isRun(role) && roleOfItem(open[0]) === role) open.push(item);
    else runs.push([item]);
  }
  return runs;
}

/** A part remembers which of the message's items it came from, and where it stood inside. */
function readRun(items: readonly Json[]): Message {
  return {
    role: roleOfItem(items[0] ?? null),
    parts: items.flatMap((item, index) =>
      readItem(item).map(({ part, path }) => ({ ...part, native: { item: index, path } })),
    ),
    native: { of: NAME, value: items },
  };
}

function readTool(tool: Json): ToolSchema {
  const fields = object(tool);
  return {
    name: string(fields["name"]) ?? string(fields["type"]) ?? "",
    ...defined({ description: string(fields["description"]), input: fields["parameters"] }),
    native: tool,
  };
}

function write(original: Transcript): Json {
  const transcript = withSendableIds(original, NAME);
  const isOwn = transcript.native?.of === NAME;
  const old = isOwn ? (transcript.native?.value ?? {}) : {};
  const calls = callsByResult(pairUp(transcript));
  const [only, ...more] = transcript.system ?? [];
  const isOneText = only?.type === "text" && more.length === 0;
  const items = [
    // `instructions` is one string; several parts keep their borders as a system message that opens the input.
    ...(isOneText ? [] : writeForeign({ role: "system", parts: transcript.system ?? [] }, calls)),
    ...transcript.messages.flatMap((message) =>
      message.native?.of === NAME ? writeRun(message) : writeForeign(message, calls),
    ),
  ];
  if (isList(old)) return items;
  return {
    ...object(old),
    ...defined({ model: transcript.model }),
    ...(isOneText ? { instructions: only.text } : {}),
    ...defined({ input: writeInput(items, object(old)["input"]) }),
    ...defined({ tools: transcript.tools?.map((tool) => writeTool(tool, isOwn)) }),
  };
}

/** No input at all is a request that goes on from `previous_response_id` alone. */
function writeInput(items: readonly Json[], old: Json | undefined): Json | undefined {
  const [only] = items;
  if (only === undefined && old === undefined) return undefined;
  const text = string(object(only)["content"]);
  return typeof old === "string" && items.length === 1 && text !== undefined ? text : items;
}

/** The items a message came from, in the order of its parts; a part without an item gets one of its own. */
function writeRun(message: Message): readonly Json[] {
  const items = list(message.native?.value);
  const groups: { item: number | undefined; parts: Part[] }[] = [];
  for (const part of message.parts) {
    const item = number(object(part.native)["item"]);
    const open = groups.at(-1);
    if (open && open.item === item) open.parts.push(part);
    else groups.push({ item, parts: [part] });
  }
  const kept = new Set(groups.map(({ item }) => item));
  return groups.flatMap(({ item, parts }) =>
    item === undefined
      ? writeSaid(message, parts)
      : writeItem(parts, items[item] ?? null).map((written) =>
          isOrphaned(items, item, kept) ? withoutId(written) : written,
        ),
  );
}

/** Whether the reasoning an item came from has left: under its id it would be refused without it. */
function isOrphaned(items: readonly Json[], item: number, kept: ReadonlySet<number | undefined>): boolean {
  const reasoning = items.findLastIndex((value, at) => at < item && object(value)["type"] === "reasoning");
  return reasoning !== -1 && !kept.has(reasoning);
}

function withoutId(item: Json): Json {
  const { id: _, ...fields } = object(item);
  return fields;
}

function writeItem(parts: readonly Part[], old: Json): readonly Json[] {
  const [first] = parts;
  const before = readItem(old).map(({ part }) => part);
  if (sameParts(parts, before)) return [old];
  const content = object(old)["content"];
  if (!isMessageItem(old) || list(object(first?.native)["path"]).length === 0)
    return parts.map((part) => writeValue(part, old));
  if (typeof content === "string" && parts.length === 1 && first?.type === "text")
    return [{ ...object(old), content: first.text }];
  return [{ ...object(old), content: parts.map((part) => writeValue(part, contentOf(part, content))) }];
}

function contentOf(part: Part, content: Json | undefined): Json | undefined {
  const index = list(object(part.native)["path"])[1];
  return typeof index === "number" ? list(content)[index] : undefined;
}

type Calls = ReadonlyMap<ToolResultPart, ToolCallPart>;

/** Results answer what came before, so they go first. */
function writeForeign(message: Message, calls: Calls): readonly Json[] {
  const isResult = (part: Part) => part.type === "tool-result";
  const results = message.parts.flatMap((part) => (part.type === "tool-result" ? [part] : []));
  return [
    ...results.map((part) => writeResult(part, calls)),
    ...writeSaid(
      message,
      message.parts.filter((part) => !isResult(part)),
    ),
  ];
}

/** A custom tool's output has a name of its own. */
function writeResult(part: ToolResultPart, calls: Calls): Json {
  const isFree = typeof calls.get(part)?.input === "string";
  return makeResult(part, isFree ? { type: "custom_tool_call_output" } : {});
}

function writeSaid(message: Message, parts: readonly Part[]): readonly Json[] {
  const items: JsonObject[] = [];
  let content: Json[] | undefined;
  for (const part of parts) {
    const item = makeItem(part, message);
    if (item) {
      items.push(item);
      content = undefined;
    } else if (isContent(part, message)) {
      content ??= openMessage(items, message);
      content.push(writeValue(part, message.role === "assistant" ? { type: "output_text" } : undefined));
    }
  }
  return items;
}

function openMessage(items: JsonObject[], { role }: Message): Json[] {
  const content: Json[] = [];
  items.push({ type: "message", role: role === "tool" ? "user" : role, content });
  return content;
}

/** What is an item of its own. Reasoning that is not sealed is refused when it is sent back without its id. */
function makeItem(part: Part, message: Message): JsonObject | undefined {
  if (part.type === "tool-call") return makeCall(part);
  if (part.type === "opaque" && part.of === OPENAI_ITEM) return object(part.value);
  const isSealed = SEALED_BY_OPENAI.includes(message.native?.of ?? "");
  if (part.type !== "thinking" || part.encrypted === undefined || !isSealed) return undefined;
  return object(writeValue(part, undefined));
}

function isContent(part: Part, message: Message): boolean {
  if (part.type === "text") return part.text.trim() !== "";
  if (message.role === "assistant") return false;
  return (
    part.type === "image" ||
    part.type === "document" ||
    (part.type === "opaque" && part.of === OPENAI_CONTENT)
  );
}

/** Functions are strict here unless they say otherwise, and then most schemas from elsewhere are refused. */
function writeTool(tool: ToolSchema, isOwn: boolean): Json {
  if (isOwn && tool.native !== undefined) return tool.native;
  return {
    type: "function",
    name: tool.name,
    ...defined({ description: tool.description }),
    parameters: tool.input ?? { type: "object", properties: {} },
    strict: false,
  };
}

const ITEM_TYPES = /^(reasoning|compaction|item_reference|.+_call|.+_call_output)$/;
const CONTENT_TYPES = /^(input_(text|image|file)|output_text)$/;
const KEYS = ["instructions", "previous_response_id", "max_output_tokens", "include", "reasoning", "store"];

function detect(body: Json): Confidence {
  const fields = object(body);
  if ("messages" in fields) return 0;
  const items = itemsOf(body).map(object);
  const isMarked = items.some(
    (item) =>
      ITEM_TYPES.test(string(item["type"]) ?? "") ||
      list(item["content"]).some((value) => CONTENT_TYPES.test(string(object(value)["type"]) ?? "")),
  );
  if (isMarked) return 2;
  if (isList(body) || items.length === 0 || !items.every(isMessageItem)) return 0;
  // `{ model, input: "text" }` is also what an embedding request looks like.
  return typeof fields["input"] !== "string" || KEYS.some((key) => key in fields) ? 2 : 1;
}

export const openaiResponses: BodyWire = {
  kind: "body",
  name: NAME,
  title: "OpenAI Responses",
  read,
  write,
  detect,
};
