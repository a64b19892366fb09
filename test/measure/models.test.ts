import { describe, expect, test } from "vitest";
import { MODELS } from "../../src/measure/model-table.ts";
import { cost, modelNamed, vendorOf } from "../../src/measure/models.ts";

describe("modelNamed", () => {
  test.each([
    ["claude-opus-4-5-20251101", "claude-opus-4-5"],
    ["anthropic/claude-opus-4.5", "claude-opus-4-5"],
    ["us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"],
    ["claude-sonnet-4-5@20250929", "claude-sonnet-4-5"],
    ["claude-sonnet-4-20250514", "claude-sonnet-4"],
    ["claude-sonnet-4.6", "claude-sonnet-4-6"],
    ["claude-opus-4-0", "claude-opus-4"],
    ["claude-3-5-haiku-latest", "claude-3-5-haiku"],
    ["claude-opus-5-5", "claude-opus-5-5"],
    ["claude-fable-5-1", "claude-fable-5-1"],
    ["openrouter/anthropic/claude-opus-4.8:thinking", "claude-opus-4-8"],
    ["gpt-5.1-codex", "gpt-5.1"],
    ["gpt-5.1-codex-mini", "gpt-5.1-codex-mini"],
    ["openai/gpt-5.5-2026-04-23", "gpt-5.5"],
    ["o4-mini-2025-04-16", "o4-mini"],
    ["gpt-oss-120b", "gpt-oss"],
    ["models/gemini-2.5-pro", "gemini-2.5-pro"],
    ["google/gemini-3-pro-preview", "gemini-3-pro"],
    ["gemini-2.5-flash-preview-09-2025", "gemini-2.5-flash"],
    ["meta-llama/llama-4-maverick", "llama-4-maverick"],
    ["moonshotai/kimi-k2.6", "kimi-k2.6"],
    ["devstral-2512", "devstral"],
  ])("%s is %s", (name, row) => {
    expect(modelNamed(name)).toMatchObject({ name: row, isFallback: false });
  });

  test.each([
    ["gpt-4", 8_192],
    ["gpt-4-0613", 8_192],
    ["openai/gpt-4-32k-0613", 32_768],
    ["gpt-4-1106-preview", 128_000],
    ["gpt-4-turbo-2024-04-09", 128_000],
    ["gpt-3.5-turbo-0125", 16_385],
    ["o1-mini-2024-09-12", 128_000],
    ["o1", 200_000],
  ])("the small windows of recorded sessions are known: %s", (name, windowTokens) => {
    expect(modelNamed(name)).toMatchObject({ windowTokens, isFallback: false });
  });

  test("[1m] asks for the long window where there is one to ask for", () => {
    expect(modelNamed("claude-sonnet-4-5-20250929").windowTokens).toBe(200_000);
    expect(modelNamed("claude-sonnet-4-5-20250929[1m]").windowTokens).toBe(1_000_000);
    expect(modelNamed("claude-opus-4-5[1m]").windowTokens).toBe(200_000);
  });

  test("a sibling without a row gets the limits and no price, and says so", () => {
    const model = modelNamed("gpt-5-pro");
    expect(model).toMatchObject({ name: "gpt-5", isFallback: true, windowTokens: 400_000 });
    expect(model.prices).toBeUndefined();
    expect(model.reason).toBe('There is no row for "gpt-5-pro"; the limits are those of gpt-5.');
    expect(modelNamed("claude-opus-4-9").name).not.toBe("claude-opus-4-5");
  });

  test("an unknown model gets careful numbers, and says so", () => {
    expect(modelNamed("claude-epos-9")).toMatchObject({
      vendor: "anthropic",
      windowTokens: 200_000,
      isFallback: true,
    });
    expect(modelNamed("my-model")).toMatchObject({
      windowTokens: 128_000,
      isFallback: true,
      reason: '"my-model" is not in the table of models.',
    });
    expect(modelNamed(undefined)).toMatchObject({ isFallback: true, reason: "No model was named." });
  });

  test("every row finds itself, has a date and a source, and sane numbers", () => {
    for (const facts of MODELS) {
      expect(modelNamed(facts.name).name, facts.name).toBe(facts.name);
      expect(vendorOf(facts.name), facts.name).toBe(facts.vendor);
      expect(facts.asOf).toMatch(/^2026-\d\d-\d\d$/);
      expect(facts.source).toMatch(/^(https:|recalled)/);
      expect(facts.outputTokens).toBeLessThanOrEqual(facts.windowTokens);
      for (const prices of [facts.prices, facts.longPrices?.prices]) {
        if (!prices) continue;
        expect(prices.output).toBeGreaterThan(prices.input);
        expect(prices.cacheRead ?? 0).toBeLessThan(prices.input);
        expect(prices.cacheWrite ?? prices.input).toBeGreaterThanOrEqual(prices.input);
      }
    }
  });
});

describe("cost", () => {
  const usage = {
    uncachedTokens: 1000,
    cacheReadTokens: 100_000,
    cacheWriteTokens: 20_000,
    cacheWrite1hTokens: 5000,
    outputTokens: 2000,
  };

  test("is what the price list says, cache reads and both kinds of writes apart", () => {
    const { usd } = cost(usage, "claude-opus-4-5-20251101");
    expect(usd).toBeCloseTo((1000 * 5 + 100_000 * 0.5 + 15_000 * 6.25 + 5000 * 10 + 2000 * 25) / 1e6, 9);
  });

  test("writes cost as much as reading the prompt where no price is asked for them", () => {
    expect(cost(usage, "gpt-5").usd).toBeCloseTo((21_000 * 1.25 + 100_000 * 0.125 + 2000 * 10) / 1e6, 9);
  });

  test("a prompt over the mark is dearer as a whole, and at the mark it is not", () => {
    const at = { uncachedTokens: 200_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
    expect(cost(at, "gemini-2.5-pro").usd).toBeCloseTo(0.25, 9);
    expect(cost({ ...at, uncachedTokens: 200_001 }, "gemini-2.5-pro").usd).toBeCloseTo(0.5, 4);
  });

  test("is not invented", () => {
    expect(cost(usage, "llama-4-maverick")).toEqual({
      because: "No price is published for llama-4-maverick (as of 2026-11-18).",
    });
    expect(cost(usage, "gpt-5-pro").because).toMatch(/no row/);
    expect(cost(usage, undefined).because).toBe("No model was named.");
  });
});
