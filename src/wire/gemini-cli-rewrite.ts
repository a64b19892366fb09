/**
 * How a compaction of ours goes into a Gemini CLI file, which is how its own does: the log gets one more line that says
 * what the messages are from now on (`$set`), and the older document has its list replaced. Records that stay keep
 * their ids; a page has an id of ours, by which it is known again.
 */
import { type Json, type JsonObject, list, object, string } from "../transcript/json.ts";
import type { Part, Transcript } from "../transcript/message.ts";
import { GEMINI_CLI, PAGE_ID, writeAt } from "./gemini-cli-record.ts";
import { type Aligned, align, changesIn, dropAt, hashOf, wordsOf } from "./rewrite.ts";
import {
  appendRecords,
  applyChanges,
  byLine,
  type Change,
  recordsAt,
  respellDocument,
  type Spot,
  spotOf,
} from "./session-file.ts";
import type { Source } from "./source.ts";
import type { Session } from "./wire.ts";

export function spell(part: Part): readonly Change[] {
  const spot = spotOf(part, GEMINI_CLI);
  return [{ ...spot, to: (old) => writeAt(part, spot, old) }];
}

export function appendMessages(session: Session, source: Source, next: Transcript): Iterable<Uint8Array> {
  const aligned = align(session, next);
  const changes = changesOf(aligned);
  const spots = aligned.flatMap((one) => (one.said ? [recordSpot(one)] : []));
  const lines = recordsAt(source, new Set(spots.map(({ line }) => line)));
  for (const [line, own] of byLine(changes)) applyChanges(lines.get(line) ?? {}, own);
  const messages = recordsFor(aligned, ({ line, path }) => valueAt(lines.get(line), path));
  return appendRecords(source, [{ $set: { messages } }]);
}

export function replaceMessages(session: Session, source: Source, next: Transcript): Iterable<Uint8Array> {
  const aligned = align(session, next);
  return respellDocument(source, (document) => {
    const edited = object(applyChanges(document, changesOf(aligned)));
    return { ...edited, messages: recordsFor(aligned, ({ path }) => valueAt(edited, path)) };
  });
}

function changesOf(aligned: readonly Aligned[]): readonly Change[] {
  const spelling = { spell, drop: dropAt(GEMINI_CLI) };
  return aligned.flatMap((one) => (one.said ? changesIn(one, spelling) : []));
}

/** A response and its results are one record, which is written once. */
function recordsFor(aligned: readonly Aligned[], find: (spot: Spot) => Json): readonly Json[] {
  const done = new Set<string>();
  const records: Json[] = [];
  for (const one of aligned) {
    const spot = one.said ? recordSpot(one) : undefined;
    const key = JSON.stringify(spot);
    if (spot && done.has(key)) continue;
    if (spot) done.add(key);
    records.push(spot ? kept(find(spot), one) : newRecord(one, object(records.at(-1))));
  }
  return records;
}

function kept(record: Json, { isBehindEdit }: Aligned): Json {
  return isBehindEdit && object(record)["tokens"] !== undefined
    ? { ...object(record), tokens: null }
    : record;
}

/** Where the record of a message stands: a line of its own, or an item of a list of messages. */
function recordSpot({ message }: Aligned): Spot {
  const [part] = message.parts;
  const { line, path } = part ? spotOf(part, GEMINI_CLI) : { line: 1, path: [] };
  const end = path.indexOf("messages");
  return { line, path: end < 0 ? [] : path.slice(0, end + 2) };
}

function valueAt(record: JsonObject | undefined, path: Spot["path"]): Json {
  const value = path.reduce<Json | undefined>(
    (found, step) => (typeof step === "number" ? list(found)[step] : object(found)[step]),
    record,
  );
  return value ?? null;
}

function newRecord(one: Aligned, before: JsonObject): Json {
  const text = wordsOf(one, GEMINI_CLI);
  const id = `${PAGE_ID}${hashOf(text, string(before["id"]) ?? "").slice(0, 24)}`;
  const timestamp = before["timestamp"] ?? new Date(0).toISOString();
  if (one.message.role !== "assistant") return { id, timestamp, type: "user", content: [{ text }] };
  return { id, timestamp, type: "gemini", content: text, thoughts: [], tokens: null };
}
