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
  const known = refs.get(part);
  if (known !== undefined) return known;
  const ref = encode(createHash("sha256").update(contentOf(part)).digest());
  refs.set(part, ref);
  return ref;
}

/** Parts are immutable, so a ref is computed once per part object; the entry dies with the part. */
const refs = new WeakMap<Part, Ref>();

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
