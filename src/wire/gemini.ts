/**
 * Gemini generateContent request bodies. https://ai.google.dev/api/generate-content
 *
 * Roles are user and model; results sit in user contents and name their function. Calls often have no id: then a
 * result answers the first open call of its name in the step before it. Such calls get ids of our own for as long
 * as they are read, and lose them when they are written. Thinking from elsewhere is left out, because nobody
 * else's seal is valid here; so are other providers' opaque items and files.
 */
import {
  defined,
  isList,
  isObject,
  type Json,
  type JsonObject,
  list,
  object,
  sameJson,
  string,
} from "../transcript/json.ts";
import type { Message, Part, Role, ToolSchema, Transcript } from "../transcript/message.ts";
import { callsById, groupsOf, isNative, leadingSystem } from "./foreign.ts";
import {
  type Answered,
  callIn,
  GEMINI,
  idOf,
  makeParts,
  oneOrMany,
  readPart,
  responseIn,
  writePart,
} from "./gemini-parts.ts";
import type { BodyWire, Confidence } from "./wire.ts";

const NAME = GEMINI;

/** `{ contents, systemInstruction?, tools? }`, or the bare list of contents a chat keeps as its history. */
function read(body: Json): Transcript {
  const fields = object(body);
  const system = fields[systemKey(fields)];
  return {
    ...defined({ model: string(fields["model"]) }),
    ...(system === undefined ? {} : { system: partsOf(system).map((part) => readNative(part)) }),
    ...(isList(fields["tools"]) ? { tools: fields["tools"].flatMap(readTools) } : {}),
    messages: readContents(isList(body) ? body : oneOrMany(fields["contents"])),
    native: { of: NAME, value: body },
  };
}

function systemKey(fields: JsonObject): string {
  return "system_instruction" in fields ? "system_instruction" : "systemInstruction";
}

function readContents(contents: readonly Json[]): readonly Message[] {
  let count = 0;
  let open: { name: string; callId: string }[] = [];
  let previous: Role = "user";
  /** The id of a call, and of the call an answer belongs to, whether or not the body says it. */
  const callIdOf = (part: Json): string => {
    const call = callIn(part);
    const said = call ?? responseIn(part);
    if (!said) return "";
    const name = string(said["name"]) ?? "";
    const id = idOf(said);
    if (call) {
      const callId = id ?? `gemini-${++count}`;
      open.push({ name, callId });
      return callId;
    }
    const index = open.findIndex((other) => (id === undefined ? other.name === name : other.callId === id));
    const [answered] = index < 0 ? [] : open.splice(index, 1);
    return id ?? answered?.callId ?? `gemini-${++count}`;
  };
  return contents.map((content) => {
    const role = roleOf(object(content)["role"]);
    // A new step: calls that nobody answered before are not answered now.
    if (role === "assistant" && previous !== "assistant") open = [];
    previous = role;
    const parts = partsOf(content).map((part) => readNative(part, callIdOf(part)));
    return { role, parts, native: { of: NAME, value: content } };
  });
}

function roleOf(role: Json | undefined): Role {
  if (role === "model") return "assistant";
  if (role === "function" || role === "tool") return "tool";
  return role === "system" ? "system" : "user";
}

function readNative(part: Json, callId = ""): Part {
  return { ...readPart(part, callId), native: part };
}

/** `{ role, parts }`; SDKs also take a string, a part, or a list of parts. */
function partsOf(content: Json): readonly Json[] {
  return isObject(content) && "parts" in content ? oneOrMany(content["parts"]) : oneOrMany(content);
}

/** One entry holds any number of functions, and tools of Google's own beside them. */
function readTools(tool: Json): readonly ToolSchema[] {
  return Object.entries(object(tool)).flatMap(([key, value]) =>
    key === "functionDeclarations" || key === "function_declarations"
      ? list(value).map(readDeclaration)
      : [{ name: key, native: { [key]: value } }],
  );
}

function readDeclaration(declaration: Json): ToolSchema {
  const fields = object(declaration);
  const input = fields["parameters"] ?? fields["parametersJsonSchema"] ?? fields["parameters_json_schema"];
  return {
    name: string(fields["name"]) ?? "",
    ...defined({ description: string(fields["description"]), input }),
    native: declaration,
  };
}

function write(transcript: Transcript): Json {
  const old = transcript.native?.of === NAME ? transcript.native.value : {};
  // A bare list has no place for a system prompt, so there it stays a message.
  const opening = isList(old) ? [] : leadingSystem(transcript.messages, NAME);
  const contents = writeContents(transcript.messages.slice(opening.length));
  if (isList(old)) return contents;
  const fields = object(old);
  const wasOne = fields["contents"] !== undefined && !isList(fields["contents"]);
  return {
    ...fields,
    ...defined({ [systemKey(fields)]: writeSystem(transcript, opening, fields) }),
    ...defined({ tools: writeTools(transcript, fields["tools"]) }),
    contents: wasOne && contents.length === 1 ? (contents[0] ?? null) : contents,
  };
}

function writeSystem(
  { system = [], native }: Transcript,
  opening: readonly Message[],
  fields: JsonObject,
): Json | undefined {
  const old = fields[systemKey(fields)];
  const parts = [...system, ...opening.flatMap((message) => message.parts)];
  if (parts.length === 0) return old;
  if (native?.of === NAME && old !== undefined) return writeContent(parts, old, new Map());
  return { parts: parts.filter(isSpeakable).flatMap((part) => makeParts(part)) };
}

function writeContents(messages: readonly Message[]): readonly Json[] {
  const speakable = messages.filter((message) => isNative(message, NAME) || message.parts.some(isSpeakable));
  const answers = answeredCalls(speakable);
  return groupsOf(speakable, { of: NAME, roleOf: writtenRole }).flatMap((group): readonly Json[] => {
    const [first] = group;
    if (!first) return [];
    if (isNative(first, NAME)) return [writeContent(first.parts, first.native?.value ?? {}, answers)];
    const parts = resultsFirst(group.flatMap((message) => message.parts).filter(isSpeakable));
    const made = parts.flatMap((part) => makeParts(part, answeredBy(part, answers)));
    return made.length === 0 ? [] : [{ role: writtenRole(first), parts: made }];
  });
}

/** How each call is written, so that its answer can be written to match: without an id where it has none. */
function answeredCalls(messages: readonly Message[]): ReadonlyMap<string, Answered> {
  const idless = new Set(
    messages
      .filter((message) => isNative(message, NAME))
      .flatMap((message) => message.parts)
      .flatMap((part) => (part.type === "tool-call" && isIdless(part.native) ? [part.callId] : [])),
  );
  return new Map(
    [...callsById(messages)].map(([id, { name }]) => [id, idless.has(id) ? { name } : { name, id }]),
  );
}

function isIdless(native: Json | undefined): boolean {
  const call = native === undefined ? undefined : callIn(native);
  return call !== undefined && idOf(call) === undefined;
}

function answeredBy(part: Part, answers: ReadonlyMap<string, Answered>): Answered | undefined {
  return part.type === "tool-result" ? answers.get(part.callId) : undefined;
}

function writtenRole(message: Message): string {
  return message.role === "assistant" ? "model" : "user";
}

/** Exactly the old content where nothing was edited; else its fields with the parts as they are now. */
function writeContent(parts: readonly Part[], old: Json, answers: ReadonlyMap<string, Answered>): Json {
  const written = parts.flatMap((part) =>
    part.native === undefined ? makeParts(part, answeredBy(part, answers)) : [writePart(part, part.native)],
  );
  const before = partsOf(old);
  if (written.length === before.length && written.every((part, index) => part === before[index])) return old;
  if (isObject(old) && "parts" in old) return { ...old, parts: written };
  if (isList(old)) return written;
  return written.length === 1 ? (written[0] ?? null) : { role: "user", parts: written };
}

function isSpeakable(part: Part): boolean {
  if (part.type === "opaque") return part.of === GEMINI;
  if (part.type === "image" || part.type === "document") return part.source.kind !== "file";
  return part.type === "text" ? part.text.trim() !== "" : part.type !== "thinking";
}

/** Answers follow their calls at once; what else was said comes behind them. */
function resultsFirst(parts: readonly Part[]): readonly Part[] {
  const isResult = (part: Part) => part.type === "tool-result";
  return [...parts.filter(isResult), ...parts.filter((part) => !isResult(part))];
}

/** `parametersJsonSchema` takes any JSON schema; `parameters` refuses much of what other providers' tools say. */
function writeTools({ tools, native }: Transcript, old: Json | undefined): Json | undefined {
  if (tools === undefined) return old;
  const isOurs = native?.of === NAME;
  if (isOurs && sameJson(nativesOf(tools), nativesOf(list(old).flatMap(readTools)))) return old;
  const isDeclared = (tool: ToolSchema) => !isOurs || "name" in object(tool.native);
  const functionDeclarations = tools.filter(isDeclared).map((tool): Json => {
    if (isOurs && tool.native !== undefined) return tool.native;
    const { name, description, input: parametersJsonSchema } = tool;
    return { name, ...defined({ description, parametersJsonSchema }) };
  });
  const others = tools.filter((tool) => !isDeclared(tool)).map((tool) => tool.native ?? {});
  return [...(functionDeclarations.length > 0 ? [{ functionDeclarations }] : []), ...others];
}

function nativesOf(tools: readonly ToolSchema[]): readonly Json[] {
  return tools.map((tool) => tool.native ?? tool.name);
}

function detect(body: Json): Confidence {
  const fields = object(body);
  const contents = isList(body) ? body : oneOrMany(fields["contents"]);
  const parts = contents.flatMap((content) => list(object(content)["parts"]));
  // Other wires have messages with parts too, but theirs say their type.
  const isOurs = parts.length > 0 && parts.every((part) => isObject(part) && !("type" in part));
  if (isOurs) return 2;
  return "contents" in fields || "generationConfig" in fields ? 1 : 0;
}

export const gemini: BodyWire = {
  kind: "body",
  name: NAME,
  title: "Gemini generateContent",
  read,
  write,
  detect,
};
