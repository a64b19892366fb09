/**
 * What sealed thinking is bound to: the conversation before it, as a digest that grows part by part.
 *
 * A provider that preserves thinking compares system, tools and every earlier message with what was there when the
 * thinking was made. Not compared: `cache_control`, the order of tools, a text alone against a list with one text, and
 * white space around texts. Consecutive messages of one role are one message, as the provider reads them, and results
 * are the user's whatever their role; so a conversation has one digest in every wire that can say it.
 *
 * A digest is extended in the time its new part takes, so a whole conversation costs one pass over it.
 */
import { createHash } from "node:crypto";
import { canonical, isList, isObject, type Json, type JsonObject } from "./json.ts";
import type { MediaSource, Message, Part, Role, ThinkingPart, ToolSchema, Transcript } from "./message.ts";

/** Stands for everything said so far: two prefixes are the same if their digests are. */
export type PrefixDigest = string;

/** Whether the provider can tell that it made this thinking. Some hosts write an empty signature where there is none. */
export function isSealed({ signature, encrypted }: ThinkingPart): boolean {
  return Boolean(signature) || Boolean(encrypted);
}

/** System and tools: what stands before the first message. */
export function openPrefix({ system = [], tools = [] }: Pick<Transcript, "system" | "tools">): PrefixDigest {
  const byName = new Map(tools.map((tool) => [tool.name, spellTool(tool)]));
  const names = [...byName.keys()].sort();
  const opening = hash(JSON.stringify(names.map((name) => byName.get(name))));
  return extendPrefix(opening, { role: "system", parts: system });
}

export function extendPrefix(
  prefix: PrefixDigest,
  { role, parts }: Pick<Message, "role" | "parts">,
): PrefixDigest {
  return parts.reduce((before, part) => addPart(before, role, part), prefix);
}

/** Who speaks is said with each part, so that it makes no difference where a message ends. */
export function addPart(prefix: PrefixDigest, role: Role, part: Part): PrefixDigest {
  if (!isSent(part)) return prefix;
  const speaker = role === "tool" ? "user" : role;
  return hash(`${prefix} ${speaker} ${contentHash(part)}`);
}

/** Blank texts and thinking nobody sealed are refused, so wires leave them out. */
function isSent(part: Part): boolean {
  if (part.type === "thinking") return isSealed(part);
  return part.type !== "text" || part.text.trim() !== "";
}

/** For each message the prefix before it, and at the end that of the whole conversation. */
export function prefixesOf(transcript: Transcript): readonly PrefixDigest[] {
  const prefixes = [openPrefix(transcript)];
  for (const message of transcript.messages) prefixes.push(extendPrefix(prefixes.at(-1) ?? "", message));
  return prefixes;
}

/** Parts are immutable and large; the chain over them is short. So a second conversation that shares them is cheap. */
const contentHashes = new WeakMap<Part, string>();

function contentHash(part: Part): string {
  const known = contentHashes.get(part);
  if (known !== undefined) return known;
  const made = hash(JSON.stringify(spell(part)));
  contentHashes.set(part, made);
  return made;
}

/** Unlike a ref this holds ids and seals: a provider compares what it is sent. */
function spell(part: Part): readonly Json[] {
  switch (part.type) {
    case "text":
      return ["text", part.text.trim()];
    case "thinking":
      return ["thinking", part.text, part.signature ?? null, part.encrypted ?? null];
    case "tool-call":
      return ["tool-call", part.callId, part.name, canonical(part.input)];
    case "tool-result":
      return ["tool-result", part.callId, part.isError, part.output.map(spell)];
    case "image":
      return ["image", spellSource(part.source)];
    case "document":
      return ["document", part.title ?? null, spellSource(part.source)];
    case "opaque":
      return ["opaque", part.of, canonical(withoutCacheControl(part.value))];
  }
}

function spellSource(source: MediaSource): string {
  return canonical({ ...source });
}

function spellTool({ name, description, input }: ToolSchema): readonly Json[] {
  return [name, description?.trim() ?? null, canonical(input)];
}

function withoutCacheControl(value: Json): Json {
  if (isList(value)) return value.map(withoutCacheControl);
  if (!isObject(value)) return value;
  const kept: [string, Json][] = entriesOf(value).filter(([key]) => key !== "cache_control");
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutCacheControl(item)]));
}

function entriesOf(value: JsonObject): [string, Json][] {
  return Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, item]]));
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
