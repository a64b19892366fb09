/**
 * The parts of an OpenCode message, read and spelled. See `opencode.ts` for what becomes of them.
 *
 * A `tool` part is a call and its result in one, so both neutral parts have the same spot, and an edit of one leaves
 * the fields of the other alone. Snapshots, patches, step marks, agent mentions and retries are never sent to the
 * model and have no neutral part; neither do parts marked `ignored` and plain files, whose text stands beside them.
 */
import { defined, isObject, type Json, type JsonObject, list, object, string } from "../transcript/json.ts";
import type {
  DocumentPart,
  ImagePart,
  Part,
  ResultPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from "../transcript/message.ts";
import { samePart } from "../transcript/same-part.ts";
import { sourceOfUrl, urlOfSource } from "./data-url.ts";

/** What OpenCode says where a part has no words of its own. */
const STANDING_WORDS: Readonly<Record<string, string>> = {
  compaction: "What did we do so far?",
  subtask: "The following tool was executed by the user",
};

/** Everything but results: those go into a message of their own, see `readResult`. */
export function readPart(part: JsonObject): Part | undefined {
  const type = string(part["type"]) ?? "";
  switch (type) {
    case "text":
      return part["ignored"] === true ? undefined : readText(part);
    case "reasoning":
      return readReasoning(part);
    case "tool":
      return readCall(part);
    case "file":
      return readFile(part);
    case "compaction":
    case "subtask":
      return { type: "text", text: string(part["text"]) ?? STANDING_WORDS[type] ?? "", synthetic: true };
    default:
      return undefined;
  }
}

function readText(part: JsonObject): Part {
  const text = string(part["text"]) ?? "";
  return { type: "text", text, ...(part["synthetic"] === true ? { synthetic: true } : {}) };
}

/** The seal lies in the metadata under the provider's name; the names differ, what they hold does not. */
function readReasoning(part: JsonObject): ThinkingPart {
  const providers = Object.values(object(part["metadata"])).map(object);
  const find = (...keys: readonly string[]) =>
    providers.flatMap((fields) => keys.flatMap((key) => string(fields[key]) ?? []))[0];
  return {
    type: "thinking",
    text: string(part["text"]) ?? "",
    ...defined({
      signature: find("signature", "thoughtSignature"),
      encrypted: find("redactedData", "reasoningEncryptedContent", "reasoningOpaque"),
    }),
  };
}

function readCall(part: JsonObject): ToolCallPart {
  return {
    type: "tool-call",
    callId: string(part["callID"]) ?? "",
    name: string(part["tool"]) ?? "",
    input: object(part["state"])["input"] ?? {},
  };
}

/** `undefined` while the tool is pending or running: the call is open. */
export function readResult(part: JsonObject): ToolResultPart | undefined {
  const state = object(part["state"]);
  const callId = string(part["callID"]) ?? "";
  const isError = state["status"] === "error" && keptOutput(state) === undefined;
  if (state["status"] !== "completed" && state["status"] !== "error") return undefined;
  const text = string(isError ? state["error"] : (keptOutput(state) ?? state["output"])) ?? "";
  const media = list(state["attachments"]).flatMap((file) => readFile(object(file)) ?? []);
  return { type: "tool-result", callId, output: [{ type: "text", text }, ...media], isError };
}

/** What a tool had printed when it was interrupted: sent as its output, though the state says error. */
function keptOutput(state: JsonObject): string | undefined {
  const metadata = object(state["metadata"]);
  return state["status"] === "error" && metadata["interrupted"] === true
    ? string(metadata["output"])
    : undefined;
}

/** When OpenCode pruned this result: the output stays stored and is no longer sent. */
export function prunedAt(part: JsonObject): number | undefined {
  const state = object(part["state"]);
  const at = object(state["time"])["compacted"];
  return state["status"] === "completed" && typeof at === "number" && at > 0 ? at : undefined;
}

/** The text of plain files and folders stands in a synthetic part beside them; they themselves are not sent. */
function readFile(part: JsonObject): ImagePart | DocumentPart | undefined {
  const mime = string(part["mime"]) ?? "";
  if (mime === "text/plain" || mime === "application/x-directory") return undefined;
  const found = sourceOfUrl(string(part["url"]) ?? "");
  const source = found.kind === "url" ? { ...found, mediaType: mime } : found;
  if (mime.startsWith("image/")) return { type: "image", source };
  return { type: "document", source, ...defined({ title: string(part["filename"]) }) };
}

/** The OpenCode part with the neutral part's content in place of its own. */
export function writePart(part: Part, old: Json | undefined): Json {
  const fields = object(old);
  switch (part.type) {
    case "text":
      return writeText(part.text, fields);
    case "thinking":
      return writeReasoning(part, fields);
    case "tool-call":
      return { ...fields, tool: part.name, state: { ...object(fields["state"]), input: part.input } };
    case "tool-result":
      return { ...fields, state: writeState(part, object(fields["state"])) };
    case "image":
    case "document":
      return writeFile(part, fields);
    case "opaque":
      return part.value;
  }
}

function writeText(text: string, old: JsonObject): Json {
  // OpenCode says its standing words whatever stands here, so for those two types this is a note to ourselves.
  if (old["type"] === "text" || STANDING_WORDS[string(old["type"]) ?? ""] !== undefined)
    return { ...old, text };
  // A stub where an image or a thought was.
  const { id, sessionID, messageID } = old;
  return { ...defined({ id, sessionID, messageID }), type: "text", text, synthetic: true };
}

/** A seal holds for the text it was given for; where it went, the metadata that carried it goes. */
function writeReasoning(part: ThinkingPart, old: JsonObject): Json {
  const before = readReasoning(old);
  const isSealed = part.signature === before.signature && part.encrypted === before.encrypted;
  const { metadata, ...rest } = old;
  return { ...rest, text: part.text, ...(isSealed ? defined({ metadata }) : {}) };
}

/** An edited result is what the model is to see, so it is no longer pruned. */
function writeState(part: ToolResultPart, old: JsonObject): JsonObject {
  const text = part.output.flatMap((item) => (item.type === "text" ? [item.text] : [])).join("\n");
  const { compacted: _, ...time } = object(old["time"]);
  const { attachments, ...rest } = old;
  const files = part.output.flatMap((item) => attachmentOf(item, list(attachments)));
  const state = {
    ...rest,
    ...(isObject(old["time"]) ? { time } : {}),
    ...(files.length > 0 ? { attachments: files } : {}),
  };
  if (part.isError) return { ...state, status: "error", error: text };
  if (keptOutput(old) === undefined) return { ...state, status: "completed", output: text };
  return { ...state, metadata: { ...object(old["metadata"]), output: text } };
}

function attachmentOf(item: ResultPart, old: readonly Json[]): readonly Json[] {
  if (item.type !== "image" && item.type !== "document") return [];
  const same = old.find((file) => {
    const read = readFile(object(file));
    return read !== undefined && samePart(read, item);
  });
  return [same ?? writeFile(item, { type: "file" })];
}

function writeFile(part: ImagePart | DocumentPart, old: JsonObject): JsonObject {
  const { source } = part;
  const url = urlOfSource(source) ?? (source.kind === "file" ? source.id : "");
  const filename = part.type === "document" ? part.title : undefined;
  return { ...old, ...defined({ filename, mime: source.mediaType }), url };
}
