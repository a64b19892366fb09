import { describe, expect, test } from "vitest";
import { LiveConversation } from "../../src/live.ts";
import type { Json } from "../../src/transcript/json.ts";
import type { Message, Transcript } from "../../src/transcript/message.ts";
import { aiSdk } from "../../src/wire/ai-sdk.ts";
import { testBodyWire } from "../contracts/wire.ts";
import { assistant, call, result, system, thinks, transcript, user } from "../say.ts";

const answers = (toolCallId: string, toolName: string, output: Json) => ({
  type: "tool-result",
  toolCallId,
  toolName,
  output,
});

/** One of everything: sealed reasoning, parallel calls, every kind of output, files, an approval, a provider's tool. */
const everything: Json = {
  model: "anthropic/claude-sonnet-4-5",
  system: "Be exact.",
  temperature: 0.2,
  messages: [
    {
      role: "user",
      content: [
        {
          type: "text",
          text: "Look at a.ts and b.ts.",
          providerOptions: { anthropic: { cacheControl: {} } },
        },
        { type: "image", image: "iVBORw0KGgo=" },
        {
          type: "file",
          data: "https://files.example/spec.pdf",
          mediaType: "application/pdf",
          filename: "spec",
        },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Two files.", providerOptions: { anthropic: { signature: "c2ln" } } },
        { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "ZW5j" } } },
        { type: "text", text: "Reading both." },
        { type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a.ts" } },
        { type: "tool-call", toolCallId: "c2", toolName: "read", input: { path: "b.ts" } },
        { type: "tool-call", toolCallId: "c3", toolName: "query", input: {} },
        { type: "tool-call", toolCallId: "c4", toolName: "shot", input: {} },
        { type: "tool-call", toolCallId: "c5", toolName: "rm", input: {} },
        { type: "tool-approval-request", approvalId: "p1", toolCallId: "c5" },
      ],
    },
    {
      role: "tool",
      content: [
        answers("c1", "read", { type: "text", value: "export const a = 1;" }),
        answers("c2", "read", { type: "error-text", value: "ENOENT: b.ts" }),
        answers("c3", "query", { type: "json", value: { rows: [1, 2] } }),
        answers("c4", "shot", {
          type: "content",
          value: [
            { type: "text", text: "the page" },
            { type: "media", data: "iVBORw0KGgo=", mediaType: "image/png" },
          ],
        }),
        { type: "tool-approval-response", approvalId: "p1", approved: false },
        answers("c5", "rm", { type: "execution-denied", reason: "not that one" }),
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "s1", toolName: "web_search", input: {}, providerExecuted: true },
        answers("s1", "web_search", { type: "json", value: [] }),
        { type: "text", text: "Nothing found." },
      ],
    },
    { role: "user", content: "Go on." },
  ],
};

const version4: Json = [
  { role: "system", content: "Short." },
  { role: "user", content: [{ type: "image", image: "https://files.example/a.png", mimeType: "image/png" }] },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Hm.", signature: "c2ln" },
      { type: "tool-call", toolCallId: "c1", toolName: "sum", args: { of: [1, 2] } },
    ],
  },
  {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "c1", toolName: "sum", result: { sum: 3 }, isError: false }],
  },
];

testBodyWire(aiSdk, [
  { name: "one of everything", value: everything },
  { name: "version 4, a bare list", value: version4 },
]);

describe("ai-sdk, what is its own", () => {
  test("reads the parts it has words for, and carries what a provider ran itself", () => {
    const types = aiSdk.read(everything).messages.map(({ parts }) => parts.map((part) => part.type));
    expect(types[0]).toEqual(["text", "image", "document"]);
    expect(types[1]).toEqual(["thinking", "thinking", "text", ...Array(5).fill("tool-call"), "opaque"]);
    expect(types[2]).toEqual([...Array(4).fill("tool-result"), "opaque", "tool-result"]);
    expect(types[3]).toEqual(["opaque", "opaque", "text"]);
  });

  test("finds the seal wherever the provider put it", () => {
    const seals = aiSdk.read([
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "a", providerOptions: { anthropic: { signature: "A" } } },
          { type: "reasoning", text: "g", providerOptions: { google: { thoughtSignature: "G" } } },
          { type: "reasoning", text: "o", providerOptions: { openai: { reasoningEncryptedContent: "O" } } },
          { type: "redacted-reasoning", data: "R" },
          { type: "reasoning", text: "none" },
        ],
      },
    ]).messages[0]?.parts;
    expect(seals).toMatchObject([
      { signature: "A" },
      { signature: "G" },
      { encrypted: "O" },
      { encrypted: "R" },
      {},
    ]);
    expect(seals?.[4]).not.toHaveProperty("signature");
  });

  test("reads every kind of output as the model would, and knows the errors among them", () => {
    const results = aiSdk.read(everything).messages[2]?.parts.filter((part) => part.type === "tool-result");
    expect(
      results?.map((part) => [
        part.isError,
        part.output.map((item) => ("text" in item ? item.text : item.type)),
      ]),
    ).toEqual([
      [false, ["export const a = 1;"]],
      [true, ["ENOENT: b.ts"]],
      [false, ['{"rows":[1,2]}']],
      [false, ["the page", "image"]],
      [true, ["not that one"]],
    ]);
  });

  test("an edited result says text where it said json, stays an error where it was one, and keeps version 4's words", () => {
    expect(stubbed(everything, 2, 2)).toHaveProperty("messages.2.content.2.output", {
      type: "text",
      value: "S",
    });
    expect(stubbed(everything, 2, 1)).toHaveProperty("messages.2.content.1.output", {
      type: "error-text",
      value: "S",
    });
    expect(stubbed(everything, 2, 5)).toHaveProperty("messages.2.content.5.output", {
      type: "error-text",
      value: "S",
    });
    expect(stubbed(everything, 2, 3)).toHaveProperty("messages.2.content.3.output", {
      type: "content",
      value: [{ type: "text", text: "S" }],
    });
    expect(stubbed(version4, 3, 0)).toHaveProperty("3.content.0", {
      type: "tool-result",
      toolCallId: "c1",
      toolName: "sum",
      result: "S",
      isError: false,
    });
  });

  test("an edited call keeps the words of its version", () => {
    for (const [body, message, part, key] of [
      [version4, 2, 1, "2.content.1.args"],
      [everything, 1, 3, "messages.1.content.3.input"],
    ] as const) {
      const original = aiSdk.read(body);
      const old = original.messages[message];
      const found = old?.parts[part];
      if (!old || found?.type !== "tool-call") throw new Error("the example changed");
      const edited = { ...old, parts: old.parts.with(part, { ...found, input: { short: true } }) };
      const written = aiSdk.write({ ...original, messages: original.messages.with(message, edited) });
      expect(written).toHaveProperty(key, { short: true });
      expect(aiSdk.read(written).messages[message]?.parts[part]).toMatchObject({ input: { short: true } });
    }
  });

  test("bytes and URLs of a running program go out as the same objects, beside an edit too", () => {
    const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
    const url = new URL("https://files.example/a.png");
    const image = { type: "image", image: bytes };
    const content = [
      { type: "text", text: "see" },
      image,
      { type: "file", data: url, mediaType: "image/png" },
    ];
    // In a program these are AI SDK types, which hold more than JSON can.
    const messages = [{ role: "user", content }] as unknown as Json;
    const read = aiSdk.read(messages);
    expect(read.messages[0]?.parts).toMatchObject([
      { type: "text" },
      { type: "image", source: { kind: "data", mediaType: "image/png", base64: "iVBORw==" } },
      { type: "image", source: { kind: "url", url: "https://files.example/a.png" } },
    ]);
    expect(aiSdk.write(read)).toStrictEqual(messages);
    const first = read.messages[0] as Message;
    const edited = {
      ...first,
      parts: first.parts.with(0, { type: "text", text: "look", native: content[0] as Json }),
    };
    const [written] = aiSdk.write({ ...read, messages: [edited] }) as unknown as [{ content: unknown[] }];
    expect(written.content[0]).toEqual({ type: "text", text: "look" });
    expect(written.content[1]).toBe(image);
    expect(written.content[2]).toBe(content[2]);
  });

  test("an untouched message is the same object, so that a program's cache of it holds", () => {
    const written = aiSdk.write(aiSdk.read(version4)) as readonly Json[];
    for (const [index, message] of (version4 as readonly Json[]).entries())
      expect(written[index]).toBe(message);
  });

  test("tools of a running program are passed on, and only plain schemas are looked into", () => {
    class Schema {
      readonly type = "object";
      readonly self = this;
    }
    const tools = {
      plain: { description: "Plain.", inputSchema: { type: "object" } },
      wrapped: { inputSchema: { jsonSchema: { type: "object", properties: {} } } },
      library: { inputSchema: new Schema(), execute: () => 1 },
    };
    const body = { tools, messages: [] } as unknown as Json;
    const read = aiSdk.read(body);
    expect(read.tools?.map(({ name, input }) => [name, input])).toEqual([
      ["plain", { type: "object" }],
      ["wrapped", { type: "object", properties: {} }],
      ["library", undefined],
    ]);
    expect(aiSdk.write(read)).toHaveProperty("tools", tools);
  });

  test("reads instructions and lists of system messages, and keeps their shape when edited", () => {
    const instructions = [{ role: "system", content: "Be exact.", providerOptions: { anthropic: {} } }];
    const read = aiSdk.read({ instructions, messages: [] });
    expect(aiSdk.write(read)).toEqual({ instructions, messages: [] });
    const edited = {
      ...read,
      system: [{ type: "text", text: "Be brief.", native: instructions[0] as Json }],
    } as const;
    expect(aiSdk.write(edited)).toEqual({
      instructions: [{ role: "system", content: "Be brief.", providerOptions: { anthropic: {} } }],
      messages: [],
    });
  });

  test("reads the prompt a provider gets, and leaves a prompt that is text alone", () => {
    const prompt = [{ role: "user", content: [{ type: "text", text: "Hi." }] }];
    expect(aiSdk.read({ prompt }).messages).toHaveLength(1);
    expect(aiSdk.write(aiSdk.read({ prompt }))).toEqual({ prompt });
    expect(aiSdk.write(aiSdk.read({ prompt: "Hi." }))).toEqual({ prompt: "Hi." });
  });

  test("brings a conversation from elsewhere into its shape", () => {
    const foreign = transcript(
      system("Be exact."),
      user("go"),
      assistant(thinks("sealed elsewhere", "sig"), call("1", "read"), call("2", "patch", "*** Begin")),
      user(result("1", "one"), "thanks"),
      assistant(thinks("only thoughts")),
      user(result("2", "no", true)),
    );
    expect(aiSdk.write(foreign)).toEqual({
      system: "Be exact.",
      messages: [
        { role: "user", content: [{ type: "text", text: "go" }] },
        {
          role: "assistant",
          content: [
            { type: "tool-call", toolCallId: "1", toolName: "read", input: {} },
            { type: "tool-call", toolCallId: "2", toolName: "patch", input: "*** Begin" },
          ],
        },
        { role: "tool", content: [answers("1", "read", { type: "text", value: "one" })] },
        { role: "user", content: [{ type: "text", text: "thanks" }] },
        { role: "tool", content: [answers("2", "patch", { type: "error-text", value: "no" })] },
      ],
    });
  });

  test("plain strings could be anybody's; its own parts are a clear mark", () => {
    expect(aiSdk.detect([{ role: "user", content: "Hi." }])).toBe(1);
    expect(aiSdk.detect(version4)).toBe(2);
    expect(aiSdk.detect([{ role: "user", parts: [{ type: "text", text: "Hi." }] }])).toBe(0);
  });
});

/** The body with one result replaced by "S". */
function stubbed(body: Json, message: number, part: number): Json {
  const original: Transcript = aiSdk.read(body);
  const old = original.messages[message];
  const found = old?.parts[part];
  if (!old || found?.type !== "tool-result") throw new Error("the example changed");
  const edited = { ...old, parts: old.parts.with(part, { ...found, output: [{ type: "text", text: "S" }] }) };
  return aiSdk.write({ ...original, messages: original.messages.with(message, edited) });
}

test("what a harness says in the user's name is marked by it, and goes out as it came", () => {
  const note = { type: "text", text: "it is noon", providerOptions: { palimpsest: { synthetic: true } } };
  const body: Json = [{ role: "user", content: [{ type: "text", text: "hello" }, note] }];
  const [message] = aiSdk.read(body).messages;
  expect(message?.parts.map((part) => part.type === "text" && part.synthetic === true)).toEqual([
    false,
    true,
  ]);
  expect(aiSdk.write(aiSdk.read(body))).toEqual(body);
});

test("a tool set counts with the messages, as a list of schemas does", () => {
  const tools = {
    look: { description: "looks ".repeat(50), inputSchema: { jsonSchema: { type: "object" } } },
  };
  const live = new LiveConversation(aiSdk, undefined);
  live.update([], { tools });
  expect(live.countedTokens).toBeGreaterThan(50);
});
