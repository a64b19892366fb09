/**
 * Finds the facts about a model by any of the names hosts give it: dated ids, vendor prefixes, cloud spellings, `[1m]`.
 * Always answers; when it does not know the model it gives careful numbers and says that they are not the model's.
 */
import { promptTokens, type Usage } from "../transcript/message.ts";
import type { ModelFacts, Prices, Vendor } from "./model-facts.ts";
import { MODELS } from "./model-table.ts";

export interface Model extends Omit<ModelFacts, "vendor" | "longWindowTokens"> {
  readonly vendor: Vendor | "unknown";
  /** The numbers are not known for this very model; `reason` says what they are instead. */
  readonly isFallback: boolean;
  readonly reason?: string;
}

export function modelNamed(name: string | undefined): Model {
  const known = found.get(name ?? "");
  if (known) return known;
  const model = findModel(name);
  // Names come from hosts; a hostile stream of them must not grow this without end.
  if (found.size < MOST_NAMES) found.set(name ?? "", model);
  return model;
}

/** Asked for with every request, and the answer never changes. */
const found = new Map<string, Model>();
const MOST_NAMES = 1_000;

function findModel(name: string | undefined): Model {
  const plain = plainName(name ?? "");
  const row = nearest(plain);
  if (!row) return unknownModel(name);
  const { longWindowTokens, ...facts } = row;
  const windowTokens = isLong(name ?? "") ? (longWindowTokens ?? facts.windowTokens) : facts.windowTokens;
  if (isSameModel(plain, row.name)) return { ...facts, windowTokens, isFallback: false };
  // A sibling with another price list (gpt-5-pro beside gpt-5): the window is a fair guess, the price is not.
  const { prices: _prices, longPrices: _longPrices, ...known } = facts;
  return {
    ...known,
    windowTokens,
    isFallback: true,
    reason: `There is no row for "${name}"; the limits are those of ${row.name}.`,
  };
}

export function vendorOf(name: string | undefined): Vendor | "unknown" {
  const plain = plainName(name ?? "");
  return VENDORS.find(([pattern]) => pattern.test(plain))?.[1] ?? "unknown";
}

export type Cost =
  | { readonly usd: number; readonly because?: undefined }
  | { readonly usd?: undefined; readonly because: string };

/** What a request cost by the price list; `Usage.costUsd`, where a host gives it, is what it says it cost. */
export function cost(usage: Usage, name: string | undefined): Cost {
  const model = modelNamed(name);
  if (model.prices === undefined)
    return { because: model.reason ?? `No price is published for ${model.name} (as of ${model.asOf}).` };
  const isLarge = model.longPrices !== undefined && promptTokens(usage) > model.longPrices.above;
  return { usd: priced(usage, isLarge ? (model.longPrices?.prices ?? model.prices) : model.prices) };
}

function priced(usage: Usage, prices: Prices): number {
  const long = usage.cacheWrite1hTokens ?? 0;
  const write = prices.cacheWrite ?? prices.input;
  return (
    (usage.uncachedTokens * prices.input +
      usage.cacheReadTokens * (prices.cacheRead ?? prices.input) +
      (usage.cacheWriteTokens - long) * write +
      long * (prices.cacheWrite1h ?? write) +
      usage.outputTokens * prices.output) /
    1_000_000
  );
}

/** `us.anthropic.claude-opus-4-5-20251101-v1:0`, `anthropic/claude-opus-4.5[1m]` → `claude-opus-4-5`. */
function plainName(name: string): string {
  const last = name.trim().toLowerCase().split("/").at(-1) ?? "";
  const bare = last
    .replace(/\[1m\]$/, "")
    .replace(/^([a-z]+\.)*(anthropic|meta|mistral|deepseek|qwen|moonshotai|openai|google)\./, "")
    .replace(/[@-]\d{8}/, "")
    .replace(/-\d{4}-\d{2}-\d{2}/, "")
    .replace(/-v\d+(:\d+)?$|:[a-z0-9-]+$/, "");
  return bare.startsWith("claude") ? bare.replaceAll(".", "-").replace(/-(latest|0)$/, "") : bare;
}

/** Beyond the name of a row only words that change neither limits nor prices. */
function isSameModel(plain: string, name: string): boolean {
  return /^(-(latest|preview|exp|codex|max|chat|thinking|instruct|customtools|high|medium|low|minimal|xhigh|none|\d+b|\d{4}|\d{2}-\d{2}|\d{2}-\d{4}))*$/.test(
    plain.slice(name.length),
  );
}

/** The row with the longest name this name begins with, at a whole word. */
function nearest(plain: string): ModelFacts | undefined {
  let best: ModelFacts | undefined;
  for (const facts of MODELS) {
    const isPrefix = plain.startsWith(facts.name) && !/^[\w.]/.test(plain.slice(facts.name.length));
    if (isPrefix && facts.name.length > (best?.name.length ?? 0)) best = facts;
  }
  return best;
}

function isLong(name: string): boolean {
  return /\[1m\]$/i.test(name.trim());
}

const VENDORS: readonly (readonly [RegExp, Vendor])[] = [
  [/claude/, "anthropic"],
  [/^(gpt|chatgpt|codex|o\d)/, "openai"],
  [/gemini|gemma/, "google"],
  [/deepseek/, "deepseek"],
  [/kimi|moonshot/, "moonshot"],
  [/^glm/, "zai"],
  [/qwen|qwq/, "alibaba"],
  [/mistral|devstral|codestral|magistral|mixtral/, "mistral"],
  [/llama/, "meta"],
];

/** Small on purpose: compacting too early costs money, too late costs the request. */
const FALLBACK_WINDOW: Partial<Record<Vendor | "unknown", number>> = {
  anthropic: 200_000,
  openai: 272_000,
  google: 1_000_000,
};

function unknownModel(name: string | undefined): Model {
  const vendor = vendorOf(name);
  return {
    name: name ?? "unknown",
    vendor,
    windowTokens: FALLBACK_WINDOW[vendor] ?? 128_000,
    outputTokens: 8_192,
    cache: { kind: vendor === "anthropic" ? "marked" : "automatic", ttlMinutes: 5, minimumTokens: 4096 },
    isFallback: true,
    reason: name ? `"${name}" is not in the table of models.` : "No model was named.",
    asOf: "2026-11-18",
    source: "a careful guess",
  };
}
