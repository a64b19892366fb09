import { describe, expect, test } from "vitest";
import type { Json } from "../../src/transcript/json.ts";
import type { Message, Transcript } from "../../src/transcript/message.ts";
import { geminiCli } from "../../src/wire/gemini-cli.ts";
import { sourceOf } from "../../src/wire/source.ts";
import { testSessionWire, written } from "../contracts/wire.ts";

type Fields = { readonly [key: string]: Json };

const AT = "2026-04-14T09:55:26.451Z";
const about = { sessionId: "s1", projectHash: "abc", startTime: AT, lastUpdated: AT, kind: "main" };
const says = (id: string, content: Json): Fields => ({ id, timestamp: AT, type: "user", content });
const notes = (id: string, content: string): Fields => ({ id, timestamp: AT, type: "info", content });
const replies = (id: string, content: Json, more: Fields = {}): Fields => ({
  id,
  timestamp: AT,
  type: "gemini",
  content,
  model: "gemini-3-flash-preview",
  ...more,
});
const responds = (id: string, name: string, response: Fields): Fields => ({
  functionResponse: { id, name, response },
});
const called = (id: string, name: string, response: Fields, status = "success"): Fields => ({
  id,
  name,
  args: { path: `${id}.ts` },
  result: [responds(id, name, response)],
  status,
  timestamp: AT,
  resultDisplay: "shown to the person",
});
const thought = { subject: "Looking", description: "I read the file first.", timestamp: AT };
const tokens = { input: 2000, output: 50, cached: 1500, thoughts: 25, tool: 0, total: 2075 };

const messages = [
  says("u1", [{ text: "fix the bug" }]),
  replies("g1", "Reading both.", {
    thoughts: [thought],
    tokens,
    toolCalls: [
      called("c1", "read_file", { output: "const a = 1;" }),
      called("c2", "run_shell_command", { error: "[Operation Cancelled]" }, "cancelled"),
    ],
  }),
  notes("i1", "Request cancelled."),
  replies("g2", "", { toolCalls: [called("c3", "read_file", { output: "const b = 2;" })] }),
  says("u2", "go on"),
  replies("g3", "Found it.", { thoughts: [], tokens: null }),
];
const older = JSON.stringify({ ...about, messages }, null, 2);

/** A record is written again as its calls finish, and each is followed by a metadata update. */
const log: readonly Fields[] = [
  about,
  says("u0", [{ text: "<session_context>\nThis is the Gemini CLI.\n</session_context>" }]),
  says("u1", [{ text: "fix the bug" }]),
  { $set: { lastUpdated: AT } },
  replies("g1", "Reading."),
  replies("g1", "Reading.", { tokens }),
  replies("g1", "Reading.", { tokens, toolCalls: [called("c1", "read_file", { output: "const a = 1;" })] }),
  notes("i1", "Update available."),
  replies("g2", [{ text: "Found it." }]),
  { $set: { summary: "Fix a bug" } },
];

const snapshot = says("s1", [{ text: "<state_snapshot>the bug is in a.ts</state_snapshot>" }]);
const thanks = replies("s2", [{ text: "Got it. Thanks for the additional context!" }]);
const compressed = [
  ...log,
  says("u2", "now the docs"),
  { $set: { messages: [snapshot, thanks, says("u2", [{ text: "now the docs" }])], lastUpdated: AT } },
  replies("g3", "Writing docs."),
];

const rewound = [
  ...log,
  says("u2", "wrong way"),
  replies("g3", "Oh."),
  { $rewindTo: "u2" },
  says("u3", "right way"),
];

const jsonl = (records: readonly Json[]) => `${records.map((value) => JSON.stringify(value)).join("\n")}\n`;

testSessionWire(geminiCli, [
  { name: "an older document", value: older },
  { name: "a log", value: jsonl(log) },
  { name: "a compression", value: jsonl(compressed) },
  { name: "a rewind", value: jsonl(rewound) },
]);

const read = (records: readonly Json[]) => geminiCli.read(sourceOf(jsonl(records)));
const outline = (transcript: Transcript) =>
  transcript.messages.map(({ role, parts }) => `${role}: ${parts.map((part) => part.type).join(" ")}`);
const words = (transcript: Transcript) =>
  transcript.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );
const outputs = (transcript: Transcript) =>
  transcript.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-result" ? [part.output[0]] : [])),
  );

describe("gemini-cli, what is its own", () => {
  test("a response and its results are two messages, and notes to the person are none", () => {
    expect(outline(geminiCli.read(sourceOf(older)).whole)).toEqual([
      "user: text",
      "assistant: thinking text tool-call tool-call",
      "tool: tool-result tool-result",
      "assistant: tool-call",
      "tool: tool-result",
      "user: text",
      "assistant: text",
    ]);
  });

  test("an older document may stand on one line, and is edited there", () => {
    const source = sourceOf(JSON.stringify({ ...about, messages }));
    const session = geminiCli.read(source);
    expect(session.whole).toEqual(geminiCli.read(sourceOf(older)).whole);
    const first = session.seen.messages[0];
    if (!first) throw new Error("the example changed");
    const parts = first.parts.map((part) => ({ ...part, text: "fix it" }));
    const next = { ...session.seen, messages: session.seen.messages.with(0, { ...first, parts } as Message) };
    expect(JSON.parse(written(geminiCli, session, source, next)).messages).toEqual([
      says("u1", [{ text: "fix it" }]),
      ...messages.slice(1),
    ]);
  });

  test("knows the session, what it cost, and which calls failed", () => {
    const { whole, about: known } = geminiCli.read(sourceOf(older));
    expect(known).toEqual({ id: "s1", startedAt: Date.parse(AT) });
    expect(read(log).about.title).toBe("Fix a bug");
    expect(whole.model).toBe("gemini-3-flash-preview");
    expect(whole.messages.flatMap((message) => message.usage ?? [])).toEqual([
      { uncachedTokens: 500, cacheReadTokens: 1500, cacheWriteTokens: 0, outputTokens: 75 },
    ]);
    expect(whole.messages[2]?.parts).toMatchObject([{ isError: false }, { isError: true }]);
  });

  test("a record that is written again stands in for the earlier one, in its place", () => {
    const session = read(log);
    expect(outline(session.seen)).toEqual([
      "user: text",
      "user: text",
      "assistant: text tool-call",
      "tool: tool-result",
      "assistant: text",
    ]);
    expect([session.compactions, session.asides]).toEqual([[], []]);
  });

  test("an edited result is written into the answer, and what the person saw stays", () => {
    const source = sourceOf(older);
    const session = geminiCli.read(source);
    const results = session.seen.messages[2];
    const cancelled = results?.parts[1];
    if (!results || cancelled?.type !== "tool-result") throw new Error("the example changed");
    const stub = { ...cancelled, output: [{ type: "text", text: "[stub]" }] } as const;
    const edited = { ...results, parts: results.parts.with(1, stub) };
    const next = { ...session.seen, messages: session.seen.messages.with(2, edited) };
    const out = JSON.parse(written(geminiCli, session, source, next));
    expect(out.messages[1].toolCalls[1]).toEqual(
      called("c2", "run_shell_command", { error: "[stub]" }, "cancelled"),
    );
    expect(out.messages[1].toolCalls[0]).toEqual(called("c1", "read_file", { output: "const a = 1;" }));
  });

  test("a compression gives what the model sees and the whole original", () => {
    const session = read(compressed);
    expect(words(session.seen)).toEqual([
      "<state_snapshot>the bug is in a.ts</state_snapshot>",
      "Got it. Thanks for the additional context!",
      "now the docs",
      "Writing docs.",
    ]);
    expect(words(session.whole).slice(1)).toEqual([
      "fix the bug",
      "Reading.",
      "Found it.",
      "now the docs",
      "Writing docs.",
    ]);
    expect(session.compactions).toMatchObject([{ kind: "summary", at: 6, removed: [0, 1, 2, 3, 4] }]);
    expect(session.compactions[0]?.summary).toBe(session.seen.messages[0]);
    expect(session.seen.messages[2]).toBe(session.whole.messages[5]);
  });

  test("a second compression removes the first summary, which was never said", () => {
    const again = {
      $set: { messages: [says("s3", [{ text: "<state_snapshot>all done</state_snapshot>" }])] },
    };
    const session = read([...compressed, again]);
    expect(words(session.seen)).toEqual(["<state_snapshot>all done</state_snapshot>"]);
    expect(session.whole.messages).toHaveLength(7);
    expect(session.compactions.map(({ removed }) => removed)).toEqual([
      [0, 1, 2, 3, 4],
      [5, 6],
    ]);
  });

  test("masked outputs are seen masked and kept whole, whichever way the record was rewritten", () => {
    const masked = replies("g1", "Reading.", {
      toolCalls: [called("c1", "read_file", { output: "<masked/>" })],
    });
    const kept = log.filter(
      (record) => "type" in record && record["type"] !== "info" && record["id"] !== "g1",
    );
    const whole = { $set: { messages: [...kept.slice(0, 2), masked, ...kept.slice(2)] } };
    for (const rewrite of [masked, whole]) {
      const session = read([...log, rewrite]);
      expect(outputs(session.seen)).toEqual([{ type: "text", text: "<masked/>" }]);
      expect(outputs(session.whole)).toEqual([{ type: "text", text: "const a = 1;" }]);
      expect(session.compactions).toEqual([{ kind: "clear", at: 5, removed: [3] }]);
    }
  });

  test("a rewrite that only leaves out notes to the person is no compaction", () => {
    const kept = log.filter((record) => "type" in record && record["type"] !== "info");
    const latest = kept.filter(
      (record, index) => kept.findLastIndex((other) => other["id"] === record["id"]) === index,
    );
    const session = read([...log, { $set: { messages: latest } }]);
    expect(session.compactions).toEqual([]);
    expect(session.seen).toEqual(session.whole);
  });

  test("a rewind takes the message and all behind it aside", () => {
    const session = read(rewound);
    expect(words(session.whole).slice(1)).toEqual(["fix the bug", "Reading.", "Found it.", "right way"]);
    expect(session.asides.map(({ kind, name, transcript }) => [kind, name, words(transcript)])).toEqual([
      ["rewound", "u2", ["wrong way", "Oh."]],
    ]);
  });

  test("calls, thoughts and answers that are recorded twice are read once, as they were sent", () => {
    const session = read([
      about,
      says("u1", "go"),
      replies(
        "g1",
        [
          { text: "Looking.", thought: true, thoughtSignature: "c2ln" },
          { text: "Reading." },
          { functionCall: { id: "c1", name: "read_file", args: {} } },
        ],
        { thoughts: [thought], toolCalls: [called("c1", "read_file", { output: "a" })] },
      ),
      says("r1", [responds("c1", "read_file", { output: "a" })]),
      says("r1_response", [responds("c1", "read_file", { output: "a" })]),
      replies("g2", "Done."),
    ]);
    expect(outline(session.seen)).toEqual([
      "user: text",
      "assistant: thinking text tool-call",
      "tool: tool-result",
      "assistant: text",
    ]);
    expect(session.seen.messages[2]?.native).toEqual({ of: "gemini-cli", value: [4] });
  });

  test("finds each answer where all answers of a step were put into every call", () => {
    const both = [responds("c1", "read_file", { output: "a" }), responds("c2", "read_file", { output: "b" })];
    const calls = [called("c1", "read_file", {}), called("c2", "read_file", {})];
    const session = read([
      about,
      replies("g1", "", { toolCalls: calls.map((call) => ({ ...call, result: both })) }),
    ]);
    expect(outputs(session.seen)).toMatchObject([{ text: "a" }, { text: "b" }]);
  });

  test("an answer may be plain text, and may be missing while the call runs", () => {
    const calls = [
      { ...called("c1", "read_file", {}), result: "plain" },
      { ...called("c2", "read_file", {}), result: null, status: "executing" },
    ];
    const session = read([about, replies("g1", "", { toolCalls: calls })]);
    expect(outline(session.seen)).toEqual(["assistant: tool-call tool-call", "tool: tool-result"]);
    expect(outputs(session.seen)).toMatchObject([{ text: "plain" }]);
  });

  test("what the harness says in the user's name is not the user's words", () => {
    const { messages: found } = read([
      about,
      says("u0", "<session_context>\ntoday\n</session_context>"),
      says("u1", [
        { text: "explain @a.ts" },
        { text: "\n--- Content from referenced files ---" },
        { text: "\nContent from @a.ts:\n" },
        { text: "const a = 1;" },
        { text: "\n--- End of content ---" },
        { text: "and be brief" },
      ]),
      says("u2", "/usr/bin is missing"),
    ]).whole;
    const isSynthetic = found.map(({ parts }) => parts.map((part) => "synthetic" in part));
    expect(isSynthetic).toEqual([[true], [false, true, true, true, true, false], [false]]);
  });
});
