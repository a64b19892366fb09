/**
 * What is known of the models people run agents on: windows, output limits, cache rules, prices. Facts with a date and
 * a source, nothing computed; a price nobody publishes is left out, and `models.ts` then says so instead of guessing.
 * Prices are USD per million tokens at the standard tier (no batch, no priority, no regional surcharge).
 */
import {
  type CacheRules,
  MODELS_DEV,
  type ModelFacts,
  type Prices,
  RECALLED,
  type Row,
  type Vendor,
} from "./model-facts.ts";
import { OPENAI_MODELS } from "./openai-models.ts";

const CLAUDE_PRICING = "https://platform.claude.com/docs/en/about-claude/pricing";

/**
 * Anthropic: writes cost 1.25 × input for five minutes and 2 × for an hour, on every model. The least a cache takes is
 * documented up to Opus 5, Fable 5 and Sonnet 5; for what came after, that of the forerunner stands.
 */
function claude(
  name: string,
  minimumTokens: number,
  row: Omit<Row, "prices"> & { readonly prices: Prices },
): ModelFacts {
  const { input } = row.prices;
  return {
    name,
    vendor: "anthropic",
    cache: { kind: "marked", ttlMinutes: 5, longTtlMinutes: 60, minimumTokens },
    asOf: "2026-11-18",
    source: CLAUDE_PRICING,
    ...row,
    prices: { cacheRead: input / 10, cacheWrite: input * 1.25, cacheWrite1h: input * 2, ...row.prices },
  };
}

const LARGE = { windowTokens: 1_000_000, outputTokens: 128_000 } as const;
/** Hosts ask for the long window by the name `…[1m]`; without it they count on 200,000. */
const OPTIONAL_LARGE = { windowTokens: 200_000, longWindowTokens: 1_000_000 } as const;
const SMALL = { windowTokens: 200_000, outputTokens: 64_000 } as const;

/** Above 200,000 tokens of prompt Sonnet 4 and 4.5 cost double, and half as much again for output; recalled, as above. */
const SONNET_LONG: NonNullable<ModelFacts["longPrices"]> = {
  above: 200_000,
  prices: { input: 6, output: 22.5, cacheRead: 0.6, cacheWrite: 7.5, cacheWrite1h: 12 },
};
const HAIKU_LONG: NonNullable<ModelFacts["longPrices"]> = {
  above: 100_000,
  prices: { input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625, cacheWrite1h: 1 },
};

const anthropic: readonly ModelFacts[] = [
  claude("claude-fable-5-1", 512, { ...LARGE, prices: { input: 10, output: 50, cacheRead: 0.25 } }),
  claude("claude-mythos-5-1", 512, { ...LARGE, prices: { input: 10, output: 50, cacheRead: 0.25 } }),
  claude("claude-fable-5", 512, { ...LARGE, prices: { input: 10, output: 50 } }),
  claude("claude-mythos-5", 512, { ...LARGE, prices: { input: 10, output: 50 } }),
  claude("claude-opus-5-5", 512, { ...LARGE, prices: { input: 4, output: 20, cacheRead: 0.2 } }),
  claude("claude-opus-5", 512, { ...LARGE, prices: { input: 5, output: 25 } }),
  claude("claude-opus-4-8", 1024, { ...LARGE, prices: { input: 5, output: 25 } }),
  claude("claude-opus-4-7", 2048, { ...LARGE, prices: { input: 5, output: 25 } }),
  claude("claude-opus-4-6", 4096, {
    ...OPTIONAL_LARGE,
    outputTokens: 128_000,
    prices: { input: 5, output: 25 },
  }),
  claude("claude-opus-4-5", 4096, { ...SMALL, prices: { input: 5, output: 25 } }),
  claude("claude-opus-4-1", 1024, {
    windowTokens: 200_000,
    outputTokens: 32_000,
    prices: { input: 15, output: 75 },
  }),
  claude("claude-opus-4", 1024, {
    windowTokens: 200_000,
    outputTokens: 32_000,
    prices: { input: 15, output: 75 },
  }),
  claude("claude-sonnet-5-5", 1024, { ...LARGE, prices: { input: 2, output: 10, cacheRead: 0.1 } }),
  claude("claude-sonnet-5", 1024, { ...LARGE, prices: { input: 2, output: 10 } }),
  claude("claude-sonnet-4-6", 1024, {
    ...OPTIONAL_LARGE,
    outputTokens: 64_000,
    prices: { input: 3, output: 15 },
  }),
  claude("claude-sonnet-4-5", 1024, {
    ...OPTIONAL_LARGE,
    outputTokens: 64_000,
    prices: { input: 3, output: 15 },
    longPrices: SONNET_LONG,
  }),
  claude("claude-sonnet-4", 1024, {
    ...OPTIONAL_LARGE,
    outputTokens: 64_000,
    prices: { input: 3, output: 15 },
    longPrices: SONNET_LONG,
  }),
  claude("claude-3-7-sonnet", 1024, { ...SMALL, prices: { input: 3, output: 15 } }),
  claude("claude-3-5-sonnet", 1024, {
    windowTokens: 200_000,
    outputTokens: 8_192,
    prices: { input: 3, output: 15 },
  }),
  claude("claude-haiku-5-5", 1024, { ...LARGE, prices: { input: 0.1, output: 0.5 }, longPrices: HAIKU_LONG }),
  claude("claude-haiku-4-5", 4096, { ...SMALL, prices: { input: 1, output: 5 } }),
  claude("claude-3-5-haiku", 2048, {
    windowTokens: 200_000,
    outputTokens: 8_192,
    prices: { input: 0.8, output: 4 },
  }),
];

/** Google: implicit caching; the minimum is the smallest one documented for the family. */
function gemini(name: string, row: Row): ModelFacts {
  const cache: CacheRules = { kind: "automatic", ttlMinutes: 60, minimumTokens: 2048 };
  return { name, vendor: "google", cache, asOf: "2026-11-18", source: MODELS_DEV, ...row };
}

const GEMINI = { windowTokens: 1_048_576, outputTokens: 65_536 } as const;
const GEMINI_3_LONG: NonNullable<ModelFacts["longPrices"]> = {
  above: 200_000,
  prices: { input: 4, output: 18, cacheRead: 0.4 },
};

const google: readonly ModelFacts[] = [
  gemini("gemini-4-argon", {
    ...GEMINI,
    // The price of the launch; it doubles on 2026-12-01.
    prices: { input: 2, output: 10, cacheRead: 0.1 },
    source: "https://github.com/BerriAI/litellm/discussions/46238",
  }),
  // The price of the launch; it doubles on 2027-01-01.
  gemini("gemini-3.8-flash", { ...GEMINI, prices: { input: 0.75, output: 3.75, cacheRead: 0.075 } }),
  gemini("gemini-3.5-flash", { ...GEMINI, prices: { input: 1.5, output: 9, cacheRead: 0.15 } }),
  gemini("gemini-3.1-pro", {
    ...GEMINI,
    prices: { input: 2, output: 12, cacheRead: 0.2 },
    longPrices: GEMINI_3_LONG,
  }),
  gemini("gemini-3-pro", {
    ...GEMINI,
    prices: { input: 2, output: 12, cacheRead: 0.2 },
    longPrices: GEMINI_3_LONG,
  }),
  gemini("gemini-3-flash", { ...GEMINI, prices: { input: 0.5, output: 3, cacheRead: 0.05 } }),
  gemini("gemini-2.5-pro", {
    ...GEMINI,
    prices: { input: 1.25, output: 10, cacheRead: 0.125 },
    longPrices: { above: 200_000, prices: { input: 2.5, output: 15, cacheRead: 0.25 } },
  }),
  gemini("gemini-2.5-flash", { ...GEMINI, prices: { input: 0.3, output: 2.5, cacheRead: 0.03 } }),
  gemini("gemini-2.5-flash-lite", {
    ...GEMINI,
    prices: { input: 0.1, output: 0.4, cacheRead: 0.01 },
    source: RECALLED,
  }),
  gemini("gemini-2.0-flash", {
    windowTokens: 1_048_576,
    outputTokens: 8_192,
    prices: { input: 0.1, output: 0.4, cacheRead: 0.025 },
    source: RECALLED,
  }),
];

/** Open models, at the price of the house that made them; other hosts ask other prices. */
function open(name: string, vendor: Vendor, row: Row): ModelFacts {
  const cache: CacheRules = { kind: "automatic", ttlMinutes: 60, minimumTokens: 64 };
  return { name, vendor, cache, asOf: "2026-11-18", source: MODELS_DEV, ...row };
}

const WINDOW_256K = { windowTokens: 262_144, outputTokens: 262_144 } as const;

const others: readonly ModelFacts[] = [
  // By day DeepSeek asks double; this is the price of the other hours.
  open("deepseek-v4-pro", "deepseek", {
    windowTokens: 1_048_576,
    outputTokens: 384_000,
    prices: { input: 0.66, output: 1.98, cacheRead: 0.022 },
  }),
  open("deepseek-v4-flash", "deepseek", {
    windowTokens: 1_048_576,
    outputTokens: 384_000,
    prices: { input: 0.22, output: 0.66, cacheRead: 0.007 },
  }),
  open("deepseek-chat", "deepseek", {
    windowTokens: 1_000_000,
    outputTokens: 8_192,
    prices: { input: 0.28, output: 0.42, cacheRead: 0.028 },
  }),
  open("kimi-k3", "moonshot", {
    windowTokens: 1_048_576,
    outputTokens: 1_048_576,
    prices: { input: 3, output: 15, cacheRead: 0.3 },
  }),
  open("kimi-k2.6", "moonshot", { ...WINDOW_256K, prices: { input: 0.95, output: 4, cacheRead: 0.16 } }),
  open("glm-5.1", "zai", { windowTokens: 204_800, outputTokens: 131_072 }),
  open("glm-4.6", "zai", {
    windowTokens: 204_800,
    outputTokens: 131_072,
    prices: { input: 0.6, output: 2.2, cacheRead: 0.11 },
  }),
  // Both Qwen prices rise in steps with the prompt; the step of 32,000 to 128,000 tokens stands for all.
  open("qwen3-coder-plus", "alibaba", {
    windowTokens: 1_000_000,
    outputTokens: 65_536,
    prices: { input: 1.8, output: 9, cacheRead: 0.36, cacheWrite: 2.25 },
  }),
  open("qwen3-max", "alibaba", {
    windowTokens: 262_144,
    outputTokens: 65_536,
    prices: { input: 2.4, output: 12, cacheRead: 0.48, cacheWrite: 3 },
  }),
  open("devstral", "mistral", { ...WINDOW_256K, prices: { input: 0.4, output: 2 } }),
  open("mistral-large", "mistral", { ...WINDOW_256K, prices: { input: 0.5, output: 1.5 } }),
  // Its maker sells no tokens, and every host asks its own price.
  open("llama-4-maverick", "meta", { windowTokens: 1_048_576, outputTokens: 16_384 }),
];

export const MODELS: readonly ModelFacts[] = [...anthropic, ...OPENAI_MODELS, ...google, ...others];
