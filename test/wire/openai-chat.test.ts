import { describe, expect, test } from "vitest";
import type { Json } from "../../src/transcript/json.ts";
import type { Part, Transcript } from "../../src/transcript/message.ts";
import { pairUp } from "../../src/transcript/pairs.ts";
import { openaiChat } from "../../src/wire/openai-chat.ts";
import { testBodyWire } from "../contracts/wire.ts";
import { assistant, call, result, system, thinks, transcript, user } from "../say.ts";

const ARGUMENTS = '{ "path":"a.ts",  "lines": [1, 2] }';

/** One of everything: a developer prompt, shown reasoning, parallel calls, media, a custom call, a refusal. */
const everything: Json = {
  model: "gpt-5.2",
  messages: [
    { role: "developer", content: "Be exact." },
    {
      role: "user",
      name: "ada",
      content: [
        { type: "text", text: "Look at a.ts and the picture." },
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" } },
        { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
        { type: "file", file: { filename: "spec.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
      ],
    },
    {
      role: "assistant",
      content: "Reading both.",
      reasoning_content: "Two files.",
      reasoning_details: [{ type: "reasoning.encrypted", data: "c2VhbGVk" }],
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "read", arguments: ARGUMENTS } },
        { id: "call_2", type: "custom", custom: { name: "patch", input: "*** Begin Patch" } },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: "export const a = 1;" },
    { role: "tool", tool_call_id: "call_2", content: [{ type: "text", text: "Done." }] },
    { role: "assistant", content: [{ type: "refusal", refusal: "I cannot open the audio." }], refusal: null },
    { role: "user", content: "Then leave it." },
  ],
  tools: [
    { type: "function", function: { name: "read", description: "Reads.", parameters: { type: "object" } } },
    { type: "custom", custom: { name: "patch", format: { type: "text" } } },
  ],
  stream: true,
};

const legacy: Json = {
  model: "gpt-4-0613",
  functions: [{ name: "weather", parameters: { type: "object" } }],
  messages: [
    { role: "user", content: "Rain?" },
    { role: "assistant", content: null, function_call: { name: "weather", arguments: '{"city":"Oslo"}' } },
    { role: "function", name: "weather", content: "Yes." },
    { role: "assistant", content: "It rains." },
  ],
};

const bare: Json = [
  { role: "system", content: "Short." },
  { role: "user", content: "Hi." },
  {
    role: "assistant",
    content: "",
    tool_calls: [{ id: "c", type: "function", function: { name: "ls", arguments: "" } }],
  },
  { role: "tool", tool_call_id: "c", content: "" },
];

testBodyWire(openaiChat, [
  { name: "one of everything", value: everything },
  { name: "legacy functions", value: legacy },
  { name: "a bare list", value: bare },
]);

const types = (body: Json) =>
  openaiChat.read(body).messages.map(({ parts }) => parts.map((part) => part.type));
const replaced = (original: Transcript, m: number, p: number, part: Part): Transcript => {
  const message = original.messages[m];
  if (!message) throw new Error("the example changed");
  return {
    ...original,
    messages: original.messages.with(m, { ...message, parts: message.parts.with(p, part) }),
  };
};

describe("openai-chat, what is its own", () => {
  test("one message is one message, and developer is a system message written back as developer", () => {
    expect(openaiChat.read(everything).messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
      "user",
    ]);
    const renamed = replaced(openaiChat.read(everything), 0, 0, { type: "text", text: "Be brief." });
    expect(openaiChat.write(renamed)).toHaveProperty("messages.0", {
      role: "developer",
      content: "Be brief.",
    });
  });

  test("reads the parts it has words for, and carries the rest", () => {
    expect(types(everything)).toEqual([
      ["text"],
      ["text", "image", "opaque", "document"],
      ["thinking", "text", "tool-call", "tool-call"],
      ["tool-result"],
      ["tool-result"],
      ["text"],
      ["text"],
    ]);
  });

  test("arguments are read as the value they hold, and an untouched call keeps their very bytes", () => {
    const original = openaiChat.read(everything);
    expect(original.messages[2]?.parts[2]).toMatchObject({ input: { path: "a.ts", lines: [1, 2] } });
    const edited = openaiChat.write(replaced(original, 2, 1, { type: "text", text: "Reading." }));
    expect(edited).toHaveProperty("messages.2.content", "Reading.");
    expect(edited).toHaveProperty("messages.2.tool_calls.0.function.arguments", ARGUMENTS);
  });

  test("an edited call changes its own input, and its neighbour keeps its very bytes", () => {
    const original = openaiChat.read(everything);
    const [read, patch] = original.messages[2]?.parts.slice(2) ?? [];
    if (read?.type !== "tool-call" || patch?.type !== "tool-call") throw new Error("the example changed");
    const readAnother = openaiChat.write(replaced(original, 2, 2, { ...read, input: { path: "b.ts" } }));
    expect(readAnother).toHaveProperty("messages.2.tool_calls.0.function.arguments", '{"path":"b.ts"}');
    const patchAnother = openaiChat.write(replaced(original, 2, 3, { ...patch, input: "cut" }));
    expect(patchAnother).toHaveProperty("messages.2.tool_calls", [
      { id: "call_1", type: "function", function: { name: "read", arguments: ARGUMENTS } },
      { id: "call_2", type: "custom", custom: { name: "patch", input: "cut" } },
    ]);
  });

  test.each([
    ["broken JSON stays the string it is", '{"path": "a.t', '{"path": "a.t'],
    ["no arguments are an empty object", "", {}],
    ["JSON that is no object is read as it is", "null", null],
  ])("%s", (_, text, input) => {
    const body: Json = {
      messages: [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "1", type: "function", function: { name: "read", arguments: text } }],
        },
      ],
    };
    expect(openaiChat.read(body).messages[0]?.parts[0]).toHaveProperty("input", input);
    expect(openaiChat.write(openaiChat.read(body))).toEqual(body);
  });

  test("a legacy call and its result find each other by name", () => {
    const { pairs, orphans } = pairUp(openaiChat.read(legacy));
    expect(pairs.map(({ call, result }) => [call.part.name, result?.messageIndex])).toEqual([["weather", 2]]);
    expect(orphans).toEqual([]);
  });

  test("without its thinking and its calls, a message has neither field", () => {
    const original = openaiChat.read(everything);
    const message = original.messages[2];
    if (!message) throw new Error("the example changed");
    const parts = message.parts.filter((part) => part.type === "text");
    const body = openaiChat.write({
      ...original,
      messages: original.messages.with(2, { ...message, parts }),
    });
    expect(body).toHaveProperty("messages.2", { role: "assistant", content: "Reading both." });
  });

  test("an empty message is kept, until its parts are taken away", () => {
    const body = {
      messages: [
        { role: "user", content: "" },
        { role: "user", content: "Hi." },
      ],
    };
    const original = openaiChat.read(body);
    expect(openaiChat.write(original)).toEqual(body);
    const emptied = original.messages.map((message) => ({ ...message, parts: [] }));
    expect(openaiChat.write({ ...original, messages: emptied })).toEqual({
      messages: body.messages.slice(0, 1),
    });
  });

  test("brings a conversation from elsewhere into its shape", () => {
    const picture: Part = {
      type: "image",
      source: { kind: "data", mediaType: "image/png", base64: "iVBORw==" },
    };
    const seen: Part = {
      type: "tool-result",
      callId: "2",
      isError: false,
      output: [{ type: "text", text: "a picture:" }, picture],
    };
    const foreign: Transcript = {
      system: [{ type: "text", text: "Be exact." }],
      ...transcript(
        system("Be brief."),
        user("go"),
        assistant(
          thinks("sealed", "sig"),
          "Looking.",
          call("1", "patch", "free text"),
          call("2", "view", { n: 1 }),
        ),
        user(result("1", "one"), seen, "thanks"),
      ),
    };
    expect(openaiChat.write(foreign)).toEqual({
      messages: [
        { role: "system", content: "Be exact." },
        { role: "system", content: "Be brief." },
        { role: "user", content: "go" },
        {
          role: "assistant",
          content: "Looking.",
          tool_calls: [
            { id: "1", type: "function", function: { name: "patch", arguments: '{"input":"free text"}' } },
            { id: "2", type: "function", function: { name: "view", arguments: '{"n":1}' } },
          ],
        },
        { role: "tool", tool_call_id: "1", content: "one" },
        { role: "tool", tool_call_id: "2", content: "a picture:\n[image]" },
        {
          role: "user",
          content: [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBORw==" } }],
        },
        { role: "user", content: "thanks" },
      ],
    });
  });

  test("pictures of one result wait until the results of its neighbours are told", () => {
    const picture = { type: "image", source: { kind: "url", url: "https://x/y.png" } } as const;
    const shows = (callId: string): Part => ({
      type: "tool-result",
      callId,
      output: [picture],
      isError: false,
    });
    const body = openaiChat.write(
      transcript(
        assistant(call("1", "view"), call("2", "view")),
        { role: "tool", parts: [shows("1")] },
        { role: "tool", parts: [shows("2")] },
      ),
    );
    expect(openaiChat.read(body).messages.map(({ role }) => role)).toEqual([
      "assistant",
      "tool",
      "tool",
      "user",
    ]);
  });

  test.each<[string, Json, number]>([
    ["plain words could be anyone's", [{ role: "user", content: "Hi." }], 1],
    [
      "a system message in front is ours",
      [
        { role: "system", content: "S" },
        { role: "user", content: "Hi." },
      ],
      2,
    ],
    ["calls are ours", [{ role: "assistant", content: null, tool_calls: [] }], 2],
    [
      "a prompt outside the messages is Anthropic's",
      { system: "S", messages: [{ role: "user", content: "Hi." }] },
      0,
    ],
    ["blocks are Anthropic's", [{ role: "assistant", content: [{ type: "tool_use", id: "1" }] }], 0],
    ["items are the Responses API's", { input: [{ role: "user", content: "Hi." }] }, 0],
    ["parts are the AI SDK's", [{ role: "tool", content: [{ type: "tool-result", toolCallId: "1" }] }], 0],
    ["nothing is nobody's", {}, 0],
  ])("%s", (_, body, confidence) => {
    expect(openaiChat.detect(body)).toBe(confidence);
  });
});
