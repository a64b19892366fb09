/**
 * Tokens of a part, by whatever counts its text: the estimator, or an exact tokenizer. Parts never change, so each is
 * counted once; the count dies with the part.
 */
import { isList, isObject, type Json } from "../transcript/json.ts";
import type {
  DocumentPart,
  ImagePart,
  Message,
  Part,
  ThinkingPart,
  ToolSchema,
} from "../transcript/message.ts";
import { estimateTokens } from "./estimate.ts";
import { imageSize, pageCount } from "./media.ts";
import { CHARS_PER_HIDDEN_TOKEN, type Rules, rulesFor, SEAL_BYTES, UNKNOWN_PAGES } from "./rules.ts";

export interface Counter {
  readonly basis: "tokenizer" | "estimate";
  text(text: string): number;
  part(part: Part): number;
  /** The message without its parts. */
  readonly messageTokens: number;
  tool(tool: ToolSchema): number;
}

/** The estimator with the rules of this model. The same rules give the same counter, and so share its counts. */
export function estimatorFor(model?: string): Counter {
  const rules = rulesFor(model);
  const known = estimators.get(rules);
  if (known) return known;
  const made = counterOf("estimate", rules, (text) => estimateTokens(text) * rules.scale);
  estimators.set(rules, made);
  return made;
}

const estimators = new WeakMap<Rules, Counter>();

export function counterOf(
  basis: Counter["basis"],
  rules: Rules,
  countText: (text: string) => number,
): Counter {
  const counts = new WeakMap<Part, number>();
  const counter: Counter = {
    basis,
    text: countText,
    messageTokens: rules.messageTokens,
    part(part) {
      const known = counts.get(part);
      if (known !== undefined) return known;
      const tokens = Math.ceil(countPart(part, rules, countText));
      counts.set(part, tokens);
      return tokens;
    },
    tool: (tool) =>
      Math.ceil(
        countText(tool.name) +
          countText(tool.description ?? "") +
          countText(JSON.stringify(tool.input ?? {})),
      ) + rules.callTokens,
  };
  return counter;
}

export function messageTokens(message: Message, counter: Counter): number {
  let tokens = counter.messageTokens;
  for (const part of message.parts) tokens += counter.part(part);
  return tokens;
}

type CountText = (text: string) => number;

function countPart(part: Part, rules: Rules, countText: CountText): number {
  switch (part.type) {
    case "text":
      return countText(part.text);
    case "thinking":
      return countThinking(part, rules, countText);
    case "tool-call": {
      const input = typeof part.input === "string" ? part.input : JSON.stringify(part.input);
      return rules.callTokens + countText(part.name) + countText(input);
    }
    case "tool-result":
      return part.output.reduce((sum, item) => sum + countPart(item, rules, countText), rules.resultTokens);
    case "image":
      return countImage(part, rules);
    case "document":
      return countDocument(part, rules, countText);
    case "opaque":
      return countOpaque(part.value, countText);
  }
}

/**
 * Anthropic puts the whole thought back in the prompt, whatever it showed of it. What it showed may be a summary, or
 * nothing; the seal holds all of it, so its length tells how much there was.
 */
function countThinking(part: ThinkingPart, rules: Rules, countText: CountText): number {
  if (rules.thinking === "none") return 0;
  const shown = countText(part.text);
  if (rules.thinking === "text") return shown;
  const seal = part.encrypted ?? part.signature ?? "";
  return Math.max(shown, ((seal.length * 0.75 - SEAL_BYTES) / CHARS_PER_HIDDEN_TOKEN) * rules.scale);
}

function countImage(part: ImagePart, rules: Rules): number {
  const size = imageSize(part.source);
  return size ? rules.imageTokens(size) : rules.unknownImageTokens;
}

function countDocument(part: DocumentPart, rules: Rules, countText: CountText): number {
  const title = countText(part.title ?? "");
  if (part.source.kind === "text") return title + countText(part.source.text);
  return title + (pageCount(part.source) ?? UNKNOWN_PAGES) * rules.pageTokens;
}

/**
 * How a provider renders what we have no word for, nobody knows; its JSON is the best guess. Long encrypted strings in
 * it are text to the provider and count as the text they hide.
 */
function countOpaque(value: Json | undefined, countText: CountText): number {
  if (typeof value === "string" && isSealed(value)) return (value.length * 0.75) / CHARS_PER_HIDDEN_TOKEN;
  if (isList(value)) return value.reduce<number>((sum, item) => sum + countOpaque(item, countText), 1);
  if (!isObject(value)) return countText(typeof value === "string" ? value : JSON.stringify(value ?? null));
  let tokens = 1;
  for (const [key, item] of Object.entries(value))
    tokens += 1 + countText(key) + countOpaque(item, countText);
  return tokens;
}

function isSealed(text: string): boolean {
  return text.length >= 200 && /^[A-Za-z0-9+/_=-]+$/.test(text);
}
