/**
 * Seals on thinking. A seal says what it was made for: the words, and the conversation before them. It proves itself,
 * so the server need not remember, and a second server still knows the seals of the first. Anyone can read the key
 * below: this is no secret, only something that nobody makes by accident.
 */
import { createHash, createHmac } from "node:crypto";
import { isList, parseJson, string } from "../transcript/json.ts";
import type { Part, ThinkingPart, Transcript } from "../transcript/message.ts";
import type { Place } from "../transcript/pairs.ts";
import { addPart, isSealed, openPrefix, type PrefixDigest } from "../transcript/prefix.ts";
import type { ApiName } from "./script.ts";

const KEY = "palimpsest/testing";

export interface Sealing {
  readonly by: ApiName;
  readonly text: string;
  readonly prefix: PrefixDigest;
}

export function makeSeal({ by, text, prefix }: Sealing): string {
  const said = [by, digest(text), prefix];
  return Buffer.from(JSON.stringify([...said, proof(said)])).toString("base64");
}

export interface OpenSeal {
  readonly textDigest: string;
  readonly prefix: PrefixDigest;
}

/** What the seal was made for, or `undefined` where this provider did not make it. */
export function openSeal(by: ApiName, seal: string): OpenSeal | undefined {
  const value = parseJson(Buffer.from(seal, "base64").toString());
  const [maker, textDigest, prefix, proven] = isList(value) ? value.map((item) => string(item) ?? "") : [];
  if (maker !== by || textDigest === undefined || prefix === undefined) return undefined;
  return proven === proof([maker, textDigest, prefix]) ? { textDigest, prefix } : undefined;
}

export interface BrokenSeal extends Place {
  readonly code: "thinking-edited" | "prefix-changed";
  readonly part: ThinkingPart;
}

/** Sealed thinking that is not as it was made, in the order it stands. One pass. */
export function brokenSeals(transcript: Transcript, by: ApiName): readonly BrokenSeal[] {
  const found: BrokenSeal[] = [];
  let prefix = openPrefix(transcript);
  transcript.messages.forEach(({ role, parts }, messageIndex) => {
    parts.forEach((part, partIndex) => {
      const code = part.type === "thinking" ? breachOf(part, by, prefix) : undefined;
      if (part.type === "thinking" && code) found.push({ code, part, messageIndex, partIndex });
      prefix = addPart(prefix, role, part);
    });
  });
  return found;
}

function breachOf(part: ThinkingPart, by: ApiName, prefix: PrefixDigest): BrokenSeal["code"] | undefined {
  if (!isSealed(part)) return undefined;
  const seal = openSeal(by, part.encrypted || part.signature || "");
  if (!seal || seal.textDigest !== digest(part.text)) return "thinking-edited";
  return seal.prefix === prefix ? undefined : "prefix-changed";
}

/** How a provider carries its seal: beside the words, in place of them, or not with the thinking at all. */
export type SealKind = "signature" | "encrypted" | "none";

/** The parts of a reply with their seals; each is bound to the conversation and to what the reply said before it. */
export function sealParts(
  parts: readonly Part[],
  { by, kind, prefix }: { readonly by: ApiName; readonly kind: SealKind; readonly prefix: PrefixDigest },
): readonly Part[] {
  let before = prefix;
  return parts.map((part) => {
    const sealed = part.type === "thinking" && kind !== "none" ? sealOne(part, { by, kind, before }) : part;
    before = addPart(before, "assistant", sealed);
    return sealed;
  });
}

/** Thinking that comes with `encrypted` is to be hidden: what goes out is the seal alone. */
function sealOne(
  part: ThinkingPart,
  { by, kind, before }: { readonly by: ApiName; readonly kind: SealKind; readonly before: PrefixDigest },
): ThinkingPart {
  const isHidden = part.encrypted !== undefined;
  const text = isHidden ? "" : part.text;
  const seal = makeSeal({ by, text, prefix: before });
  return {
    type: "thinking",
    text,
    ...(isHidden || kind === "encrypted" ? { encrypted: seal } : { signature: seal }),
  };
}

function proof(said: readonly string[]): string {
  return createHmac("sha256", KEY).update(JSON.stringify(said)).digest("base64url");
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
