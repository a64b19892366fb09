/**
 * Gemini CLI session files: `~/.gemini/tmp/<project>/chats/session-*`. Older versions write one JSON document,
 * newer ones a log of JSON lines.
 *
 * There is no record of a compression: the log says what the conversation is from now on, and what it was before
 * is still in the lines above. Newer versions record an answer twice, in the call it belongs to and as a user
 * message; the message is what was sent, so it is the one that counts. Commands a person typed (`/…`) are kept:
 * a resume drops them, and with them every prompt that begins with a path.
 */
import { defined, isObject, type Json, type JsonObject, object, parseJson } from "../transcript/json.ts";
import type { Message, Transcript } from "../transcript/message.ts";
import { type Entry, type Log, lost, type Rewrite, replay } from "./gemini-cli-log.ts";
import { GEMINI_CLI, type Said } from "./gemini-cli-record.ts";
import { appendMessages, replaceMessages, spell } from "./gemini-cli-rewrite.ts";
import { isRestructured } from "./rewrite.ts";
import {
  blankAt,
  blankItem,
  changesTo,
  documentOf,
  type FileRecord,
  recordsOf,
  writeDocument,
  writeRecords,
} from "./session-file.ts";
import type { Source } from "./source.ts";
import type { Confidence, NativeCompaction, Sample, Session, SessionWire, Skipped } from "./wire.ts";

const NAME = GEMINI_CLI;

function read(source: Source): Session {
  const skipped: Skipped[] = [];
  const log = replay(isLog(source) ? recordsOf(source, skipped) : documentRecord(source, skipped));
  const whole = placeMessages(log.said, (entry) => entry.before ?? entry.now);
  return {
    wire: NAME,
    whole: transcriptOf(whole),
    seen: transcriptOf(placeMessages([...log.live.values()], (entry) => entry.now)),
    compactions: log.rewrites.map((rewrite) => compactionOf(rewrite, whole)),
    asides: asidesOf(log),
    skipped,
    about: log.about,
  };
}

/** A document is spread over lines, so neither of its first two lines is an object; of a log, one may be broken. */
function isLog(source: Source): boolean {
  let count = 0;
  for (const { text } of source.lines()) {
    if (text.trim() === "") continue;
    if (isObject(parseJson(text))) return true;
    count += 1;
    if (count === 2) break;
  }
  return false;
}

function* documentRecord(source: Source, skipped: Skipped[]): Generator<FileRecord> {
  const value = documentOf(source, skipped);
  if (isObject(value)) yield { line: 1, value };
  else if (value !== undefined)
    skipped.push({ line: 1, offset: 0, bytes: sizeOf(source), why: "JSON, but not an object" });
}

function sizeOf(source: Source): number {
  let bytes = 0;
  for (const line of source.lines()) bytes += line.bytes.length;
  return bytes;
}

interface Placed {
  readonly entry: Entry;
  readonly message: Message;
}

/** Entries in order → messages in order, each answer once. */
function placeMessages(entries: readonly Entry[], saidBy: (entry: Entry) => Said): readonly Placed[] {
  const sent = new Set(entries.flatMap((entry) => answersIn(saidBy(entry).message)));
  const done = new Set<string>();
  return entries.flatMap((entry) => {
    const { message, results } = saidBy(entry);
    const own = without(message, done);
    for (const callId of answersIn(own)) done.add(callId);
    return [own, without(results, sent)].flatMap((found) => (found ? [{ entry, message: found }] : []));
  });
}

function answersIn(message: Message | undefined): readonly string[] {
  return (message?.parts ?? []).flatMap((part) => (part.type === "tool-result" ? [part.callId] : []));
}

function without(message: Message | undefined, callIds: ReadonlySet<string>): Message | undefined {
  if (!message || !answersIn(message).some((callId) => callIds.has(callId))) return message;
  const parts = message.parts.filter((part) => part.type !== "tool-result" || !callIds.has(part.callId));
  return parts.length === 0 ? undefined : { ...message, parts };
}

function transcriptOf(placed: readonly Placed[]): Transcript {
  const messages = placed.map(({ message }) => message);
  return {
    messages,
    ...defined({ model: messages.findLast((message) => message.model !== undefined)?.model }),
  };
}

function compactionOf({ kind, at, entries, summary }: Rewrite, whole: readonly Placed[]): NativeCompaction {
  const isRemoved = ({ entry, message }: Placed) =>
    entries.has(entry) && (kind === "summary" || lost({ message }, entry.now).length > 0);
  return {
    kind,
    at: whole.filter(({ entry }) => entry.born <= at).length,
    removed: whole.flatMap((placed, index) => (isRemoved(placed) ? [index] : [])),
    ...defined({ summary: summary?.now.message }),
  };
}

function asidesOf(log: Log): Session["asides"] {
  return log.rewound.flatMap(({ to, entries }) => {
    const transcript = transcriptOf(placeMessages(entries, (entry) => entry.before ?? entry.now));
    return transcript.messages.length === 0 ? [] : [{ kind: "rewound" as const, name: to, transcript }];
  });
}

function write(session: Session, source: Source, next?: Transcript): Iterable<Uint8Array> {
  if (isRestructured(session, next))
    return isLog(source) ? appendMessages(session, source, next) : replaceMessages(session, source, next);
  const blank = isLog(source) ? blankAt(["tokens"], NO_TOKENS) : blankItem(NAME, withoutTokens);
  const changes = changesTo(session, next, spell, blank);
  return isLog(source) ? writeRecords(source, changes) : writeDocument(source, changes);
}

const NO_TOKENS: JsonObject = { input: 0, output: 0, cached: 0, thoughts: 0, tool: 0, total: 0 };

function withoutTokens(record: JsonObject): Json {
  return record["tokens"] === undefined ? record : { ...record, tokens: NO_TOKENS };
}

function detect(sample: Sample): Confidence {
  const records = sample.records.map(object);
  if (records.some((record) => "sessionId" in record && "projectHash" in record)) return 2;
  if (records.some((record) => record["type"] === "gemini" && "content" in record)) return 2;
  return records.some((record) => "$set" in record || "$rewindTo" in record) ? 1 : 0;
}

export const geminiCli: SessionWire = {
  kind: "session",
  name: NAME,
  title: "Gemini CLI session",
  read,
  write,
  detect,
};
