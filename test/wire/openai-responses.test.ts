import { describe, expect, test } from "vitest";
import type { Json } from "../../src/transcript/json.ts";
import type { Message, Part, Transcript } from "../../src/transcript/message.ts";
import { openaiResponses } from "../../src/wire/openai-responses.ts";
import { testBodyWire } from "../contracts/wire.ts";
import { assistant, call, result, system, thinks, transcript, user } from "../say.ts";

const ARGUMENTS = '{ "cmd":"ls" }';

/** One of everything: reasoning, parallel calls of three kinds, an output of content items, items without a word. */
const everything: Json = {
  model: "gpt-5.2-codex",
  instructions: "Be exact.",
  input: [
    { type: "message", role: "developer", content: [{ type: "input_text", text: "Ask before deleting." }] },
    {
      role: "user",
      content: [
        { type: "input_text", text: "Look around." },
        { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" },
        { type: "input_file", filename: "spec.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
      ],
    },
    {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "**Plan**" }],
      encrypted_content: "c2VhbGVk",
    },
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [
        { type: "output_text", text: "Listing.", annotations: [] },
        { type: "output_text", text: "Then patching.", annotations: [] },
      ],
    },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "exec", arguments: ARGUMENTS },
    {
      type: "custom_tool_call",
      call_id: "call_2",
      name: "apply_patch",
      input: "*** Begin Patch",
      status: "completed",
    },
    { type: "function_call", call_id: "call_3", name: "ask", namespace: "mcp__wiki", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: "a.ts" },
    { type: "custom_tool_call_output", call_id: "call_2", output: "Done." },
    {
      type: "function_call_output",
      call_id: "call_3",
      output: [
        { type: "input_text", text: "a page" },
        { type: "input_image", image_url: "https://example.org/page.png" },
      ],
    },
    { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
    { type: "message", role: "user", content: "Why not?" },
    { type: "item_reference", id: "msg_9" },
  ],
  tools: [
    { type: "function", name: "exec", description: "Runs.", parameters: { type: "object" }, strict: false },
    { type: "custom", name: "apply_patch" },
    { type: "web_search" },
  ],
  store: false,
};

testBodyWire(openaiResponses, [
  { name: "one of everything", value: everything },
  { name: "a string", value: { model: "gpt-5.2", instructions: "Short.", input: "Hi." } },
  { name: "easy messages", value: { model: "gpt-5.2", input: [{ role: "user", content: "Hi." }] } },
  {
    name: "a bare list",
    value: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Hi." }] },
      {
        type: "local_shell_call",
        call_id: "c",
        status: "completed",
        action: { type: "exec", command: ["ls"] },
      },
      { type: "function_call_output", call_id: "c", output: "a.ts" },
    ],
  },
]);

const outline = (transcript: Transcript) =>
  transcript.messages.map(({ role, parts }) => `${role}: ${parts.map((part) => part.type).join(" ")}`);
const withMessage = (
  original: Transcript,
  index: number,
  change: (message: Message) => Message,
): Transcript => ({
  ...original,
  messages: original.messages.map((message, at) => (at === index ? change(message) : message)),
});

describe("openai-responses, what is its own", () => {
  test("a run of the assistant's items is one message, and so is a run of outputs", () => {
    expect(outline(openaiResponses.read(everything))).toEqual([
      "system: text",
      "user: text image document",
      "assistant: thinking opaque text text tool-call tool-call tool-call",
      "tool: tool-result tool-result tool-result",
      "assistant: text",
      "user: text",
      "assistant: opaque",
    ]);
  });

  test("reasoning is thinking with its seal, free text is a string, and a namespace is part of the name", () => {
    expect(openaiResponses.read(everything).messages[2]?.parts).toMatchObject([
      { type: "thinking", text: "**Plan**", encrypted: "c2VhbGVk" },
      {},
      {},
      {},
      { callId: "call_1", name: "exec", input: { cmd: "ls" } },
      { callId: "call_2", name: "apply_patch", input: "*** Begin Patch" },
      { callId: "call_3", name: "mcp__wiki__ask", input: {} },
    ]);
  });

  test("users speak one message at a time", () => {
    const twice = {
      input: [
        { role: "user", content: "a" },
        { role: "user", content: "b" },
      ],
    };
    expect(outline(openaiResponses.read(twice))).toEqual(["user: text", "user: text"]);
  });

  test("an edited refusal is still one", () => {
    const original = openaiResponses.read(everything);
    const edited = withMessage(original, 4, (message) => ({
      ...message,
      parts: message.parts.map((part): Part => (part.type === "text" ? { ...part, text: "Never." } : part)),
    }));
    expect(openaiResponses.write(edited)).toHaveProperty("input.11.content", [
      { type: "refusal", refusal: "Never." },
    ]);
  });

  test("an edit touches its own item; all others are the very values that were read", () => {
    const original = openaiResponses.read(everything);
    const edited = withMessage(original, 2, (message) => ({
      ...message,
      parts: message.parts.map((part): Part => (part.type === "text" ? { ...part, text: "…" } : part)),
    }));
    const before = (everything as { input: Json[] }).input;
    const after = (openaiResponses.write(edited) as { input: Json[] }).input;
    expect(after.flatMap((item, index) => (item === before[index] ? [] : [index]))).toEqual([4]);
    expect(after[4]).toMatchObject({
      id: "msg_1",
      content: [
        { text: "…", annotations: [] },
        { text: "…", annotations: [] },
      ],
    });
  });

  test("a part that is gone takes its item along, and a new one gets an item of its own", () => {
    const original = openaiResponses.read(everything);
    const edited = withMessage(original, 2, (message) => ({
      ...message,
      parts: [
        ...message.parts.filter((part) => part.type === "tool-call"),
        { type: "text", text: "A note." },
      ],
    }));
    const { input } = openaiResponses.write(edited) as { input: Json[] };
    expect(input.slice(2, 6)).toMatchObject([
      { call_id: "call_1", arguments: ARGUMENTS },
      { call_id: "call_2" },
      { call_id: "call_3", namespace: "mcp__wiki", name: "ask" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "A note." }] },
    ]);
  });

  test("without the reasoning it came from, an item is not sent under its id: that would be refused", () => {
    const original = openaiResponses.read(everything);
    const edited = withMessage(original, 2, (message) => ({
      ...message,
      parts: message.parts.filter((part) => part.type !== "thinking"),
    }));
    const ids = (value: Json) => JSON.stringify(value).match(/"(ws|msg|fc|rs)_1"/g);
    expect(ids(openaiResponses.write(original))).toHaveLength(4);
    expect(ids(openaiResponses.write(edited))).toBeNull();
  });

  test("a shortened output stays a string or a list, as it was", () => {
    const original = openaiResponses.read(everything);
    const edited = withMessage(original, 3, (message) => ({
      ...message,
      parts: message.parts.map(
        (part): Part => ({ ...part, output: [{ type: "text", text: "cut" }] }) as Part,
      ),
    }));
    const { input } = openaiResponses.write(edited) as { input: Json[] };
    expect(input.slice(8, 11)).toEqual([
      { type: "function_call_output", call_id: "call_1", output: "cut" },
      { type: "custom_tool_call_output", call_id: "call_2", output: "cut" },
      { type: "function_call_output", call_id: "call_3", output: [{ type: "input_text", text: "cut" }] },
    ]);
  });

  test("brings a conversation from elsewhere into its shape", () => {
    const foreign: Transcript = {
      system: [{ type: "text", text: "Be exact." }],
      ...transcript(
        system("Be brief."),
        user("go"),
        assistant(
          thinks("unsealed"),
          "On it.",
          call("1", "apply_patch", "*** Begin"),
          call("2", "read", { n: 1 }),
        ),
        user(result("1", "one"), result("2", "two"), "thanks"),
      ),
    };
    expect(openaiResponses.write(foreign)).toEqual({
      instructions: "Be exact.",
      input: [
        { type: "message", role: "system", content: [{ type: "input_text", text: "Be brief." }] },
        { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "On it." }] },
        { type: "custom_tool_call", call_id: "1", name: "apply_patch", input: "*** Begin" },
        { type: "function_call", call_id: "2", name: "read", arguments: '{"n":1}' },
        { type: "custom_tool_call_output", call_id: "1", output: "one" },
        { type: "function_call_output", call_id: "2", output: "two" },
        { type: "message", role: "user", content: [{ type: "input_text", text: "thanks" }] },
      ],
    });
  });

  test("sealed reasoning goes along where OpenAI sealed it, and nowhere else", () => {
    const sealed: Part = { type: "thinking", text: "", encrypted: "c2VhbGVk" };
    const from = (of: string) => ({ ...assistant(sealed, "ok"), native: { of, value: [1] } });
    const reasoning = { type: "reasoning", summary: [], encrypted_content: "c2VhbGVk" };
    const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "ok" }] };
    expect(openaiResponses.write(transcript(from("codex")))).toEqual({ input: [reasoning, message] });
    expect(openaiResponses.write(transcript(from("anthropic-messages")))).toEqual({ input: [message] });
  });

  test.each<[string, Json, number]>([
    ["an embedding request looks like a short body", { model: "text-embedding-3-small", input: "Hi." }, 1],
    ["a list of texts is an embedding request", { model: "text-embedding-3-small", input: ["Hi."] }, 0],
    ["instructions are ours", { model: "gpt-5.2", instructions: "S", input: "Hi." }, 2],
    ["messages are not", { model: "gpt-5.2", messages: [{ role: "user", content: "Hi." }] }, 0],
    ["a bare list of plain messages is not", [{ role: "user", content: "Hi." }], 0],
    ["nothing is nobody's", {}, 0],
  ])("%s", (_, body, confidence) => {
    expect(openaiResponses.detect(body)).toBe(confidence);
  });
});
