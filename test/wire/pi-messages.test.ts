import { expect, test } from "vitest";
import { type Json, list, object } from "../../src/transcript/json.ts";
import type { Message, Part } from "../../src/transcript/message.ts";
import { piMessages as wire } from "../../src/wire/pi-messages.ts";

const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };
const answer = {
  role: "assistant",
  api: "x",
  provider: "p",
  model: "m",
  usage,
  stopReason: "toolUse",
  timestamp: 2,
};
const GIVEN: Json[] = [
  { role: "user", content: "fix it", timestamp: 1 },
  {
    ...answer,
    content: [
      { type: "thinking", thinking: "hm", thinkingSignature: "sig" },
      { type: "toolCall", id: "c1", name: "bash", arguments: { command: "ls" } },
    ],
  },
  {
    role: "toolResult",
    toolCallId: "c1",
    toolName: "bash",
    content: [{ type: "text", text: "one" }],
    isError: false,
    details: { a: 1 },
  },
  { role: "custom", customType: "x", content: "from an extension", display: true, timestamp: 3 },
  { role: "compactionSummary", summary: "what was", tokensBefore: 9, timestamp: 4 },
  { role: "bashExecution", command: "ls", output: "x", excludeFromContext: true, timestamp: 5 },
  { ...answer, stopReason: "aborted", content: [] },
];
const given = () => structuredClone(GIVEN);

test("what is sent is read, with usage and seals; what is not is none", () => {
  const { messages, model } = wire.read(given());
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "user"]);
  expect([model, messages[1]?.usage?.uncachedTokens]).toEqual(["m", 10]);
  expect(messages[1]?.parts[0]).toMatchObject({ type: "thinking", signature: "sig" });
  expect(
    messages.slice(3).every(({ parts }) => parts.every((part) => part.type === "text" && part.synthetic)),
  ).toBe(true);
});

test("what nothing was done to goes back as the very same objects", () => {
  const natives = given();
  const back = list(wire.write(wire.read(natives)));
  expect(back.length).toBe(5);
  back.forEach((message, index) => {
    expect(message).toBe(natives[index]);
  });
});

test("edits are written, and nothing in place", () => {
  const natives = given();
  const messages = wire.read(natives).messages.map(
    (message): Message => ({
      ...message,
      parts: message.parts.flatMap((part): readonly Part[] => {
        if (part.type === "thinking") return [];
        if (part.type === "text") return [{ ...part, text: `${part.text}!` }];
        return part.type === "tool-result"
          ? [{ ...part, output: [{ type: "text" as const, text: "⟦stub⟧" }] }]
          : [part];
      }),
    }),
  );
  const back = list(wire.write({ messages })).map(object);
  expect(back[0]).toEqual({ role: "user", content: "fix it!", timestamp: 1 });
  expect(back[1]?.["content"]).toEqual([
    { type: "toolCall", id: "c1", name: "bash", arguments: { command: "ls" } },
  ]);
  expect(back[2]).toMatchObject({
    toolCallId: "c1",
    content: [{ type: "text", text: "⟦stub⟧" }],
    details: { a: 1 },
  });
  expect(back[3]).toMatchObject({ role: "custom", content: "from an extension!" });
  expect(back[4]).toEqual({ role: "user", content: [{ type: "text", text: "what was!" }] });
  expect(natives).toEqual(GIVEN);
});

test("a page is a user's message, or has the form of an answer", () => {
  const { messages } = wire.read(given());
  const said = (role: "user" | "assistant"): Message => ({ role, parts: [{ type: "text", text: "# Page" }] });
  const back = list(wire.write({ messages: [said("user"), said("assistant"), ...messages] })).map(object);
  expect(back[0]).toEqual({ role: "user", content: [{ type: "text", text: "# Page" }] });
  expect(back[1]).toMatchObject({ role: "assistant", api: "x", content: [{ type: "text", text: "# Page" }] });
});
