/**
 * A model as summarizer, on the request the agent sends next, against the scripted server: each provider over HTTP. What a
 * cache would compare must be what the host sent, byte for byte.
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, jsonSchema, type ModelMessage, tool } from "ai";
import { describe, expect, test } from "vitest";
import { SECTIONS } from "../../src/plan/summary.ts";
import { openSession } from "../../src/session.ts";
import { type ModelOptions, modelSummarizer } from "../../src/summarize/model.ts";
import type { ModelServer, Reply } from "../../src/testing/index.ts";
import { type Json, list, object } from "../../src/transcript/json.ts";
import { conversation, says, step } from "../anthropic-conversation.ts";
import { askChat, askClaude, askResponses, CLAUDE, GPT, serverFor } from "../testing/ask.ts";

const GOOD = SECTIONS.map((name) =>
  name === "Session Intent" ? `## ${name}\n- Fix the parser` : `## ${name}\n(none)`,
).join("\n");
const SYSTEM = "You are an agent. Be brief.";
const WORDS = "value = compute(7); ".repeat(120);
const chatTools: Json = [
  { type: "function", function: { name: "read", description: "Reads.", parameters: { type: "object" } } },
];

/** One host for each API: what it sends, and how; the cached prefix ends where its last message ends. */
interface Host {
  readonly provider: NonNullable<ModelOptions["provider"]>;
  readonly wire: string;
  readonly model: string;
  readonly around: { readonly system?: Json; readonly tools: Json };
  readonly messages: readonly Json[];
  readonly fields: readonly string[];
  readonly list: string;
  send(server: ModelServer, messages: readonly Json[]): Promise<unknown>;
}

const claudeTools: Json = [
  {
    name: "Read",
    description: "Reads.",
    input_schema: { type: "object" },
    cache_control: { type: "ephemeral" },
  },
];
const claudeSystem: Json = [{ type: "text", text: SYSTEM, cache_control: { type: "ephemeral" } }];
const chatStep = (id: number): readonly Json[] => [
  {
    role: "assistant",
    content: `Reading ${id}.`,
    tool_calls: [
      { id: `c${id}`, type: "function", function: { name: "read", arguments: `{ "path":"f${id}" }` } },
    ],
  },
  { role: "tool", tool_call_id: `c${id}`, content: `file ${id} ${WORDS}` },
];
const itemStep = (id: number): readonly Json[] => [
  { type: "function_call", call_id: `c${id}`, name: "read", arguments: `{ "path":"f${id}" }` },
  { type: "function_call_output", call_id: `c${id}`, output: `file ${id} ${WORDS}` },
];
const ids = Array.from({ length: 11 }, (_, id) => id);
const chat = [{ role: "system", content: SYSTEM }, says("Fix the parser."), ...ids.flatMap(chatStep)];

const hosts: Record<string, Host> = {
  Anthropic: {
    provider: "anthropic",
    wire: "anthropic-messages",
    model: CLAUDE,
    around: { system: claudeSystem, tools: claudeTools },
    messages: conversation(11),
    fields: ["system", "tools"],
    list: "messages",
    send: (server, messages) => askClaude(server, { system: claudeSystem, tools: claudeTools, messages }),
  },
  "OpenAI, Responses": {
    provider: "openai",
    wire: "openai-responses",
    model: GPT,
    around: { system: SYSTEM, tools: [{ type: "function", name: "read", parameters: { type: "object" } }] },
    messages: [says("Fix the parser."), ...ids.flatMap(itemStep)],
    fields: ["instructions", "tools"],
    list: "input",
    send: (server, input) =>
      askResponses(server, input, {
        instructions: SYSTEM,
        tools: [{ type: "function", name: "read", parameters: { type: "object" } }],
      }),
  },
  "OpenAI, Chat Completions": {
    provider: "openai",
    wire: "openai-chat",
    model: GPT,
    around: { tools: chatTools },
    messages: chat,
    fields: ["tools"],
    list: "messages",
    send: (server, messages) => askChat(server, messages as object[], { tools: chatTools }),
  },
  "OpenAI-compatible": {
    provider: "openai-compatible",
    wire: "openai-chat",
    model: "llama-4",
    around: { tools: chatTools },
    messages: chat,
    fields: ["tools"],
    list: "messages",
    send: (server, messages) => askChat(server, messages as object[], { model: "llama-4", tools: chatTools }),
  },
};

const summarizerFor = ({ provider, model }: Host, server: ModelServer, more: Partial<ModelOptions> = {}) =>
  modelSummarizer({
    provider,
    model,
    apiKey: "sk-secret",
    baseURL: `${server.url}/v1`,
    isLive: true,
    ...more,
  });

const sessionFor = (host: Host, server: ModelServer, more: Partial<ModelOptions> = {}) =>
  openSession({
    model: host.model,
    wire: host.wire,
    windowTokens: 20_000,
    summarizer: summarizerFor(host, server, more),
  });

/** Where nothing is to be matched, OpenAI is asked by the API its SDK prefers. */
const messagesIn = (body: Json) => list(object(body)["messages"] ?? object(body)["input"]);

describe.each(Object.entries(hosts))("%s", (_, host) => {
  test("is asked on the very prefix the host sent; the question is the only thing new", async () => {
    const server = await serverFor(["Reading on.", GOOD]);
    const session = await sessionFor(host, server);
    const { messages } = await session.prepare(host.messages, host.around);
    await host.send(server, messages);
    const outcome = await session.compact();
    expect(outcome).toMatchObject({ kind: "compacted", compaction: { summarizing: { by: host.model } } });
    expect(server.violations).toEqual([]);
    const [sent, asked] = server.requests.map(({ body }) => object(body));
    for (const field of host.fields)
      expect(JSON.stringify(asked?.[field])).toBe(JSON.stringify(sent?.[field]));
    const before = list(sent?.[host.list]);
    const after = list(asked?.[host.list]);
    expect(after).toHaveLength(before.length + 1);
    expect(JSON.stringify(after.slice(0, -1))).toBe(JSON.stringify(before));
    const question = JSON.stringify(after.at(-1));
    expect(question).toContain("## Failed Approaches");
    // By their refs and first words: sending the material again would cost what the prefix saves.
    expect(question).toMatch(/\[ref_[0-9a-z]{12}\] tool output: file 0/);
    expect(question.length).toBeLessThan(JSON.stringify(before).length / 2);
    expect(server.requests[1]?.hasKey).toBe(true);
  });

  test("what it cost is recorded, at the price of the cache where it was read", async () => {
    const usage = { uncachedTokens: 500, cacheReadTokens: 9_000, cacheWriteTokens: 0, outputTokens: 300 };
    const server = await serverFor([{ text: GOOD, usage }]);
    const session = await sessionFor(host, server);
    await session.prepare(host.messages, host.around);
    const outcome = await session.compact();
    const { summarizing } = outcome?.kind === "compacted" ? outcome.compaction : {};
    expect(summarizing?.usage).toMatchObject({
      uncachedTokens: 500,
      cacheReadTokens: 9_000,
      outputTokens: 300,
    });
    session.observe({ uncachedTokens: 3_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 });
    expect(session.savings().lines.find(({ what }) => what === "summaries")?.tokens).toBe(-9_800);
  });

  const bad: readonly [string, Reply][] = [
    ["empty", { text: "" }],
    ["truncated", { text: GOOD, ends: "max-tokens" }],
    ["refused", { text: "I'm sorry, but I can't help with that.", ends: "refusal" }],
    ["tool-calling", { calls: [{ name: "Read", input: {} }] }],
    ["analysis only", { text: "<analysis>Let me think about it.</analysis>" }],
    ["larger than its source", { text: `${GOOD}\n- ${"more and more words ".repeat(9_000)}` }],
    ["an overflow", { fault: "overflow" }],
  ];
  test.each(bad)(
    "%s: not used; asked again with less, from the material alone, then extractive",
    async (kind, reply) => {
      const server = await serverFor(() => reply);
      const session = await sessionFor(host, server);
      await session.prepare(host.messages, host.around);
      const outcome = await session.compact();
      expect(outcome).toMatchObject({ kind: "compacted", compaction: { summarizing: { by: "extractive" } } });
      const { summarizing } = outcome?.kind === "compacted" ? outcome.compaction : {};
      const answered = server.requests.filter(({ status }) => status === 200);
      if (kind !== "an overflow")
        expect(summarizing?.usage?.outputTokens).toBe(
          answered.reduce((sum, { usage }) => sum + (usage?.outputTokens ?? 0), 0),
        );
      const sizes = server.requests.map(({ body }) => messagesIn(body).length);
      expect(sizes[0]).toBe(host.messages.length + 1);
      // The smaller tries leave the prefix: it cannot be shrunk.
      expect(sizes.slice(-2)).toEqual([1, 1]);
      const last = server.requests.slice(-2).map(({ body }) => JSON.stringify(body).length);
      expect(last[1]).toBeLessThanOrEqual(last[0] ?? 0);
      expect(outcome?.kind === "compacted" && outcome.notes.join("\n")).toContain("on the live prefix");
    },
  );

  test("a bad answer and then a good one: the good one is used, both are paid for", async () => {
    const usage = { uncachedTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 50 };
    const server = await serverFor([
      { text: "I'm sorry, I can't.", usage },
      { text: GOOD, usage },
    ]);
    const session = await sessionFor(host, server);
    await session.prepare(host.messages, host.around);
    const outcome = await session.compact();
    expect(outcome).toMatchObject({
      compaction: { summarizing: { by: host.model, usage: { uncachedTokens: 200, outputTokens: 100 } } },
    });
  });

  test("not live, it is asked from the material alone", async () => {
    const server = await serverFor([GOOD]);
    const session = await sessionFor(host, server, { isLive: false });
    await session.prepare(host.messages, host.around);
    expect(await session.compact()).toMatchObject({ compaction: { summarizing: { by: host.model } } });
    const body = object(server.requests[0]?.body);
    expect(messagesIn(body)).toHaveLength(1);
    expect(body["tools"]).toBeUndefined();
    expect(server.violations).toEqual([]);
  });
});

describe("a host that speaks through the AI SDK", () => {
  const ran: string[] = [];
  const read = tool({
    description: "Reads.",
    inputSchema: jsonSchema<{ path: string }>({ type: "object", properties: { path: { type: "string" } } }),
    execute: async ({ path }) => {
      ran.push(path);
      return "ran";
    },
  });
  const sdkStep = (id: number): readonly ModelMessage[] => [
    {
      role: "assistant",
      content: [
        { type: "text", text: `Reading ${id}.` },
        { type: "tool-call", toolCallId: `c${id}`, toolName: "read", input: { path: `f${id}` } },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: `c${id}`,
          toolName: "read",
          output: { type: "text", value: `file ${id} ${WORDS}` },
        },
      ],
    },
  ];
  const messages: readonly ModelMessage[] = [
    { role: "user", content: "Fix the parser." },
    ...ids.flatMap(sdkStep),
  ];

  test("gets the prefix the SDK spells for it, and no tool is run by a summarizer", async () => {
    const call: Reply = { calls: [{ name: "read", input: { path: "secret" } }] };
    const server = await serverFor(["Reading on.", GOOD, call, call, call]);
    const model = createAnthropic({ baseURL: `${server.url}/v1`, apiKey: "sk-secret" })(CLAUDE);
    const session = await openSession({
      model: CLAUDE,
      wire: "ai-sdk",
      windowTokens: 40_000,
      summarizer: modelSummarizer({ model, isLive: true }),
    });
    // The SDK's messages are JSON but for what they may hold; their types do not say so.
    const given = messages as unknown as readonly Json[];
    const around = { system: SYSTEM, tools: { read } as unknown as Json };
    await session.prepare(given, around);
    await generateText({ model, system: SYSTEM, tools: { read }, messages: [...messages] });
    expect((await session.compact())?.kind).toBe("compacted");
    const [sent, asked] = server.requests.map(({ body }) => object(body));
    for (const field of ["system", "tools"])
      expect(JSON.stringify(asked?.[field])).toBe(JSON.stringify(sent?.[field]));
    expect(JSON.stringify(sent?.["tools"])).toContain("read");
    // The question joins the results before it in one message of the user: what is before it is the same.
    const before = JSON.stringify(list(sent?.["messages"]).slice(0, -1));
    const after = list(asked?.["messages"]);
    expect(JSON.stringify(after.slice(0, list(sent?.["messages"]).length - 1))).toBe(before);
    const results = list(object(list(sent?.["messages"]).at(-1))["content"]);
    expect(JSON.stringify(list(object(after.at(-1))["content"]).slice(0, results.length))).toBe(
      JSON.stringify(results),
    );
    expect(server.violations).toEqual([]);

    await session.undo();
    expect(await session.compact({ focus: "again" })).toMatchObject({
      compaction: { summarizing: { by: "extractive" } },
    });
    expect(server.requests).toHaveLength(5);
    expect(ran).toEqual([]);
  });
});

test("a host of another wire gets the same history in the provider's own, which is legal though not cached", async () => {
  const server = await serverFor([GOOD]);
  const [anthropic, chatHost] = [hosts["Anthropic"], hosts["OpenAI-compatible"]] as [Host, Host];
  const session = await openSession({
    model: GPT,
    wire: "openai-chat",
    windowTokens: 20_000,
    summarizer: summarizerFor(anthropic, server),
  });
  await session.prepare(chatHost.messages, chatHost.around);
  expect(await session.compact()).toMatchObject({ compaction: { summarizing: { by: CLAUDE } } });
  expect(server.violations).toEqual([]);
  expect(server.requests[0]?.api).toBe("anthropic");
  expect(JSON.stringify(server.requests[0]?.body)).toContain("file 10 value");
});

test("calls still open at the end are left out of the prefix: nothing may stand behind them", async () => {
  const server = await serverFor([GOOD]);
  const host = hosts["Anthropic"] as Host;
  const session = await sessionFor(host, server);
  const open = [...host.messages, ...step(11).slice(0, 1)];
  await session.prepare(open, host.around);
  expect(await session.compact()).toMatchObject({ compaction: { summarizing: { by: CLAUDE } } });
  expect(server.violations).toEqual([]);
  expect(list(object(server.requests[0]?.body)["messages"])).toHaveLength(host.messages.length + 1);
});
