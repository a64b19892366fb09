/**
 * What the session wires share: reading records, and writing a file again with some values changed.
 *
 * A wire remembers for each part the *spot* it came from: the line of its record and the path inside it. To write
 * an edit it says what the value at that spot becomes; everything else is copied from the source as bytes.
 */
import { PalimpsestError } from "../errors.ts";
import {
  isList,
  isObject,
  type Json,
  type JsonObject,
  list,
  MOST_LEVELS,
  object,
  parseJson,
} from "../transcript/json.ts";
import type { Message, Part, Transcript } from "../transcript/message.ts";
import { isExact, type Line, type Source, wholeText } from "./source.ts";
import type { Session, Skipped } from "./wire.ts";

const NEWLINE = 0x0a;

export type Spot = {
  /** Line of the record; 1 for a file that is one JSON document. */
  readonly line: number;
  readonly path: readonly (string | number)[];
};

/** What a value becomes; `undefined` takes it away, from a list or from the object it is a field of. */
export type Change = Spot & { readonly to: (old: Json | undefined) => Json | undefined };

export interface FileRecord {
  readonly line: number;
  readonly value: JsonObject;
}

/** The JSON objects of a JSONL file. What is not one is skipped, and `skipped` says where and why. */
export function* recordsOf(source: Source, skipped: Skipped[]): Generator<FileRecord> {
  // One line behind: only what turns out to be the last line may be called half-written.
  let broken: Line | undefined;
  for (const line of source.lines()) {
    if (broken) skipped.push(skip(broken, whyNot(broken.text) ?? "not JSON"));
    broken = undefined;
    if (line.text.trim() === "") continue;
    if (!isExact(line))
      skipped.push(skip(line, "bytes that are not UTF-8, read as U+FFFD and kept as they are"));
    const value = parseJson(line.text);
    if (isObject(value)) yield { line: line.number, value };
    else if (value === undefined) broken = line;
    else skipped.push(skip(line, "JSON, but not an object"));
  }
  if (broken) skipped.push(skip(broken, whyNot(broken.text) ?? "half-written last line"));
}

/** Of what `parseJson` does not read, what is JSON all the same. */
function whyNot(text: string): string | undefined {
  try {
    JSON.parse(text);
    return `nested more than ${MOST_LEVELS.toLocaleString("en-US")} levels deep`;
  } catch {
    return undefined;
  }
}

/** A file that is one JSON document. */
export function documentOf(source: Source, skipped: Skipped[]): Json | undefined {
  const { text, bytes, isExact: isExactText } = wholeText(source);
  if (text.trim() === "") return undefined;
  if (!isExactText)
    skipped.push({
      line: 1,
      offset: 0,
      bytes,
      why: "bytes that are not UTF-8, read as U+FFFD and kept as they are",
    });
  const value = parseJson(text);
  if (value === undefined)
    skipped.push({ line: 1, offset: 0, bytes, why: whyNot(text) ?? "not a complete JSON document" });
  return value;
}

/** How a wire says what an edited part becomes at the spot it was read from. */
export type Spell = (part: Part) => readonly Change[];

/** JSONL: changed records are spelled anew on their own line, all others are copied. */
export function* writeRecords(source: Source, changes: readonly Change[]): Generator<Uint8Array> {
  const lines = byLine(changes);
  for (const line of source.lines()) {
    const here = lines.get(line.number);
    yield here
      ? encode(JSON.stringify(applyChanges(parseJson(line.text) ?? null, here)) + endOf(line))
      : line.bytes;
  }
}

export function byLine(changes: readonly Change[]): ReadonlyMap<number, readonly Change[]> {
  const lines = new Map<number, Change[]>();
  for (const change of changes) {
    const here = lines.get(change.line);
    if (here) here.push(change);
    else lines.set(change.line, [change]);
  }
  return lines;
}

/** One document: spelled anew in its own indentation when anything changed, else copied. */
export function* writeDocument(source: Source, changes: readonly Change[]): Generator<Uint8Array> {
  if (changes.length === 0) yield* source.chunks();
  else yield* respellDocument(source, (document) => applyChanges(document, changes));
}

/** The document as `make` leaves it, which may change in place what it is given. */
export function* respellDocument(source: Source, make: (document: Json) => Json): Generator<Uint8Array> {
  const { text } = wholeText(source);
  const indent = /^[[{]\r?\n([ \t]+)/.exec(text)?.[1] ?? "";
  yield encode(JSON.stringify(make(parseJson(text) ?? null), null, indent) + (/\s*$/.exec(text)?.[0] ?? ""));
}

/** The file as it is, and records behind it. A last line that was never ended is ended first. */
export function* appendRecords(source: Source, records: Iterable<Json>): Generator<Uint8Array> {
  let last: number | undefined;
  for (const chunk of source.chunks()) {
    last = chunk.at(-1) ?? last;
    yield chunk;
  }
  if (last !== undefined && last !== NEWLINE) yield encode("\n");
  for (const record of records) yield encode(`${JSON.stringify(record)}\n`);
}

/** The records on some lines, parsed anew: whoever asks may change them. */
export function recordsAt(source: Source, lines: ReadonlySet<number>): ReadonlyMap<number, JsonObject> {
  const records = new Map<number, JsonObject>();
  for (const line of source.lines())
    if (lines.has(line.number)) records.set(line.number, object(parseJson(line.text)));
  return records;
}

/**
 * The changes that turn what was read into `next`. Parts may be replaced; the messages and their number stay. A
 * harness finds its way through its own file by ids and chains, so adding or removing messages is the wire's own
 * work, and a wire that has no way to do it says so instead of writing a file its harness cannot load.
 */
export function changesTo(
  session: Session,
  next: Transcript | undefined,
  spell: Spell,
  blank: Blank = () => [],
): readonly Change[] {
  if (next === undefined || next === session.seen || next === session.whole) return [];
  // Both may fit, where results were cleared in place; a part that is as either has it was not edited.
  const bases = [session.seen, session.whole].filter((transcript) => isAligned(transcript, next));
  if (bases.length === 0)
    throw new PalimpsestError(
      "cannot-write",
      `A ${session.wire} file can be written with parts replaced, not with messages added or removed.`,
    );
  const isAsRead = (message: Message, index: number) =>
    bases.some((base) => base.messages[index] === message);
  const edited = next.messages.findIndex((message, index) => !isAsRead(message, index));
  return next.messages.flatMap((message, index) => [
    ...changesOf(
      message,
      bases.flatMap((base) => base.messages[index] ?? []),
      spell,
    ),
    ...(edited >= 0 && index > edited && message.usage ? blank(message) : []),
  ]);
}

/**
 * How a wire takes back the usage of a message behind an edit: it is of a prompt that is no more, and whoever goes by it
 * (the harness, to compact; we, to measure) would take the context for as large as it was.
 */
export type Blank = (message: Message) => readonly Change[];

/** For records: the usage stands at this path of each line of a message. */
export function blankAt(path: Spot["path"], nothing: Json): Blank {
  const to = (old: Json | undefined) => (old === undefined ? undefined : nothing);
  return ({ native }) =>
    list(native?.value).flatMap((line) => (typeof line === "number" ? [{ line, path, to }] : []));
}

/** For lists in a document: the item of the list is made anew. */
export function blankItem(wire: string, make: (item: JsonObject) => Json): Blank {
  return ({ parts }) => {
    const part = parts.find(({ native }) => object(native as Json)["path"] !== undefined);
    if (!part) return [];
    const { line, path } = spotOf(part, wire);
    return [{ line, path: path.slice(0, 2), to: (old) => make(object(old)) }];
  };
}

/** Where an edited part came from. Edits carry `native` along, so a part without one is not from this file. */
export function spotOf(part: Part, wire: string): Spot {
  const { line, path } = object(part.native);
  if (typeof line === "number" && isList(path)) return { line, path: path as Spot["path"] };
  throw new PalimpsestError(
    "cannot-write",
    `A ${part.type} part has no place in this ${wire} file: it was not read from it.`,
  );
}

function changesOf(message: Message, originals: readonly Message[], spell: Spell): readonly Change[] {
  if (originals.includes(message)) return [];
  if (message.parts.length !== originals[0]?.parts.length) {
    throw new PalimpsestError(
      "cannot-write",
      "A message can be written with its parts replaced, not with parts added or removed.",
    );
  }
  return message.parts.flatMap((part, index) =>
    originals.some((original) => part === original.parts[index]) ? [] : spell(part),
  );
}

function isAligned(original: Transcript, next: Transcript): boolean {
  return (
    original.messages.length === next.messages.length &&
    original.messages.every((message, index) => message.native === next.messages[index]?.native)
  );
}

/**
 * The value with the changes made, in place: it was parsed for this writing alone, and copying would cost a list per
 * change. What goes, goes last and from the end, so that no path is shifted before it was used.
 */
export function applyChanges(value: Json, changes: readonly Change[]): Json {
  const root: { value: Json } = { value };
  const leaving: Spot["path"][] = [];
  for (const { path, to } of changes) {
    const [holder, last] = slotOf(root, path);
    const next = to(holder[last]);
    if (next === undefined) leaving.push(path);
    else holder[last] = next;
  }
  const gone = new Map(leaving.map((path) => [JSON.stringify(path), path]));
  for (const path of [...gone.values()].sort(comparePaths).reverse()) {
    const [holder, last] = slotOf(root, path);
    if (Array.isArray(holder)) holder.splice(Number(last), 1);
    else delete holder[last];
  }
  return root.value;
}

function slotOf(root: { value: Json }, path: Spot["path"]): [holder: Slots, last: string | number] {
  const steps = ["value", ...path];
  const last = steps.pop() ?? "value";
  // Paths were read from this very record: each step is there, and is a list or an object.
  return [steps.reduce<Slots>((slots, step) => slots[step] as Slots, root as unknown as Slots), last];
}

/** A path comes before what is below it and before its later siblings. */
function comparePaths(a: Spot["path"], b: Spot["path"]): number {
  const index = a.findIndex((step, place) => step !== b[place]);
  if (index < 0) return a.length - b.length;
  const [left, right] = [a[index], b[index]];
  if (typeof left === "number" && typeof right === "number") return left - right;
  return String(left) < String(right ?? "") ? -1 : 1;
}

type Slots = Record<string | number, Json | undefined>;

function endOf(line: Line): string {
  if (line.bytes.at(-1) !== NEWLINE) return "";
  return line.bytes.at(-2) === 0x0d ? "\r\n" : "\n";
}

function skip(line: Line, why: string): Skipped {
  return { line: line.number, offset: line.offset, bytes: line.bytes.length, why };
}

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
