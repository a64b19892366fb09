/**
 * Refs: stable addresses made from content alone.
 *
 * Hosts regenerate ids and timestamps when they resume, fork or resend, so neither may be part of an address.
 * Equal content has an equal ref; where it occurs more than once, the occurrence number tells which. Twelve
 * characters of a 32-letter alphabet are 60 bits of SHA-256: among a million parts of one session the chance of
 * any collision is under one in two million, and the store keeps the full hash beside it.
 */
import { createHash } from "node:crypto";
import { canonical } from "./json.ts";
import type { MediaSource, Part, ResultPart, Transcript } from "./message.ts";

declare const refBrand: unique symbol;
export type Ref = string & { readonly [refBrand]: true };

const PREFIX = "ref_";
const LENGTH = 12;
/** Crockford's letters: no i, l, o, u, so a ref read aloud or retyped stays the same ref. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

export function refOf(part: Part): Ref {
  return (addresses.get(part) ?? addressed(part)).ref;
}

/** The SHA-256 a ref is the beginning of, a letter for each byte. */
export function digestOf(part: Part): string {
  return knownDigestOf(part) ?? addressed(part).digest;
}

/**
 * The same, where it costs nothing: a text was hashed once to be addressed, and whoever keeps it need not do so again, because
 * strings never change. Whether it is still the same string is asked, for a part that others can reach may have been changed
 * against all promises. `undefined` for what is not one text.
 */
export function knownDigestOf(part: Part): string | undefined {
  const known = addresses.get(part);
  const said = saidBy(part);
  const isSame = said !== undefined && known?.said === said && known.isError === isErrorIn(part);
  return isSame ? known.digest : undefined;
}

interface Address {
  readonly ref: Ref;
  readonly digest: string;
  /** What it was made of, where that is one text and little else. */
  readonly said: string | undefined;
  readonly isError: boolean;
}

/** Parts are immutable, so an address is made once per part object; the entry dies with the part. */
const addresses = new WeakMap<Part, Address>();

function addressed(part: Part): Address {
  const digest = createHash("sha256").update(contentOf(part)).digest();
  const made = {
    ref: encode(digest),
    digest: digest.toString("latin1"),
    said: saidBy(part),
    isError: isErrorIn(part),
  };
  // The first one stays: a ref does not change under a part that was changed.
  if (!addresses.has(part)) addresses.set(part, made);
  return made;
}

function saidBy(part: Part): string | undefined {
  const [first, ...others] = part.type === "tool-result" ? part.output : [part];
  return first?.type === "text" && others.length === 0 ? first.text : undefined;
}

function isErrorIn(part: Part): boolean {
  return part.type === "tool-result" && part.isError;
}

export function isRef(text: string): text is Ref {
  return /^ref_[0-9a-hjkmnp-tv-z]{12}$/.test(text);
}

export interface AddressedPart {
  readonly part: Part;
  readonly ref: Ref;
  /** 0 for the first part with this content in the transcript, 1 for the second, and so on. */
  readonly occurrence: number;
  readonly messageIndex: number;
  readonly partIndex: number;
}

export function addressParts(transcript: Transcript): readonly AddressedPart[] {
  const counts = new Map<Ref, number>();
  return transcript.messages.flatMap((message, messageIndex) =>
    message.parts.map((part, partIndex) => {
      const ref = refOf(part);
      const occurrence = counts.get(ref) ?? 0;
      counts.set(ref, occurrence + 1);
      return { part, ref, occurrence, messageIndex, partIndex };
    }),
  );
}

/**
 * What a ref is made of. JSON text, because JSON escapes lone surrogates that UTF-8 would fold into one
 * replacement character; then two different broken strings would share an address.
 */
function contentOf(part: Part): string {
  switch (part.type) {
    case "text":
      return JSON.stringify(["text", part.text]);
    case "thinking":
      return JSON.stringify(["thinking", part.text, part.signature ?? null, part.encrypted ?? null]);
    case "tool-call":
      return JSON.stringify(["tool-call", part.name, canonical(part.input)]);
    case "tool-result":
      return JSON.stringify(["tool-result", part.isError, part.output.map(resultContentOf)]);
    case "image":
      return JSON.stringify(["image", sourceContentOf(part.source)]);
    case "document":
      return JSON.stringify(["document", part.title ?? null, sourceContentOf(part.source)]);
    case "opaque":
      return JSON.stringify(["opaque", part.of, canonical(part.value)]);
  }
}

/** A list where it is not text: a text that spells out an image is not that image. */
function resultContentOf(part: ResultPart): string | readonly string[] {
  return part.type === "text" ? part.text : [contentOf(part)];
}

function sourceContentOf(source: MediaSource): string {
  return canonical({ ...source });
}

function encode(digest: Uint8Array): Ref {
  let text = PREFIX;
  let bits = 0;
  let value = 0;
  for (const byte of digest) {
    value = ((value & 0xff) << 8) | byte;
    bits += 8;
    while (bits >= 5 && text.length < PREFIX.length + LENGTH) {
      bits -= 5;
      text += ALPHABET[(value >> bits) & 31];
    }
  }
  // The one place a string becomes a ref.
  return text as Ref;
}
