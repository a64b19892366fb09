/**
 * One message record of a Gemini CLI file, and what it says to the model. A `gemini` record holds a response *and*
 * the results of its calls, so it makes two messages. Calls and thoughts may stand twice in it, in `content` as
 * parts and beside it in fields of their own; where they do, the parts are what was sent.
 */
import { defined, type Json, type JsonObject, list, number, object, string } from "../transcript/json.ts";
import type { Message, Part, ResultPart, ToolResultPart, Usage } from "../transcript/message.ts";
import { samePart } from "../transcript/same-part.ts";
import { callIn, idOf, oneOrMany, readPart, readResultPart, responseIn, writePart } from "./gemini-parts.ts";
import type { Spot } from "./session-file.ts";
import { valueText } from "./value-text.ts";

export const GEMINI_CLI = "gemini-cli";
/** How the ids of records begin that we put in place of others. */
export const PAGE_ID = "palimpsest-";

/** Nothing at all, for what only the person sees: `info`, `error`, `warning`. */
export interface Said {
  readonly message?: Message;
  readonly results?: Message;
}

export function readRecord(record: JsonObject, at: Spot): Said {
  if (record["type"] === "user") return defined({ message: userMessage(record, at) });
  if (record["type"] !== "gemini") return {};
  return defined({ message: modelMessage(record, at), results: resultsMessage(record, at) });
}

function userMessage(record: JsonObject, at: Spot): Message | undefined {
  const said = markSynthetic(contentParts(record["content"], at, namelessId));
  const isPage = string(record["id"])?.startsWith(PAGE_ID) === true;
  const parts = isPage ? said.map((part) => ({ ...part, synthetic: true }) as Part) : said;
  const isResults = parts.every((part) => part.type === "tool-result");
  return messageOf(record, at, { role: isResults ? "tool" : "user", parts });
}

function modelMessage(record: JsonObject, at: Spot): Message | undefined {
  const calls = list(record["toolCalls"]).map(object);
  const content = contentParts(record["content"], at, idFrom(calls));
  const said = new Set(content.flatMap((part) => (part.type === "tool-call" ? [part.callId] : [])));
  const thoughts = content.some((part) => part.type === "thinking") ? [] : thoughtParts(record, at);
  const parts = [...thoughts, ...content, ...callParts(calls, at).filter(({ callId }) => !said.has(callId))];
  const facts = defined({ model: string(record["model"]), usage: usageOf(record["tokens"]) });
  return messageOf(record, at, { role: "assistant", parts, ...facts });
}

function resultsMessage(record: JsonObject, at: Spot): Message | undefined {
  const parts = list(record["toolCalls"]).flatMap((call, index) => {
    const fields = object(call);
    const result = fields["result"];
    if (result === undefined || result === null) return [];
    return [{ ...readResult(fields), native: spot(at, "toolCalls", index, "result") }];
  });
  return messageOf(record, at, { role: "tool", parts });
}

function messageOf(record: JsonObject, at: Spot, message: Message): Message | undefined {
  if (message.parts.length === 0) return undefined;
  const time = timeOf(record["timestamp"]);
  return { ...message, ...defined({ at: time }), native: { of: GEMINI_CLI, value: [at.line] } };
}

export function timeOf(timestamp: Json | undefined): number | undefined {
  const time = Date.parse(string(timestamp) ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** `nameId` is asked for the id of a call or an answer that has none. */
function contentParts(
  content: Json | undefined,
  at: Spot,
  nameId: (name: string) => string,
): readonly Part[] {
  if (content === "") return [];
  const read = (value: Json, native: Json): Part => {
    const said = callIn(value) ?? responseIn(value);
    const callId = said && idOf(said) === undefined ? nameId(string(said["name"]) ?? "") : "";
    return { ...readPart(value, callId), native };
  };
  if (Array.isArray(content)) return content.map((value, index) => read(value, spot(at, "content", index)));
  return oneOrMany(content).map((value) => read(value, spot(at, "content")));
}

/** Calls and answers without an id find each other by this one: a result answers the latest open call of its id. */
function namelessId(name: string): string {
  return `gemini-${name}`;
}

function idFrom(calls: readonly JsonObject[]): (name: string) => string {
  const waiting = [...calls];
  return (name) => {
    const index = waiting.findIndex((call) => call["name"] === name);
    const [call] = index < 0 ? [] : waiting.splice(index, 1);
    return string(call?.["id"]) ?? namelessId(name);
  };
}

function thoughtParts(record: JsonObject, at: Spot): readonly Part[] {
  return list(record["thoughts"]).map((thought, index) => {
    const { subject, description } = object(thought);
    const text = string(description) ?? "";
    return {
      type: "thinking",
      text: subject ? `**${valueText(subject)}** ${text}` : text,
      native: spot(at, "thoughts", index),
    };
  });
}

function callParts(calls: readonly JsonObject[], at: Spot) {
  return calls.map((call, index) => ({
    type: "tool-call" as const,
    callId: callIdOf(call),
    name: string(call["name"]) ?? "",
    input: call["args"] ?? {},
    native: spot(at, "toolCalls", index),
  }));
}

function callIdOf(call: JsonObject): string {
  return string(call["id"]) ?? namelessId(string(call["name"]) ?? "");
}

function readResult(call: JsonObject): ToolResultPart {
  const callId = callIdOf(call);
  const { own, siblings } = ownParts(oneOrMany(call["result"]), callId);
  const answer = own === undefined ? undefined : readPart(own, callId);
  const output = answer?.type === "tool-result" ? answer.output : [];
  const failed = call["status"] === "error" || call["status"] === "cancelled";
  return {
    type: "tool-result",
    callId,
    output: [...output, ...siblings.map(readResultPart)],
    isError: failed || (answer?.type === "tool-result" && answer.isError),
  };
}

/**
 * The answer to this call, and the media behind it. When history is written back into the file, each call of a
 * parallel step gets the answers of all of them, so the answer is found by its id.
 */
function ownParts(parts: readonly Json[], callId: string) {
  const byId = parts.findIndex((part) => string(responseIn(part)?.["id"]) === callId);
  const start = byId >= 0 ? byId : parts.findIndex((part) => responseIn(part) !== undefined);
  const next = parts.findIndex((part, index) => index > start && responseIn(part) !== undefined);
  const end = next < 0 ? parts.length : next;
  return {
    own: parts[start],
    siblings: parts.slice(start + 1, end),
    before: parts.slice(0, Math.max(0, start)),
    after: parts.slice(end),
  };
}

/** `input` counts what was read from the cache too; `output` does not count thoughts. */
function usageOf(tokens: Json | undefined): Usage | undefined {
  const fields = object(tokens);
  const input = number(fields["input"]);
  if (input === undefined || input === 0) return undefined;
  const cached = Math.min(number(fields["cached"]) ?? 0, input);
  return {
    uncachedTokens: input - cached + (number(fields["tool"]) ?? 0),
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    outputTokens: (number(fields["output"]) ?? 0) + (number(fields["thoughts"]) ?? 0),
  };
}

/** What Gemini CLI says in the user's name: its preamble, hooks, nudges, summaries. */
const HARNESS_TEXT =
  /^\s*(<(session_context|hook_context|state_snapshot)>|System: (Please continue|Potential loop)|This is the Gemini CLI\. We are setting up the context|Here is the user's editor context)/;
const FILES_BEGIN = "--- Content from referenced files ---";
const FILES_END = "--- End of content ---";

/** Files named with @ follow the prompt as parts of their own, between two marks. */
function markSynthetic(parts: readonly Part[]): readonly Part[] {
  let isFile = false;
  return parts.map((part) => {
    if (part.type !== "text") return part;
    isFile ||= part.text.trimStart().startsWith(FILES_BEGIN);
    const isSynthetic = isFile || HARNESS_TEXT.test(part.text);
    if (part.text.trimEnd().endsWith(FILES_END)) isFile = false;
    return isSynthetic ? { ...part, synthetic: true } : part;
  });
}

/** What stands at the spot of this part, with the part as it is now. */
export function writeAt(part: Part, { path }: Spot, old: Json | undefined): Json {
  const field = path.at(-1) === "result" ? "result" : path.at(-2);
  if (part.type === "tool-result" && field === "result") return writeResult(part, old);
  if (part.type === "tool-call" && field === "toolCalls")
    return { ...object(old), name: part.name, args: part.input };
  if (part.type === "thinking" && field === "thoughts")
    return { ...object(old), subject: "", description: part.text };
  return writePart(part, old ?? "");
}

function writeResult(part: ToolResultPart, old: Json | undefined): Json {
  const { own, siblings, before, after } = ownParts(oneOrMany(old), part.callId);
  if (own === undefined || responseIn(own) === undefined) return part.output.map(textOf).join("\n");
  const isSibling = (item: ResultPart) =>
    item.type !== "text" && siblings.some((sibling) => samePart(item, readResultPart(sibling)));
  const kept = siblings.filter((sibling) =>
    part.output.some((item) => samePart(item, readResultPart(sibling))),
  );
  const was = readPart(own, part.callId);
  // Whether it failed is said by the call's status, which an edit does not touch; the answer keeps its own key.
  const isError = was.type === "tool-result" && was.isError;
  const answer = { ...part, isError, output: part.output.filter((item) => !isSibling(item)) };
  const written = [...before, writePart(answer, own), ...kept, ...after];
  return Array.isArray(old) ? written : (written[0] ?? null);
}

function textOf(item: ResultPart): string {
  return item.type === "text" ? item.text : "";
}

function spot(at: Spot, ...path: Spot["path"]): { line: number; path: (string | number)[] } {
  return { line: at.line, path: [...at.path, ...path] };
}
