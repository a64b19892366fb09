/**
 * How a compaction of ours goes into a Copilot CLI file: events of messages that left are taken out, with all that was
 * written about their tools, and the page is put in as a message of the system in the user's name. Copilot's own
 * compaction can only put its summary before everything that stays, so it cannot say where our page stands; one that is
 * in the file is kept as long as its summary still opens the conversation. Events name the one before them, so whoever
 * follows a gap, or a new event, is pointed to what now stands there; all other lines are copied.
 */
import { smallest } from "../transcript/extremes.ts";
import { type JsonObject, list, object, parseJson, string } from "../transcript/json.ts";
import type { Message, Part, Transcript } from "../transcript/message.ts";
import { COPILOT, repeats, writeValue } from "./copilot-cli-events.ts";
import {
  type Aligned,
  align,
  changesIn,
  dropAt,
  refuseReordering,
  seedOf,
  uuidOf,
  wordsOf,
} from "./rewrite.ts";
import { applyChanges, type Change, encode, spotOf } from "./session-file.ts";
import type { Source } from "./source.ts";
import type { Session } from "./wire.ts";

const BOUNDARIES = new Set([
  "session.compaction_start",
  "session.compaction_complete",
  "session.context_cleared",
]);

export function spell(part: Part): readonly Change[] {
  return [{ ...spotOf(part, COPILOT), to: (old) => writeValue(part, old) }];
}

/** Thoughts and the pieces of a user's message share one object with others. */
function drop(part: Part): readonly Change[] {
  const spot = spotOf(part, COPILOT);
  if (part.type === "thinking") return [{ ...spot, to: (old) => withoutThinking(object(old)) }];
  if (part.type === "text" && "piece" in object(part.native)) return spell({ ...part, text: "" });
  return dropAt(COPILOT)(part);
}

function withoutThinking(data: JsonObject): JsonObject {
  const { reasoningText: _, reasoningOpaque: __, encryptedContent: ___, ...rest } = data;
  return rest;
}

export function* rewriteEvents(session: Session, source: Source, next: Transcript): Generator<Uint8Array> {
  const aligned = align(session, next);
  refuseReordering(aligned, session);
  const plan = planFor(session, aligned);
  const chain = new Chain(seedOf(session, aligned));
  const isRepeated = repeats();
  for (const line of source.lines()) {
    const event = object(parseJson(line.text));
    if (isRepeated(event)) continue;
    for (const one of plan.before.get(line.number) ?? []) yield chain.insert(one);
    if (plan.isGone(line.number, event)) chain.skip(event);
    else yield chain.pass(event, line.bytes, plan.changes.get(line.number) ?? []);
  }
  if (!chain.endsLine) yield encode("\n");
  for (const one of plan.atEnd) yield chain.insert(one);
}

/** What becomes of each line, and what comes before it. */
function planFor(session: Session, aligned: readonly Aligned[]) {
  const summary = session.compactions.at(-1)?.summary;
  const isBounded = summary === undefined || aligned[0]?.message.native === summary.native;
  const isThere = ({ message, said }: Aligned) =>
    said !== undefined && (isBounded || message.native !== summary?.native);
  const left = new Set(aligned.filter(isThere).map(({ message }) => message.native));
  const leaving = (isBounded ? session.seen : session.whole).messages.filter(
    ({ native }) => !left.has(native),
  );
  const lines = new Set(leaving.flatMap(linesOf));
  const calls = new Set(leaving.flatMap(callIdsOf));
  for (const { message } of aligned.filter(isThere)) for (const id of callIdsOf(message)) calls.delete(id);
  const isGone = (line: number, { type, data }: JsonObject) => {
    const { toolCallId, parentToolCallId } = object(data);
    if (!isBounded && BOUNDARIES.has(string(type) ?? "")) return true;
    return (
      lines.has(line) || calls.has(string(toolCallId) ?? "-") || calls.has(string(parentToolCallId) ?? "-")
    );
  };
  const changes = new Map<number, Change[]>();
  for (const one of aligned.filter(isThere))
    for (const change of changesIn(one, { spell, drop }))
      changes.set(change.line, [...(changes.get(change.line) ?? []), change]);
  return { isGone, changes, ...insertions(aligned, isThere) };
}

/** New messages stand right before the message that follows them. */
function insertions(aligned: readonly Aligned[], isThere: (one: Aligned) => boolean) {
  const before = new Map<number, readonly Aligned[]>();
  let waiting: Aligned[] = [];
  for (const one of aligned) {
    if (!isThere(one)) waiting.push(one);
    else if (waiting.length > 0) {
      before.set(smallest(linesOf(one.message)), waiting);
      waiting = [];
    }
  }
  return { before, atEnd: waiting };
}

function linesOf({ native }: Message): readonly number[] {
  return list(native?.value).map(Number);
}

function callIdsOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
}

/** Events as they go out, each pointing to one that is still there. */
class Chain {
  /** For an event that is gone, or that something was put behind: what to point to in its place. */
  readonly #now = new Map<string, string>();
  readonly #seed: string;
  #last: JsonObject = {};
  #count = 0;
  endsLine = true;

  constructor(seed: string) {
    this.#seed = seed;
  }

  skip(event: JsonObject): void {
    const id = string(event["id"]);
    if (id !== undefined) this.#now.set(id, this.#parentOf(event) ?? "");
  }

  insert(one: Aligned): Uint8Array {
    const id = uuidOf(this.#seed, this.#count++);
    const parentId = string(this.#last["id"]) ?? null;
    const timestamp = this.#last["timestamp"] ?? new Date(0).toISOString();
    if (parentId !== null) this.#now.set(parentId, id);
    this.#last = { ...newEvent(one, id), id, parentId, timestamp };
    return encode(`${JSON.stringify(this.#last)}\n`);
  }

  pass(event: JsonObject, bytes: Uint8Array, changes: readonly Change[]): Uint8Array {
    const parent = this.#parentOf(event);
    const isMoved = parent !== undefined && parent !== event["parentId"];
    const moved = isMoved ? { ...event, parentId: parent === "" ? null : parent } : event;
    if (string(event["id"]) !== undefined) this.#last = moved;
    this.endsLine = isMoved || changes.length > 0 || bytes.at(-1) === 0x0a;
    return isMoved || changes.length > 0
      ? encode(`${JSON.stringify(applyChanges(moved, changes))}\n`)
      : bytes;
  }

  #parentOf({ parentId }: JsonObject): string | undefined {
    if (typeof parentId !== "string") return undefined;
    let found = parentId;
    // In a damaged file events may name each other.
    const seen = new Set<string>();
    for (let to = this.#now.get(found); to !== undefined && !seen.has(to); to = this.#now.get(found)) {
      seen.add(to);
      found = to;
    }
    return found;
  }
}

function newEvent(one: Aligned, id: string): JsonObject {
  const content = wordsOf(one, COPILOT);
  return one.message.role === "assistant"
    ? { type: "assistant.message", data: { messageId: id, content, toolRequests: [] } }
    : { type: "user.message", data: { content, attachments: [], source: "system" } };
}
