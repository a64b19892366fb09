import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/transcript/json.ts";
import type { Part } from "../../src/transcript/message.ts";
import { pairUp } from "../../src/transcript/pairs.ts";
import { cline } from "../../src/wire/cline.ts";
import { sourceOf } from "../../src/wire/source.ts";
import { detectWire, sampleFrom } from "../../src/wire/wires.ts";
import { testSessionWire, written } from "../contracts/wire.ts";

const says = (content: Json, more: JsonObject = {}) => ({
  id: "m",
  role: "user",
  content,
  ts: 1000,
  ...more,
});
const replies = (content: Json, more: JsonObject = {}) => ({
  id: "m",
  role: "assistant",
  content,
  ts: 2000,
  modelInfo: { id: "anthropic/claude-opus-4.8", provider: "cline" },
  metrics: { inputTokens: 900, outputTokens: 20, cacheReadTokens: 700, cacheWriteTokens: 50, cost: 0.01 },
  ...more,
});
const document = (messages: readonly Json[], more: JsonObject = {}) =>
  `${JSON.stringify(
    {
      version: 1,
      updated_at: "2026-07-15T05:42:04.818Z",
      agent: "lead",
      sessionId: "s1",
      messages,
      system_prompt: "You are Cline.",
      ...more,
    },
    null,
    "\t",
  )}\n`;

const attached = { type: "file", path: "/w/a.ts", content: "const a = 1;", source: "mention" };
const found = { query: "/w/a.ts:1-9", result: "1 | const a = 1;", success: true };
const session = [
  says([{ type: "text", text: "make a a two" }, attached]),
  replies([
    { type: "thinking", thinking: "look first", signature: "sig" },
    { type: "text", text: "Let me look." },
    { type: "tool_use", id: "t1", name: "read_files", input: { files: [{ path: "/w/a.ts" }] } },
    { type: "tool_use", id: "t2", name: "editor", input: { path: "/w/a.ts" }, signature: "g" },
  ]),
  says([{ type: "tool_result", tool_use_id: "t1", name: "read_files", content: [found] }]),
  says([
    { type: "tool_result", tool_use_id: "t2", name: "editor", content: '{"error":"no"}', is_error: true },
  ]),
  replies("Done."),
];
const compacted = [
  says("Context summary:\n\na is two now", {
    metadata: { kind: "compaction_summary", summary: "a is two now", tokensBefore: 90_000 },
  }),
  says([
    { type: "text", text: "now b" },
    { type: "image", data: "aGk=", mediaType: "image/png" },
  ]),
  replies([{ type: "text", text: "Looking at b." }]),
];

testSessionWire(cline, [
  { name: "a session", value: document(session) },
  { name: "a compacted session", value: document(compacted) },
]);

const read = (messages: readonly Json[], more?: JsonObject) => cline.read(sourceOf(document(messages, more)));
const partsOf = (messages: readonly Json[]) => read(messages).whole.messages.flatMap(({ parts }) => parts);
const editedTo = (messages: readonly Json[], edit: (part: Part) => Part): JsonObject => {
  const source = sourceOf(document(messages));
  const before = cline.read(source);
  const next = {
    ...before.seen,
    messages: before.seen.messages.map((message) => ({ ...message, parts: message.parts.map(edit) })),
  };
  return JSON.parse(written(cline, before, source, next));
};

describe("cline, what is its own", () => {
  test("an attached file is a document with its path, and stays a file when it is shortened", () => {
    expect(partsOf(session)[1]).toMatchObject({
      type: "document",
      title: "/w/a.ts",
      source: { kind: "text", text: "const a = 1;" },
    });
    const shorter = editedTo(session, (part) =>
      part.type === "document"
        ? { ...part, source: { kind: "text", mediaType: "text/plain", text: "…" } }
        : part,
    );
    expect(shorter).toMatchObject({
      messages: [{ content: [{}, { ...attached, content: "…" }] }, {}, {}, {}, {}],
    });
  });

  test("results of its own tools read as their text, and keep their query when they are shortened", () => {
    expect(partsOf(session)[6]).toMatchObject({
      type: "tool-result",
      output: [{ type: "text", text: "1 | const a = 1;" }],
    });
    const stubbed = editedTo(session, (part) =>
      part.type === "tool-result" && part.callId === "t1"
        ? { ...part, output: [{ type: "text", text: "gone" }] }
        : part,
    );
    expect(stubbed).toMatchObject({
      messages: [
        {},
        {},
        { content: [{ name: "read_files", content: [{ ...found, result: "gone" }] }] },
        {},
        {},
      ],
    });
  });

  test("calls and results pair up, and a failed one says so", () => {
    const { pairs, orphans } = pairUp(read(session).whole);
    expect(pairs.map(({ call, result }) => [call.part.name, result?.part.isError])).toEqual([
      ["read_files", false],
      ["editor", true],
    ]);
    expect(orphans).toEqual([]);
  });

  test("usage counts what came from the cache once", () => {
    expect(read(session).whole.messages[1]).toMatchObject({
      at: 2000,
      model: "anthropic/claude-opus-4.8",
      usage: {
        uncachedTokens: 150,
        cacheReadTokens: 700,
        cacheWriteTokens: 50,
        outputTokens: 20,
        costUsd: 0.01,
      },
    });
  });

  test("the system prompt stands outside the messages", () => {
    expect(read(session).whole.system).toEqual([{ type: "text", text: "You are Cline." }]);
  });

  test("a compaction is told by its summary, which is not the user's words; what it removed is not in the file", () => {
    const { compactions, whole } = read(compacted);
    expect(compactions).toMatchObject([{ kind: "summary", at: 0, removed: [], tokensBefore: 90_000 }]);
    expect(compactions[0]?.summary).toBe(whole.messages[0]);
    expect(whole.messages[0]?.parts[0]).toMatchObject({ synthetic: true });
    expect(whole.messages[1]?.parts[0]).not.toHaveProperty("synthetic");
  });

  test("its own kind of image is read", () => {
    expect(partsOf(compacted)[2]).toMatchObject({
      type: "image",
      source: { kind: "data", mediaType: "image/png", base64: "aGk=" },
    });
  });

  test("the classic list of messages is an Anthropic body, not ours", () => {
    const classic = JSON.stringify(session.map(({ role, content }) => ({ role, content })));
    expect(detectWire(sampleFrom(sourceOf(classic))).name).toBe("anthropic-messages");
  });
});
