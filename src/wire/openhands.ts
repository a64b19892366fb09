/**
 * OpenHands conversations: lists of events, of either generation (`openhands-v0.ts`, `openhands-v1.ts`).
 *
 * They come as evaluation output (`output.jsonl`: one instance per line, its events under `history`; in old rows as
 * pairs of action and observation), as one exported list, or as one event per line. An evaluation file holds many
 * conversations and none is the continuation of another. Rows are added as instances finish, so the last one that
 * says anything is taken as the conversation, as the last branch is everywhere else; the others stand aside, whole.
 */
import {
  defined,
  isList,
  isObject,
  type Json,
  type JsonObject,
  list,
  object,
  parseJson,
  string,
} from "../transcript/json.ts";
import type { Message, Part, Transcript } from "../transcript/message.ts";
import { readChatUsage, writeChatPart } from "./chat-completion.ts";
import { condense, type OpenHandsNative } from "./openhands-rewrite.ts";
import { readV0Event, writeV0Result } from "./openhands-v0.ts";
import { OPENHANDS, readV1Event, writeV1Result } from "./openhands-v1.ts";
import { type PlacedEvent, type View, viewOf } from "./openhands-view.ts";
import { emptied, isRestructured } from "./rewrite.ts";
import {
  type Change,
  changesTo,
  documentOf,
  recordsOf,
  type Spot,
  spotOf,
  writeDocument,
  writeRecords,
} from "./session-file.ts";
import type { Source } from "./source.ts";
import type { Aside, Confidence, Sample, Session, SessionWire, Skipped } from "./wire.ts";

const NAME = OPENHANDS;
/** Under which name a record holds its events: evaluation, export of V0, pages of the V1 server. */
const LISTS = ["history", "trajectory", "events", "items"];

/** A conversation as it was found: its events, and the row around them. */
interface Found {
  readonly events: readonly PlacedEvent[];
  readonly row: JsonObject;
}

function read(source: Source): Session {
  const skipped: Skipped[] = [];
  const found = isDocument(source) ? inDocument(source, skipped) : inRecords(source, skipped);
  const views = found.map((one) => ({ ...one, view: readEvents(one.events, one.row) }));
  const live = views.findLast(({ view }) => view.messages.length > 0) ?? views.at(-1);
  const row = live?.row ?? {};
  const whole = transcriptOf(live?.view.messages ?? [], row, live?.view);
  return {
    wire: NAME,
    whole,
    seen: { ...whole, messages: live?.view.seen ?? [] },
    compactions: live?.view.compactions ?? [],
    asides: views.filter((other) => other !== live).map(asideOf),
    skipped,
    about: defined({ id: string(row["instance_id"]) ?? string(row["id"]), startedAt: whole.messages[0]?.at }),
    native: live && nativeOf(live, live.view, isDocument(source)),
  };
}

function nativeOf({ events }: Found, view: View, isOneDocument: boolean): OpenHandsNative {
  const first = events[0];
  const depth = first?.spot.path.findIndex((step) => typeof step === "number") ?? -1;
  const holder =
    first && depth >= 0 ? { line: first.spot.line, path: first.spot.path.slice(0, depth) } : undefined;
  return {
    live: view.live.map(({ event, of }) => ({ id: event.event["id"] ?? event.id, spot: event.spot, of })),
    ids: events.map(({ event }) => event["id"] ?? null),
    isDocument: isOneDocument,
    isV1: typeof first?.event["kind"] === "string",
    ...defined({ list: holder, timestamp: events.at(-1)?.event["timestamp"] }),
  };
}

/** One value over the whole file: a list, or an object that only opens on its first line. */
function isDocument(source: Source): boolean {
  for (const line of source.lines()) {
    const text = line.text.trim();
    if (text !== "") return /^[[{\s]+$/.test(text) || isList(parseJson(text));
  }
  return false;
}

function inDocument(source: Source, skipped: Skipped[]): readonly Found[] {
  const value = documentOf(source, skipped);
  if (!isList(value)) return foundIn(object(value), 1);
  const events = placeEvents(value, { line: 1, path: [] });
  return events.length > 0 ? [{ events, row: {} }] : [];
}

/** Rows are conversations; events that stand on lines of their own are one together. */
function inRecords(source: Source, skipped: Skipped[]): readonly Found[] {
  const rows: Found[] = [];
  const loose: Located[] = [];
  for (const { line, value } of recordsOf(source, skipped)) {
    if (isEvent(value)) loose.push({ event: value, spot: { line, path: [] } });
    else rows.push(...foundIn(value, line));
  }
  return loose.length > 0 ? [...rows, { events: linkEvents(loose), row: {} }] : rows;
}

function foundIn(row: JsonObject, line: number): readonly Found[] {
  const key = LISTS.find((name) => isList(row[name]));
  return key === undefined ? [] : [{ events: placeEvents(row[key], { line, path: [key] }), row }];
}

interface Located {
  readonly event: JsonObject;
  readonly spot: Spot;
  /** In old rows an observation stands in one pair with its action. */
  readonly partner?: JsonObject;
}

function placeEvents(events: Json | undefined, { line, path }: Spot): readonly PlacedEvent[] {
  return linkEvents(
    list(events).flatMap((item, index): Located[] => {
      if (!isList(item)) return [{ event: object(item), spot: { line, path: [...path, index] } }];
      return item.map((event, side) => ({
        event: object(event),
        spot: { line, path: [...path, index, side] },
        ...(side === 1 ? { partner: object(item[0]) } : {}),
      }));
    }),
  );
}

/** Finds for each observation its action, and for each response the actions that carry a copy of it. */
function linkEvents(located: readonly Located[]): readonly PlacedEvent[] {
  const byId = new Map<string, PlacedEvent>();
  const byEvent = new Map<JsonObject, PlacedEvent>();
  const carriers = carriersOf(located);
  return located.map(({ event, spot, partner }, index) => {
    const id = String(event["id"] ?? `#${index}`);
    const cause = partner ? byEvent.get(partner) : byId.get(String(event["cause"]));
    const copies = carriers.get(responseOf(event) ?? "")?.filter((other) => other !== spot);
    const placedEvent: PlacedEvent = { event, id, spot, ...defined({ cause, copies }) };
    byEvent.set(event, placedEvent);
    if (event["action"] !== undefined) byId.set(id, placedEvent);
    return placedEvent;
  });
}

function carriersOf(located: readonly Located[]): ReadonlyMap<string, readonly Spot[]> {
  const carriers = new Map<string, Spot[]>();
  for (const { event, spot } of located) {
    const id = event["action"] === undefined ? undefined : responseOf(event);
    if (id === undefined) continue;
    const known = carriers.get(id);
    if (known) known.push(spot);
    else carriers.set(id, [spot]);
  }
  return carriers;
}

function responseOf(event: JsonObject): string | undefined {
  return string(object(object(event["tool_call_metadata"])["model_response"])["id"]) || undefined;
}

function isEvent(value: JsonObject): boolean {
  if (typeof value["source"] !== "string") return false;
  if (typeof value["kind"] === "string") return /(Event|Observation|^Condensation\w*)$/.test(value["kind"]);
  if (typeof value["action"] === "string") return isObject(value["args"]);
  return typeof value["observation"] === "string" && typeof value["content"] === "string";
}

function readEvents(events: readonly PlacedEvent[], row: JsonObject): View {
  const usages = new Map(
    list(object(row["metrics"])["token_usages"]).map((usage) => [
      string(object(usage)["response_id"]) ?? "",
      readChatUsage(object(usage)),
    ]),
  );
  const readings = events.map((event) => {
    const reading = typeof event.event["kind"] === "string" ? readV1Event(event) : readV0Event(event);
    const { says } = reading;
    const usage = says?.usage ?? usages.get(says?.responseId ?? "-");
    return [event, says && usage ? { ...reading, says: { ...says, usage } } : reading] as const;
  });
  return viewOf(readings, NAME);
}

function transcriptOf(messages: readonly Message[], row: JsonObject, view?: View): Transcript {
  const metadata = object(row["metadata"]);
  const configured = object(metadata["llm_config"] ?? metadata["llm"])["model"];
  const model = messages.findLast((message) => message.model !== undefined)?.model ?? string(configured);
  return { messages, ...defined({ tools: view?.tools, model }) };
}

function asideOf({ row, view }: { row: JsonObject; view: View }): Aside {
  const name = string(row["instance_id"]) ?? "";
  return { kind: "instance", name, transcript: transcriptOf(view.messages, row, view) };
}

function write(session: Session, source: Source, next?: Transcript): Iterable<Uint8Array> {
  if (isRestructured(session, next)) return condense(session, source, { next, spelling: { spell, drop } });
  const changes = changesTo(session, next, spell);
  return isDocument(source) ? writeDocument(source, changes) : writeRecords(source, changes);
}

function spell(part: Part): readonly Change[] {
  return spotsOf(part).map(({ line, path }) => ({ line, path, to: (old) => writePart(part, old) }));
}

function drop(part: Part): readonly Change[] {
  return spotsOf(part).map((spot) => ({ ...spot, to: emptied(spot) }));
}

/** Where a part stands, and where its copies do. */
function spotsOf(part: Part): readonly Spot[] {
  // Written by the V0 reader: spots like the first.
  const also = list(object(part.native)["also"]) as readonly Spot[];
  return [spotOf(part, NAME), ...also.map(({ line, path }) => ({ line, path }))];
}

function writePart(part: Part, old: Json | undefined): Json {
  if (part.type !== "tool-result") return writeChatPart(part, old);
  const event = object(old);
  return typeof event["kind"] === "string"
    ? writeV1Result(part.output, event)
    : writeV0Result(part.output, event);
}

/** A patch, or a system prompt, may be larger than the sample: then what stands before it must do. */
function detect(sample: Sample): Confidence {
  const [first] = sample.records;
  const records = isList(first) ? first.map(object) : sample.records.map(object);
  const held = records.flatMap((record) => LISTS.flatMap((key) => list(record[key])));
  const inside = held.map((event) => object(isList(event) ? event[0] : event));
  if ([...records, ...inside].some(isEvent)) return 2;
  return records.some(isRow) || [...records, ...inside].some(isEventBegun) ? 1 : 0;
}

function isRow(record: JsonObject): boolean {
  return typeof record["instance_id"] === "string" && ("test_result" in record || "instruction" in record);
}

function isEventBegun({ id, timestamp, source, message }: JsonObject): boolean {
  const isKnown = source === "agent" || source === "user" || source === "environment";
  return isKnown && id !== undefined && typeof timestamp === "string" && typeof message === "string";
}

export const openHands: SessionWire = {
  kind: "session",
  name: NAME,
  title: "OpenHands conversation",
  read,
  write,
  detect,
};
