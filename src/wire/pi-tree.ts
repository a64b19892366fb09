/**
 * The tree of entries in a pi session file, and the walk through it. See `pi.ts` for what it means.
 *
 * Version 1 was a list: its entries have no ids, and a compaction names what it kept by its place in the file. They
 * are given ids by that place here, so that everything else sees one kind of file, as pi itself does when it loads one.
 */
import { defined, type JsonObject, number, object, string } from "../transcript/json.ts";
import { recordsOf } from "./session-file.ts";
import type { Source } from "./source.ts";
import type { About, Skipped } from "./wire.ts";

export interface Entry {
  readonly line: number;
  /** Its place among the entries of the file. */
  readonly place: number;
  readonly id: string;
  readonly parent: string | undefined;
  readonly type: string;
  readonly at: number | undefined;
  readonly record: JsonObject;
}

export interface Tree {
  /** In the order of the file. */
  readonly entries: readonly Entry[];
  readonly byId: ReadonlyMap<string, Entry>;
  /** Version 1: entries had no ids, and stood in a list. */
  readonly isList: boolean;
  readonly about: About;
}

export function readTree(source: Source, skipped: Skipped[]): Tree {
  const byId = new Map<string, Entry>();
  let about: About = {};
  let isList = false;
  let record = 0;
  let previous: string | undefined;
  for (const { line, value } of recordsOf(source, skipped)) {
    if (value["type"] === "session") {
      isList = (number(value["version"]) ?? 1) < 2;
      about = { ...aboutOf(value), ...about };
    }
    const id = isList ? placeId(record) : string(value["id"]);
    const parent = isList ? previous : string(value["parentId"]);
    record += 1;
    const type = string(value["type"]);
    if (type === undefined || type === "session" || id === undefined || byId.has(id)) continue;
    if (type === "session_info") about = { ...about, ...defined({ title: string(value["name"]) }) };
    byId.set(id, { line, place: byId.size, id, parent, type, at: timeOf(value), record: value });
    previous = id;
  }
  return { entries: [...byId.values()], byId, isList, about };
}

/** The entry from which on a compaction kept everything. */
export function firstKept(compaction: Entry): string | undefined {
  const place = number(compaction.record["firstKeptEntryIndex"]);
  return string(compaction.record["firstKeptEntryId"]) ?? (place === undefined ? undefined : placeId(place));
}

/** From the root to the last entry of the file. */
export function livePath(tree: Tree): readonly Entry[] {
  const path = new Set<Entry>();
  for (let entry = tree.entries.at(-1); entry && !path.has(entry); entry = parentOf(entry, tree))
    path.add(entry);
  return [...path].reverse();
}

/** Where the entry that is pointed to was never written, what stands before in the file is the best we know. */
function parentOf(entry: Entry, tree: Tree): Entry | undefined {
  if (entry.parent === undefined) return tree.byId.get(noteOf(entry)?.continues ?? "");
  return tree.byId.get(entry.parent) ?? tree.entries[entry.place - 1];
}

/** What `pi-append.ts` noted when it began the conversation anew: where it had been, and what it wrote. */
export interface Note {
  readonly continues: string;
  /** Of which entry each is a copy; "" for a page. */
  readonly written: ReadonlyMap<string, string>;
}

export function noteOf({ type, record }: Entry): Note | undefined {
  if (type !== "custom" || record["customType"] !== "palimpsest") return undefined;
  const { continues, written } = object(record["data"]);
  return {
    continues: string(continues) ?? "",
    written: new Map(Object.entries(object(written)).map(([id, of]) => [id, string(of) ?? ""])),
  };
}

/** Entries off the path, by the branch they belong to: the name is the entry it begins with. */
export function branchesOf(tree: Tree, path: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  const live = new Set(path);
  const branchOf = new Map<string, string>();
  const branches = new Map<string, Entry[]>();
  for (const entry of tree.entries) {
    if (live.has(entry)) continue;
    const name = branchOf.get(entry.parent ?? "") ?? entry.id;
    branchOf.set(entry.id, name);
    const branch = branches.get(name);
    if (branch) branch.push(entry);
    else branches.set(name, [entry]);
  }
  return branches;
}

function placeId(place: number): string {
  return `#${place}`;
}

function aboutOf(header: JsonObject): About {
  return defined({ id: string(header["id"]), cwd: string(header["cwd"]), startedAt: timeOf(header) });
}

function timeOf(record: JsonObject): number | undefined {
  const at = Date.parse(string(record["timestamp"]) ?? "");
  return Number.isNaN(at) ? undefined : at;
}
