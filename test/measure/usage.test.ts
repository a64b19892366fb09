/** Usage in every spelling an SDK hands out, expected as literals: the same word means two things at two providers. */
import { describe, expect, test } from "vitest";
import { usageFrom } from "../../src/measure/usage.ts";
import { openSession } from "../../src/session.ts";

/** 1,000 tokens of prompt, 600 of them read from the cache and 100 written to it, and an answer of 50. */
const used = { uncachedTokens: 300, cacheReadTokens: 600, cacheWriteTokens: 100, outputTokens: 50 };
/** The same where writing to the cache costs nothing and is not counted. */
const free = { uncachedTokens: 400, cacheReadTokens: 600, cacheWriteTokens: 0, outputTokens: 50 };

describe("usageFrom reads", () => {
  test.each([
    ["ours", used, used],
    [
      "Anthropic: input is what no cache was involved in",
      {
        input_tokens: 300,
        cache_read_input_tokens: 600,
        cache_creation_input_tokens: 100,
        cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
        output_tokens: 50,
      },
      { ...used, cacheWrite1hTokens: 40 },
    ],
    [
      "OpenAI Chat: the prompt is all of it",
      { prompt_tokens: 1000, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 600 } },
      free,
    ],
    [
      "OpenAI Responses",
      { input_tokens: 1000, output_tokens: 50, input_tokens_details: { cached_tokens: 600 } },
      free,
    ],
    [
      "LangChain",
      {
        input_tokens: 1000,
        output_tokens: 50,
        total_tokens: 1050,
        input_token_details: { cache_read: 600, cache_creation: 100 },
      },
      used,
    ],
    [
      "Gemini: thoughts are output",
      {
        promptTokenCount: 1000,
        cachedContentTokenCount: 600,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 30,
      },
      free,
    ],
    [
      "the AI SDK's providers",
      {
        inputTokens: { total: 1000, noCache: 300, cacheRead: 600, cacheWrite: 100 },
        outputTokens: { total: 50 },
      },
      used,
    ],
    [
      "generateText",
      {
        inputTokens: 1000,
        inputTokenDetails: { noCacheTokens: 300, cacheReadTokens: 600, cacheWriteTokens: 100 },
        outputTokens: 50,
      },
      used,
    ],
    ["AI SDK 5", { inputTokens: 1000, cachedInputTokens: 600, outputTokens: 50 }, free],
    [
      "OpenAI Agents",
      { inputTokens: 1000, outputTokens: 50, inputTokensDetails: [{ cached_tokens: 600 }] },
      free,
    ],
  ])("%s", (_name, reported, expected) => {
    expect(usageFrom(reported)).toEqual(expected);
  });

  test("nothing it does not know, and no count that is none", () => {
    expect(usageFrom({ tokens: 12 })).toBeUndefined();
    expect(usageFrom([1000])).toBeUndefined();
    expect(usageFrom({ input_tokens: Number.NaN, output_tokens: 1 })).toBeUndefined();
    expect(usageFrom({ inputTokens: undefined, outputTokens: undefined })).toBeUndefined();
  });
});

describe("observe", () => {
  const messages = [{ role: "user", content: "Hello there, how are you?" }];

  test("takes the provider's own usage: the session prices it", async () => {
    const session = await openSession({ model: "claude-sonnet-4-5" });
    await session.prepare(messages);
    session.observe({ input_tokens: 300, cache_read_input_tokens: 600, output_tokens: 50 });
    expect(session.savings().requests).toBe(1);
  });

  test("says so where it is given something else, and counts nothing", async () => {
    const errors: unknown[] = [];
    const session = await openSession({ model: "claude-sonnet-4-5", onError: (error) => errors.push(error) });
    await session.prepare(messages);
    session.observe({ tokens: 12 });
    expect(errors).toMatchObject([
      { code: "unknown-usage", message: expect.stringContaining("it has tokens") },
    ]);
    expect(session.savings().requests).toBe(0);
  });
});
