/**
 * What a summary may be made of: the parts it stands for, the user's messages, and the summary before it. A claim is
 * looked for first in the parts its line names, then everywhere: a dozen claims of a summary come to that, and looking
 * through all the text a dozen times costs a twentieth of indexing it. Only a line that names no source needs the index.
 */
import type { Summary, SummaryLine } from "../plan/summary.ts";
import { describeCall } from "../transcript/describe.ts";
import { isList, isObject, type Json } from "../transcript/json.ts";
import type { Message, Part } from "../transcript/message.ts";
import { resultText } from "../transcript/message.ts";
import { type Ref, refOf } from "../transcript/ref.ts";
import { toolUse } from "../transcript/tool-use.ts";
import type { Claim } from "./claims.ts";
import { flat } from "./line.ts";
import type { SummarizeInput } from "./summarizer.ts";

export interface Sources {
  has(ref: Ref): boolean;
  /** Whether the claim is found: in the parts with these refs, or anywhere. */
  supports(claim: Claim, refs: readonly Ref[]): boolean;
  /** The ref of the part that has most of these words, where one has enough of them. */
  sourceOf(words: readonly string[]): Ref | undefined;
}

/** Of a larger part, its two ends: what lines are made of stands there, and the whole would be scanned for every line. */
const MAX_SCANNED = 100_000;
const MAX_INDEXED = 2_000_000;

export function sourcesOf(input: Pick<SummarizeInput, "messages" | "userMessages" | "previous">): Sources {
  const parts = new Map<Ref, Part>();
  for (const part of partsOf([...input.messages, ...input.userMessages])) parts.set(refOf(part), part);
  const earlier = linesOf(input.previous);
  const earlierRefs = new Set(earlier.flatMap(({ refs }) => refs));
  const before = new Near(earlier.map(({ text }) => text).join("\n"));
  const holdsAt = (ref: Ref, claim: Claim) => {
    const part = parts.get(ref);
    return part !== undefined && holds(spokenBy(part).ends, claim);
  };
  let index: Index | undefined;
  return {
    has: (ref) => parts.has(ref) || earlierRefs.has(ref),
    supports: (claim, refs) =>
      refs.some((ref) => holdsAt(ref, claim)) ||
      holds(before, claim) ||
      isAnywhere([...parts.values()], claim),
    sourceOf: (words) => {
      index ??= indexOf([...parts].map(([ref, part]) => ({ ref, text: spokenBy(part).whole.text })));
      return bestSource(index, words);
    },
  };
}

interface Spoken {
  readonly ends: Near;
  readonly whole: Near;
}

/** Parts never change, and each is looked at in every compaction of its session: what it says is put in order once. */
const spoken = new WeakMap<Part, Spoken>();

function spokenBy(part: Part): Spoken {
  const known = spoken.get(part);
  if (known) return known;
  const made = spokenOf(part);
  spoken.set(part, made);
  return made;
}

function spokenOf(part: Part): Spoken {
  const whole = new Near(endsOf(textOf(part), MAX_INDEXED));
  const ends = whole.text.length <= MAX_SCANNED ? whole : new Near(endsOf(whole.text, MAX_SCANNED));
  return { ends, whole };
}

function endsOf(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars / 2)}\n${text.slice(-chars / 2)}`;
}

function partsOf(messages: readonly Message[]): readonly Part[] {
  return messages.flatMap(({ parts }) => parts);
}

function linesOf(summary: Summary | undefined): readonly SummaryLine[] {
  return Object.values(summary?.sections ?? {}).flatMap((lines) => lines ?? []);
}

/** What a part says, in the words a line could have taken from it. */
function textOf(part: Part): string {
  switch (part.type) {
    case "text":
    case "thinking":
      return part.text;
    case "tool-result":
      return resultText(part);
    case "tool-call":
      return stringsIn(part.input, [describeCall(part), ...toolUse(part).files.map(({ path }) => path)]).join(
        "\n",
      );
    case "image":
    case "document":
    case "opaque":
      return "";
  }
}

/** @param found where they are put, so that not each value makes a list of its own */
function stringsIn(value: Json | undefined, found: string[]): readonly string[] {
  if (typeof value === "string") found.push(value);
  if (typeof value === "number" || typeof value === "boolean") found.push(String(value));
  if (isList(value)) {
    for (const item of value) stringsIn(item, found);
    found.push(value.filter((item) => typeof item === "string").join(" "));
  }
  if (!isObject(value)) return found;
  for (const [key, item] of Object.entries(value)) {
    found.push(key);
    stringsIn(item, found);
  }
  return found;
}

/** As a line spells it: one line, no emphasis, no control characters. */
function plain(text: string): string {
  if (!/[^ -~]| {2}|\*\*/.test(text)) return text;
  return flat(text.replaceAll(/\u001b\[[0-?]*[ -/]*[@-~]/g, "").replaceAll("**", ""));
}

/** A text, and what becomes of it as a line spells it, once that is asked for. */
class Near {
  readonly text: string;
  #plain: string | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get plain(): string {
    this.#plain ??= plain(this.text);
    return this.#plain;
  }
}

function holds(near: Near, claim: Claim): boolean {
  if (near.text === "") return false;
  if (claim.kind !== "quote") return occurs(near.text, claim.text);
  if (near.text.includes(claim.text)) return true;
  return piecesOf(claim.text).every((piece) => hasPiece(near, piece));
}

/** Making a text plain costs most of what grounding costs: only where the piece's longest word stands in it. */
function hasPiece(near: Near, piece: string): boolean {
  if (near.text.includes(piece)) return true;
  return near.text.includes(longestWord(piece)) && near.plain.includes(piece);
}

function longestWord(piece: string): string {
  let longest = "";
  for (const word of piece.split(/[^A-Za-z0-9]+/)) if (word.length > longest.length) longest = word;
  return longest;
}

/** A cut quote is its two sides; one that joins sentences is these sentences. */
function piecesOf(quote: string): readonly string[] {
  return plain(quote)
    .split(/…|(?<=[.!?:)])\s+(?=\S)/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");
}

/** As a whole word: 5 does not occur in 15, nor `a.ts` in `data.ts`. */
function occurs(text: string, word: string): boolean {
  const isWordly = (character: string | undefined) => character !== undefined && /[\w]/.test(character);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = text[at - 1];
    const after = text[at + word.length];
    const isDecimal =
      /\d/.test(word) && /[.,]/.test(after ?? "") && /\d/.test(text[at + word.length + 1] ?? "");
    const isFraction = /^\d/.test(word) && /[.,]/.test(before ?? "") && /\d/.test(text[at - 2] ?? "");
    if (
      !(isWordly(before) && isWordly(word[0])) &&
      !(isWordly(after) && isWordly(word.at(-1))) &&
      !isDecimal &&
      !isFraction
    )
      return true;
  }
  return false;
}

/** Each word, with the first few parts it stands in. */
type Index = ReadonlyMap<string, readonly Ref[]>;

/** Bounded, because a run of fifty million letters overflows the stack of an unbounded one. */
const TOKEN = /[\p{L}\p{N}_$]{1,300}(?:[./:@-][\p{L}\p{N}_$]{1,300}){0,40}/gu;
const MAX_POSTINGS = 6;
const MAX_TOKEN_CHARS = 300;

function indexOf(parts: readonly { readonly ref: Ref; readonly text: string }[]): Index {
  const index = new Map<string, Ref[]>();
  const note = (token: string, ref: Ref) => {
    const postings = index.get(token);
    if (!postings) index.set(token, [ref]);
    else if (postings.length < MAX_POSTINGS && postings.at(-1) !== ref) postings.push(ref);
  };
  for (const { ref, text } of parts)
    for (const [token] of text.matchAll(TOKEN)) for (const form of formsOf(token)) note(form, ref);
  return index;
}

/** `/a/b/c.ts:12` is also `b/c.ts`, `c.ts`, `c`, `ts` and `12`. */
function formsOf(token: string): readonly string[] {
  if (token.length > MAX_TOKEN_CHARS) return [];
  if (!/[./:@-]/.test(token)) return [token];
  const forms = [token, ...token.split(/[./:@-]/)];
  for (let at = token.indexOf("/"); at >= 0; at = token.indexOf("/", at + 1))
    forms.push(token.slice(at + 1), token.slice(0, at));
  const colon = token.indexOf(":");
  if (colon > 0) forms.push(token.slice(0, colon), token.slice(colon + 1));
  return forms;
}

/** In any part: each piece of a quote somewhere, a name or number as a whole word. */
function isAnywhere(parts: readonly Part[], claim: Claim): boolean {
  const some = (holding: (near: Near) => boolean) => parts.some((part) => holding(spokenBy(part).whole));
  if (claim.kind === "quote")
    return piecesOf(claim.text).every((piece) => some((near) => hasPiece(near, piece)));
  return spellingsOf(claim.text).some((word) => some(({ text }) => occurs(text, word)));
}

/** As it stands, and without the sign, unit or slash that a sentence puts around it. */
function spellingsOf(text: string): readonly string[] {
  const bare = text
    .replace(/^[#$~+-]|[%×]$/g, "")
    .replace(/^\.?\//, "")
    .replace(/\(\)$/, "")
    .replace(/\/$/, "");
  const isMeasured = /^\d+[a-z]+$/i.test(bare);
  return [bare, ...(isMeasured ? [bare.replace(/[a-z]+$/i, "")] : [])].filter((word) => word !== "");
}

/** At least this share of the words must stand in one part for it to be the source of a line that names none. */
const ENOUGH = 0.5;

function bestSource(index: Index, words: readonly string[]): Ref | undefined {
  const counts = new Map<Ref, number>();
  for (const word of new Set(words))
    for (const ref of index.get(word) ?? []) counts.set(ref, (counts.get(ref) ?? 0) + 1);
  let best: Ref | undefined;
  for (const [ref, count] of counts)
    if (count > (best === undefined ? 0 : (counts.get(best) ?? 0))) best = ref;
  return best !== undefined && (counts.get(best) ?? 0) >= ENOUGH * new Set(words).size ? best : undefined;
}
