/** The server as an agent's library sees it: the AI SDK over real HTTP, with tools, in loops of several steps. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  APICallError,
  generateText,
  jsonSchema,
  type LanguageModel,
  stepCountIs,
  streamText,
  tool,
} from "ai";
import { describe, expect, test } from "vitest";
import type { ModelServer, Reply } from "../../src/testing/index.ts";
import { CLAUDE, GPT, serverFor } from "./ask.ts";

const weather = tool({
  description: "The weather of a city.",
  inputSchema: jsonSchema<{ city: string }>({
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  }),
  execute: async ({ city }) => `sunny in ${city}`,
});

const LOOP: readonly Reply[] = [
  {
    thinking: "Two cities, so two calls.",
    text: "I will look.",
    calls: [
      { name: "weather", input: { city: "Köln 🌞" } },
      { name: "weather", input: { city: "Rome" } },
    ],
  },
  { thinking: "One more.", calls: [{ name: "weather", input: { city: "Oslo" } }] },
  { text: "It is sunny everywhere. 🌞" },
];

const key = { apiKey: "sk-secret" };
const models: Record<string, (server: ModelServer) => LanguageModel> = {
  anthropic: ({ url }) => createAnthropic({ baseURL: `${url}/v1`, ...key })(CLAUDE),
  "openai chat": ({ url }) => createOpenAI({ baseURL: `${url}/v1`, ...key }).chat(GPT),
  "openai responses": ({ url }) => createOpenAI({ baseURL: `${url}/v1`, ...key }).responses(GPT),
  "openai compatible": ({ url }) =>
    createOpenAICompatible({ name: "local", baseURL: `${url}/v1`, includeUsage: true, ...key })("llama-4"),
};

const thinking = { thinking: { type: "enabled", budgetTokens: 1024 } };

describe.each(Object.entries(models))("%s", (_name, modelOf) => {
  const settings = (server: ModelServer) => ({
    model: modelOf(server),
    prompt: "How is the weather?",
    system: "You are brief.",
    tools: { weather },
    stopWhen: stepCountIs(5),
    maxRetries: 0,
    maxOutputTokens: 2000,
    providerOptions: { anthropic: thinking },
  });

  test("generateText runs a loop of parallel calls to its end, and breaks no rule", async () => {
    const server = await serverFor(LOOP);
    const result = await generateText(settings(server));
    expect(result.text).toBe("It is sunny everywhere. 🌞");
    expect(result.steps.map(({ toolCalls }) => toolCalls.map(({ input }) => input))).toEqual([
      [{ city: "Köln 🌞" }, { city: "Rome" }],
      [{ city: "Oslo" }],
      [],
    ]);
    expect(result.steps.map(({ finishReason }) => finishReason)).toEqual([
      "tool-calls",
      "tool-calls",
      "stop",
    ]);
    expect(server.violations).toEqual([]);
    expect(server.requests.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(result.usage.inputTokens).toBe(server.requests.at(-1)?.promptTokens);
  });

  test("streamText gives the same", async () => {
    const server = await serverFor(LOOP);
    const result = streamText({ ...settings(server), onError: () => {} });
    let text = "";
    for await (const piece of result.textStream) text += piece;
    const steps = await result.steps;
    expect(text).toBe("I will look.It is sunny everywhere. 🌞");
    expect(steps.map(({ toolCalls }) => toolCalls.map(({ input }) => input))).toEqual([
      [{ city: "Köln 🌞" }, { city: "Rome" }],
      [{ city: "Oslo" }],
      [],
    ]);
    expect(server.violations).toEqual([]);
    const { inputTokens, outputTokens } = await result.usage;
    expect(inputTokens).toBe(server.requests.at(-1)?.promptTokens);
    expect(outputTokens).toBe(server.requests.at(-1)?.usage?.outputTokens);
  });

  test("a prompt larger than the window is an error that is not retried", async () => {
    const server = await serverFor(LOOP, { windowTokens: 20 });
    const error = await generateText({ ...settings(server), prompt: "long ".repeat(100) }).catch(
      (caught) => caught,
    );
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error.statusCode).toBe(400);
    expect(error.isRetryable).toBe(false);
    expect(error.message).toMatch(/prompt is too long|maximum context length|exceeds the context window/);
  });

  test("an overloaded provider is asked again, and the next reply is given", async () => {
    const server = await serverFor([{ fault: { kind: "overloaded", retryAfterSeconds: 0 } }, "Here."]);
    const { text } = await generateText({ ...settings(server), maxRetries: 1 });
    expect(text).toBe("Here.");
    expect(server.requests.map(({ status }) => Number(status) >= 500)).toEqual([true, false]);
  });

  test("no key is recorded", async () => {
    const server = await serverFor(["Here."]);
    await generateText(settings(server));
    expect(JSON.stringify(server.requests)).not.toContain("sk-secret");
    expect(server.requests[0]?.hasKey).toBe(true);
  });
});

test("thinking is shown to the agent and comes back sealed", async () => {
  const server = await serverFor(LOOP);
  const anthropic = models["anthropic"]?.(server);
  if (!anthropic) throw new Error("no model");
  const result = await generateText({
    model: anthropic,
    prompt: "How is the weather?",
    tools: { weather },
    stopWhen: stepCountIs(5),
    maxOutputTokens: 2000,
    providerOptions: { anthropic: thinking },
  });
  expect(result.steps[0]?.reasoningText).toBe("Two cities, so two calls.");
  const sealed = server.requests[2]?.transcript.messages.flatMap(({ parts }) =>
    parts.filter((part) => part.type === "thinking" && part.signature),
  );
  expect(sealed).toHaveLength(2);
});

test("with store: false, reasoning travels encrypted", async () => {
  const server = await serverFor(LOOP);
  const result = await generateText({
    model: createOpenAI({ baseURL: `${server.url}/v1`, ...key }).responses(GPT),
    prompt: "How is the weather?",
    tools: { weather },
    stopWhen: stepCountIs(5),
    maxRetries: 0,
    providerOptions: { openai: { store: false, include: ["reasoning.encrypted_content"] } },
  });
  expect(result.text).toBe("It is sunny everywhere. 🌞");
  const sealed = server.requests[1]?.transcript.messages.flatMap(({ parts }) =>
    parts.filter((part) => part.type === "thinking" && part.encrypted),
  );
  expect(sealed).toHaveLength(1);
  expect(server.violations).toEqual([]);
});
