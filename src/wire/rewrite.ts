/**
 * What the session wires share when messages leave a conversation and others come in: which message of `next` is which
 * message of the file, and what changed in it. A wire then says only how it spells a message that was never in the
 * file, and where its harness looks for the conversation from now on.
 *
 * Messages are known by their `native` object, which edits carry along; parts likewise. Ids that a harness asks for are
 * made by hashing, so that the same file and the same `next` give the same bytes.
 */
import { createHash } from "node:crypto";
import { PalimpsestError } from "../errors.ts";
import { type Json, list } from "../transcript/json.ts";
import type { Message, Part, Transcript } from "../transcript/message.ts";
import { applyChanges, type Change, respellDocument, type Spell, type Spot, spotOf } from "./session-file.ts";
import type { Source } from "./source.ts";
import type { Session } from "./wire.ts";

/** A message of `next`, and what it was; neither of the two where it was never in the file. */
export interface Aligned {
  readonly message: Message;
  /** As the file says it. */
  readonly said?: Message;
  /** As the model was sent it: results may have been cleared. */
  readonly sent?: Message;
  /**
   * Whether something before it was edited: the usage it carries is of a prompt that is no more, and a host that goes by it
   * would compact again at once.
   */
  readonly isBehindEdit: boolean;
}

/** Whether messages or parts were added or removed. Where they were not, `changesTo` says what to write. */
export function isRestructured(session: Session, next: Transcript | undefined): next is Transcript {
  if (next === undefined) return false;
  return ![session.seen, session.whole].some((base) => hasShapeOf(base, next));
}

function hasShapeOf(base: Transcript, next: Transcript): boolean {
  return (
    base.messages.length === next.messages.length &&
    base.messages.every((message, index) => {
      const other = next.messages[index];
      return other && message.native === other.native && message.parts.length === other.parts.length;
    })
  );
}

export function align(session: Session, next: Transcript): readonly Aligned[] {
  const said = byNative(session.whole);
  const sent = byNative(session.seen);
  const seen = session.seen.messages;
  const edited = next.messages.findIndex((message, index) => message !== seen[index]);
  return next.messages.map((message, index) => {
    const of = message.native;
    const isMoved = index === edited && of !== seen[index]?.native;
    const isBehindEdit = edited >= 0 && (index > edited || isMoved);
    const shown = of && sent.get(of);
    const stored = (of && said.get(of)) ?? shown;
    return { message, isBehindEdit, ...(stored ? { said: stored } : {}), ...(shown ? { sent: shown } : {}) };
  });
}

function byNative({ messages }: Transcript): ReadonlyMap<object, Message> {
  return new Map(messages.flatMap((message) => (message.native ? [[message.native, message]] : [])));
}

/** How a wire writes an edited part, and how it takes one away. */
export interface Spelling {
  readonly spell: Spell;
  readonly drop: Spell;
}

/** The changes to what stands in the file that make it say this message. */
export function changesIn({ message, said, sent }: Aligned, spelling: Spelling): readonly Change[] {
  return changesFrom(message, [sent, said], spelling);
}

/** The same for a copy, which stands where nothing clears its results: it must say what was sent. */
export function changesInCopy({ message, said }: Aligned, spelling: Spelling): readonly Change[] {
  return changesFrom(message, [said], spelling);
}

function changesFrom(
  message: Message,
  originals: readonly (Message | undefined)[],
  { spell, drop }: Spelling,
): readonly Change[] {
  const known = originals.flatMap((original) => original ?? []);
  if (known.includes(message)) return [];
  const untouched = new Set(known.flatMap(({ parts }) => parts));
  const left = new Set(message.parts.map(placeOf));
  return [
    ...message.parts.flatMap((part) => (untouched.has(part) ? [] : spell(part))),
    ...(known[0]?.parts ?? []).flatMap((part) => (left.has(placeOf(part)) ? [] : drop(part))),
  ];
}

/** An edited part keeps its `native`; one that has none cannot be edited, and is known by itself. */
function placeOf(part: Part): object {
  return typeof part.native === "object" && part.native !== null ? part.native : part;
}

/** Most parts are an item of a list, or a field that may be missing; a text that must be there becomes empty. */
export function dropAt(wire: string): Spell {
  return (part) => [{ ...spotOf(part, wire), to: emptied(spotOf(part, wire)) }];
}

export function emptied({ path }: Spot): Change["to"] {
  return (old) => (typeof old === "string" && typeof path.at(-1) === "string" ? "" : undefined);
}

/** How a wire rewrites a list of messages inside a document. */
export interface ListRewrite {
  readonly session: Session;
  readonly next: Transcript;
  readonly spelling: Spelling;
  /** Where the list stands. */
  readonly path: Spot["path"];
  /** Items that are no message stay where they are. */
  readonly isMessage?: (item: Json) => boolean;
  readonly insert: (one: Aligned, before: Json | undefined) => Json;
  /** A last touch to an item that stays. */
  readonly keep?: (item: Json, one: Aligned) => Json;
}

/** For documents with one item a message: those that left are taken out, new ones are put in, the rest is edited. */
export function rewriteList(source: Source, rewrite: ListRewrite): Iterable<Uint8Array> {
  const { session, next, spelling, path, keep = (item) => item, insert } = rewrite;
  const aligned = align(session, next);
  const changes = aligned.flatMap((one) => (one.said ? changesIn(one, spelling) : []));
  return respellDocument(source, (document) => {
    const edited = applyChanges(document, changes);
    const relist = (items: Json | undefined) => {
      const places = placesOf(list(items), rewrite);
      const made: Json[] = [];
      const loose = list(items).flatMap((item, index) => (places.has(index) ? [] : [{ item, index }]));
      const pass = (end: number) => {
        while (loose[0] && loose[0].index < end) made.push(loose.shift()?.item ?? null);
      };
      const byNative = new Map([...places].map(([index, native]) => [native, index]));
      for (const one of aligned) {
        const index = byNative.get(one.message.native);
        if (index !== undefined) pass(index);
        const item = index === undefined ? undefined : list(items)[index];
        made.push(item === undefined ? insert(one, made.at(-1)) : keep(item, one));
      }
      pass(Infinity);
      return made;
    };
    return applyChanges(edited, [{ line: 1, path, to: relist }]);
  });
}

function placesOf(
  items: readonly Json[],
  { session, isMessage = () => true }: ListRewrite,
): ReadonlyMap<number, Message["native"]> {
  const indices = items.flatMap((item, index) => (isMessage(item) ? [index] : []));
  return new Map(indices.map((index, place) => [index, session.whole.messages[place]?.native]));
}

/** The words of a message that was never in the file: the page of a compaction, or the answer to it. */
export function wordsOf({ message }: Aligned, wire: string): string {
  return message.parts
    .map((part) => {
      if (part.type === "text") return part.text;
      throw new PalimpsestError(
        "cannot-write",
        `A message that was not read from this ${wire} file can only be text; this one has a ${part.type}.`,
      );
    })
    .join("\n\n");
}

/** The page of a compaction is the first message in the user's name that was never in the file. */
export function pageOf(aligned: readonly Aligned[]): Aligned | undefined {
  return aligned.find(({ message, said }) => !said && message.role === "user");
}

/** Wires that cannot move what stands in their file refuse an order that is not the file's. */
export function refuseReordering(aligned: readonly Aligned[], session: Session): void {
  const places = new Map(session.seen.messages.map(({ native }, index) => [native, index]));
  const order = aligned.flatMap(({ message, sent }) => (sent ? (places.get(message.native) ?? []) : []));
  if (order.some((place, index) => index > 0 && place <= (order[index - 1] ?? -1)))
    throw new PalimpsestError("cannot-write", `Messages of a ${session.wire} file stay in their order.`);
}

/** A seed for the ids of one writing: the file's own, and everything that is written. */
export function seedOf(session: Session, aligned: readonly Aligned[]): string {
  const hash = createHash("sha256").update(session.about.id ?? "");
  hash.update(String(session.whole.messages.length));
  for (const { message, said } of aligned)
    hash.update(
      said
        ? JSON.stringify([message.native?.value, message.parts.length])
        : JSON.stringify(message.parts.map((part) => (part.type === "text" ? part.text : part.type))),
    );
  return hash.digest("hex");
}

export function hashOf(...of: readonly (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(of)).digest("hex");
}

/** In the form of a version 4 UUID, which is what harnesses look for. */
export function uuidOf(...of: readonly (string | number)[]): string {
  const hex = hashOf(...of);
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
