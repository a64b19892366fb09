import { describe, expect, test } from "vitest";
import type { Json } from "../../src/transcript/json.ts";
import type { Transcript } from "../../src/transcript/message.ts";
import { opencode } from "../../src/wire/opencode.ts";
import { sourceOf } from "../../src/wire/source.ts";
import { detectWire, sampleFrom } from "../../src/wire/wires.ts";
import { testSessionWire, written } from "../contracts/wire.ts";

type Fields = { readonly [key: string]: Json };

let clock = 1_777_000_000_000;
const tick = () => (clock += 1000);

const said = (id: string, role: string, parts: readonly Fields[], more: Fields = {}) => ({
  info: { id, sessionID: "ses_1", role, time: { created: tick() }, ...more },
  parts: parts.map((part, index) => ({
    ...part,
    id: `prt_${id}_${index}`,
    sessionID: "ses_1",
    messageID: id,
  })),
});
const asks = (id: string, ...parts: readonly Fields[]) =>
  said(id, "user", parts, { agent: "build", summary: { diffs: [] } });
const replies = (id: string, parts: readonly Fields[], more: Fields = {}) =>
  said(id, "assistant", parts, { parentID: "msg_1", modelID: "gpt-5.4", finish: "stop", ...more });
const text = (value: string, more: Fields = {}) => ({ type: "text", text: value, ...more });
const start = { type: "step-start", snapshot: "abc" };
const finish = (input: number, cost = 0) => ({
  type: "step-finish",
  reason: "tool-calls",
  cost,
  tokens: { input, output: 20, reasoning: 5, cache: { read: 300, write: 40 } },
});
const runs = (callID: string, tool: string, state: Fields) => ({ type: "tool", tool, callID, state });
const done = (output: string, more: Fields = {}) => ({
  status: "completed",
  input: { path: "a.ts" },
  output,
  title: "a.ts",
  metadata: {},
  time: { start: 1, end: 2, ...more },
});
const session = (...messages: readonly Json[]) => ({
  info: { id: "ses_1", slug: "calm", projectID: "p", directory: "/w", title: "A bug", time: { created: 5 } },
  messages,
});
const file = (value: Json) => `${JSON.stringify(value, null, 2)}\n`;

/** One OpenCode message with two responses in it, the first with parallel calls. */
const twoSteps = session(
  asks("msg_1", text("fix the bug"), text("<file>a.ts</file>", { synthetic: true })),
  replies("msg_2", [
    start,
    { type: "reasoning", text: "look first", metadata: { anthropic: { signature: "sig" } } },
    runs("t1", "read", done("const a = 1;")),
    runs("t2", "bash", {
      status: "error",
      input: { command: "ls" },
      error: "not found",
      time: { start: 1, end: 2 },
    }),
    finish(100, 0.5),
    { type: "patch", hash: "h", files: ["a.ts"] },
    start,
    text("Found it."),
    finish(200),
  ]),
);

const pruned = session(
  asks("msg_1", text("fix the bug")),
  replies("msg_2", [
    start,
    runs("t1", "read", done("old text", { compacted: 1_999_999_999_001 })),
    runs("t2", "read", done("older text", { compacted: 1_999_999_999_009 })),
    runs("t3", "read", done("new text")),
    finish(100),
  ]),
  replies("msg_3", [start, text("Done."), finish(100)]),
);

const compacted = session(
  asks("msg_1", text("first task")),
  replies("msg_2", [start, text("did the first"), finish(10)]),
  asks("msg_3", text("second task")),
  replies("msg_4", [start, text("did the second"), finish(10)]),
  asks("msg_5", { type: "compaction", auto: true, tail_start_id: "msg_3" }),
  replies("msg_6", [start, text("## Goal: two tasks"), finish(10)], {
    parentID: "msg_5",
    summary: true,
    mode: "compaction",
  }),
  asks("msg_7", text("Continue if you have next steps", { synthetic: true })),
  replies("msg_8", [start, text("going on"), finish(10)]),
);

testSessionWire(opencode, [
  { name: "two steps in one message", value: file(twoSteps) },
  { name: "pruned results", value: file(pruned) },
  { name: "a compaction with a tail", value: file(compacted) },
]);

const read = (value: Json) => opencode.read(sourceOf(file(value)));
const outline = (transcript: Transcript) =>
  transcript.messages.map(({ role, parts }) => `${role}: ${parts.map((part) => part.type).join(" ")}`);
const words = (transcript: Transcript) =>
  transcript.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );

describe("opencode, what is its own", () => {
  test("each step is a message, followed by the results of its calls as one", () => {
    expect(outline(read(twoSteps).whole)).toEqual([
      "user: text text",
      "assistant: thinking tool-call tool-call",
      "tool: tool-result tool-result",
      "assistant: text",
    ]);
  });

  test("usage is read per step, with reasoning in the output and the cost where there is one", () => {
    const usages = read(twoSteps).whole.messages.flatMap((message) => message.usage ?? []);
    expect(usages).toEqual([
      { uncachedTokens: 100, cacheReadTokens: 300, cacheWriteTokens: 40, outputTokens: 25, costUsd: 0.5 },
      { uncachedTokens: 200, cacheReadTokens: 300, cacheWriteTokens: 40, outputTokens: 25 },
    ]);
  });

  test("a message without step marks is one response, with the usage of the message", () => {
    const { tokens } = finish(100);
    const { whole } = read(session(asks("msg_1", text("hi")), replies("msg_2", [text("hello")], { tokens })));
    expect(whole.messages[1]).toMatchObject({ role: "assistant", usage: { uncachedTokens: 100 } });
  });

  test("a failed tool answers with its error, and an edit of the answer leaves the call alone", () => {
    const source = sourceOf(file(twoSteps));
    const session = opencode.read(source);
    const message = session.whole.messages[2];
    const part = message?.parts[1];
    if (part?.type !== "tool-result" || !message) throw new Error("no result");
    expect(part).toMatchObject({ isError: true, output: [{ text: "not found" }] });
    const edited = { ...part, output: [{ type: "text" as const, text: "stub" }] };
    const messages = session.whole.messages.with(2, { ...message, parts: message.parts.with(1, edited) });
    const state = JSON.parse(written(opencode, session, source, { messages })).messages[1].parts[3].state;
    expect(state).toEqual({
      status: "error",
      input: { command: "ls" },
      error: "stub",
      time: { start: 1, end: 2 },
    });
  });

  test("a tool that was interrupted answers with what it had printed", () => {
    const state = {
      status: "error",
      input: {},
      error: "aborted",
      metadata: { interrupted: true, output: "half" },
    };
    const { whole } = read(
      session(asks("msg_1", text("go")), replies("msg_2", [start, runs("t1", "bash", state)])),
    );
    expect(whole.messages[2]?.parts[0]).toMatchObject({ isError: false, output: [{ text: "half" }] });
  });

  test("a tool that still runs is an open call", () => {
    const state = { status: "running", input: {}, time: { start: 1 } };
    const { whole } = read(
      session(asks("msg_1", text("go")), replies("msg_2", [start, runs("t1", "bash", state)])),
    );
    expect(outline(whole)).toEqual(["user: text", "assistant: tool-call"]);
  });

  test("pruned results are seen as cleared and kept in the whole; one run of pruning is one compaction", () => {
    const { seen, whole, compactions } = read(pruned);
    const outputs = (transcript: Transcript) =>
      transcript.messages[2]?.parts.map((part) => part.type === "tool-result" && part.output[0]);
    const cleared = { type: "text", text: "[Old tool result content cleared]" };
    expect(outputs(seen)).toEqual([cleared, cleared, { type: "text", text: "new text" }]);
    expect(outputs(whole)).toMatchObject([
      { text: "old text" },
      { text: "older text" },
      { text: "new text" },
    ]);
    expect(compactions).toEqual([{ kind: "clear", at: 4, trigger: "auto", removed: [2] }]);
  });

  test("an edit of the result beside them leaves pruned results pruned, in the seen and in the whole", () => {
    const source = sourceOf(file(pruned));
    const session = opencode.read(source);
    // Ids are new, so that `opencode import` does not pass the document over.
    const withoutIds = (key: string, value: unknown) => (/^(id|\w+ID)$/.test(key) ? undefined : value);
    const expected = JSON.parse(file(pruned), withoutIds);
    expected.messages[1].parts[3].state.output = "stub";
    // Of the prompts behind the edit nothing is known any more.
    const none = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
    for (const { parts } of expected.messages.slice(2))
      for (const part of parts) if (part.type === "step-finish") part.tokens = none;
    for (const transcript of [session.seen, session.whole]) {
      const message = transcript.messages[2];
      const part = message?.parts[2];
      if (part?.type !== "tool-result" || !message) throw new Error("no result");
      const edited = { ...part, output: [{ type: "text" as const, text: "stub" }] };
      const messages = transcript.messages.with(2, { ...message, parts: message.parts.with(2, edited) });
      expect(JSON.parse(written(opencode, session, source, { messages }), withoutIds)).toEqual(expected);
    }
  });

  test("after a compaction the model sees the question, the summary, the tail and what came later", () => {
    const { seen, whole, compactions } = read(compacted);
    expect(words(seen)).toEqual([
      "What did we do so far?",
      "## Goal: two tasks",
      "second task",
      "did the second",
      "Continue if you have next steps",
      "going on",
    ]);
    expect(words(whole)).toEqual([
      "first task",
      "did the first",
      "second task",
      "did the second",
      "Continue if you have next steps",
      "going on",
    ]);
    expect(compactions).toMatchObject([
      { kind: "summary", at: 4, trigger: "auto", removed: [0, 1], summary: { role: "assistant" } },
    ]);
  });

  test("a second compaction removes what the first had kept", () => {
    const again = session(
      ...compacted.messages,
      asks("msg_9", { type: "compaction", auto: false }),
      replies("msg_10", [start, text("all of it")], { parentID: "msg_9", summary: true }),
      asks("msg_11", text("next")),
    );
    const { seen, compactions } = read(again);
    expect(words(seen)).toEqual(["What did we do so far?", "all of it", "next"]);
    expect(compactions[1]).toMatchObject({ at: 6, trigger: "manual", removed: [2, 3, 4, 5] });
  });

  test("a compaction that failed changes nothing", () => {
    const failed = session(
      ...compacted.messages.slice(0, 5),
      replies("msg_6", [start, text("half a summ")], {
        parentID: "msg_5",
        summary: true,
        error: { name: "APIError" },
      }),
    );
    const { seen, compactions } = read(failed);
    expect(words(seen)).toEqual([
      "first task",
      "did the first",
      "second task",
      "did the second",
      "What did we do so far?",
    ]);
    expect(compactions).toEqual([]);
  });

  test("a summary of an early version, without a question, is where the context begins", () => {
    const early = session(
      asks("msg_1", text("first task")),
      replies("msg_2", [text("did it")]),
      replies("msg_3", [text("summary")], { summary: true }),
      asks("msg_4", text("second task")),
    );
    const { seen, whole, compactions } = read(early);
    expect(words(seen)).toEqual(["summary", "second task"]);
    expect(words(whole)).toEqual(["first task", "did it", "second task"]);
    expect(compactions).toMatchObject([{ at: 2, removed: [0, 1] }]);
  });

  test("a response whose question left answers the message of a user before it, which is in the file", () => {
    const source = sourceOf(
      file(
        session(
          asks("msg_1", text("a task")),
          asks("msg_2", text("a detail of it", { synthetic: true })),
          replies("msg_3", [start, text("did it"), finish(10)], { parentID: "msg_2" }),
        ),
      ),
    );
    const given = opencode.read(source);
    const messages = given.seen.messages.filter((_, index) => index !== 1);
    const out = JSON.parse(written(opencode, given, source, { ...given.seen, messages }));
    expect(out.messages[1].info.parentID).toBe(out.messages[0].info.id);
    expect(out.messages[0].info).not.toHaveProperty("parentID");
  });

  test("a failed response is kept and not sent again; an aborted one is sent if something had come", () => {
    const aborted = { error: { name: "MessageAbortedError", data: {} } };
    const { whole, seen } = read(
      session(
        asks("msg_1", text("go")),
        replies("msg_2", [start, text("broken")], { error: { name: "APIError", data: {} } }),
        replies("msg_3", [start, text("half")], aborted),
        replies("msg_4", [start, { type: "reasoning", text: "hm" }], aborted),
      ),
    );
    expect(whole.messages.map((message) => message.ended)).toEqual([
      undefined,
      "failed",
      "aborted",
      "aborted",
    ]);
    expect(outline(seen)).toEqual(["user: text", "assistant: text"]);
    expect(words(seen)).toEqual(["go", "half"]);
  });

  test("what was undone stands aside", () => {
    const { info, messages } = twoSteps;
    const undone = { info: { ...info, revert: { messageID: "msg_2", partID: "prt_msg_2_6" } }, messages };
    const { whole, asides } = read(undone);
    expect(outline(whole)).toEqual([
      "user: text text",
      "assistant: thinking tool-call tool-call",
      "tool: tool-result tool-result",
    ]);
    expect(asides).toMatchObject([
      { kind: "rewound", transcript: { messages: [{ parts: [{ text: "Found it." }] }] } },
    ]);
  });

  test("images are parts; plain files, ignored text and marks are not, for their text stands beside them", () => {
    const { whole } = read(
      session(
        asks(
          "msg_1",
          { type: "file", mime: "image/png", url: "data:image/png;base64,AAAA", filename: "a.png" },
          { type: "file", mime: "text/plain", url: "file:///w/a.ts", filename: "a.ts" },
          { type: "file", mime: "application/pdf", url: "file:///w/a.pdf", filename: "a.pdf" },
          text("not for the model", { ignored: true }),
          { type: "agent", name: "plan" },
        ),
      ),
    );
    expect(whole.messages[0]?.parts).toMatchObject([
      { type: "image", source: { kind: "data", mediaType: "image/png", base64: "AAAA" } },
      { type: "document", title: "a.pdf", source: { kind: "url", url: "file:///w/a.pdf" } },
    ]);
  });

  test("thoughts keep the seal of whichever provider made them", () => {
    const sealed = (metadata: Fields) => ({ type: "reasoning", text: "", metadata });
    const { whole } = read(
      session(
        asks("msg_1", text("go")),
        replies("msg_2", [
          sealed({ openai: { itemId: "i", reasoningEncryptedContent: "enc" } }),
          sealed({ google: { thoughtSignature: "sig" } }),
          sealed({ openai: { itemId: "i", reasoningEncryptedContent: null } }),
        ]),
      ),
    );
    expect(whole.messages[1]?.parts.map(({ native: _, ...part }) => part)).toEqual([
      { type: "thinking", text: "", encrypted: "enc" },
      { type: "thinking", text: "", signature: "sig" },
      { type: "thinking", text: "" },
    ]);
  });

  test("a document on one line is recognised, though it is longer than what is looked at", () => {
    const long = session(asks("msg_1", text("x".repeat(50_000))));
    const wire = detectWire(sampleFrom(sourceOf(JSON.stringify(long))));
    expect(wire.name).toBe("opencode");
  });

  test("a document cut short is said", () => {
    const cut = file(twoSteps).slice(0, 400);
    const session = opencode.read(sourceOf(cut));
    expect(session.skipped).toMatchObject([{ line: 1, bytes: 400, why: "not a complete JSON document" }]);
    expect(written(opencode, session, sourceOf(cut))).toBe(cut);
  });
});
