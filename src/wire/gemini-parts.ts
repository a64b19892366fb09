/**
 * Gemini parts, as they stand in generateContent bodies and in Gemini CLI's files. REST and JavaScript say
 * `functionCall`, Python and Vertex say `function_call`; a part goes out in the spelling it came in. `writePart`
 * changes only what differs from the part it is given, so a `thoughtSignature` stays with its part.
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
  ToolResultPart,
} from "../transcript/message.ts";
import { samePart } from "../transcript/same-part.ts";
import { valueText } from "./value-text.ts";

export const GEMINI = "gemini";

const SNAKE = {
  functionCall: "function_call",
  functionResponse: "function_response",
  inlineData: "inline_data",
  fileData: "file_data",
  thoughtSignature: "thought_signature",
  mimeType: "mime_type",
  fileUri: "file_uri",
  displayName: "display_name",
} as const;
type Field = keyof typeof SNAKE;

/** `callId` is for calls and answers that came without an id. */
export function readPart(value: Json, callId = ""): Part {
  if (typeof value === "string") return { type: "text", text: value };
  const fields = object(value);
  const call = callIn(value);
  if (call) {
    const input = call["args"] ?? {};
    return { type: "tool-call", callId: idOf(call) ?? callId, name: string(call["name"]) ?? "", input };
  }
  const response = responseIn(value);
  if (response) return readResponse(response, callId);
  const text = string(fields["text"]);
  if (text === undefined) return readMedia(fields) ?? { type: "opaque", of: GEMINI, value };
  if (fields["thought"] !== true) return { type: "text", text };
  return { type: "thinking", text, ...defined({ signature: string(fieldOf(fields, "thoughtSignature")) }) };
}

/** The call in this part, and the answer in this part, where there is one. */
export function callIn(value: Json): JsonObject | undefined {
  const call = fieldOf(object(value), "functionCall");
  return isObject(call) ? call : undefined;
}

export function responseIn(value: Json): JsonObject | undefined {
  const response = fieldOf(object(value), "functionResponse");
  return isObject(response) ? response : undefined;
}

/** Absent, null and empty are all ways to say that there is no id. */
export function idOf(callOrResponse: JsonObject): string | undefined {
  return string(callOrResponse["id"]) || undefined;
}

/** Content is a string, a part, or a list of either. */
export function oneOrMany(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return [];
  return isList(value) ? value : [value];
}

export function readResultPart(value: Json): ResultPart {
  const part = readPart(value);
  return part.type === "text" || part.type === "image" || part.type === "document"
    ? part
    : { type: "opaque", of: GEMINI, value };
}

/** Gemini 3 lets an answer carry media in `parts`; the words are in `response`. */
function readResponse(response: JsonObject, callId: string): ToolResultPart {
  const answer = response["response"];
  const text: ResultPart[] = answer === undefined ? [] : [{ type: "text", text: answerText(answer) }];
  return {
    type: "tool-result",
    callId: idOf(response) ?? callId,
    output: [...text, ...list(response["parts"]).map(readResultPart)],
    isError: isErrorAnswer(answer),
  };
}

/** Under one of these keys alone stands the answer itself; any other object is the answer as a whole. */
const ANSWER_KEYS: readonly string[] = ["output", "result", "error", "content"];

function answerKey(answer: Json | undefined): string | undefined {
  const [key, ...others] = Object.keys(object(answer));
  return key !== undefined && others.length === 0 && ANSWER_KEYS.includes(key) ? key : undefined;
}

function answerText(answer: Json | undefined): string {
  const key = answerKey(answer);
  return valueText(key === undefined ? answer : object(answer)[key]);
}

function isErrorAnswer(answer: Json | undefined): boolean {
  return Boolean(object(answer)["error"]);
}

function readMedia(fields: JsonObject): ImagePart | DocumentPart | undefined {
  const media = object(fieldOf(fields, "inlineData") ?? fieldOf(fields, "fileData"));
  const mediaType = string(fieldOf(media, "mimeType"));
  const base64 = string(media["data"]);
  const url = string(fieldOf(media, "fileUri"));
  if (base64 === undefined && url === undefined) return undefined;
  const source: MediaSource =
    base64 === undefined
      ? { kind: "url", url: url ?? "", ...defined({ mediaType }) }
      : { kind: "data", mediaType: mediaType ?? "", base64 };
  if (mediaType?.startsWith("image/")) return { type: "image", source };
  return { type: "document", source, ...defined({ title: string(fieldOf(media, "displayName")) }) };
}

/** The part again; `old` is the part it was read from. An id that `old` did not have is not written. */
export function writePart(part: Part, old: Json): Json {
  const was = readPart(old, "callId" in part ? part.callId : "");
  if (samePart(part, was)) return old;
  if (typeof old === "string" && part.type === "text") return part.text;
  if (!isObject(old) || was.type !== part.type) return makeParts(part)[0] ?? { text: "" };
  switch (part.type) {
    case "text":
      return { ...old, text: part.text };
    case "thinking":
      return { ...old, text: part.text, [keyIn(old, "thoughtSignature")]: part.signature };
    case "tool-call": {
      const key = keyIn(old, "functionCall");
      const call = object(old[key]);
      return {
        ...old,
        [key]: { ...call, ...idLike(call, part.callId), name: part.name, args: argsOf(part.input) },
      };
    }
    case "tool-result": {
      const key = keyIn(old, "functionResponse");
      return { ...old, [key]: writeResponse(part, object(old[key])) };
    }
    default:
      return makeParts(part)[0] ?? old;
  }
}

function writeResponse(part: ToolResultPart, old: JsonObject): JsonObject {
  const { parts: oldParts, ...rest } = old;
  const media = part.output.filter((item) => item.type !== "text");
  const kept = media.flatMap(
    (item) => list(oldParts).find((candidate) => samePart(item, readPart(candidate))) ?? makeParts(item),
  );
  const response = writeAnswer(part, old["response"]);
  return { ...rest, ...idLike(old, part.callId), response, ...(kept.length > 0 ? { parts: kept } : {}) };
}

/**
 * An edited answer keeps the key it stood under, so the model still sees output where output was. Where the
 * answer was an object of the tool's own making, the edit replaces all of it, and `output` is the key the API
 * documents for that.
 */
function writeAnswer(part: ToolResultPart, old: Json | undefined): Json {
  const text = textOf(part);
  const isSameKind = isErrorAnswer(old) === part.isError;
  if (isSameKind && old !== undefined && answerText(old) === text) return old;
  const key = isSameKind ? answerKey(old) : undefined;
  return { [key ?? (part.isError ? "error" : "output")]: text };
}

/** The call a result answers, as it was written. */
export interface Answered {
  readonly name: string;
  readonly id?: string;
}

/**
 * A part from elsewhere. Media in a result stand behind it as parts of their own, which every model takes; inside
 * the answer only the newest do. A file that lies with another provider cannot be said.
 */
export function makeParts(part: Part, answered?: Answered): readonly Json[] {
  switch (part.type) {
    case "text":
      return [{ text: part.text }];
    case "thinking":
      return [{ text: part.text, thought: true, ...defined({ thoughtSignature: part.signature }) }];
    case "tool-call":
      return [{ functionCall: { id: part.callId, name: part.name, args: argsOf(part.input) } }];
    case "tool-result":
      return makeResponse(part, answered ?? { name: "unknown", id: part.callId });
    case "image":
    case "document":
      return makeMedia(part);
    case "opaque":
      return part.of === GEMINI ? [part.value] : [];
  }
}

function makeResponse(part: ToolResultPart, { name, id }: Answered): readonly Json[] {
  const response = { [part.isError ? "error" : "output"]: textOf(part) };
  const media = part.output.filter((item) => item.type !== "text").flatMap((item) => makeParts(item));
  return [{ functionResponse: { ...defined({ id }), name, response } }, ...media];
}

function makeMedia({ type, source }: ImagePart | DocumentPart): readonly Json[] {
  switch (source.kind) {
    case "data":
      return [{ inlineData: { mimeType: source.mediaType, data: source.base64 } }];
    case "text":
      return [
        { inlineData: { mimeType: source.mediaType, data: Buffer.from(source.text).toString("base64") } },
      ];
    case "url": {
      const guess = type === "image" ? "image/png" : "application/pdf";
      return [{ fileData: { mimeType: source.mediaType ?? guess, fileUri: source.url } }];
    }
    case "file":
      return [];
  }
}

/** The API takes objects only; free text of another provider's tool is put into one. */
function argsOf(input: Json): JsonObject {
  return isObject(input) ? input : { input };
}

function textOf(part: ToolResultPart): string {
  return part.output.flatMap((item) => (item.type === "text" ? [item.text] : [])).join("\n");
}

function idLike(old: JsonObject, callId: string): { readonly id?: string } {
  return idOf(old) === undefined ? {} : { id: callId };
}

function fieldOf(fields: JsonObject, field: Field): Json | undefined {
  return fields[field] ?? fields[SNAKE[field]];
}

function keyIn(fields: JsonObject, field: Field): string {
  return SNAKE[field] in fields ? SNAKE[field] : field;
}
