/** Usage is counted, and what a prompt cache would make of it, to the token. */
import { describe, expect, test } from "vitest";
import type { ModelServer } from "../../src/testing/index.ts";
import { object } from "../../src/transcript/json.ts";
import { askChat, askClaude, askGemini, CLAUDE, post, serverFor, VERSION } from "./ask.ts";

const MINUTE = 60_000;
const long = "The quick brown fox jumps over the lazy dog. ".repeat(300);
const mark = { cache_control: { type: "ephemeral" } };
const user = (text: string, more = {}) => ({ role: "user", content: [{ type: "text", text, ...more }] });
const assistant = (text: string) => ({ role: "assistant", content: [{ type: "text", text }] });

/** `[read, written, neither]` of each request, and that they are the whole prompt. */
function shares(server: ModelServer) {
  return server.requests.map(({ usage, promptTokens }) => {
    const { cacheReadTokens = 0, cacheWriteTokens = 0, uncachedTokens = 0 } = usage ?? {};
    expect(cacheReadTokens + cacheWriteTokens + uncachedTokens).toBe(promptTokens);
    return [cacheReadTokens, cacheWriteTokens, uncachedTokens];
  });
}

describe("marked (Anthropic)", () => {
  test("what is marked is written, then read for as long as it lives; reading renews", async () => {
    let now = 0;
    const server = await serverFor(() => "Hi.", { now: () => now });
    const ask = (question: string) =>
      askClaude(server, { system: [{ type: "text", text: long, ...mark }], messages: [user(question)] });
    await ask("one?");
    now = 4 * MINUTE;
    await ask("two?");
    now = 8 * MINUTE;
    await ask("three?");
    now = 13 * MINUTE + 1;
    await ask("four?");
    const [first, second, third, fourth] = shares(server);
    const written = first?.[1] ?? 0;
    expect(written).toBeGreaterThan(2000);
    expect(first?.[0]).toBe(0);
    expect(second?.slice(0, 2)).toEqual([written, 0]);
    expect(third?.slice(0, 2)).toEqual([written, 0]);
    expect(fourth?.slice(0, 2)).toEqual([0, written]);
  });

  test("a mark that moves on reads all before it and writes only what is new", async () => {
    const server = await serverFor(() => "Hi.");
    await askClaude(server, { messages: [user(long, mark)] });
    await askClaude(server, { messages: [user(long), assistant("Hi."), user(`${long} more`, mark)] });
    const [first, second] = shares(server);
    expect(second?.[0]).toBe(first?.[1]);
    expect(second?.[2]).toBe(0);
    expect(second?.[1]).toBe((server.requests[1]?.promptTokens ?? 0) - (first?.[1] ?? 0));
  });

  test("a change before the mark is a miss; so are another model and too short a prefix", async () => {
    const server = await serverFor(() => "Hi.");
    const messages = [user(long, mark)];
    await askClaude(server, { system: "a", messages });
    await askClaude(server, { system: "b", messages });
    await askClaude(server, { system: "a", messages, model: "claude-opus-4-1" });
    await askClaude(server, { messages: [user("short", mark)] });
    expect(shares(server).map(([read]) => read)).toEqual([0, 0, 0, 0]);
    expect(shares(server)[3]?.[1]).toBe(0);
  });

  test("a mark finds what was written at most twenty blocks before it", async () => {
    const server = await serverFor(() => "Hi.");
    const texts = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ type: "text", text: `${index}` }));
    const opening = { type: "text", text: long };
    const ask = (blocks: readonly object[]) =>
      askClaude(server, { messages: [{ role: "user", content: blocks }] });
    await ask([{ ...opening, ...mark }]);
    await ask([opening, ...texts(19), { type: "text", text: "end", ...mark }]);
    await ask([opening, ...texts(25), { type: "text", text: "end", ...mark }]);
    expect(shares(server).map(([read]) => (read ?? 0) > 0)).toEqual([false, true, false]);
  });

  test("an hour is counted apart, and lasts an hour from the last reading", async () => {
    let now = 0;
    const server = await serverFor(() => "Hi.", { now: () => now });
    const system = [{ type: "text", text: long, cache_control: { type: "ephemeral", ttl: "1h" } }];
    const first = await askClaude(server, { system, messages: [user(long, mark)] });
    const { cache_creation: written } = object(object(first.body)["usage"]);
    const { ephemeral_1h_input_tokens: hour, ephemeral_5m_input_tokens: five } = object(written);
    expect(Number(hour) + Number(five)).toBe(server.requests[0]?.usage?.cacheWriteTokens);
    expect(Number(five)).toBeGreaterThan(1000);
    for (const minutes of [50, 100, 161]) {
      now = minutes * MINUTE;
      await askClaude(server, { system, messages: [user(long, mark)] });
    }
    expect(server.requests.map(({ usage }) => usage?.cacheReadTokens)).toEqual([0, hour, hour, 0]);
  });

  test("nothing is cached that is not marked", async () => {
    const server = await serverFor(() => "Hi.");
    await askClaude(server, { messages: [user(long)] });
    await askClaude(server, { messages: [user(long)] });
    expect(shares(server).map(([read, written]) => [read, written])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  test("count_tokens counts what the request would, and uses up no reply", async () => {
    const server = await serverFor(["Hi."]);
    const body = { model: CLAUDE, system: long, messages: [user("hello")] };
    const counted = await post(server, "/v1/messages/count_tokens", body, VERSION);
    await askClaude(server, body);
    expect(object(counted.body)["input_tokens"]).toBe(server.requests[1]?.usage?.uncachedTokens);
    expect(server.requests[1]?.status).toBe(200);
  });
});

describe("automatic (OpenAI, Gemini)", () => {
  const messages = [{ role: "user", content: long }];
  const next = [...messages, { role: "assistant", content: "Hi." }, { role: "user", content: "and?" }];

  test("a repeated prefix is read in steps of 128 tokens, and never written", async () => {
    let now = 0;
    const server = await serverFor(() => "Hi.", { now: () => now });
    await askChat(server, messages);
    const { body } = await askChat(server, next);
    now = 6 * MINUTE;
    await askChat(server, next);
    const [first, second, third] = shares(server);
    expect(first?.slice(0, 2)).toEqual([0, 0]);
    const cached = second?.[0] ?? 0;
    expect(cached % 128).toBe(0);
    expect((server.requests[0]?.promptTokens ?? 0) - cached).toBeLessThan(128);
    expect(third?.[0]).toBe(0);
    expect(object(object(body)["usage"])["prompt_tokens_details"]).toMatchObject({ cached_tokens: cached });
  });

  test("Gemini says how much was cached, and how much was thought", async () => {
    const server = await serverFor(() => ({ thinking: "hm ".repeat(50), text: "Hi." }));
    const contents = [{ role: "user", parts: [{ text: long }] }];
    await askGemini(server, contents);
    const { usageMetadata: usage } = object((await askGemini(server, contents)).body);
    expect(Number(object(usage)["cachedContentTokenCount"])).toBeGreaterThan(1000);
    expect(Number(object(usage)["thoughtsTokenCount"])).toBeGreaterThan(40);
    expect(object(usage)["totalTokenCount"]).toBe(
      Number(object(usage)["promptTokenCount"]) + (server.requests[1]?.usage?.outputTokens ?? 0),
    );
  });
});

test("what a reply says of its usage is reported", async () => {
  const server = await serverFor([
    { text: "Hi.", usage: { uncachedTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3, outputTokens: 4 } },
  ]);
  const { body } = await askClaude(server, { messages: [user("hello")] });
  expect(object(body)["usage"]).toMatchObject({
    input_tokens: 1,
    cache_read_input_tokens: 2,
    cache_creation_input_tokens: 3,
    output_tokens: 4,
  });
});

test("a request that failed warms no cache and reports no usage", async () => {
  const server = await serverFor([{ fault: "overloaded" }, "Hi."]);
  await askClaude(server, { messages: [user(long, mark)] });
  await askClaude(server, { messages: [user(long, mark)] });
  expect(server.requests.map(({ usage }) => usage?.cacheReadTokens)).toEqual([undefined, 0]);
});
