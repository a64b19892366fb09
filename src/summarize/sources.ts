/**
 * What a summary may be made of: the parts it stands for, the user's messages, and the summary before it. A claim is
 * looked for first in the parts its line names, which is cheap; only one that is not there makes us index everything,
 * once.
 */
import type { Summary, SummaryLine } from "../plan/summary.ts";
import { describeCall } from "../transcript/describe.ts";
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
  const texts = new Map<Ref, () => string>();
  for (const part of partsOf([...input.messages, ...input.userMessages]))
    texts.set(refOf(part), () => textOf(part));
  const earlier = linesOf(input.previous);
  const earlierRefs = new Set(earlier.flatMap(({ refs }) => refs));
  const earlierText = earlier.map(({ text }) => text).join("\n");
  const near = new Map<Ref, Near>();
  const nearText = (ref: Ref) => {
    const known = near.get(ref) ?? nearOf(endsOf(texts.get(ref)?.() ?? "", MAX_SCANNED));
    near.set(ref, known);
    return known;
  };
  const before = nearOf(earlierText);
  let index: Index | undefined;
  const all = () => {
    index ??= indexOf(
      [...texts].map(([ref, text]) => ({ ref, text: endsOf(text(), MAX_INDEXED) })),
      earlierText,
    );
    return index;
  };
  return {
    has: (ref) => texts.has(ref) || earlierRefs.has(ref),
    supports: (claim, refs) =>
      refs.some((ref) => holds(nearText(ref), claim)) || holds(before, claim) || isIndexed(all(), claim),
    sourceOf: (words) => bestSource(all(), words),
  };
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
      return [
        describeCall(part),
        ...toolUse(part).files.map(({ path }) => path),
        ...stringsIn(part.input),
      ].join("\n");
    case "image":
    case "document":
    case "opaque":
      return "";
  }
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  if (Array.isArray(value))
    return [...value.flatMap(stringsIn), value.filter((item) => typeof item === "string").join(" ")];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...stringsIn(item)]);
}

/** As a line spells it: one line, no emphasis, no control characters. */
function plain(text: string): string {
  if (!/[^ -~]| {2}|\*\*/.test(text)) return text;
  return flat(text.replaceAll(/\u001b\[[0-?]*[ -/]*[@-~]/g, "").replaceAll("**", ""));
}

interface Near {
  readonly text: string;
  readonly plain: () => string;
}

function nearOf(text: string): Near {
  let known: string | undefined;
  return {
    text,
    plain: () => {
      known ??= plain(text);
      return known;
    },
  };
}

function holds(near: Near, claim: Claim): boolean {
  if (near.text === "") return false;
  if (claim.kind !== "quote") return occurs(near.text, claim.text);
  if (near.text.includes(claim.text)) return true;
  // Making a text plain costs most of what grounding costs, and few pieces need it.
  return piecesOf(claim.text).every((piece) => near.text.includes(piece) || near.plain().includes(piece));
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

interface Index {
  /** Each word, with the first few parts it stands in. */
  readonly words: ReadonlyMap<string, readonly Ref[]>;
  readonly known: ReadonlySet<string>;
  readonly whole: () => string;
}

/** Bounded, because a run of fifty million letters overflows the stack of an unbounded one. */
const TOKEN = /[\p{L}\p{N}_$]{1,300}(?:[./:@-][\p{L}\p{N}_$]{1,300}){0,40}/gu;
const MAX_POSTINGS = 6;
const MAX_TOKEN_CHARS = 300;

function indexOf(parts: readonly { readonly ref: Ref; readonly text: string }[], earlier: string): Index {
  const words = new Map<string, Ref[]>();
  const known = new Set<string>();
  const note = (token: string, ref: Ref | undefined) => {
    known.add(token);
    if (ref === undefined) return;
    const postings = words.get(token);
    if (!postings) words.set(token, [ref]);
    else if (postings.length < MAX_POSTINGS && postings.at(-1) !== ref) postings.push(ref);
  };
  for (const { ref, text } of [...parts, { ref: undefined, text: earlier }])
    for (const [token] of text.matchAll(TOKEN)) for (const form of formsOf(token)) note(form, ref);
  let whole: string | undefined;
  return {
    words,
    known,
    whole: () => {
      whole ??= plain([...parts.map(({ text }) => text), earlier].join("\n"));
      return whole;
    },
  };
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

function isIndexed(index: Index, claim: Claim): boolean {
  if (claim.kind === "quote") {
    const isKnown = [...claim.text.matchAll(TOKEN)].every(
      ([token], at, all) => index.known.has(token) || at === 0 || at === all.length - 1,
    );
    return isKnown && piecesOf(claim.text).every((piece) => index.whole().includes(piece));
  }
  const token = claim.text
    .replace(/^[#$~+-]|[%×]$/g, "")
    .replace(/^\.?\//, "")
    .replace(/\(\)$/, "")
    .replace(/\/$/, "");
  return (
    index.known.has(token) || (/^\d+[a-z]+$/i.test(token) && index.known.has(token.replace(/[a-z]+$/i, "")))
  );
}

/** At least this share of the words must stand in one part for it to be the source of a line that names none. */
const ENOUGH = 0.5;

function bestSource(index: Index, words: readonly string[]): Ref | undefined {
  const counts = new Map<Ref, number>();
  for (const word of new Set(words))
    for (const ref of index.words.get(word) ?? []) counts.set(ref, (counts.get(ref) ?? 0) + 1);
  let best: Ref | undefined;
  for (const [ref, count] of counts)
    if (count > (best === undefined ? 0 : (counts.get(best) ?? 0))) best = ref;
  return best !== undefined && (counts.get(best) ?? 0) >= ENOUGH * new Set(words).size ? best : undefined;
}
