/**
 * Refs: stable addresses made from content alone.
 *
 * Hosts regenerate ids and timestamps when they resume, fork or resend, so neither may be part of an address.
 * Equal content has an equal ref; where it occurs more than once, the occurrence number tells which. Twelve
 * characters of a 32-letter alphabet are 60 bits of SHA-256: among a million parts of one session the chance of
 * any collision is under one in two million, and the store keeps the full hash beside it.
 */
import { canonical } from "./json.ts";
import { isWellFormed, type LoneText, loneTextOf } from "./lone-text.ts";
import type { MediaSource, Part, ResultPart, Transcript } from "./message.ts";
import { sha256OfText } from "./sha256.ts";

declare const refBrand: unique symbol;
export type Ref = string & { readonly [refBrand]: true };

const PREFIX = "ref_";
const LENGTH = 12;
/** Crockford's letters: no i, l, o, u, so a ref read aloud or retyped stays the same ref. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

export function refOf(part: Part): Ref {
  return (known.get(part) ?? hashed(part)).ref;
}

export interface AddressedText extends LoneText {
  /** The SHA-256 of both, a letter for each byte: the ref is its beginning. */
  readonly digest: string;
}

/**
 * A lone text that was hashed to be addressed: whoever keeps it need not do so again. Whether it is still the same is asked, for
 * a part that others can reach may have been changed against all promises; the same string is known by its pointer.
 */
export function addressedText(part: Part): AddressedText | undefined {
  const then = known.get(part)?.text;
  const now = then && loneTextOf(part);
  return now?.text === then?.text && now?.head === then?.head ? then : undefined;
}

/** The part alone, without its host's spelling, which no ref is made of: its copy is not hashed again. */
export function withoutNative(part: Part): Part {
  if (part.native === undefined) return part;
  const { native: _, ...bare } = part;
  const its = known.get(part);
  if (its) known.set(bare, its);
  return bare;
}

interface Hashed {
  readonly ref: Ref;
  readonly text: AddressedText | undefined;
}

/** Parts are immutable, so a ref is made once per part object; the entry dies with the part. */
const known = new WeakMap<Part, Hashed>();

function hashed(part: Part): Hashed {
  const lone = loneTextOf(part);
  const isLone = lone !== undefined && isWellFormed(lone.text);
  const digest = isLone ? sha256OfText(lone.head, lone.text) : sha256OfText(contentOf(part));
  const made = {
    ref: encode(digest),
    text: isLone ? { head: lone.head, text: lone.text, digest } : undefined,
  };
  known.set(part, made);
  return made;
}

export function isRef(text: string): text is Ref {
  return /^ref_[0-9a-hjkmnp-tv-z]{12}$/.test(text);
}

export interface Address {
  readonly ref: Ref;
  /** 0 for the first part with this content in the transcript, 1 for the second, and so on. */
  readonly occurrence: number;
}

/** The address of every part, in the shape of the transcript. */
export function addressesIn({ messages }: Transcript): readonly (readonly Address[])[] {
  const counts = new Map<Ref, number>();
  return messages.map(({ parts }) =>
    parts.map((part) => {
      const ref = refOf(part);
      const occurrence = counts.get(ref) ?? 0;
      counts.set(ref, occurrence + 1);
      return { ref, occurrence };
    }),
  );
}

export interface AddressedPart extends Address {
  readonly part: Part;
  readonly messageIndex: number;
  readonly partIndex: number;
}

export function addressParts(transcript: Transcript): readonly AddressedPart[] {
  const addresses = addressesIn(transcript);
  return transcript.messages.flatMap(({ parts }, messageIndex) =>
    parts.flatMap((part, partIndex) => {
      const at = addresses[messageIndex]?.[partIndex];
      return at ? [{ part, ...at, messageIndex, partIndex }] : [];
    }),
  );
}

/**
 * What a ref is made of where it is not a lone text. JSON text, because JSON escapes lone surrogates that UTF-8 would fold into one
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

/**
 * Five bits a letter. Written as bytes and made a text at once: a letter at a time leaves a dozen texts behind for each ref.
 *
 * @param digest a letter for each byte
 */
function encode(digest: string): Ref {
  let bits = 0;
  let value = 0;
  let at = 0;
  for (let end = PREFIX.length; end < spelled.length; end += 1) {
    if (bits < 5) {
      value = ((value & 0xff) << 8) | digest.charCodeAt(at++);
      bits += 8;
    }
    bits -= 5;
    spelled[end] = ALPHABET.charCodeAt((value >> bits) & 31);
  }
  // The one place a string becomes a ref.
  return spelled.toString("latin1") as Ref;
}

/** Written anew for each. */
const spelled = Buffer.from(PREFIX.padEnd(PREFIX.length + LENGTH));
