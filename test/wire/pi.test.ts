import { describe, expect, test } from "vitest";
import type { Json } from "../../src/transcript/json.ts";
import type { Transcript } from "../../src/transcript/message.ts";
import { pi } from "../../src/wire/pi.ts";
import { sourceOf } from "../../src/wire/source.ts";
import { testSessionWire, written } from "../contracts/wire.ts";

type Fields = { readonly [key: string]: Json };

const timestamp = "2026-05-20T10:00:33.231Z";
const header = { type: "session", version: 3, id: "s1", timestamp, cwd: "/w" };
const entry = (id: string, parentId: string | null, type: string, fields: Fields) => ({
  type,
  id,
  parentId,
  timestamp,
  ...fields,
});
const message = (id: string, parentId: string | null, fields: Fields) =>
  entry(id, parentId, "message", { message: { ...fields, timestamp: 1 } });
const says = (id: string, parentId: string | null, content: Json) =>
  message(id, parentId, { role: "user", content });
const replies = (id: string, parentId: string, content: readonly Fields[], more: Fields = {}) =>
  message(id, parentId, {
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-opus-4-5",
    usage: { input: 10, output: 5, cacheRead: 300, cacheWrite: 40, totalTokens: 355, cost: { total: 0.25 } },
    stopReason: "stop",
    ...more,
  });
const answers = (id: string, parentId: string, toolCallId: string, value: string, isError = false) =>
  message(id, parentId, {
    role: "toolResult",
    toolCallId,
    toolName: "bash",
    content: [text(value)],
    details: { diff: "…" },
    isError,
  });
const text = (value: string) => ({ type: "text", text: value });
const calls = (id: string, name: string, input: Fields) => ({ type: "toolCall", id, name, arguments: input });
const jsonl = (records: readonly Json[]) => `${records.map((value) => JSON.stringify(value)).join("\n")}\n`;

const parallel = [
  header,
  entry("m", null, "model_change", { provider: "anthropic", modelId: "claude-opus-4-5" }),
  says("u1", "m", [text("fix the bug"), { type: "image", data: "AAAA", mimeType: "image/png" }]),
  replies("a1", "u1", [
    { type: "thinking", thinking: "look first", thinkingSignature: "sig" },
    calls("t1", "read", { path: "a.ts" }),
    calls("t2", "bash", { command: "npm test" }),
  ]),
  answers("r1", "a1", "t1", "const a = 1;"),
  answers("r2", "r1", "t2", "1 failed", true),
  entry("l1", "r2", "label", { targetId: "u1", label: "start" }),
  replies("a2", "l1", [text("Found it.")]),
];

const compacted = [
  ...parallel,
  says("u2", "a2", "now the docs"),
  entry("c1", "u2", "compaction", {
    summary: "## Goal: a bug",
    firstKeptEntryId: "a2",
    tokensBefore: 155_830,
  }),
  replies("a3", "c1", [text("Writing docs.")]),
];

const rewound = [
  header,
  says("u1", null, "first try"),
  replies("a1", "u1", [text("wrong way")]),
  says("u2", "a1", "no, go on"),
  entry("b1", "u1", "branch_summary", { fromId: "u2", summary: "it was the wrong way" }),
  says("u3", "b1", "second try"),
  replies("a3", "u3", [text("right way")]),
];

/** Version 1: a list, and what a compaction kept is named by its place in the file. */
const list = [
  { type: "session", id: "s1", timestamp, cwd: "/w", provider: "anthropic" },
  { type: "message", timestamp, message: { role: "user", content: "first" } },
  { type: "message", timestamp, message: { role: "user", content: "second" } },
  { type: "compaction", timestamp, summary: "the first", firstKeptEntryIndex: 2, tokensBefore: 9 },
  { type: "message", timestamp, message: { role: "user", content: "third" } },
];

testSessionWire(pi, [
  { name: "parallel calls", value: jsonl(parallel) },
  { name: "a compaction", value: jsonl(compacted) },
  { name: "a rewind", value: jsonl(rewound) },
  { name: "version 1", value: jsonl(list) },
]);

const read = (records: readonly Json[]) => pi.read(sourceOf(jsonl(records)));
const outline = (transcript: Transcript) =>
  transcript.messages.map(({ role, parts }) => `${role}: ${parts.map((part) => part.type).join(" ")}`);
const words = (transcript: Transcript) =>
  transcript.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );

describe("pi, what is its own", () => {
  test("results are messages of their own; settings and labels are none", () => {
    const { whole } = read(parallel);
    expect(outline(whole)).toEqual([
      "user: text image",
      "assistant: thinking tool-call tool-call",
      "tool: tool-result",
      "tool: tool-result",
      "assistant: text",
    ]);
    expect(whole.messages[3]?.parts[0]).toMatchObject({ callId: "t2", isError: true });
  });

  test("usage comes with what pi says it cost, and the model with each response", () => {
    expect(read(parallel).whole.messages[1]).toMatchObject({
      model: "claude-opus-4-5",
      usage: {
        uncachedTokens: 10,
        cacheReadTokens: 300,
        cacheWriteTokens: 40,
        outputTokens: 5,
        costUsd: 0.25,
      },
    });
  });

  test("a compaction gives the summary and what it kept to the model, and everything to the whole", () => {
    const { whole, seen, compactions } = read(compacted);
    expect(words(seen)).toEqual(["## Goal: a bug", "Found it.", "now the docs", "Writing docs."]);
    expect(seen.messages[0]).toMatchObject({ role: "user", parts: [{ synthetic: true }] });
    expect(whole.messages).toHaveLength(7);
    expect(compactions).toMatchObject([
      { kind: "summary", at: 6, removed: [0, 1, 2, 3], tokensBefore: 155_830, summary: { role: "user" } },
    ]);
  });

  test("a second compaction removes what the first had kept", () => {
    const { seen, compactions } = read([
      ...compacted,
      entry("c2", "a3", "compaction", { summary: "all of it", firstKeptEntryId: "a3", tokensBefore: 7 }),
    ]);
    expect(words(seen)).toEqual(["all of it", "Writing docs."]);
    expect(compactions[1]).toMatchObject({ at: 7, removed: [4, 5] });
  });

  test("a compaction whose first kept entry is gone keeps none", () => {
    const lost = compacted.map((value) =>
      value.type === "compaction" ? { ...value, firstKeptEntryId: "gone" } : value,
    );
    expect(words(read(lost).seen)).toEqual(["## Goal: a bug", "Writing docs."]);
  });

  test("the path to the last entry is the conversation; a branch that was left stands aside", () => {
    const { whole, asides } = read(rewound);
    expect(words(whole)).toEqual(["first try", "it was the wrong way", "second try", "right way"]);
    expect(asides.map(({ kind, name, transcript }) => [kind, name, words(transcript)])).toEqual([
      ["rewound", "a1", ["wrong way", "no, go on"]],
    ]);
  });

  test("where a parent was never written, what stands before it is taken", () => {
    const cut = parallel.filter((value) => !("id" in value) || value.id !== "r1");
    expect(outline(read(cut).whole)).toHaveLength(4);
  });

  test("version 1 is read by the order of its lines", () => {
    const { whole, seen } = read(list);
    expect(words(whole)).toEqual(["first", "second", "third"]);
    expect(words(seen)).toEqual(["the first", "second", "third"]);
  });

  test("what extensions say is synthetic, in the spelling of version 2 too; what they store is not said", () => {
    const { whole } = read([
      header,
      says("u1", null, "hello"),
      entry("x1", "u1", "custom", { customType: "state", data: { a: 1 } }),
      entry("x2", "x1", "custom_message", { customType: "note", content: "be brief", display: true }),
      message("x3", "x2", {
        role: "hookMessage",
        customType: "note",
        content: [text("be kind")],
        display: true,
      }),
    ]);
    expect(whole.messages.map(({ parts }) => parts[0])).toMatchObject([
      { text: "hello" },
      { text: "be brief", synthetic: true },
      { text: "be kind", synthetic: true },
    ]);
    expect(whole.messages[0]?.parts[0]).not.toHaveProperty("synthetic");
  });

  test("a command the user ran is told as pi tells it, unless it was kept out of the context", () => {
    const bash = (id: string, more: Fields) =>
      message(id, "u1", { role: "bashExecution", command: "ls", output: "a.ts", exitCode: 2, ...more });
    const run = [header, says("u1", null, "hello"), bash("b1", { cancelled: false, truncated: false })];
    expect(words(read(run).whole)[1]).toBe("Ran `ls`\n```\na.ts\n```\n\nCommand exited with code 2");
    const secret = [header, says("u1", null, "hello"), bash("b1", { excludeFromContext: true })];
    expect(words(read(secret).whole)).toEqual(["hello"]);
  });

  test("an edited command is written as a message that says just that", () => {
    const run = [header, message("b1", null, { role: "bashExecution", command: "ls", output: "a.ts" })];
    const source = sourceOf(jsonl(run));
    const session = pi.read(source);
    const [only] = session.whole.messages;
    if (!only) throw new Error("no message");
    const parts = only.parts.map((part) => (part.type === "text" ? { ...part, text: "stub" } : part));
    const out = written(pi, session, source, { messages: [{ ...only, parts }] });
    const again = pi.read(sourceOf(out)).whole.messages[0];
    expect(again?.parts).toMatchObject([{ text: "stub", synthetic: true }]);
  });

  test("a response that failed or was aborted is kept and not sent again", () => {
    const { whole, seen } = read([
      header,
      says("u1", null, "go"),
      replies("a1", "u1", [text("broken")], { stopReason: "error", errorMessage: "WebSocket error" }),
      replies("a2", "a1", [text("half")], { stopReason: "aborted" }),
      replies("a3", "a2", [text("whole")]),
    ]);
    expect(whole.messages.map((said) => said.ended)).toEqual([undefined, "failed", "aborted", "done"]);
    expect(words(seen)).toEqual(["go", "whole"]);
  });

  test("a thought is sealed by a signature, by hidden thinking, or by a Responses item", () => {
    const item = JSON.stringify({ id: "rs_1", type: "reasoning", encrypted_content: "enc", summary: [] });
    const { whole } = read([
      header,
      says("u1", null, "go"),
      replies("a1", "u1", [
        { type: "thinking", thinking: "a", thinkingSignature: "sig" },
        { type: "thinking", thinking: "", thinkingSignature: "hidden", redacted: true },
        { type: "thinking", thinking: "b", thinkingSignature: item },
      ]),
    ]);
    expect(whole.messages[1]?.parts.map(({ native: _, ...part }) => part)).toEqual([
      { type: "thinking", text: "a", signature: "sig" },
      { type: "thinking", text: "", encrypted: "hidden" },
      { type: "thinking", text: "b", encrypted: "enc" },
    ]);
  });

  test("what the file is about: its id, folder, name and beginning", () => {
    const { about } = read([...parallel, entry("i1", "a2", "session_info", { name: "A bug" })]);
    expect(about).toEqual({ id: "s1", cwd: "/w", title: "A bug", startedAt: Date.parse(timestamp) });
  });
});
