/** OpenAI's part of the table of models (`model-table.ts`). */
import {
  type CacheRules,
  MODELS_DEV,
  type ModelFacts,
  type Prices,
  RECALLED,
  type Row,
} from "./model-facts.ts";

const OPENAI_PRICING = "https://developers.openai.com/api/docs/pricing";

/** Any prefix from 1,024 tokens on, in steps of 128; writes cost extra only from GPT-5.6 on. */
function gpt(name: string, row: Row): ModelFacts {
  const cache: CacheRules = { kind: "automatic", ttlMinutes: 5, longTtlMinutes: 60, minimumTokens: 1024 };
  return { name, vendor: "openai", cache, asOf: "2026-11-18", source: OPENAI_PRICING, ...row };
}

/** From GPT-5.6 on: a cache write costs 1.25 ×, and over 272,000 tokens input doubles and output grows by half. */
function gptTiered(
  name: string,
  prices: Required<Pick<Prices, "input" | "output" | "cacheRead">>,
): ModelFacts {
  const { input, output, cacheRead } = prices;
  return gpt(name, {
    ...GPT_LARGE,
    prices: { ...prices, cacheWrite: input * 1.25 },
    longPrices: {
      above: 272_000,
      prices: { input: input * 2, output: output * 1.5, cacheRead: cacheRead * 2, cacheWrite: input * 2.5 },
    },
  });
}

const GPT_LARGE = { windowTokens: 1_050_000, inputTokens: 922_000, outputTokens: 128_000 } as const;
const GPT_5 = { windowTokens: 400_000, inputTokens: 272_000, outputTokens: 128_000 } as const;
const O_SERIES = { windowTokens: 200_000, outputTokens: 100_000 } as const;
const GPT_4_1 = { windowTokens: 1_047_576, outputTokens: 32_768 } as const;
const GPT_4O = { windowTokens: 128_000, outputTokens: 16_384 } as const;

/** Nobody begins with them today; recorded sessions of theirs are read, and their windows were small. */
function retired(
  name: string,
  [windowTokens, outputTokens]: readonly [number, number],
  prices: Prices,
): ModelFacts {
  return gpt(name, { windowTokens, outputTokens, prices, source: RECALLED });
}

export const OPENAI_MODELS: readonly ModelFacts[] = [
  gptTiered("gpt-6.1-sol", { input: 2, output: 10, cacheRead: 0.1 }),
  gptTiered("gpt-6.1-terra", { input: 1, output: 5, cacheRead: 0.05 }),
  gptTiered("gpt-6-astra", { input: 10, output: 50, cacheRead: 1 }),
  gptTiered("gpt-6-sol", { input: 2, output: 10, cacheRead: 0.2 }),
  gptTiered("gpt-6-luna", { input: 0.1, output: 0.5, cacheRead: 0.01 }),
  gptTiered("gpt-5.6-sol", { input: 4, output: 20, cacheRead: 0.4 }),
  gptTiered("gpt-5.6-terra", { input: 2, output: 12, cacheRead: 0.2 }),
  gptTiered("gpt-5.6-luna", { input: 0.2, output: 1.2, cacheRead: 0.02 }),
  gpt("gpt-5.5", {
    ...GPT_LARGE,
    prices: { input: 5, output: 30, cacheRead: 0.5 },
    longPrices: { above: 272_000, prices: { input: 10, output: 45, cacheRead: 1 } },
  }),
  gpt("gpt-5.4", { ...GPT_LARGE, inputTokens: 272_000, prices: { input: 2.5, output: 15, cacheRead: 0.25 } }),
  gpt("gpt-5.4-mini", { ...GPT_5, prices: { input: 0.75, output: 4.5, cacheRead: 0.075 } }),
  gpt("gpt-5.3-codex", { ...GPT_5, prices: { input: 1.75, output: 14, cacheRead: 0.175 } }),
  gpt("gpt-5.2", { ...GPT_5, prices: { input: 1.75, output: 14, cacheRead: 0.175 } }),
  gpt("gpt-5.1", { ...GPT_5, prices: { input: 1.25, output: 10, cacheRead: 0.125 } }),
  gpt("gpt-5.1-codex-mini", { ...GPT_5, prices: { input: 0.25, output: 2, cacheRead: 0.025 } }),
  gpt("gpt-5", { ...GPT_5, prices: { input: 1.25, output: 10, cacheRead: 0.125 } }),
  gpt("gpt-5-mini", { ...GPT_5, prices: { input: 0.25, output: 2, cacheRead: 0.025 }, source: RECALLED }),
  gpt("gpt-5-nano", { ...GPT_5, prices: { input: 0.05, output: 0.4, cacheRead: 0.005 }, source: RECALLED }),
  gpt("o4-mini", { ...O_SERIES, prices: { input: 1.1, output: 4.4, cacheRead: 0.275 }, source: RECALLED }),
  gpt("o3", { ...O_SERIES, prices: { input: 2, output: 8, cacheRead: 0.5 }, source: RECALLED }),
  gpt("gpt-4.1", { ...GPT_4_1, prices: { input: 2, output: 8, cacheRead: 0.5 }, source: RECALLED }),
  gpt("gpt-4.1-mini", { ...GPT_4_1, prices: { input: 0.4, output: 1.6, cacheRead: 0.1 }, source: RECALLED }),
  gpt("gpt-4.1-nano", {
    ...GPT_4_1,
    prices: { input: 0.1, output: 0.4, cacheRead: 0.025 },
    source: RECALLED,
  }),
  gpt("gpt-4o", { ...GPT_4O, prices: { input: 2.5, output: 10, cacheRead: 1.25 }, source: RECALLED }),
  gpt("gpt-4o-mini", { ...GPT_4O, prices: { input: 0.15, output: 0.6, cacheRead: 0.075 }, source: RECALLED }),
  retired("gpt-4.5", [128_000, 16_384], { input: 75, output: 150, cacheRead: 37.5 }),
  retired("gpt-4-turbo", [128_000, 4_096], { input: 10, output: 30 }),
  retired("gpt-4-vision", [128_000, 4_096], { input: 10, output: 30 }),
  // The first two of the large window had no name but their dates.
  retired("gpt-4-1106", [128_000, 4_096], { input: 10, output: 30 }),
  retired("gpt-4-0125", [128_000, 4_096], { input: 10, output: 30 }),
  retired("gpt-4-32k", [32_768, 8_192], { input: 60, output: 120 }),
  retired("gpt-4", [8_192, 8_192], { input: 30, output: 60 }),
  retired("gpt-3.5-turbo", [16_385, 4_096], { input: 0.5, output: 1.5 }),
  retired("o3-mini", [200_000, 100_000], { input: 1.1, output: 4.4, cacheRead: 0.55 }),
  retired("o1", [200_000, 100_000], { input: 15, output: 60, cacheRead: 7.5 }),
  retired("o1-preview", [128_000, 32_768], { input: 15, output: 60, cacheRead: 7.5 }),
  retired("o1-mini", [128_000, 65_536], { input: 1.1, output: 4.4, cacheRead: 0.55 }),
  gpt("gpt-oss", { windowTokens: 131_072, outputTokens: 32_768, source: MODELS_DEV }),
];
