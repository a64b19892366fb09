/**
 * How a compaction of ours goes into a pi file: as a new branch behind everything that is there, which begins without a
 * parent and holds all that is still sent, in its order. pi's own compaction entry puts the summary before what it
 * keeps, so it can stand for ours only where the page comes first; elsewhere the page is a `custom_message`. The branch
 * opens with a `custom` entry, which pi keeps and sends to no model: it says where the conversation had been.
 *
 * The old branch stays in pi's tree, and the person can go back to it. Usage of copies is zero: pi takes the last one
 * for the size of the context. Version 1 has no tree, so such a file is brought to version 2 first, as pi does itself.
 */
import { defined, type Json, type JsonObject, list, object, parseJson, string } from "../transcript/json.ts";
import { type Part, promptTokens, type Transcript } from "../transcript/message.ts";
import { writeBlock } from "./pi-blocks.ts";
import { type Entry, firstKept, livePath, readTree, type Tree } from "./pi-tree.ts";
import { type Aligned, align, changesInCopy, dropAt, hashOf, seedOf, wordsOf } from "./rewrite.ts";
import { appendRecords, applyChanges, type Change, encode, recordsAt, spotOf } from "./session-file.ts";
import { type Source, sourceFrom } from "./source.ts";
import type { Session } from "./wire.ts";

const NAME = "pi";
export const NO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

export function spell(part: Part): readonly Change[] {
  return [{ ...spotOf(part, NAME), to: (old) => writeValue(part, old) }];
}

function writeValue(part: Part, old: Json | undefined): Json {
  if (typeof old === "string" && part.type === "text") return part.text;
  const { role, timestamp } = object(old);
  if (role !== "bashExecution" || part.type !== "text") return writeBlock(part, old);
  // A command and its output cannot be told apart in an edited text; a custom message says any text as it stands.
  const message = { role: "custom", customType: "bashExecution", content: part.text, display: true };
  return { ...message, ...defined({ timestamp }) };
}

export function appendBranch(session: Session, source: Source, next: Transcript): Iterable<Uint8Array> {
  const tree = readTree(source, []);
  const path = livePath(tree);
  const aligned = align(session, next);
  const branch = branchOf({ session, tree, path, seed: seedOf(session, aligned) });
  for (const type of ["model_change", "thinking_level_change"]) {
    const setting = path.findLast((entry) => entry.type === type);
    if (setting) branch.add(setting.record, idIn(tree, setting));
  }
  const records = recordsAt(source, new Set(aligned.flatMap((one) => (one.said ? [lineOf(one)] : []))));
  for (const [place, one] of aligned.entries()) {
    const record = one.said && records.get(lineOf(one));
    if (record) branch.add(copyOf(one, record, place), branch.idAt(lineOf(one)));
    else branch.add(inserted(one, place, { session, path }), "");
  }
  return appendRecords(tree.isList ? asTree(source, tree) : source, branch.records());
}

function lineOf({ message }: Aligned): number {
  return Number(list(message.native?.value)[0] ?? 0);
}

interface Material {
  readonly session: Session;
  readonly tree: Tree;
  readonly path: readonly Entry[];
  readonly seed: string;
}

/** Entries one below the other, and before them the note of where the conversation had been. */
function branchOf({ tree, path, seed }: Material) {
  const leaf = path.at(-1);
  const timestamp = leaf?.record["timestamp"] ?? new Date(leaf?.at ?? 0).toISOString();
  const byLine = new Map(tree.entries.map((entry) => [entry.line, idIn(tree, entry)]));
  const entries: JsonObject[] = [];
  const written: Record<string, string> = {};
  const root = freshId(tree, seed, 0);
  let parentId = root;
  const add = (record: JsonObject, of: string) => {
    const id = freshId(tree, seed, entries.length + 1);
    const kept = record["type"] === "compaction" ? { firstKeptEntryId: root } : {};
    entries.push({ ...record, ...kept, id, parentId, timestamp });
    written[id] = of;
    parentId = id;
  };
  const records = (): readonly JsonObject[] => {
    const data = { continues: leaf ? idIn(tree, leaf) : "", written };
    return [
      { type: "custom", customType: "palimpsest", data, id: root, parentId: null, timestamp },
      ...entries,
    ];
  };
  return { add, records, idAt: (line: number) => byLine.get(line) ?? "" };
}

function freshId(tree: Tree, seed: string, place: number): string {
  for (let salt = 0; ; salt += 1) {
    const id = hashOf(seed, place, salt).slice(0, 8);
    if (!tree.byId.has(id)) return id;
  }
}

/** A compaction that stays is one only as long as it comes first: pi would put its summary there anyway. */
function copyOf(one: Aligned, record: JsonObject, place: number): JsonObject {
  if (record["type"] === "compaction" && place > 0) return customMessage(wordsOf(one, NAME));
  const changes = changesInCopy(one, { spell, drop: dropAt(NAME) });
  const copy = object(applyChanges(record, changes));
  const { message } = copy;
  return object(message)["role"] === "assistant"
    ? { ...copy, message: { ...object(message), usage: NO_USAGE } }
    : copy;
}

type Setting = Pick<Material, "session" | "path">;

function inserted(one: Aligned, place: number, { session, path }: Setting): JsonObject {
  const text = wordsOf(one, NAME);
  if (one.message.role === "assistant") return { type: "message", message: answer(text, path) };
  if (place > 0) return customMessage(text);
  const usage = session.whole.messages.findLast((message) => message.usage)?.usage;
  const tokensBefore = usage ? promptTokens(usage) : 0;
  return { type: "compaction", summary: text, tokensBefore, fromHook: true };
}

function customMessage(content: string): JsonObject {
  return { type: "custom_message", customType: "palimpsest", content, display: true };
}

/** In the name of the model at work: pi goes on with the one that spoke last. */
function answer(text: string, path: readonly Entry[]): JsonObject {
  const spoken = path.map(({ record }) => object(record["message"]));
  const { api, provider, model } = spoken.findLast(({ role }) => role === "assistant") ?? {};
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    api: api ?? "palimpsest",
    provider: provider ?? "palimpsest",
    model: model ?? "palimpsest",
    usage: NO_USAGE,
    stopReason: "stop",
    timestamp: path.at(-1)?.at ?? 0,
  };
}

function idIn(tree: Tree, { id }: Entry): string {
  return tree.isList ? hashOf("pi", id).slice(0, 8) : id;
}

/** The list as the tree pi makes of it: every entry below the one before. */
function asTree(source: Source, tree: Tree): Source {
  const byLine = new Map(tree.entries.map((entry) => [entry.line, entry]));
  const idOf = (id: string | undefined) => {
    const entry = tree.byId.get(id ?? "");
    return entry ? idIn(tree, entry) : null;
  };
  const upgrade = (record: JsonObject, entry: Entry | undefined): JsonObject => {
    if (record["type"] === "session") return { ...record, version: 2 };
    if (!entry) return record;
    const { firstKeptEntryIndex, ...rest } = record;
    const kept = firstKeptEntryIndex === undefined ? {} : { firstKeptEntryId: idOf(firstKept(entry)) };
    return { ...rest, ...kept, id: idOf(entry.id), parentId: idOf(entry.parent) };
  };
  return sourceFrom(function* () {
    for (const line of source.lines()) {
      const record = parseJson(line.text);
      const isOurs = byLine.has(line.number) || string(object(record)["type"]) === "session";
      yield isOurs
        ? encode(`${JSON.stringify(upgrade(object(record), byLine.get(line.number)))}\n`)
        : line.bytes;
    }
  });
}
