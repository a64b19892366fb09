/**
 * How a compaction of ours goes into an OpenHands conversation: as a condensation, at the end of the events, which
 * names the events that are forgotten and says where among the others its summary stands. That is the page, where it
 * is in the user's name; a condensation has no other voice, so what else is new is put in as an event of its own. What
 * was edited in an event that stays is edited in place.
 */
import { defined, isList, type Json, type JsonObject, list, object } from "../transcript/json.ts";
import type { Message, Transcript } from "../transcript/message.ts";
import {
  type Aligned,
  align,
  changesIn,
  pageOf,
  refuseReordering,
  type Spelling,
  seedOf,
  uuidOf,
  wordsOf,
} from "./rewrite.ts";
import {
  appendRecords,
  applyChanges,
  type Change,
  encode,
  respellDocument,
  type Spot,
} from "./session-file.ts";
import { type Source, sourceFrom } from "./source.ts";
import type { Session } from "./wire.ts";

const NAME = "openhands";

/** What reading leaves for writing: the events the model still sees, and where events stand. */
export interface OpenHandsNative {
  readonly live: readonly LiveEvent[];
  /** The list of events; absent where each stands on a line of its own. */
  readonly list?: Spot;
  readonly isDocument: boolean;
  readonly isV1: boolean;
  readonly ids: readonly Json[];
  readonly timestamp?: Json;
}

export interface LiveEvent {
  readonly id: Json;
  readonly spot: Spot;
  /** The message it is part of, by its `native`. */
  readonly of: Message["native"];
}

export function condense(
  session: Session,
  source: Source,
  { next, spelling }: { readonly next: Transcript; readonly spelling: Spelling },
): Iterable<Uint8Array> {
  const native = session.native as OpenHandsNative; // written by this wire's own `read`
  const aligned = align(session, next);
  refuseReordering(aligned, session);
  const inEvents = new Set(native.live.map(({ of }) => of));
  const isThere = ({ message, said }: Aligned) => said !== undefined && inEvents.has(message.native);
  const summary = pageOf(aligned) ?? aligned.find((one) => one.said && !isThere(one));
  const left = new Set(aligned.filter(isThere).map(({ message }) => message.native));
  const isForgotten = ({ of }: LiveEvent) => of !== undefined && !left.has(of);
  const live = native.live.filter((event) => !isForgotten(event));
  const placed = placeNew(aligned, { isThere, live });
  const made = eventsFor(placed, native, { seed: seedOf(session, aligned), summary });
  const offset = summary ? placed.indexOf(summary) : 0;
  const { forgotten, removed } = leaving(native.live.filter(isForgotten), live);
  const condensation = condensationOf(native, {
    id: made.idAt(made.inserted.length),
    forgotten,
    ...(summary ? { summary: wordsOf(summary, NAME), offset } : {}),
  });
  const changes = [
    ...aligned.filter(isThere).flatMap((one) => changesIn(one, spelling)),
    ...(summary ? [] : earlierSummaries(session)),
  ];
  return place(source, native, { changes, inserted: made.inserted, removed, condensation });
}

/**
 * Events of two conversations put into one file may share ids. A condensation that named one would take what stays along, so
 * such events leave the file.
 */
function leaving(
  gone: readonly LiveEvent[],
  staying: readonly LiveEvent[],
): { readonly forgotten: readonly Json[]; readonly removed: readonly Spot[] } {
  const kept = new Set(staying.map(({ id }) => String(id)));
  const isShared = ({ id }: LiveEvent) => kept.has(String(id));
  return {
    forgotten: gone.filter((event) => !isShared(event)).map(({ id }) => id),
    removed: gone.filter(isShared).map(({ spot }) => spot),
  };
}

/** Without a summary of its own, a condensation leaves the one before it in place. */
function earlierSummaries({ compactions }: Session): readonly Change[] {
  return compactions.flatMap(({ summary }) =>
    (summary?.parts ?? []).map(({ native }): Change => {
      const { line, path } = object(native) as unknown as Spot; // a spot, made by the reader
      return { line, path, to: () => undefined };
    }),
  );
}

/** The events that are left, and the new messages among them: each right before the message that follows it. */
function placeNew(
  aligned: readonly Aligned[],
  { isThere, live }: { readonly isThere: (one: Aligned) => boolean; readonly live: readonly LiveEvent[] },
): readonly (Aligned | LiveEvent)[] {
  const before = new Map<LiveEvent, readonly Aligned[]>();
  const firstOf = new Map<unknown, LiveEvent>();
  for (const event of live) if (event.of && !firstOf.has(event.of)) firstOf.set(event.of, event);
  let waiting: Aligned[] = [];
  for (const one of aligned) {
    const event = isThere(one) ? firstOf.get(one.message.native) : undefined;
    if (!event) waiting.push(one);
    else if (waiting.length > 0) {
      before.set(event, waiting);
      waiting = [];
    }
  }
  return [...live.flatMap((event) => [...(before.get(event) ?? []), event]), ...waiting];
}

interface Inserted {
  readonly event: JsonObject;
  /** The event it stands before; at the end without one. */
  readonly before: Spot | undefined;
}

function eventsFor(
  placed: readonly (Aligned | LiveEvent)[],
  native: OpenHandsNative,
  { seed, summary }: { readonly seed: string; readonly summary: Aligned | undefined },
) {
  const highest = native.ids.reduce<number>((most, id) => Math.max(most, Number(id) || 0), 0);
  const idAt = (place: number): Json => (native.isV1 ? uuidOf(seed, place) : highest + 1 + place);
  const inserted: Inserted[] = [];
  placed.forEach((one, place) => {
    if (!("message" in one) || one === summary) return;
    const next = placed.slice(place).find((other): other is LiveEvent => !("message" in other));
    inserted.push({ event: newEvent(one, native, idAt(inserted.length)), before: next?.spot });
  });
  return { inserted, idAt };
}

function newEvent(one: Aligned, { isV1, timestamp }: OpenHandsNative, id: Json): JsonObject {
  const text = wordsOf(one, NAME);
  const isAssistant = one.message.role === "assistant";
  const source = isAssistant ? "agent" : "user";
  const common = { id, ...defined({ timestamp }), source };
  const content = [{ type: "text", text }];
  const llm_message = { role: isAssistant ? "assistant" : "user", content };
  if (isV1)
    return { ...common, kind: "MessageEvent", llm_message, activated_skills: [], extended_content: [] };
  const args = { content: text, image_urls: null, wait_for_response: false };
  return { ...common, message: text, action: "message", args };
}

interface Condensing {
  readonly id: Json;
  readonly forgotten: readonly Json[];
  readonly summary?: string;
  readonly offset?: number;
}

function condensationOf(
  { isV1, timestamp }: OpenHandsNative,
  { id, forgotten, summary, offset }: Condensing,
): JsonObject {
  const facts = { forgotten_event_ids: forgotten, ...defined({ summary, summary_offset: offset }) };
  const common = { id, ...defined({ timestamp }) };
  if (isV1)
    return { ...common, source: "environment", kind: "Condensation", ...facts, llm_response_id: String(id) };
  return { ...common, source: "agent", message: "Condensation", action: "condensation", args: facts };
}

interface Writing {
  readonly changes: readonly Change[];
  readonly inserted: readonly Inserted[];
  readonly removed: readonly Spot[];
  readonly condensation: JsonObject;
}

function place(source: Source, native: OpenHandsNative, writing: Writing): Iterable<Uint8Array> {
  const { changes, inserted, removed, condensation } = writing;
  const holder = native.list;
  if (!holder) return placeLines(source, writing);
  const relist = (events: Json | undefined): Json => {
    const at = (index: number) =>
      inserted.filter(({ before }) => before?.path[holder.path.length] === index).map(({ event }) => event);
    const atEnd = inserted.filter(({ before }) => !before).map(({ event }) => event);
    const gone = new Set(removed.map(({ path }) => path[holder.path.length]));
    const staying = (event: Json, index: number) => [...at(index), ...(gone.has(index) ? [] : [event])];
    return [...list(events).flatMap(staying), ...atEnd, condensation];
  };
  const rewrite = (record: Json, line: number): Json => {
    const edited = applyChanges(
      record,
      changes.filter((change) => change.line === line),
    );
    if (line !== holder.line) return edited;
    return isList(edited) ? relist(edited) : applyChanges(edited, [{ ...holder, to: relist }]);
  };
  if (native.isDocument) return respellDocument(source, (document) => rewrite(document, 1));
  return rewriteLines(source, new Set([holder.line, ...changes.map(({ line }) => line)]), rewrite);
}

function placeLines(
  source: Source,
  { changes, inserted, removed, condensation }: Writing,
): Iterable<Uint8Array> {
  const edited = new Set(changes.map(({ line }) => line));
  const gone = new Set(removed.map(({ line }) => line));
  const rewrite = (record: Json, line: number) =>
    applyChanges(
      record,
      changes.filter((change) => change.line === line),
    );
  const before = new Map(inserted.map(({ before: spot }) => [spot?.line, [] as JsonObject[]]));
  for (const { before: spot, event } of inserted) before.get(spot?.line)?.push(event);
  const around = { before: (line: number) => before.get(line) ?? [], gone };
  const lines = sourceFrom(() => rewriteLines(source, edited, rewrite, around));
  return appendRecords(lines, [...(before.get(undefined) ?? []), condensation]);
}

function* rewriteLines(
  source: Source,
  lines: ReadonlySet<number>,
  rewrite: (record: Json, line: number) => Json,
  around?: {
    readonly before: (line: number) => readonly JsonObject[];
    readonly gone: ReadonlySet<number>;
  },
): Generator<Uint8Array> {
  for (const line of source.lines()) {
    for (const event of around?.before(line.number) ?? []) yield encode(`${JSON.stringify(event)}\n`);
    if (around?.gone.has(line.number)) continue;
    yield lines.has(line.number)
      ? encode(`${JSON.stringify(rewrite(JSON.parse(line.text), line.number))}\n`)
      : line.bytes;
  }
}
