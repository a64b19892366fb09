/**
 * What the session wires share: reading records, and writing a file again with some values changed.
 *
 * A wire remembers for each part the *spot* it came from: the line of its record and the path inside it. To write
 * an edit it says what the value at that spot becomes; everything else is copied from the source as bytes.
 */
import { PalimpsestError } from "../errors.ts";
import { isList, isObject, type Json, type JsonObject, object, parseJson } from "../transcript/json.ts";
import type { Message, Part, Transcript } from "../transcript/message.ts";
import { isExact, type Line, type Source, wholeText } from "./source.ts";
import type { Session, Skipped } from "./wire.ts";

export type Spot = {
  /** Line of the record; 1 for a file that is one JSON document. */
  readonly line: number;
  readonly path: readonly (string | number)[];
};

export type Change = Spot & { readonly to: (old: Json | undefined) => Json };

export interface FileRecord {
  readonly line: number;
  readonly value: JsonObject;
}

/** The JSON objects of a JSONL file. What is not one is skipped, and `skipped` says where and why. */
export function* recordsOf(source: Source, skipped: Skipped[]): Generator<FileRecord> {
  // One line behind: only what turns out to be the last line may be called half-written.
  let broken: Line | undefined;
  for (const line of source.lines()) {
    if (broken) skipped.push(skip(broken, "not JSON"));
    broken = undefined;
    if (line.text.trim() === "") continue;
    if (!isExact(line))
      skipped.push(skip(line, "bytes that are not UTF-8, read as U+FFFD and kept as they are"));
    const value = parseJson(line.text);
    if (isObject(value)) yield { line: line.number, value };
    else if (value === undefined) broken = line;
    else skipped.push(skip(line, "JSON, but not an object"));
  }
  if (broken) skipped.push(skip(broken, "half-written last line"));
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
  if (value === undefined) skipped.push({ line: 1, offset: 0, bytes, why: "not a complete JSON document" });
  return value;
}

/** How a wire says what an edited part becomes at the spot it was read from. */
export type Spell = (part: Part) => readonly Change[];

/** JSONL: changed records are spelled anew on their own line, all others are copied. */
export function* writeRecords(source: Source, changes: readonly Change[]): Generator<Uint8Array> {
  const byLine = new Map<number, Change[]>();
  for (const change of changes) {
    const here = byLine.get(change.line);
    if (here) here.push(change);
    else byLine.set(change.line, [change]);
  }
  for (const line of source.lines()) {
    const here = byLine.get(line.number);
    yield here ? encode(JSON.stringify(changed(line.text, here)) + endOf(line)) : line.bytes;
  }
}

/** One document: spelled anew in its own indentation when anything changed, else copied. */
export function* writeDocument(source: Source, changes: readonly Change[]): Generator<Uint8Array> {
  if (changes.length === 0) {
    yield* source.chunks();
    return;
  }
  const { text } = wholeText(source);
  const indent = /^[[{]\r?\n([ \t]+)/.exec(text)?.[1] ?? "";
  yield encode(JSON.stringify(changed(text, changes), null, indent) + (/\s*$/.exec(text)?.[0] ?? ""));
}

/**
 * The changes that turn what was read into `next`. Parts may be replaced; the messages and their number stay. A
 * harness finds its way through its own file by ids and chains, so adding or removing messages is the wire's own
 * work, and a wire that has no way to do it says so instead of writing a file its harness cannot load.
 */
export function changesTo(session: Session, next: Transcript | undefined, spell: Spell): readonly Change[] {
  if (next === undefined || next === session.seen || next === session.whole) return [];
  // Both may fit, where results were cleared in place; a part that is as either has it was not edited.
  const bases = [session.seen, session.whole].filter((transcript) => isAligned(transcript, next));
  if (bases.length === 0)
    throw new PalimpsestError(
      "cannot-write",
      `A ${session.wire} file can be written with parts replaced, not with messages added or removed.`,
    );
  return next.messages.flatMap((message, index) =>
    changesOf(
      message,
      bases.flatMap((base) => base.messages[index] ?? []),
      spell,
    ),
  );
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

/** The value was parsed for this writing alone, so it is changed in place: copying would cost a list per change. */
function changed(text: string, changes: readonly Change[]): Json {
  const root: { value: Json } = { value: parseJson(text) ?? null };
  for (const { path, to } of changes) {
    const steps = ["value", ...path];
    const last = steps.pop() ?? "value";
    // Paths were read from this very record: each step is there, and is a list or an object.
    const holder = steps.reduce<Slots>((slots, step) => slots[step] as Slots, root as unknown as Slots);
    holder[last] = to(holder[last]);
  }
  return root.value;
}

type Slots = Record<string | number, Json | undefined>;

function endOf(line: Line): string {
  if (line.bytes.at(-1) !== 0x0a) return "";
  return line.bytes.at(-2) === 0x0d ? "\r\n" : "\n";
}

function skip(line: Line, why: string): Skipped {
  return { line: line.number, offset: line.offset, bytes: line.bytes.length, why };
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
