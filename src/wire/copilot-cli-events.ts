/**
 * The events of a Copilot CLI session, and the parts that stand in them. See `copilot-cli.ts`.
 *
 * A user message is kept twice: as it was typed, and as it was sent, with a date before it and reminders behind. What
 * was sent is read, in up to three pieces, so that the user's words are told from what was put around them.
 */
import { defined, isObject, type Json, type JsonObject, list, object, string } from "../transcript/json.ts";
import type {
  Message,
  Part,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from "../transcript/message.ts";
import { resultText } from "../transcript/message.ts";
import { sha256OfText } from "../transcript/sha256.ts";
import { recordsOf } from "./session-file.ts";
import type { Source } from "./source.ts";
import type { Skipped } from "./wire.ts";

export const COPILOT = "copilot-cli";

export interface Event {
  readonly line: number;
  readonly type: string;
  readonly data: JsonObject;
  readonly at: number | undefined;
  /** The subagent that said it; absent for the conversation itself. */
  readonly agent: string | undefined;
}

export function readEvents(source: Source, skipped: Skipped[]): readonly Event[] {
  const events: Event[] = [];
  const isRepeated = repeats();
  for (const { line, value } of recordsOf(source, skipped)) {
    const type = string(value["type"]);
    if (type === undefined || !isObject(value["data"]) || isRepeated(value)) continue;
    const data = value["data"];
    // Newer versions name the agent; older ones name the call it was started by.
    const agent = string(value["agentId"]) ?? string(data["parentToolCallId"]);
    events.push({ line, type, data, at: timeOf(string(value["timestamp"])), agent });
  }
  return events;
}

/** Whether an event was there before, to the letter: lines that were written twice are read once. It keeps a hash of each. */
export function repeats(): (event: JsonObject) => boolean {
  const known = new Set<string>();
  return (event) => {
    if (typeof event["id"] !== "string") return false;
    const hash = sha256OfText(JSON.stringify(event));
    if (known.has(hash)) return true;
    known.add(hash);
    return false;
  };
}

export function timeOf(timestamp: string | undefined): number | undefined {
  const at = Date.parse(timestamp ?? "");
  return Number.isNaN(at) ? undefined : at;
}

/** What was sent for a user message. `words` is what the person typed. */
type Pieces = { readonly before: string; readonly words: string; readonly after: string };

export function userParts(event: Event): readonly Part[] {
  const { data, line } = event;
  const isHarness = isHarnessSource(string(data["source"])) || !string(data["content"]);
  const pieces = piecesOf(data);
  const texts = (["before", "words", "after"] as const).flatMap((piece): Part[] => {
    if (pieces[piece] === "") return [];
    const native = { line, path: ["data"], piece };
    return [textPart(pieces[piece], { isSynthetic: isHarness || piece !== "words", native })];
  });
  return [
    ...texts,
    ...list(data["attachments"]).flatMap((file, index) => attachmentPart(event, file, index)),
  ];
}

/** Not every message with a source is the harness's: what a person types while the model works has one too. */
function isHarnessSource(source: string | undefined): boolean {
  return /^(skill|system|autopilot|schedule|hook|agent|jit|thinking)/.test(source ?? "");
}

/** The typed text is looked for as whole lines first: a single word may well stand in a reminder too. */
function piecesOf(data: JsonObject): Pieces {
  const typed = string(data["content"]) ?? "";
  const sent = string(data["transformedContent"]) ?? typed;
  const asLines = `\n${sent}\n`.indexOf(`\n${typed}\n`);
  const start = asLines < 0 ? sent.indexOf(typed) : asLines;
  if (typed === "" || start < 0) return { before: "", words: sent, after: "" };
  return { before: sent.slice(0, start), words: typed, after: sent.slice(start + typed.length) };
}

/** Files are named in the text that is sent; only what was pasted in is sent beside it. */
function attachmentPart(event: Event, file: Json, index: number): readonly Part[] {
  const { type, data, mimeType } = object(file);
  if (type !== "blob" || typeof data !== "string" || typeof mimeType !== "string") return [];
  const native = { line: event.line, path: ["data", "attachments", index] };
  if (mimeType.startsWith("image/"))
    return [{ type: "image", source: { kind: "data", mediaType: mimeType, base64: data }, native }];
  if (mimeType !== "text/plain") return [];
  return [textPart(Buffer.from(data, "base64").toString("utf8"), { isSynthetic: true, native })];
}

/** Thoughts, then words, then calls: the file does not say in which order they came. */
export function assistantParts({ data, line }: Event): readonly Part[] {
  const thinking = readThinking(data);
  const text = string(data["content"]) ?? "";
  return [
    ...(thinking ? [{ ...thinking, native: { line, path: ["data"] } }] : []),
    ...(text === "" ? [] : [textPart(text, { native: { line, path: ["data", "content"] } })]),
    ...list(data["toolRequests"]).map((request, index) => ({
      ...readCall(object(request)),
      native: { line, path: ["data", "toolRequests", index] },
    })),
  ];
}

function readThinking(data: JsonObject): ThinkingPart | undefined {
  const text = string(data["reasoningText"]);
  const encrypted = string(data["reasoningOpaque"]) ?? string(data["encryptedContent"]);
  if (text === undefined && encrypted === undefined) return undefined;
  return { type: "thinking", text: text ?? "", ...defined({ encrypted }) };
}

function readCall(request: JsonObject): ToolCallPart {
  return {
    type: "tool-call",
    callId: string(request["toolCallId"]) ?? "",
    name: string(request["name"]) ?? "",
    input: request["arguments"] ?? {},
  };
}

/** `result.content` is what the model was sent; `detailedContent` is for the screen, and often longer. */
export function resultPart({ data, line }: Event): ToolResultPart {
  const isError = data["success"] === false;
  const failure = isError ? string(object(data["error"])["message"]) : undefined;
  const text = failure ?? string(object(data["result"])["content"]) ?? "";
  return {
    type: "tool-result",
    callId: string(data["toolCallId"]) ?? "",
    output: [{ type: "text", text }],
    isError,
    native: { line, path: ["data"] },
  };
}

/** A text that stands in one field of an event. */
export function fieldPart({ data, line }: Event, key: string, isSynthetic: boolean): TextPart {
  return textPart(string(data[key]) ?? "", { isSynthetic, native: { line, path: ["data", key] } });
}

/** What the user ran, not the model: its output, without a call that it could answer. */
export function outputPart(event: Event): TextPart {
  const result = resultPart(event);
  return textPart(resultText(result), { isSynthetic: true, native: result.native ?? null });
}

function textPart(
  text: string,
  { isSynthetic = false, native }: { isSynthetic?: boolean; native: Json },
): TextPart {
  return { type: "text", text, ...(isSynthetic ? { synthetic: true as const } : {}), native };
}

export function nativeOf(events: readonly Event[]): NonNullable<Message["native"]> {
  return { of: COPILOT, value: events.map(({ line }) => line) };
}

/** The value at a part's spot with the part's content in place of its own. */
export function writeValue(part: Part, old: Json | undefined): Json {
  if (typeof old === "string" && part.type === "text") return part.text;
  const fields = object(old);
  switch (part.type) {
    case "text":
      return writeText(part, fields);
    case "thinking":
      return writeThinking(part, fields);
    case "tool-call":
      return { ...fields, toolCallId: part.callId, name: part.name, arguments: part.input };
    case "tool-result":
      return writeResult(resultText(part), part.isError, fields);
    case "image":
      return part.source.kind === "data"
        ? { ...fields, mimeType: part.source.mediaType, data: part.source.base64 }
        : fields;
    case "document":
      return fields;
    case "opaque":
      return part.value;
  }
}

function writeText(part: TextPart, old: JsonObject): Json {
  const piece = object(part.native)["piece"];
  if (piece === "before" || piece === "words" || piece === "after")
    return writePieces({ ...piecesOf(old), [piece]: part.text }, old);
  if ("reasoningText" in old || "reasoningOpaque" in old || "encryptedContent" in old)
    return writeThinking({ type: "thinking", text: part.text }, old);
  if ("toolCallId" in old) return writeResult(part.text, old["success"] === false, old);
  // A stub where a pasted image was.
  return {
    ...old,
    type: "blob",
    mimeType: "text/plain",
    data: Buffer.from(part.text, "utf8").toString("base64"),
  };
}

function writePieces({ before, words, after }: Pieces, old: JsonObject): Json {
  const isTyped = piecesOf(old).words === old["content"];
  return {
    ...old,
    ...(isTyped ? { content: words } : {}),
    ...("transformedContent" in old ? { transformedContent: before + words + after } : { content: words }),
  };
}

/** A seal holds for the thought it was given for: without it, it goes. */
function writeThinking(part: ThinkingPart, old: JsonObject): Json {
  const { reasoningOpaque, encryptedContent, ...rest } = old;
  const isSealed = part.encrypted !== undefined && part.encrypted === readThinking(old)?.encrypted;
  return {
    ...rest,
    reasoningText: part.text,
    ...(isSealed ? defined({ reasoningOpaque, encryptedContent }) : {}),
  };
}

function writeResult(text: string, isError: boolean, old: JsonObject): Json {
  const isFailure = isError && string(object(old["error"])["message"]) !== undefined;
  return {
    ...old,
    success: !isError,
    ...(isFailure
      ? { error: { ...object(old["error"]), message: text } }
      : { result: { ...object(old["result"]), content: text } }),
  };
}
