/**
 * How a compaction of ours goes into an OpenCode export: a session of its own, with the messages that are still sent.
 * OpenCode's compaction is a question and its answer, put before all that stays, so it cannot say where our page
 * stands, and adds words nobody said. `opencode import` passes over ids it knows, so a session with the same ids would
 * change nothing where it came from: session, messages and parts get new ones, and both can be opened. Ids begin with a
 * time and are what OpenCode sorts by; that part stays, and what comes in between sorts right behind its neighbour.
 */
import { defined, type Json, type JsonObject, list, object, string } from "../transcript/json.ts";
import type { Message, Part, Transcript } from "../transcript/message.ts";
import { OPENCODE } from "./opencode-entries.ts";
import { readPart, writePart } from "./opencode-parts.ts";
import { type Aligned, align, changesIn, hashOf, seedOf, wordsOf } from "./rewrite.ts";
import { applyChanges, type Change, respellDocument, spotOf } from "./session-file.ts";
import type { Source } from "./source.ts";
import type { Session } from "./wire.ts";

/** `msg_` and twelve digits of time; what follows tells ids of one moment apart. */
const TIMED_CHARS = 16;

export function spell(part: Part): readonly Change[] {
  const to = (old: Json | undefined) => writePart(part, old);
  return [{ ...spotOf(part, OPENCODE), to }];
}

/** Where an id stands. What a tool was given, or a person wrote, may look like one and is left alone. */
const ID_KEYS = ["id", "sessionID", "messageID", "parentID", "partID", "tail_start_id"];

/** Parts edited and nothing gone: the same document with new ids, for the same reason. */
export function editExport(source: Source, changes: readonly Change[]): Iterable<Uint8Array> {
  return respellDocument(source, (document) => {
    const edited = object(applyChanges(document, changes));
    const seed = hashOf(JSON.stringify(edited));
    const renamed = (fields: Json | undefined): JsonObject => ({
      ...object(fields),
      ...Object.fromEntries(
        ID_KEYS.flatMap((key) => {
          const id = string(object(fields)[key]);
          return id === undefined ? [] : [[key, idFor(id, seed)]];
        }),
      ),
    });
    // The session it was started from, if any, is another one.
    const info = { ...object(edited["info"]), id: renamed(edited["info"])["id"] };
    const messages = list(edited["messages"]).map((message) => ({
      ...object(message),
      info: renamed(object(message)["info"]),
      parts: list(object(message)["parts"]).map(renamed),
    }));
    const { revert } = object(edited["info"]);
    return { ...edited, info: { ...info, ...(revert ? { revert: renamed(revert) } : {}) }, messages };
  });
}

export function rewriteExport(session: Session, source: Source, next: Transcript): Iterable<Uint8Array> {
  const aligned = align(session, next);
  // Parts that left are not copied, so they need no change of their own.
  const spelling = { spell, drop: () => [] };
  const changes = aligned.flatMap((one) => (one.said ? changesIn(one, spelling) : []));
  const seed = seedOf(session, aligned);
  return respellDocument(source, (document) => {
    const edited = object(applyChanges(document, changes));
    const { revert: _, ...info } = object(edited["info"]);
    const sessionID = idFor(string(info["id"]) ?? "ses_", seed);
    const stored = list(edited["messages"]).map(object);
    const messages = inOrder(runsOf(aligned), { stored, seed, sessionID });
    return { ...edited, info: { ...info, id: sessionID }, messages };
  });
}

/** Neighbours that stand in one OpenCode message, or one that was never in the file. */
interface Run {
  readonly of: number | undefined;
  readonly members: readonly Aligned[];
}

function runsOf(aligned: readonly Aligned[]): readonly Run[] {
  const runs: { of: number | undefined; members: Aligned[] }[] = [];
  for (const one of aligned) {
    const of = one.said ? Number(pathOf(one.message.parts[0])[1]) : undefined;
    const last = runs.at(-1);
    if (last && of !== undefined && last.of === of) last.members.push(one);
    else runs.push({ of, members: [one] });
  }
  return runs;
}

function pathOf(part: Part | undefined): readonly (string | number)[] {
  return part ? spotOf(part, OPENCODE).path : [];
}

interface Material {
  readonly stored: readonly JsonObject[];
  readonly seed: string;
  readonly sessionID: string;
}

function inOrder(runs: readonly Run[], material: Material): readonly Json[] {
  const messages: JsonObject[] = [];
  const renamed = new Map<string, string>();
  const opening = material.stored[runs.find(({ of }) => of !== undefined)?.of ?? 0] ?? {};
  const done = new Set<number | undefined>();
  let asker: string | undefined;
  for (const [place, run] of runs.entries()) {
    const before = messages.at(-1);
    const isAgain = done.has(run.of);
    done.add(run.of);
    const near = object((before ?? opening)["info"]);
    const message =
      run.of === undefined
        ? newMessage(run.members[0] as Aligned, near, { ...material, place })
        : copied(run, renamed, { ...material, asker, after: isAgain ? near : undefined });
    const { role, id } = object(message["info"]);
    if (role === "user") asker = string(id);
    messages.push(message);
  }
  return messages;
}

interface Copying extends Material {
  /** The last message of the user before it: whom a response answers whose own question left. */
  readonly asker: string | undefined;
  readonly after: JsonObject | undefined;
}

/** The parts that are left, with the marks of the steps they are part of; a step that is gone takes its marks along. */
function copied(
  { of = 0, members }: Run,
  renamed: Map<string, string>,
  { stored, seed, sessionID, asker, after }: Copying,
): JsonObject {
  const { info, parts } = object(stored[of]);
  // A question and a summary that stay are messages like any other now: as a compaction they would hide what is before.
  const { summary, ...others } = object(info);
  const isBehindEdit = members[0]?.isBehindEdit === true;
  const fields = counted(summary === true ? others : object(info), isBehindEdit);
  const old = string(fields["id"]) ?? "";
  const id = after ? idBehind(after, seed) : idFor(old, seed);
  renamed.set(old, id);
  const places = new Set(
    members.flatMap(({ message }) => message.parts.map((part) => Number(pathOf(part)[3]))),
  );
  const asked = string(fields["parentID"]);
  const parentID = asked === undefined ? undefined : (renamed.get(asked) ?? asker ?? asked);
  return {
    info: { ...fields, id, sessionID, ...defined({ parentID }) },
    parts: keptParts(list(parts), places, members).map((part) => ({
      ...counted(spoken(object(part)), isBehindEdit),
      id: idFor(string(object(part)["id"]) ?? "prt_", `${seed}${id}`),
      sessionID,
      messageID: id,
    })),
  };
}

/** What it counted before an edit no longer holds; OpenCode would compact by it. What it cost stays. */
function counted(fields: JsonObject, isBehindEdit: boolean): JsonObject {
  return isBehindEdit && fields["tokens"] !== undefined ? { ...fields, tokens: NO_TOKENS } : fields;
}

/** The same where a response stays in its place: its own step is counted by the next part that ends one. */
export function blankTokens(response: Message): readonly Change[] {
  const [messages, index, parts, place] = response.parts.map(pathOf).find(({ length }) => length > 3) ?? [];
  if (messages === undefined || index === undefined || parts === undefined) return [];
  const path = [messages, index];
  const info = {
    line: 1,
    path: [...path, "info"],
    to: (old: Json | undefined) => counted(object(old), true),
  };
  const steps = (old: Json | undefined) => {
    const end = list(old).findIndex((part, at) => at > Number(place) && isStepEnd(part));
    return list(old).map((part, at) => (at === end ? counted(object(part), true) : part));
  };
  return [info, { line: 1, path: [...path, parts], to: steps }];
}

function isStepEnd(part: Json): boolean {
  return object(part)["type"] === "step-finish";
}

const NO_TOKENS: JsonObject = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

function spoken(part: JsonObject): JsonObject {
  const said = part["type"] === "compaction" ? readPart(part) : undefined;
  return said?.type === "text" ? { type: "text", text: said.text, synthetic: true } : part;
}

function keptParts(
  parts: readonly Json[],
  spoken: ReadonlySet<number>,
  members: readonly Aligned[],
): readonly Json[] {
  const left = new Set(
    members.flatMap(({ message, sent, said }) => {
      const now = new Set(message.parts.map((part) => Number(pathOf(part)[3])));
      return ((sent ?? said)?.parts ?? [])
        .map((part) => Number(pathOf(part)[3]))
        .filter((place) => !now.has(place));
    }),
  );
  let step = 0;
  const steps = parts.map((part) => (object(part)["type"] === "step-start" ? ++step : step));
  const living = new Set([...spoken].map((place) => steps[place]));
  return parts.filter((part, place) => {
    if (spoken.has(place)) return true;
    return living.has(steps[place]) && isSilent(object(part)) && !left.has(place);
  });
}

/** Parts that say nothing to the model; the others are there only if a message still has them. */
function isSilent({ type, ignored }: JsonObject): boolean {
  return (
    !["text", "reasoning", "tool", "file", "compaction", "subtask"].includes(string(type) ?? "") ||
    ignored === true
  );
}

function newMessage(
  one: Aligned,
  near: JsonObject,
  { seed, sessionID, place }: Material & { readonly place: number },
): JsonObject {
  const id = idBehind(near, `${seed}${place}`);
  const part = {
    id: `prt_${id.slice(4)}`,
    sessionID,
    messageID: id,
    type: "text",
    text: wordsOf(one, OPENCODE),
    synthetic: true,
  };
  return { info: newInfo(one, near, { id, sessionID }), parts: [part] };
}

function newInfo(one: Aligned, near: JsonObject, ids: { id: string; sessionID: string }): JsonObject {
  const created = object(near["time"])["created"] ?? 0;
  const model = object(near["model"]);
  const providerID = string(near["providerID"]) ?? string(model["providerID"]) ?? "palimpsest";
  const modelID = string(near["modelID"]) ?? string(model["modelID"]) ?? "palimpsest";
  const agent = string(near["agent"]) ?? "build";
  if (one.message.role !== "assistant")
    return { ...ids, role: "user", time: { created }, agent, model: { providerID, modelID } };
  return {
    ...ids,
    role: "assistant",
    parentID: string(near["role"] === "user" ? near["id"] : near["parentID"]) ?? ids.id,
    time: { created, completed: created },
    mode: agent,
    agent,
    modelID,
    providerID,
    path: near["path"] ?? { cwd: "/", root: "/" },
    cost: 0,
    tokens: NO_TOKENS,
    finish: "stop",
  };
}

function idFor(old: string, seed: string): string {
  return `${old.slice(0, TIMED_CHARS)}${hashOf(seed, old).slice(0, 14)}`;
}

/** Hashes have no letter behind f, so z sorts behind every id of the same moment. */
function idBehind(near: JsonObject, seed: string): string {
  const old = string(near["id"]) ?? "msg_";
  const zs = /^z*/.exec(old.slice(TIMED_CHARS))?.[0].length ?? 0;
  return `${old.slice(0, TIMED_CHARS)}${"z".repeat(zs + 1)}${hashOf(seed, old).slice(0, 13 - zs)}`;
}
