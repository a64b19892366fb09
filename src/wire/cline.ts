/**
 * Cline session files in the form of its SDK: one document, `{ version, updated_at, agent, sessionId, messages }`,
 * with Anthropic content blocks and a few of Cline's own.
 *
 * A `file` block is a file the user attached: it reads as a document whose title is the path. Results of Cline's own
 * tools are lists of `{ query, result, success }` without a type: they read as the text of `result`. A compaction
 * rewrites the list, so what it removed is not in the file, and all there is of it is the summary message.
 *
 * The classic `api_conversation_history.json` is a bare list of Anthropic messages: `anthropic-messages` reads it.
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
import type { Message, Part, ResultPart, ToolResultPart, Usage } from "../transcript/message.ts";
import { samePart } from "../transcript/same-part.ts";
import { readBlock, readContent, writeBlock } from "./anthropic-blocks.ts";
import { uncachedOf } from "./chat-completion.ts";
import { type Aligned, dropAt, hashOf, isRestructured, rewriteList, wordsOf } from "./rewrite.ts";
import { blankItem, type Change, changesTo, documentOf, spotOf, writeDocument } from "./session-file.ts";
import type { Source } from "./source.ts";
import type { Confidence, NativeCompaction, Sample, Session, SessionWire, Skipped } from "./wire.ts";

const NAME = "cline";

function read(source: Source): Session {
  const skipped: Skipped[] = [];
  const document = object(documentOf(source, skipped));
  const records = list(document["messages"]).map(object);
  const messages = records.map(readMessage);
  const prompt = string(document["system_prompt"]);
  const whole = {
    ...(prompt === undefined ? {} : { system: [{ type: "text" as const, text: prompt }] }),
    messages,
    ...defined({ model: messages.findLast((message) => message.model !== undefined)?.model }),
  };
  return {
    wire: NAME,
    whole,
    seen: whole,
    compactions: records.flatMap((record, at) => compactionOf(record, at, messages[at])),
    asides: [],
    skipped,
    about: defined({ id: string(document["sessionId"]), startedAt: messages[0]?.at }),
  };
}

function readMessage(record: JsonObject, index: number): Message {
  const isAssistant = record["role"] === "assistant";
  const parts = readContent(record["content"]).map((block, position): Part => {
    const part = readClineBlock(block);
    const place = typeof record["content"] === "string" ? [] : [position];
    const native = { line: 1, path: ["messages", index, "content", ...place] };
    const isSynthetic = !isAssistant && part.type === "text" && isHarness(record);
    return { ...part, ...(isSynthetic ? { synthetic: true } : {}), native };
  });
  return {
    role: isAssistant ? "assistant" : "user",
    parts,
    ...defined({
      at: number(record["ts"]),
      model: string(object(record["modelInfo"])["id"]),
      usage: isAssistant ? usageOf(object(record["metrics"])) : undefined,
    }),
    native: { of: NAME, value: [1] },
  };
}

function readClineBlock(block: Json): Part {
  const fields = object(block);
  const content = string(fields["content"]);
  if (fields["type"] === "file" && content !== undefined) {
    const source = { kind: "text", mediaType: "text/plain", text: content } as const;
    return { type: "document", source, ...defined({ title: string(fields["path"]) }) };
  }
  const data = string(fields["data"]);
  if (fields["type"] === "image" && data !== undefined) {
    const source = { kind: "data", mediaType: string(fields["mediaType"]) ?? "", base64: data } as const;
    return { type: "image", source };
  }
  const part = readBlock(block);
  return part.type === "tool-result" && isList(fields["content"])
    ? { ...part, output: fields["content"].map(readResultItem) }
    : part;
}

function readResultItem(item: Json): ResultPart {
  const { type, result, error } = object(item);
  const said = type === undefined ? (string(result) ?? string(error)) : undefined;
  if (said !== undefined) return { type: "text", text: said };
  const part = readClineBlock(item);
  return part.type === "text" || part.type === "image" || part.type === "document"
    ? part
    : { type: "opaque", of: NAME, value: item };
}

/** What Cline itself says in the user's name is marked so in the metadata. */
function isHarness(record: JsonObject): boolean {
  return /summary|notice|reminder/.test(string(object(record["metadata"])["kind"]) ?? "");
}

function usageOf(metrics: JsonObject): Usage | undefined {
  const tokens = (key: string) => number(metrics[key]) ?? 0;
  const cacheReadTokens = tokens("cacheReadTokens");
  const cacheWriteTokens = tokens("cacheWriteTokens");
  const prompt = tokens("inputTokens");
  if (prompt + cacheReadTokens + cacheWriteTokens === 0) return undefined;
  return {
    uncachedTokens: uncachedOf(prompt, cacheReadTokens + cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: tokens("outputTokens"),
    ...defined({ costUsd: number(metrics["cost"]) }),
  };
}

function compactionOf(record: JsonObject, at: number, summary?: Message): readonly NativeCompaction[] {
  const metadata = object(record["metadata"]);
  if (metadata["kind"] !== "compaction_summary") return [];
  const tokensBefore = number(metadata["tokensBefore"]);
  return [{ kind: "summary", at, removed: [], ...defined({ summary, tokensBefore }) }];
}

function write(session: Session, source: Source, next?: Session["seen"]): Iterable<Uint8Array> {
  if (isRestructured(session, next)) {
    const spelling = { spell, drop: dropAt(NAME) };
    return rewriteList(source, { session, next, spelling, path: ["messages"], insert, keep });
  }
  return writeDocument(source, changesTo(session, next, spell, blankItem(NAME, withoutPrompt)));
}

function keep(item: Json, { isBehindEdit }: Aligned): Json {
  return isBehindEdit ? withoutPrompt(object(item)) : item;
}

function withoutPrompt(record: JsonObject): Json {
  if (record["metrics"] === undefined) return record;
  const prompt = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return { ...record, metrics: { ...object(record["metrics"]), ...prompt } };
}

/** A page is marked as Cline marks its own summaries: it rewrites the list just so. */
function insert(one: Aligned, before: Json | undefined): Json {
  const text = wordsOf(one, NAME);
  const isAssistant = one.message.role === "assistant";
  return {
    id: hashOf(text, string(object(before)["id"]) ?? "").slice(0, 21),
    role: isAssistant ? "assistant" : "user",
    content: [{ type: "text", text }],
    ...defined({ ts: number(object(before)["ts"]) }),
    ...(isAssistant ? {} : { metadata: { kind: "compaction_summary" } }),
  };
}

function spell(part: Part): readonly Change[] {
  const to = (old: Json | undefined) =>
    typeof old === "string" && part.type === "text" ? part.text : writeClineBlock(part, old);
  return [{ ...spotOf(part, NAME), to }];
}

function writeClineBlock(part: Part, old: Json | undefined): Json {
  if (old !== undefined && samePart(part, readClineBlock(old))) return old;
  const before = object(old);
  if (part.type === "document" && part.source.kind === "text" && before["type"] === "file")
    return { ...before, ...defined({ path: part.title }), content: part.source.text };
  if (part.type === "tool-result") return writeResult(part, before);
  return writeBlock(part, old);
}

function writeResult(part: ToolResultPart, old: JsonObject): Json {
  if (!isList(old["content"])) return writeBlock(part, old);
  const items = old["content"];
  const content = part.output.map((item, index) => writeResultItem(item, items[index]));
  return { ...old, content, ...(part.isError || "is_error" in old ? { is_error: part.isError } : {}) };
}

function writeResultItem(part: ResultPart, old: Json | undefined): Json {
  if (old !== undefined && samePart(part, readResultItem(old))) return old;
  const before = object(old);
  const isCline = before["type"] === undefined && string(before["result"]) !== undefined;
  return part.type === "text" && isCline ? { ...before, result: part.text } : writeClineBlock(part, old);
}

/** `updated_at` beside `messages` is Cline's alone; of a compaction's own file, `source_message_count` is. */
function detect(sample: Sample): Confidence {
  const document = object(sample.records[0]);
  const isOwned = ["sessionId", "agent", "conversation_id", "source_message_count"].some(
    (key) => key in document,
  );
  if (sample.records.length !== 1 || !("updated_at" in document) || !isOwned) return 0;
  return typeof document["version"] === "number" ? 2 : 1;
}

export const cline: SessionWire = {
  kind: "session",
  name: NAME,
  title: "Cline session",
  read,
  write,
  detect,
};
