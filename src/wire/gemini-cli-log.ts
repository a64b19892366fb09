/**
 * A Gemini CLI file, replayed. The newer files are logs: a record with a known id stands in for the earlier one,
 * `$rewindTo` takes a message and all behind it away, and `$set` with messages says what the conversation is from
 * now on. The last is how compression and the masking of old outputs rewrite history, and also how Gemini CLI
 * merely tidies up; which it was follows from what is missing afterwards. An older file is a log of one record.
 */
import { defined, isList, isObject, type Json, type JsonObject, object, string } from "../transcript/json.ts";
import type { Part } from "../transcript/message.ts";
import { samePart } from "../transcript/same-part.ts";
import { PAGE_ID, readRecord, type Said, timeOf } from "./gemini-cli-record.ts";
import type { FileRecord, Spot } from "./session-file.ts";
import type { About, NativeCompaction } from "./wire.ts";

export interface Entry {
  readonly id: string;
  /** Counts up with each entry, so that what was said before a rewrite can be told from what came after. */
  readonly born: number;
  now: Said;
  /** What it said before something was cut from it. */
  before?: Said;
}

export interface Rewrite {
  readonly kind: NativeCompaction["kind"];
  /** How many entries there were. */
  readonly at: number;
  readonly entries: Set<Entry>;
  readonly summary?: Entry;
}

export interface Log {
  /** Everything said on the live branch, compressed away or not. */
  said: Entry[];
  /** What the model is sent next. */
  live: Map<string, Entry>;
  births: number;
  readonly rewrites: Rewrite[];
  readonly rewound: { readonly to: string; readonly entries: readonly Entry[] }[];
  about: About;
}

export function replay(records: Iterable<FileRecord>): Log {
  const log: Log = { said: [], live: new Map(), births: 0, rewrites: [], rewound: [], about: {} };
  for (const { line, value } of records) {
    const set = value["$set"];
    if (typeof value["$rewindTo"] === "string") rewind(log, value["$rewindTo"]);
    else if (typeof value["id"] === "string") say(log, value, { line, path: [] });
    else if (isObject(set)) update(log, set, { line, path: ["$set"] });
    else update(log, value, { line, path: [] });
  }
  return log;
}

/** That message and all behind it. A rewind to what is not there empties the conversation, as it does in Gemini CLI. */
function rewind(log: Log, to: string): void {
  const live = [...log.live.values()];
  const index = live.findIndex((entry) => entry.id === to);
  const entries = live.slice(Math.max(0, index));
  const gone = new Set(entries);
  for (const entry of entries) log.live.delete(entry.id);
  log.said = log.said.filter((entry) => !gone.has(entry));
  log.rewound.push({ to, entries });
}

function say(log: Log, record: JsonObject, at: Spot): void {
  const { entry, isNew } = place(log, log.live, { record, at });
  log.live.set(entry.id, entry);
  if (isNew) log.said.push(entry);
}

/** The entry of this record: the one it stands in for, brought up to date, or a new one. */
function place(
  log: Log,
  known: ReadonlyMap<string, Entry>,
  { record, at }: { record: JsonObject; at: Spot },
) {
  const id = string(record["id"]) ?? `${at.line}/${at.path.join("/")}`;
  const now = readRecord(record, at);
  const entry = known.get(id);
  if (!entry) {
    const made: Entry = { id, born: ++log.births, now };
    return { entry: made, isNew: true };
  }
  if (!entry.before && lost(entry.now, now).length > 0) {
    entry.before = entry.now;
    noteCut(log, entry);
  }
  entry.now = now;
  return { entry, isNew: false };
}

/** Outputs are masked many at a time; that is one rewrite, however many records it takes. */
function noteCut(log: Log, entry: Entry): void {
  const last = log.rewrites.at(-1);
  if (last?.kind === "clear" && last.at === log.births) last.entries.add(entry);
  else log.rewrites.push({ kind: "clear", at: log.births, entries: new Set([entry]) });
}

/** The parts a later version of a record no longer has. A response grows while it streams: that loses nothing. */
export function lost(before: Said, now: Said): readonly Part[] {
  const parts = partsOf(now);
  return partsOf(before).filter(
    (part) => part.type !== "thinking" && !parts.some((other) => holds(other, part)),
  );
}

function partsOf({ message, results }: Said): readonly Part[] {
  return [...(message?.parts ?? []), ...(results?.parts ?? [])];
}

function holds(part: Part, earlier: Part): boolean {
  if (part.type === "text" && earlier.type === "text") return part.text.includes(earlier.text);
  if (part.type === "tool-call" && earlier.type === "tool-call") return part.callId === earlier.callId;
  return samePart(part, earlier);
}

function update(log: Log, fields: JsonObject, at: Spot): void {
  log.about = readAbout(fields, log.about);
  if (isList(fields["messages"])) replace(log, fields["messages"], { ...at, path: [...at.path, "messages"] });
}

function readAbout(fields: JsonObject, about: About): About {
  return {
    ...about,
    ...defined({
      id: string(fields["sessionId"]),
      title: string(fields["summary"]),
      startedAt: timeOf(fields["startTime"]),
    }),
  };
}

function replace(log: Log, messages: readonly Json[], at: Spot): void {
  const before = log.live;
  const births = log.births;
  const placed = messages.map((message, index) =>
    place(log, before, { record: object(message), at: { line: at.line, path: [...at.path, index] } }),
  );
  log.live = new Map(placed.map(({ entry }) => [entry.id, entry]));
  const gone = [...before.values()].filter(
    (entry) => !log.live.has(entry.id) && partsOf(entry.now).length > 0,
  );
  const standing = gone.length === 0 ? [] : standIns(placed);
  if (gone.length > 0) {
    const summary = standing.findLast((entry) => entry.now.message?.role === "user") ?? standing[0];
    log.rewrites.push({ kind: "summary", at: births, entries: new Set(gone), ...defined({ summary }) });
  }
  weave(
    log,
    placed.filter(({ entry }) => !standing.includes(entry)),
  );
}

type Placed = { readonly entry: Entry; readonly isNew: boolean };

/**
 * What was put in place of what is gone: a summary in the user's name, a canned reply to it, and perhaps a new
 * preamble before it. They open the new history, and were never said.
 */
function standIns(placed: readonly Placed[]): readonly Entry[] {
  const pages = placed.flatMap(({ entry, isNew }) => (isNew && entry.id.startsWith(PAGE_ID) ? [entry] : []));
  if (pages.length > 0) return pages;
  const end = placed.findIndex(({ isNew }) => !isNew);
  const opening = placed.slice(0, end < 0 ? placed.length : end).map(({ entry }) => entry);
  const isSnapshot = (entry: Entry) => textOf(entry).includes("<state_snapshot>");
  const isPreamble = (entry: Entry) => textOf(entry).trimStart().startsWith("<session_context>");
  const snapshot = opening.findIndex(isSnapshot);
  const index = snapshot >= 0 ? snapshot : opening.findIndex((entry) => !isPreamble(entry));
  const reply = opening[index + 1]?.now;
  const isReply =
    reply?.message?.role === "assistant" && reply.message.parts.every((part) => part.type === "text");
  return opening.slice(0, index + (isReply ? 2 : 1));
}

function textOf({ now }: Entry): string {
  return (now.message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

/** New messages go behind the one they follow; before the first known one where they follow none. */
function weave(log: Log, placed: readonly Placed[]): void {
  if (!placed.some(({ isNew }) => isNew)) return;
  const first = placed.find(({ isNew }) => !isNew)?.entry;
  const opening: Entry[] = [];
  const behind = new Map<Entry, Entry[]>();
  let anchor: Entry | undefined;
  for (const { entry, isNew } of placed) {
    if (!isNew) anchor = entry;
    else if (!anchor) opening.push(entry);
    else behind.set(anchor, [...(behind.get(anchor) ?? []), entry]);
  }
  if (!first) for (const entry of opening) log.said.push(entry);
  else
    log.said = log.said.flatMap((entry) => [
      ...(entry === first ? opening : []),
      entry,
      ...(behind.get(entry) ?? []),
    ]);
}
