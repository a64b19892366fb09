import { describe, expect, test } from "vitest";
import type { Json } from "../../src/transcript/json.ts";
import type { Transcript } from "../../src/transcript/message.ts";
import { claudeCode } from "../../src/wire/claude-code.ts";
import { sourceOf } from "../../src/wire/source.ts";
import { fold, neutral, PAGES, testSessionWire, written } from "../contracts/wire.ts";

type Fields = { readonly [key: string]: Json };

/** A record as Claude Code writes it; `parent` is the uuid it hangs below. */
function record(uuid: string, parent: string | null, type: string, fields: Fields): Fields {
  const common = {
    isSidechain: false,
    userType: "external",
    cwd: "/w",
    sessionId: "s1",
    version: "2.1.45",
    gitBranch: "main",
  };
  return { parentUuid: parent, ...common, type, ...fields, uuid, timestamp: "2026-02-13T21:53:49.169Z" };
}

const says = (uuid: string, parent: string | null, content: Json, more: Fields = {}) =>
  record(uuid, parent, "user", { message: { role: "user", content }, ...more });
const answers = (uuid: string, parent: string, callId: string, text: string) =>
  says(uuid, parent, [{ tool_use_id: callId, type: "tool_result", content: text }], {
    toolUseResult: { stdout: text },
  });
const replies = (uuid: string, parent: string, id: string, block: Fields, output = 5) =>
  record(uuid, parent, "assistant", {
    requestId: `req_${id}`,
    message: {
      model: "claude-opus-4-5-20251101",
      id,
      type: "message",
      role: "assistant",
      content: [block],
      stop_reason: null,
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 200,
        cache_read_input_tokens: 3000,
        output_tokens: output,
      },
    },
  });
const uses = (id: string, name: string, input: Json = {}) => ({ type: "tool_use", id, name, input }) as const;
const text = (value: string) => ({ type: "text", text: value }) as const;
const jsonl = (records: readonly Json[]) => `${records.map((value) => JSON.stringify(value)).join("\n")}\n`;

/** Parallel calls: each result hangs below its own call, so one of them is off the path to the leaf. */
const parallel = [
  { type: "file-history-snapshot", messageId: "u1", snapshot: {}, isSnapshotUpdate: false },
  says("u1", null, "fix the bug"),
  replies("a1", "u1", "msg_1", { type: "thinking", thinking: "look first", signature: "sig" }, 1),
  replies("a2", "a1", "msg_1", uses("t1", "Read", { file_path: "/w/a.ts" }), 1),
  record("p1", "a2", "progress", { data: { type: "hook_progress" }, toolUseID: "t1" }),
  replies("a3", "a2", "msg_1", uses("t2", "Bash", { command: "npm test" }), 42),
  answers("r1", "p1", "t1", "const a = 1;"),
  answers("r2", "a3", "t2", "1 failed"),
  replies("a4", "r2", "msg_2", text("Found it.")),
  record("s1", "a4", "system", { subtype: "turn_duration", durationMs: 1, isMeta: false }),
];

const compacted = [
  ...parallel,
  record("b1", null, "system", {
    subtype: "compact_boundary",
    logicalParentUuid: "s1",
    content: "Conversation compacted",
    compactMetadata: { trigger: "auto", preTokens: 155_830 },
  }),
  says("c1", "b1", "This session is being continued from a previous conversation…", {
    isCompactSummary: true,
    isVisibleInTranscriptOnly: true,
  }),
  says("u2", "c1", "now the docs"),
  replies("a5", "u2", "msg_3", text("Writing docs.")),
];

const rewound = [
  says("u1", null, "first try"),
  replies("a1", "u1", "msg_1", text("wrong way")),
  says("u2", "a1", "no, go on"),
  replies("a2", "u2", "msg_2", text("still wrong")),
  says("u3", "u1", "second try"),
  replies("a3", "u3", "msg_3", text("right way")),
];

testSessionWire(claudeCode, [
  { name: "parallel calls", value: jsonl(parallel) },
  { name: "a compaction", value: jsonl(compacted) },
  { name: "a rewind", value: jsonl(rewound) },
]);

const read = (records: readonly Json[]) => claudeCode.read(sourceOf(jsonl(records)));
const outline = (transcript: Transcript) =>
  transcript.messages.map(({ role, parts }) => `${role}: ${parts.map((part) => part.type).join(" ")}`);
const words = (transcript: Transcript) =>
  transcript.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );

describe("claude-code, what is its own", () => {
  test("one response over several records is one message, and parallel results follow it", () => {
    expect(outline(read(parallel).whole)).toEqual([
      "user: text",
      "assistant: thinking tool-call tool-call",
      "user: tool-result",
      "user: tool-result",
      "assistant: text",
    ]);
  });

  test("parallel calls that share an id have a result each, also the one off the path", () => {
    const shared = parallel.map((value) => JSON.parse(JSON.stringify(value).replaceAll('"t2"', '"t1"')));
    expect(outline(read(shared).whole)).toEqual(outline(read(parallel).whole));
  });

  test("usage is taken once per response, with the output of its last record", () => {
    const usages = read(parallel).whole.messages.flatMap((message) => message.usage ?? []);
    expect(usages).toEqual([
      { uncachedTokens: 10, cacheReadTokens: 3000, cacheWriteTokens: 200, outputTokens: 42 },
      { uncachedTokens: 10, cacheReadTokens: 3000, cacheWriteTokens: 200, outputTokens: 5 },
    ]);
  });

  test("a boundary gives what the model sees and the whole original", () => {
    const session = read(compacted);
    expect(session.whole.messages).toHaveLength(7);
    expect(words(session.seen)).toEqual([
      "This session is being continued from a previous conversation…",
      "now the docs",
      "Writing docs.",
    ]);
    expect(session.compactions).toMatchObject([
      { kind: "summary", at: 5, trigger: "auto", tokensBefore: 155_830, removed: [0, 1, 2, 3, 4] },
    ]);
  });

  test("messages kept verbatim behind a summary are seen again, after it", () => {
    const boundary = {
      ...compacted[10],
      compactMetadata: {
        trigger: "auto",
        preTokens: 9,
        preservedMessages: { anchorUuid: "c1", uuids: ["a4"], allUuids: ["a4"] },
      },
    };
    const session = read([...parallel, boundary, ...compacted.slice(11)]);
    expect(words(session.seen)).toEqual([
      "This session is being continued from a previous conversation…",
      "Found it.",
      "now the docs",
      "Writing docs.",
    ]);
    expect(session.compactions[0]?.removed).toEqual([0, 1, 2, 3]);
  });

  test("microcompaction empties the named results for the model, and keeps them in the whole", () => {
    const boundary = record("m1", "s1", "system", {
      subtype: "microcompact_boundary",
      microcompactMetadata: {
        trigger: "auto",
        preTokens: 60_000,
        tokensSaved: 20_000,
        compactedToolIds: ["t1"],
      },
    });
    const session = read([...parallel, boundary, says("u2", "m1", "go on")]);
    expect(session.seen.messages[2]?.parts[0]).toMatchObject({
      output: [{ text: "[Old tool result content cleared]" }],
    });
    expect(session.whole.messages[2]?.parts[0]).toMatchObject({ output: [{ text: "const a = 1;" }] });
    expect(session.compactions).toMatchObject([{ kind: "clear", at: 5, removed: [2], tokensAfter: 40_000 }]);
  });

  test("the parent chain decides, not the order of lines: a rewound branch stands aside", () => {
    const session = read(rewound);
    expect(words(session.whole)).toEqual(["first try", "second try", "right way"]);
    expect(session.asides.map(({ kind, transcript }) => [kind, words(transcript)])).toEqual([
      ["rewound", ["wrong way", "no, go on", "still wrong"]],
    ]);
  });

  test("records replayed by a resume are read once", () => {
    expect(outline(read([...parallel, ...parallel]).whole)).toEqual(outline(read(parallel).whole));
  });

  test("an inline subagent stands aside; its own file is a conversation of its own", () => {
    const side = [says("x1", null, "look for tests"), replies("x2", "x1", "msg_9", text("three tests"))].map(
      (value) => ({
        ...value,
        isSidechain: true,
        agentId: "a7f3",
      }),
    );
    const session = read([...parallel, ...side]);
    expect(session.whole.messages).toHaveLength(5);
    expect(session.asides).toMatchObject([
      { kind: "subagent", name: "a7f3", transcript: { messages: [{}, {}] } },
    ]);
    expect(words(read(side).whole)).toEqual(["look for tests", "three tests"]);
  });

  test("a failed request is kept in the whole and not sent again", () => {
    const failed = { ...replies("a9", "s1", "msg_9", text("API Error: 529")), isApiErrorMessage: true };
    const session = read([...parallel, failed, says("u2", "a9", "again")]);
    expect(session.whole.messages.find((message) => message.ended === "failed")?.usage).toBeUndefined();
    expect(words(session.seen)).toEqual(["fix the bug", "Found it.", "again"]);
  });

  test("a file in which no parent is found is read in time that follows its length", () => {
    const lost = (count: number) =>
      jsonl(Array.from({ length: count }, (_, n) => says(`u${n}`, `gone${n}`, `message ${n}`)));
    const millis = (count: number) => {
      const source = sourceOf(lost(count));
      const start = performance.now();
      expect(claudeCode.read(source).whole.messages).toHaveLength(count);
      return performance.now() - start;
    };
    millis(2_000);
    // Sixteen times as long; the square would be 256 times.
    expect(millis(32_000)).toBeLessThan(60 * millis(2_000));
  }, 60_000);

  test("a record nested beyond all sense is said, kept, and costs only itself", () => {
    const abyss = JSON.stringify(says("u9", "s1", ["deep"])).replace(
      '"deep"',
      "[".repeat(10_000) + "]".repeat(10_000),
    );
    const file = `${jsonl(parallel)}${abyss}\n`;
    const session = claudeCode.read(sourceOf(file));
    expect(session.skipped).toMatchObject([{ line: 11, why: "nested more than 1,000 levels deep" }]);
    expect(outline(session.whole)).toEqual(outline(read(parallel).whole));
    expect(written(claudeCode, session, sourceOf(file))).toBe(file);
  });

  test("a record from the end of time is compacted behind like any other", () => {
    const last = { ...says("u2", "s1", "go on"), timestamp: "+275760-09-13T00:00:00.000Z" };
    const source = sourceOf(jsonl([...parallel, last]));
    const session = claudeCode.read(source);
    const next = fold(session.seen, PAGES[0]?.messages ?? []);
    const out = written(claudeCode, session, source, next);
    expect(neutral(claudeCode.read(sourceOf(out)).seen)).toEqual(neutral(next));
  });

  test("what the harness says in the user's name is not the user's words", () => {
    const { messages } = read([
      says("u1", null, "<system-reminder>todo list is empty</system-reminder>"),
      says("u2", "u1", "hello"),
    ]).whole;
    expect(messages.map(({ parts }) => parts[0])).toMatchObject([{ synthetic: true }, { text: "hello" }]);
    expect(messages[1]?.parts[0]).not.toHaveProperty("synthetic");
  });
});
