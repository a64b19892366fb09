/**
 * A stub must never be written into a file: the model sees `⟦ref_… File: src/a.ts; …⟧` where a text was, and copies it as
 * if it were the text. Every edge asks here before a tool runs.
 *
 * A stub is known by its frame, whole or in part: the opening bracket with the ref, the words behind the ref, the closing
 * words with the bracket; also indented, commented, quoted, and escaped as JSON, HTML or a URL any number of times.
 * A ref alone is no stub: commit messages and notes may name one. Our own tools may be given anything.
 */
import { isList, isObject, type Json } from "./transcript/json.ts";
import { isOwnTool } from "./transcript/own-tools.ts";
import { isRef, type Ref } from "./transcript/ref.ts";

export interface ToolUseAsked {
  readonly name: string;
  /** As the SDK gives it: an object, or the text the model wrote. */
  readonly input?: unknown;
}

/** Answered to the model in place of the tool. */
export interface Refusal {
  readonly text: string;
  /** What to read first; empty where only the end of a stub was copied. */
  readonly refs: readonly Ref[];
}

export function guardCall({ name, input }: ToolUseAsked): Refusal | undefined {
  if (isOwnTool(name)) return undefined;
  const refs = new Set<Ref>();
  let isStubbed = false;
  for (const text of textsIn(input)) {
    const found = stubTraces(text);
    if (found === undefined) continue;
    isStubbed = true;
    for (const ref of found) refs.add(ref);
  }
  return isStubbed ? { text: explain([...refs]), refs: [...refs] } : undefined;
}

function explain(refs: readonly Ref[]): string {
  const read =
    refs.length > 0
      ? `Read the original first (${refs.map((ref) => `read_ref({ ref: "${ref}" })`).join(", ")})`
      : "Find the original with list_refs and read it first";
  return `Not run: the arguments contain a stub, the short text that stands for content that left the context. It is not the content, and would be written or run as it stands. ${read}, then call again with the real content; to mention an original, give its ref without the brackets.`;
}

const REF = "ref_[0-9a-hjkmnp-tv-z]{12}";
/** What may come between the bracket and the ref when a stub is indented, commented or quoted. */
const GAP = "[\\s\"'`*#/>+|\\\\-]{0,40}";

const TRACES: readonly RegExp[] = [
  new RegExp(`⟦${GAP}(${REF})`, "g"),
  new RegExp(`(${REF})\\s[^⟦⟧]{1,200}?;\\s+[\\d,]+\\s+tokens;\\s`, "g"),
  new RegExp(`(${REF})\\s+Use\\s+read_ref\\.${GAP}⟧`, "g"),
  new RegExp(`Use\\s+read_ref\\.${GAP}⟧`, "g"),
];

/** The refs of the stubs in a text; undefined where there is no trace of one. */
function stubTraces(text: string): readonly Ref[] | undefined {
  if (!text.includes("ref")) return undefined;
  const plain = unescaped(text);
  const found = TRACES.flatMap((trace) => [...plain.matchAll(trace)]);
  return found.length === 0 ? undefined : found.flatMap(([, ref]) => (ref && isRef(ref) ? [ref] : []));
}

function unescaped(text: string): string {
  return text
    .replaceAll(/\\+u\{?27e6\}?|&#x27e6;|&#10214;|&lobrk;|&LeftDoubleBracket;|%E2%9F%A6/gi, "⟦")
    .replaceAll(/\\+u\{?27e7\}?|&#x27e7;|&#10215;|&robrk;|&RightDoubleBracket;|%E2%9F%A7/gi, "⟧")
    .replaceAll(/%20|\\+(?:n|t|r(?!ef_))/g, " ");
}

/** Every string in the arguments, keys too, however deep: no recursion, because a model can nest deeper than a stack. */
function* textsIn(input: unknown): Generator<string> {
  // Whatever is no JSON holds no text.
  const waiting: Json[] = [(input ?? null) as Json];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value === "string") yield value;
    if (isList(value)) for (const item of value) waiting.push(item);
    if (!isObject(value)) continue;
    for (const [key, item] of Object.entries(value)) {
      yield key;
      if (item !== undefined) waiting.push(item);
    }
  }
}
