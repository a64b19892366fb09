import { describe, expect, test } from "vitest";
import type { Json } from "../../src/transcript/json.ts";
import { anthropicMessages } from "../../src/wire/anthropic-messages.ts";
import { testBodyWire } from "../contracts/wire.ts";
import { assistant, call, calls, result, system, thinks, transcript, user } from "../say.ts";

/** One of everything: a cached system prompt, thinking, parallel calls, a mixed answer, an image, a server tool. */
const everything: Json = {
  model: "claude-sonnet-4-5",
  max_tokens: 4096,
  system: [{ type: "text", text: "Be exact.", cache_control: { type: "ephemeral", ttl: "1h" } }],
  tools: [
    {
      name: "read",
      description: "Reads a file.",
      input_schema: { type: "object", properties: { path: { type: "string" } } },
    },
    { type: "web_search_20250305", name: "web_search", max_uses: 3 },
  ],
  messages: [
    { role: "user", content: "Look at a.ts and b.ts." },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Two files.", signature: "c2ln" },
        { type: "redacted_thinking", data: "ZW5j" },
        { type: "text", text: "Reading both." },
        { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a.ts" } },
        {
          type: "tool_use",
          id: "toolu_2",
          name: "read",
          input: { path: "b.ts" },
          caller: { type: "direct" },
        },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: "export const a = 1;" },
        {
          type: "tool_result",
          tool_use_id: "toolu_2",
          is_error: true,
          content: [
            { type: "text", text: "ENOENT: b.ts" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
          ],
        },
        { type: "text", text: "b.ts is gone, go on.", cache_control: { type: "ephemeral" } },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "b.ts" } },
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
        { type: "text", text: "Nothing found.", citations: null },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "document",
          title: "spec",
          source: { type: "text", media_type: "text/plain", data: "the spec" },
        },
        { type: "text", text: "Then follow the spec." },
      ],
    },
  ],
};

testBodyWire(anthropicMessages, [
  { name: "one of everything", value: everything },
  {
    name: "strings only",
    value: {
      model: "claude-haiku-4-5",
      max_tokens: 10,
      system: "Short.",
      messages: [{ role: "user", content: "Hi." }],
    },
  },
]);

describe("anthropic-messages, what is its own", () => {
  test("reads the parts it has words for, and carries the rest", () => {
    const { messages } = anthropicMessages.read(everything);
    expect(messages[1]?.parts.map((part) => part.type)).toEqual([
      "thinking",
      "thinking",
      "text",
      "tool-call",
      "tool-call",
    ]);
    expect(messages[2]?.parts.map((part) => part.type)).toEqual(["tool-result", "tool-result", "text"]);
    expect(messages[3]?.parts.map((part) => part.type)).toEqual(["opaque", "opaque", "text"]);
  });

  test("keeps cache_control on a part whose text was edited", () => {
    const original = anthropicMessages.read(everything);
    const [, , mixed] = original.messages;
    const text = mixed?.parts[2];
    if (!mixed || text?.type !== "text") throw new Error("the example changed");
    const edited = { ...mixed, parts: mixed.parts.with(2, { ...text, text: "Go on." }) };
    const body = anthropicMessages.write({ ...original, messages: original.messages.with(2, edited) });
    expect(body).toHaveProperty("messages.2.content.2", {
      type: "text",
      text: "Go on.",
      cache_control: { type: "ephemeral" },
    });
  });

  test("brings a conversation from elsewhere into its shape", () => {
    const foreign = transcript(
      system("Be exact."),
      user("go"),
      assistant(thinks("unsigned thoughts"), call("1", "read"), call("2", "read")),
      { role: "tool", parts: [result("1", "one")] },
      { role: "tool", parts: [result("2", "two")] },
      user("thanks"),
      calls("3", "read"),
    );
    expect(anthropicMessages.write(foreign)).toEqual({
      system: [{ type: "text", text: "Be exact." }],
      messages: [
        { role: "user", content: [{ type: "text", text: "go" }] },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "1", name: "read", input: {} },
            { type: "tool_use", id: "2", name: "read", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "1", content: "one" },
            { type: "tool_result", tool_use_id: "2", content: "two" },
            { type: "text", text: "thanks" },
          ],
        },
        { role: "assistant", content: [{ type: "tool_use", id: "3", name: "read", input: {} }] },
      ],
    });
  });

  test("reworded thinking does not keep the seal of other words", () => {
    const original = anthropicMessages.read(everything);
    const response = original.messages[1];
    if (!response) throw new Error("the example changed");
    const edited = {
      ...response,
      parts: response.parts.with(0, { ...thinks("Other words."), native: response.parts[0]?.native ?? null }),
    };
    const body = anthropicMessages.write({ ...original, messages: original.messages.with(1, edited) });
    expect(body).toHaveProperty("messages.1.content.0", { type: "thinking", thinking: "Other words." });
  });

  test("ids that the API would refuse are replaced, the same on both sides", () => {
    const odd = "call_V5dT|fc_0123456789012345678901234567890123456789";
    const body = anthropicMessages.write(
      transcript(user("go"), calls(odd, "read"), { role: "tool", parts: [result(odd, "one")] }),
    );
    const again = anthropicMessages.read(body);
    const ids = again.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => ("callId" in part ? [part.callId] : [])),
    );
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
  });
});
