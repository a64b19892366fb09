/**
 * How a compaction of ours goes into a Codex file: one `compacted` record behind everything that is there, whose
 * `replacement_history` is all that is sent from now on, and the events Codex writes after its own. Codex takes the last
 * such record for the history and reads on from there; a key it does not know, our note of which items are one
 * message, it passes over.
 */
import {
  isObject,
  type Json,
  type JsonObject,
  list,
  number,
  object,
  parseJson,
  string,
} from "../transcript/json.ts";
import type { Part, Transcript } from "../transcript/message.ts";
import { writeValue } from "./openai-items.ts";
import { type Aligned, align, changesInCopy, dropAt, pageOf, wordsOf } from "./rewrite.ts";
import { appendRecords, applyChanges, type Change, recordsAt, type Spot, spotOf } from "./session-file.ts";
import type { Source } from "./source.ts";
import type { Session } from "./wire.ts";

const NAME = "codex";

export function spell(part: Part): readonly Change[] {
  return [{ ...spotOf(part, NAME), to: (old) => writeValue(part, old) }];
}

export function appendCompacted(session: Session, source: Source, next: Transcript): Iterable<Uint8Array> {
  const aligned = align(session, next);
  const lines = new Set(aligned.flatMap((one) => (one.said ? spotsOf(one).map(({ line }) => line) : [])));
  const records = recordsAt(source, lines);
  const items = aligned.map((one) => (one.said ? copiedItems(one, records) : [newItem(one)]));
  const page = pageOf(aligned);
  const payload = {
    message: page ? wordsOf(page, NAME) : "",
    replacement_history: items.flat(),
    palimpsest: {
      items: items.map(({ length }) => length),
      pages: aligned.flatMap((one, place) => (isPage(one) ? [place] : [])),
    },
  };
  return appendRecords(source, recordsFor(payload, source));
}

function recordsFor(payload: JsonObject, source: Source): readonly JsonObject[] {
  const { last, report } = lastRecords(source);
  const ordinal = number(last["ordinal"]);
  const timestamp = last["timestamp"] ?? new Date(0).toISOString();
  const records = [
    { type: "compacted", payload },
    ...(report ? [{ type: "event_msg", payload: reportAfter(report, payload["replacement_history"]) }] : []),
    { type: "event_msg", payload: { type: "context_compacted" } },
  ];
  return records.map((record, place) => ({
    timestamp,
    ...(ordinal === undefined ? {} : { ordinal: ordinal + 1 + place }),
    ...record,
  }));
}

/** Reports that came after an edited line are of prompts that are no more. Codex tells them in events of their own. */
export function reportsBehind(changes: readonly Change[], source: Source): readonly Change[] {
  const edited = changes.reduce((first, { line }) => Math.min(first, line), Number.POSITIVE_INFINITY);
  if (edited === Number.POSITIVE_INFINITY) return [];
  const behind: Change[] = [];
  for (const line of source.lines()) {
    if (line.number <= edited || !line.text.includes('"token_count"')) continue;
    const { payload } = object(parseJson(line.text));
    const last = object(object(object(payload)["info"])["last_token_usage"]);
    if (number(last["total_tokens"]) === undefined) continue;
    behind.push({
      line: line.number,
      path: ["payload", "info", "last_token_usage"],
      to: () => NOTHING_SPENT,
    });
  }
  return behind;
}

const NOTHING_SPENT: JsonObject = {
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_output_tokens: 0,
  total_tokens: 0,
};

/** The last report, with the size of what is left, as Codex estimates it: it compacts by what was reported last. */
function reportAfter(report: JsonObject, items: Json | undefined): JsonObject {
  const info = object(report["info"]);
  const nothing = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, reasoning_output_tokens: 0 };
  const total_tokens = Math.ceil(JSON.stringify(items ?? []).length / 4);
  return { ...report, info: { ...info, last_token_usage: { ...nothing, total_tokens } } };
}

/** Said by no user: the page, or one that was kept from before. */
function isPage({ message, said }: Aligned): boolean {
  const isSynthetic = message.parts.every((part) => part.type === "text" && part.synthetic === true);
  return message.role === "user" && (!said || isSynthetic);
}

function spotsOf({ message }: Aligned): readonly Spot[] {
  return message.parts.map((part) => spotOf(part, NAME));
}

/** The items the parts of a message stand in, with what was edited in them. */
function copiedItems(one: Aligned, records: ReadonlyMap<number, JsonObject>): readonly Json[] {
  const changes = changesInCopy(one, { spell, drop: dropAt(NAME) });
  const spots = new Map(
    spotsOf(one).map(({ line, path }) => {
      const spot = { line, path: itemPath(path) };
      return [JSON.stringify(spot), spot] as const;
    }),
  );
  return [...spots.values()].map(({ line, path }) => {
    const record = records.get(line) ?? {};
    const own = changes
      .filter((change) => change.line === line && path.every((step, index) => change.path[index] === step))
      .map((change) => ({ ...change, path: change.path.slice(path.length) }));
    return asItem(applyChanges(valueAt(record, path), own), string(record["type"]));
  });
}

/** An item is the payload, an entry of an earlier replacement, or, in very early files, the line itself. */
function itemPath(path: Spot["path"]): Spot["path"] {
  if (path[1] === "replacement_history") return path.slice(0, 3);
  if (path[1] === "message") return path.slice(0, 2);
  return path[0] === "payload" ? path.slice(0, 1) : [];
}

function valueAt(record: JsonObject, path: Spot["path"]): Json {
  const value = path.reduce<Json | undefined>(
    (found, step) => (typeof step === "number" ? list(found)[step] : object(found)[step]),
    record,
  );
  return value ?? null;
}

/** Early compactions have their summary as a text, and what another agent says has no item around it. */
function asItem(value: Json, type: string | undefined): Json {
  if (typeof value === "string") return textItem("user", value);
  return type === "inter_agent_communication" ? { type: "agent_message", ...object(value) } : value;
}

function newItem(one: Aligned): Json {
  return textItem(one.message.role === "assistant" ? "assistant" : "user", wordsOf(one, NAME));
}

function textItem(role: "user" | "assistant", text: string): Json {
  const type = role === "assistant" ? "output_text" : "input_text";
  return { type: "message", role, content: [{ type, text }] };
}

function lastRecords(source: Source): { last: JsonObject; report: JsonObject | undefined } {
  let last = "";
  let report = "";
  for (const { text } of source.lines()) {
    if (text.startsWith("{") && text.endsWith("}")) last = text;
    if (text.includes('"token_count"') && isReport(text)) report = text;
  }
  const payload = object(parseJson(report))["payload"];
  return { last: object(parseJson(last)), report: payload === undefined ? undefined : object(payload) };
}

/** The words may well stand in a tool's output; a report is a short record. */
function isReport(text: string): boolean {
  const { type, payload } = object(parseJson(text));
  return (
    type === "event_msg" && object(payload)["type"] === "token_count" && isObject(object(payload)["info"])
  );
}
