/**
 * OpenCode's messages as a plugin is handed them before a request: the list of `{ info, parts }` its export has too (see
 * `opencode.ts`), after its own compactions. Not a body that is sent anywhere, and so in no list of wires: it is for the
 * plugin, which shows the list through the ledger and hands it back.
 *
 * A message that nothing was done to goes back as the very same object; nothing OpenCode handed out is ever changed in place.
 */
import { type Json, type JsonObject, list, object, string } from "../transcript/json.ts";
import type { Message, Part, Transcript } from "../transcript/message.ts";
import { readEntries } from "./opencode-entries.ts";
import { readPart, writePart } from "./opencode-parts.ts";
import type { BodyWire } from "./wire.ts";

const NAME = "opencode-messages";

/** What was read from an OpenCode message, by that message: what comes back whole goes back as it came. */
const READ: WeakMap<object, readonly Message[]> = new WeakMap();

function read(body: Json): Transcript {
  const stored = list(body);
  const { live } = readEntries({ messages: stored });
  const messages = live.flatMap((entry, index) => {
    const of = object(stored[index]);
    const said = entry.isSent ? entry.messages.map(({ seen }) => ours(seen, of)) : [];
    READ.set(of, said);
    return said;
  });
  const model = messages.findLast((message) => message.model !== undefined)?.model;
  return { messages, ...(model === undefined ? {} : { model }), native: { of: NAME, value: body } };
}

/** Each part with the OpenCode part it stands in, each message with the OpenCode message. */
function ours(message: Message, of: JsonObject): Message {
  const places = list(of["parts"]);
  const parts = message.parts.map((part) => ({ ...part, native: places[placeOf(part)] ?? null }));
  return { ...message, parts, native: { of: NAME, value: of } };
}

function placeOf({ native }: Part): number {
  return Number(list(object(native)["path"])[3]);
}

function write({ messages }: Transcript): Json {
  const near = object(messages.find(({ native }) => native?.of === NAME)?.native?.value);
  return runsOf(messages).flatMap((run, index): readonly Json[] => {
    const of = run[0]?.native;
    return of?.of === NAME ? [written(run, object(of.value))] : run.map((one) => made(one, near, index));
  });
}

/** Neighbours that stand in one OpenCode message: a response and the results of its calls. */
function runsOf(messages: readonly Message[]): readonly (readonly Message[])[] {
  const runs: Message[][] = [];
  for (const message of messages) {
    const last = runs.at(-1);
    const of = message.native?.of === NAME ? message.native.value : undefined;
    if (last && of !== undefined && last[0]?.native?.value === of) last.push(message);
    else runs.push([message]);
  }
  return runs;
}

function written(run: readonly Message[], of: JsonObject): Json {
  const before = READ.get(of) ?? [];
  if (before.length === run.length && run.every((message, index) => message === before[index])) return of;
  const untouched = new Set<Part>(before.flatMap(({ parts }) => parts));
  const kept = byPlace(run.flatMap((message) => message.parts));
  const parts = list(of["parts"]).flatMap((place): readonly Json[] => {
    const now = kept.get(place);
    if (!now) return isSilent(object(place)) ? [place] : [];
    return [now.reduce<Json>((old, part) => (untouched.has(part) ? old : spelled(part, old)), place)];
  });
  return { ...of, parts };
}

/** A call and its result stand in one place. */
function byPlace(parts: readonly Part[]): ReadonlyMap<Json, readonly Part[]> {
  const places = new Map<Json, readonly Part[]>();
  for (const part of parts)
    places.set(part.native ?? null, [...(places.get(part.native ?? null) ?? []), part]);
  return places;
}

/** A question or a subtask has words of OpenCode's own, whatever stands in it: an edit of those is a text. */
function spelled(part: Part, old: Json): Json {
  const { type, id, sessionID, messageID } = object(old);
  if (part.type !== "text" || type === "text") return writePart(part, old);
  return { id, sessionID, messageID, type: "text", text: part.text, synthetic: true } as JsonObject;
}

/** Step marks, snapshots and the like say nothing to the model and stay where they are. */
function isSilent(place: JsonObject): boolean {
  return readPart(place) === undefined && place["type"] !== "tool";
}

/** A page of ours, in the form OpenCode gives what it says itself. Its ids are sent nowhere. */
function made({ role, parts }: Message, near: JsonObject, index: number): Json {
  const info = object(near["info"]);
  const { sessionID = "", time = {}, agent = "build", model = {}, providerID = "", modelID = "" } = info;
  const id = `msg_palimpsest_${index}`;
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  const said = { id: `prt_palimpsest_${index}`, sessionID, messageID: id, type: "text", text };
  return {
    info: {
      id,
      sessionID,
      role: role === "assistant" ? role : "user",
      time,
      agent,
      model,
      providerID,
      modelID,
    },
    parts: [{ ...said, synthetic: true }],
  };
}

export const opencodeMessages: BodyWire = {
  kind: "body",
  name: NAME,
  title: "OpenCode messages",
  read,
  write,
  detect: (body) => (string(object(object(list(body)[0])["info"])["sessionID"]) === undefined ? 0 : 2),
};
