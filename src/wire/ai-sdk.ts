/**
 * Vercel AI SDK messages (`ModelMessage[]`, versions 4 to 7). https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message
 *
 * They are what a program holds in memory, so they may contain bytes, URLs and schemas that are not JSON: what was
 * not edited goes out as the very same object. Results have a role of their own and name their tool. Thinking from
 * elsewhere is left out: its seal would have to be filed under a provider we do not know. `UIMessage`s, which have
 * `parts`, are not read; `convertToModelMessages` makes these of them.
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
import type { Message, Part, Role, ToolCallPart, ToolSchema, Transcript } from "../transcript/message.ts";
import { AI_SDK, makePart, partsOf, readPart, writePart } from "./ai-sdk-parts.ts";
import { callsById, groupsOf, isNative, leadingSystem } from "./foreign.ts";
import type { BodyWire, Confidence } from "./wire.ts";

const NAME = AI_SDK;

/** The bare list, or the options of `generateText` around it, or a provider's, which call it prompt. */
function read(body: Json): Transcript {
  const fields = object(body);
  const system = fields[systemKey(fields)];
  const tools = readTools(fields["tools"]);
  return {
    ...defined({ model: string(fields["model"]) }),
    ...(system === undefined ? {} : { system: readSystem(system) }),
    ...defined({ tools }),
    messages: (isList(body) ? body : list(fields[messagesKey(fields)])).map(readMessage),
    native: { of: NAME, value: body },
  };
}

function messagesKey(fields: JsonObject): string {
  return fields["messages"] === undefined && isList(fields["prompt"]) ? "prompt" : "messages";
}

/** Version 7 calls it instructions. */
function systemKey(fields: JsonObject): string {
  return fields["system"] === undefined && fields["instructions"] !== undefined ? "instructions" : "system";
}

/** A string, a system message, or a list of them. */
function readSystem(system: Json): readonly Part[] {
  return (isList(system) ? system : [system]).map((value) => ({
    type: "text",
    text: string(value) ?? string(object(value)["content"]) ?? "",
    native: value,
  }));
}

function readMessage(message: Json): Message {
  const fields = object(message);
  const role = roleOf(fields["role"]);
  const parts = partsOf(fields["content"]).map((part) => ({ ...readPart(part, role), native: part }));
  return { role, parts, native: { of: NAME, value: message } };
}

function roleOf(role: Json | undefined): Role {
  return role === "system" || role === "assistant" || role === "tool" ? role : "user";
}

/** By name, as `generateText` takes them, or listed, as a provider gets them. */
function readTools(tools: Json | undefined): readonly ToolSchema[] | undefined {
  if (isList(tools)) return tools.map((tool) => readTool(string(object(tool)["name"]) ?? "", tool));
  if (!isObject(tools)) return undefined;
  return Object.entries(tools).map(([name, tool]) => readTool(name, tool ?? null));
}

function readTool(name: string, tool: Json): ToolSchema {
  const fields = object(tool);
  const schema = fields["inputSchema"] ?? fields["parameters"];
  const input = plain(object(schema)["jsonSchema"]) ?? plain(schema);
  return { name, ...defined({ description: string(fields["description"]), input }), native: tool };
}

/** A schema library's object is not JSON, and may refer to itself. */
function plain(schema: Json | undefined): JsonObject | undefined {
  return isObject(schema) && Object.getPrototypeOf(schema) === Object.prototype && "type" in schema
    ? schema
    : undefined;
}

function write(transcript: Transcript): Json {
  const old = transcript.native?.of === NAME ? transcript.native.value : {};
  const opening = isList(old) ? [] : leadingSystem(transcript.messages, NAME);
  const messages = writeMessages(transcript.messages.slice(opening.length));
  if (isList(old)) return messages;
  const fields = object(old);
  return {
    ...fields,
    ...defined({ [systemKey(fields)]: writeSystem(transcript, opening, fields) }),
    ...defined({ tools: writeTools(transcript, fields["tools"]) }),
    // Beside a prompt that is text there may be no messages, not even an empty list.
    ...(messages.length === 0 && "prompt" in fields ? {} : { [messagesKey(fields)]: messages }),
  };
}

function writeSystem(
  { system = [] }: Transcript,
  opening: readonly Message[],
  fields: JsonObject,
): Json | undefined {
  const old = fields[systemKey(fields)];
  const parts = [...system, ...opening.flatMap((message) => message.parts)];
  const texts = parts.flatMap((part) => (part.type === "text" ? [part] : []));
  if (texts.length === 0) return old;
  const before = old === undefined ? [] : readSystem(old);
  const isSame = (part: Part, index: number) =>
    part.type === "text" && before[index]?.type === "text" && before[index].text === part.text;
  if (texts.length === before.length && texts.every(isSame)) return old;
  if (!isObject(old) && !isList(old)) return texts.map((part) => part.text).join("\n");
  return texts.map((part) => ({ role: "system", ...object(part.native), content: part.text }));
}

function writeMessages(messages: readonly Message[]): readonly Json[] {
  const calls = callsById(messages);
  const split = messages.flatMap((message) => (isNative(message, NAME) ? [message] : splitResults(message)));
  return groupsOf(split, { of: NAME, roleOf: writtenRole }).flatMap((group): readonly Json[] => {
    const [first] = group;
    if (!first) return [];
    if (isNative(first, NAME)) return [writeMessage(first, calls)];
    const content = group.flatMap((message) => message.parts).flatMap((part) => make(part, calls));
    return content.length === 0 ? [] : [{ role: writtenRole(first), content }];
  });
}

/** Results and words of one message, apart: results first, so that they follow their calls. */
function splitResults(message: Message): readonly Message[] {
  const isResult = (part: Part) => part.type === "tool-result";
  const results = message.parts.filter(isResult);
  const others = message.parts.filter((part) => !isResult(part) && !isBlank(part));
  return [
    ...(results.length > 0 ? [{ ...message, role: "tool" as const, parts: results }] : []),
    ...(others.length > 0 ? [{ ...message, parts: others }] : []),
  ];
}

/** Dropped before grouping, so that what only an empty message kept apart is joined. */
function isBlank(part: Part): boolean {
  return part.type === "thinking" || (part.type === "text" && part.text.trim() === "");
}

/** Version 7 refuses system messages inside the conversation unless told otherwise. */
function writtenRole({ role, parts }: Message): Role {
  if (parts.some((part) => part.type === "tool-result")) return "tool";
  return role === "assistant" ? "assistant" : "user";
}

/** The very same object where nothing was edited; a string stays a string as long as it is one text. */
function writeMessage(message: Message, calls: ReadonlyMap<string, ToolCallPart>): Json {
  const value = message.native?.value ?? {};
  const old = object(value);
  const [only] = message.parts;
  if (typeof old["content"] === "string" && message.parts.length === 1 && only?.type === "text")
    return only.text === old["content"] ? value : { ...old, content: only.text };
  const before = list(old["content"]);
  const written = message.parts.flatMap((part) =>
    part.native === undefined ? make(part, calls) : [writePart(part, part.native, message.role)],
  );
  if (written.length === before.length && written.every((part, index) => part === before[index]))
    return value;
  return { ...old, content: written };
}

function make(part: Part, calls: ReadonlyMap<string, ToolCallPart>): readonly Json[] {
  const name = part.type === "tool-result" ? calls.get(part.callId)?.name : undefined;
  const made = makePart(part, name);
  return made === undefined ? [] : [made];
}

/** Tools of a running program hold functions, so ours are never written anew; others' schemas want `jsonSchema()`. */
function writeTools({ tools, native }: Transcript, old: Json | undefined): Json | undefined {
  if (native?.of === NAME || tools === undefined) return old;
  return Object.fromEntries(
    tools.map(({ name, description, input }) => [name, defined({ description, inputSchema: input })]),
  );
}

function detect(body: Json): Confidence {
  const fields = object(body);
  const messages = (isList(body) ? body : list(fields[messagesKey(fields)])).map(object);
  if (messages.length === 0 || !messages.every((message) => "role" in message && "content" in message))
    return 0;
  return messages.flatMap((message) => list(message["content"])).some(isOurs) ? 2 : 1;
}

function isOurs(part: Json): boolean {
  const fields = object(part);
  if (["tool-call", "tool-result", "tool-approval-request"].includes(string(fields["type"]) ?? ""))
    return true;
  if (fields["type"] === "image") return fields["image"] !== undefined;
  if (fields["type"] === "file") return fields["mediaType"] !== undefined || fields["mimeType"] !== undefined;
  return fields["type"] === "reasoning" || fields["providerOptions"] !== undefined;
}

export const aiSdk: BodyWire = {
  kind: "body",
  name: NAME,
  title: "Vercel AI SDK messages",
  read,
  write,
  detect,
};
