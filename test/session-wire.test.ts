/** Which wire a session's messages are in is found from them, and a plain first message settles nothing. */
import { describe, expect, test } from "vitest";
import { openSession } from "../src/session.ts";
import { check } from "../src/transcript/check.ts";
import type { Json } from "../src/transcript/json.ts";
import { bodyWireNamed } from "../src/wire/wires.ts";
import { conversation, words } from "./anthropic-conversation.ts";

type Step = (id: number) => readonly Json[];

const steps: Record<string, Step> = {
  "anthropic-messages": (id) => [
    { role: "assistant", content: [{ type: "tool_use", id: `c${id}`, name: "Read", input: { id } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `c${id}`, content: words(`${id}`, 40) }] },
  ],
  "openai-chat": (id) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${id}`, type: "function", function: { name: "Read", arguments: `{"id":${id}}` } }],
    },
    { role: "tool", tool_call_id: `c${id}`, content: words(`${id}`, 40) },
  ],
  "openai-responses": (id) => [
    { type: "function_call", call_id: `c${id}`, name: "Read", arguments: `{"id":${id}}` },
    { type: "function_call_output", call_id: `c${id}`, output: words(`${id}`, 40) },
  ],
  "ai-sdk": (id) => [
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: `c${id}`, toolName: "Read", input: { id } }],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: `c${id}`,
          toolName: "Read",
          output: { type: "text", value: words(`${id}`, 40) },
        },
      ],
    },
  ],
};

describe.each(Object.entries(steps))(
  "a session that begins with a plain message and goes on in %s",
  (name, step) => {
    test("is read as that from the first call on: compacted, legal, and readable", async () => {
      const session = await openSession({ windowTokens: 12_000 });
      const messages: Json[] = [{ role: "user", content: "Never touch migrations/. Fix the parser." }];
      await session.prepare(messages);
      let sent: readonly Json[] = [];
      let compactions = 0;
      for (let id = 1; id <= 30; id += 1) {
        messages.push(...step(id));
        const prepared = await session.prepare(messages);
        compactions += prepared.outcome?.kind === "compacted" ? 1 : 0;
        sent = prepared.messages;
      }
      expect(compactions).toBeGreaterThan(1);
      const read = bodyWireNamed(name).read([...sent]);
      expect(check(read, { as: "record" })).toEqual([]);
      expect(
        read.messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool-result")).length,
      ).toBeGreaterThan(0);
      const { rows } = await session.refs({ kind: "tool-result" });
      expect(rows.length).toBeGreaterThan(0);
    });
  },
);

test("a wire named for one call is that wire", async () => {
  const session = await openSession({});
  const messages = [{ role: "user", content: "Hello." }];
  expect((await session.prepare(messages, { wire: "ai-sdk" })).messages).toEqual(messages);
  const onError = () => {};
  const failing = await openSession({ onError });
  expect((await failing.prepare(messages, { wire: "no-such" })).messages).toEqual(messages);
});

test("a request in a wire of its own, between two others, changes nothing for them", async () => {
  const session = await openSession({ model: "claude-opus-4-5", windowTokens: 20_000 });
  const messages = conversation(30);
  const title = [{ role: "user", content: [{ type: "text", text: "A title, please." }] }];
  const [first] = await Promise.all([session.prepare(messages), session.prepare(title, { wire: "ai-sdk" })]);
  expect(JSON.stringify(first.messages).length).toBeLessThan(JSON.stringify(messages).length / 2);
  expect((await session.prepare(messages)).messages).toEqual(first.messages);
});
