import { describe, expect, test } from "vitest";
import type { Json } from "../../src/transcript/json.ts";
import type { Message, Part, Transcript } from "../../src/transcript/message.ts";
import { pairUp } from "../../src/transcript/pairs.ts";
import { codex } from "../../src/wire/codex.ts";
import { sampleOf } from "../../src/wire/sample.ts";
import { sourceOf } from "../../src/wire/source.ts";
import { testSessionWire, written } from "../contracts/wire.ts";

type Fields = { readonly [key: string]: Json };

const record = (type: string, payload: Fields): Fields => ({
  timestamp: "2026-06-30T08:33:39.451Z",
  type,
  payload,
});
const item = (type: string, fields: Fields) => record("response_item", { type, ...fields });
const event = (type: string, fields: Fields = {}) => record("event_msg", { type, ...fields });
const message = (role: string, text: string): Fields => ({
  type: "message",
  role,
  content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
});
const says = (role: string, text: string) => record("response_item", message(role, text));
const thinks = (id: string) => item("reasoning", { id, summary: [], encrypted_content: "c2VhbGVk" });
const calls = (call_id: string, cmd: string) =>
  item("function_call", { name: "exec_command", arguments: `{"cmd": "${cmd}"}`, call_id });
const gets = (call_id: string, output: Json) => item("function_call_output", { call_id, output });
/** The running total decides whether a report is news. */
const costs = (total: number, input: number, cached: number, output: number) =>
  event("token_count", {
    info: {
      total_token_usage: { total_tokens: total },
      last_token_usage: {
        input_tokens: input,
        cached_input_tokens: cached,
        output_tokens: output,
        total_tokens: input + output,
      },
      model_context_window: 258_400,
    },
    rate_limits: null,
  });
const jsonl = (records: readonly Json[]) => `${records.map((value) => JSON.stringify(value)).join("\n")}\n`;

const opening = [
  record("session_meta", {
    id: "s1",
    timestamp: "2026-06-30T08:29:05.319Z",
    cwd: "/w",
    base_instructions: { text: "You are Codex." },
  }),
  says("developer", "<permissions instructions>ask first</permissions instructions>"),
  record("response_item", {
    type: "message",
    role: "user",
    content: [
      {
        type: "input_text",
        text: "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nBe kind.\n</INSTRUCTIONS>",
      },
      { type: "input_text", text: "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>" },
    ],
  }),
  record("turn_context", { turn_id: "t1", cwd: "/w", model: "gpt-5.5", effort: "high" }),
];

/** Parallel calls, a custom tool, a picture as an output, and the screen's copy of what was said. */
const working = [
  ...opening,
  says("user", "fix the bug"),
  event("user_message", { message: "fix the bug" }),
  thinks("rs_1"),
  event("agent_message", { message: "Looking." }),
  says("assistant", "Looking."),
  calls("c1", "ls"),
  calls("c2", "cat a.ts"),
  gets("c1", "a.ts"),
  gets("c2", [
    { type: "input_text", text: "const a = 1;" },
    { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
  ]),
  costs(1050, 1000, 400, 50),
  item("custom_tool_call", {
    name: "apply_patch",
    input: "*** Begin Patch",
    call_id: "c3",
    status: "completed",
  }),
  item("custom_tool_call_output", { call_id: "c3", output: "Done." }),
  costs(2270, 1200, 1000, 20),
  costs(2270, 1200, 1000, 20),
  says("assistant", "Fixed."),
  costs(3580, 1300, 1200, 10),
];

/** As OpenAI compacts: the user's words, the surroundings again, and a sealed item. */
const sealed = [
  ...working,
  record("compacted", {
    message: "",
    replacement_history: [
      message("user", "fix the bug"),
      message("developer", "<permissions instructions>ask first</permissions instructions>"),
      { type: "compaction", encrypted_content: "c2VhbGVk" },
    ],
  }),
  event("token_count", {
    info: {
      total_token_usage: { total_tokens: 3580 },
      last_token_usage: { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, total_tokens: 300 },
    },
  }),
  event("context_compacted"),
  says("user", "now the docs"),
  says("assistant", "Writing docs."),
  costs(4000, 400, 0, 20),
];

const SUMMARY =
  "Another language model started to solve this problem and left this:\nThe bug in a.ts is fixed.";
/** As Codex compacts by itself: the summary is a user message at the end. */
const summarized = [
  ...working,
  record("compacted", {
    message: SUMMARY,
    replacement_history: [message("user", "fix the bug"), message("user", SUMMARY)],
  }),
  says("user", "now the docs"),
];

/** As very early versions wrote it: items on their lines, without an envelope. */
const bare = [
  { id: "s0", timestamp: "2025-06-30T08:29:05.319Z", instructions: null },
  { record_type: "state" },
  message("user", "<environment_context>\n/w\n</environment_context>"),
  message("user", "list the files"),
  { type: "local_shell_call", call_id: "c1", status: "completed", action: { type: "exec", command: ["ls"] } },
  { type: "function_call_output", call_id: "c1", output: '{"output":"a.ts","metadata":{"exit_code":0}}' },
  message("assistant", "One file: a.ts."),
];

testSessionWire(codex, [
  { name: "a turn of work", value: jsonl(working) },
  { name: "a sealed compaction", value: jsonl(sealed) },
  { name: "a compaction with a summary", value: jsonl(summarized) },
  { name: "items without an envelope", value: jsonl(bare) },
]);

const read = (records: readonly Json[]) => codex.read(sourceOf(jsonl(records)));
const outline = (transcript: Transcript) =>
  transcript.messages.map(({ role, parts }) => `${role}: ${parts.map((part) => part.type).join(" ")}`);
const words = ({ messages }: Transcript) =>
  messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : [])),
  );
const usages = ({ messages }: Transcript) =>
  messages.filter(({ role }) => role === "assistant").map(({ usage }) => usage?.outputTokens);
const cut = (message: Message): Message => ({
  ...message,
  parts: message.parts.map(
    (part): Part =>
      part.type === "tool-result" ? { ...part, output: [{ type: "text", text: "cut" }] } : part,
  ),
});

describe("codex, what is its own", () => {
  test("the items of one response are one message, its outputs another, and the screen's copy is not read", () => {
    expect(outline(read(working).whole)).toEqual([
      "system: text",
      "user: text text",
      "user: text",
      "assistant: thinking text tool-call tool-call",
      "tool: tool-result tool-result",
      "assistant: tool-call",
      "tool: tool-result",
      "assistant: text",
    ]);
  });

  test("says what it is about, which model was at work, and under which instructions", () => {
    const { about, whole } = read(working);
    expect(about).toEqual({
      id: "s1",
      cwd: "/w",
      startedAt: Date.parse("2026-06-30T08:29:05.319Z"),
      windowTokens: 258_400,
    });
    expect(whole.model).toBe("gpt-5.5");
    expect(whole.messages[3]?.model).toBe("gpt-5.5");
    expect(whole.system).toMatchObject([{ text: "You are Codex." }]);
  });

  test("a resume repeats who it is and a fork adds its parent: the first word stands", () => {
    const again = record("session_meta", { id: "s0", cwd: "/old", base_instructions: { text: "Old." } });
    const { about, whole } = read([...working, again]);
    expect(about).toMatchObject({ id: "s1", cwd: "/w" });
    expect(whole.system).toMatchObject([{ text: "You are Codex." }]);
  });

  test("what Codex and other agents say is not the user's words, but a user may write about a tag", () => {
    const { whole } = read([
      ...opening,
      says("user", "<turn_aborted>\nThe user stopped it.\n</turn_aborted>"),
      record("inter_agent_communication", { author: "/root/a", recipient: "/root", content: "tests pass" }),
      item("agent_message", { author: "/root/a", content: [{ type: "input_text", text: "all of them" }] }),
      says("user", "<environment_context> is what, exactly?"),
    ]);
    expect(words(whole)).toEqual(["<environment_context> is what, exactly?"]);
    expect(outline(whole).slice(2)).toEqual(["user: text", "user: text", "user: text", "user: text"]);
  });

  test("each report is counted once, for the response before it; cached tokens are part of its input", () => {
    const { whole } = read(working);
    expect(usages(whole)).toEqual([50, 20, 10]);
    expect(whole.messages[3]?.usage).toEqual({
      uncachedTokens: 600,
      cacheReadTokens: 400,
      cacheWriteTokens: 0,
      outputTokens: 50,
    });
  });

  test("early versions reported a response before they wrote it down", () => {
    const { whole } = read([
      ...opening,
      says("user", "go"),
      costs(110, 100, 0, 10),
      thinks("rs_1"),
      calls("c1", "ls"),
      gets("c1", "a.ts"),
      costs(230, 100, 0, 20),
      says("assistant", "One file."),
    ]);
    expect(usages(whole)).toEqual([10, 20]);
  });

  test("two responses in a row are two messages", () => {
    const { whole } = read([
      says("user", "go"),
      says("assistant", "One moment."),
      costs(110, 100, 0, 10),
      says("assistant", "Done."),
      costs(230, 100, 0, 20),
    ]);
    expect(outline(whole)).toEqual(["user: text", "assistant: text", "assistant: text"]);
  });

  test("they stay two where their reports were emptied by an edit of ours", () => {
    const source = sourceOf(
      jsonl([
        says("user", "go"),
        calls("c0", "ls"),
        gets("c0", "a.ts"),
        ...[calls("c1", "ls"), costs(110, 100, 0, 10), calls("c2", "pwd"), costs(230, 100, 0, 20)],
      ]),
    );
    const session = codex.read(source);
    const next = { ...session.seen, messages: session.seen.messages.map(cut) };
    const again = codex.read(sourceOf(written(codex, session, source, next)));
    expect(outline(again.seen)).toEqual(outline(session.seen));
  });

  test("an interrupted call has no result, and its response is marked", () => {
    const { whole } = read([
      ...working,
      calls("c9", "sleep 99"),
      event("turn_aborted", { reason: "interrupted" }),
    ]);
    expect(whole.messages.map(({ ended }) => ended).filter(Boolean)).toEqual([
      "done",
      "done",
      "done",
      "aborted",
    ]);
    const { pairs, orphans } = pairUp(whole);
    expect(pairs.filter(({ result }) => !result).map(({ call }) => call.part.callId)).toEqual(["c9"]);
    expect(orphans).toEqual([]);
  });

  test("a turn that was interrupted before the model spoke marks no earlier response", () => {
    const unreported = working.slice(0, -1);
    const { whole } = read([
      ...unreported,
      says("user", "wait"),
      event("turn_aborted", { reason: "interrupted" }),
    ]);
    expect(whole.messages.some(({ ended }) => ended === "aborted")).toBe(false);
  });

  test("a sealed compaction has no summary; the whole stays, and what was kept is known", () => {
    const { whole, seen, compactions } = read(sealed);
    expect(words(whole)).toEqual(["fix the bug", "Looking.", "Fixed.", "now the docs", "Writing docs."]);
    expect(outline(seen)).toEqual([
      "user: text",
      "system: text",
      "assistant: opaque",
      "user: text",
      "assistant: text",
    ]);
    expect(compactions).toEqual([
      { kind: "summary", at: 8, removed: [1, 3, 4, 5, 6, 7], tokensBefore: 1310, tokensAfter: 300 },
    ]);
    expect(usages(whole)).toEqual([50, 20, 10, 20]);
  });

  test("what follows a compaction is the same message in both", () => {
    const { whole, seen } = read(sealed);
    expect(seen.messages.at(-1)).toBe(whole.messages.at(-1));
  });

  test("a summary Codex wrote is readable, and not the user's words", () => {
    const { seen, compactions } = read(summarized);
    expect(compactions[0]?.summary).toBe(seen.messages[1]);
    expect(seen.messages[1]?.parts).toMatchObject([{ text: SUMMARY, synthetic: true }]);
    expect(words(seen)).toEqual(["fix the bug", "now the docs"]);
  });

  test("a summary is known by what the record says, whatever it begins with", () => {
    const short = record("compacted", {
      message: "So far: fixed.",
      replacement_history: [message("user", "So far: fixed.")],
    });
    const { seen, compactions } = read([...working, short]);
    expect(compactions[0]?.summary).toBe(seen.messages[0]);
    expect(words(seen)).toEqual([]);
  });

  test("of equal messages, the latest is the one that was kept", () => {
    const kept = record("compacted", { message: "", replacement_history: [message("user", "go on")] });
    const { compactions } = read([
      says("user", "go on"),
      says("assistant", "ok"),
      says("user", "go on"),
      kept,
    ]);
    expect(compactions[0]?.removed).toEqual([0, 1]);
  });

  test("an early compaction names no replacement: what was said to the model stays, and the summary follows", () => {
    const { seen, compactions } = read([
      ...working,
      record("compacted", { message: SUMMARY }),
      says("user", "go on"),
    ]);
    expect(outline(seen)).toEqual([
      "system: text",
      "user: text text",
      "user: text",
      "user: text",
      "user: text",
    ]);
    expect(words(seen)).toEqual(["fix the bug", "go on"]);
    expect(compactions).toMatchObject([
      { removed: [3, 4, 5, 6, 7], summary: { parts: [{ text: SUMMARY }] } },
    ]);
  });

  test("a second compaction removes only what the first had left", () => {
    const again = record("compacted", {
      message: "",
      replacement_history: [message("user", "now the docs")],
    });
    expect(read([...sealed, again]).compactions.map(({ at, removed }) => [at, removed])).toEqual([
      [8, [1, 3, 4, 5, 6, 7]],
      [10, [0, 2, 9]],
    ]);
  });

  test("turns that were taken back stand aside, and a compaction among them is undone", () => {
    const back = event("thread_rolled_back", { num_turns: 1 });
    const session = read([...sealed, back, says("user", "the tests instead")]);
    expect(words(session.whole)).toEqual(["fix the bug", "Looking.", "Fixed.", "the tests instead"]);
    expect(session.compactions).toHaveLength(1);
    expect(session.asides.map(({ kind, transcript }) => [kind, words(transcript)])).toEqual([
      ["rewound", ["now the docs", "Writing docs."]],
    ]);
    const all = read([
      ...sealed,
      event("thread_rolled_back", { num_turns: 2 }),
      says("user", "from the start"),
    ]);
    expect(all.compactions).toEqual([]);
    expect(words(all.seen)).toEqual(["from the start"]);
    expect(outline(all.seen)).toEqual(["system: text", "user: text text", "user: text"]);
  });

  test("more turns than there are take back all, and none takes back nothing", () => {
    const two = [says("user", "one"), says("assistant", "1"), says("user", "two"), says("assistant", "2")];
    const left = (turns: Json) => {
      const back = event("thread_rolled_back", { num_turns: turns });
      return words(read([opening[0] as Json, ...two, back]).whole);
    };
    expect(left(99)).toEqual([]);
    expect(left(2)).toEqual([]);
    expect(left(1)).toEqual(["one", "1"]);
    for (const turns of [0, -1, null]) expect(left(turns)).toEqual(["one", "1", "two", "2"]);
  });

  test("an output is shortened where it stands: a string as a string, content items as content items", () => {
    const source = sourceOf(jsonl(working));
    const session = codex.read(source);
    const next = { ...session.seen, messages: session.seen.messages.map(cut) };
    const before = jsonl(working).split("\n");
    const after = written(codex, session, source, next).split("\n");
    const changed = after.flatMap((line, index) =>
      line === before[index] ? [] : [JSON.parse(line).payload],
    );
    // Reports of usage behind an edit are taken back.
    expect(changed.filter(({ type }) => type !== "token_count")).toEqual([
      { type: "function_call_output", call_id: "c1", output: "cut" },
      { type: "function_call_output", call_id: "c2", output: [{ type: "input_text", text: "cut" }] },
      { type: "custom_tool_call_output", call_id: "c3", output: "cut" },
    ]);
  });

  test("what the model is sent is edited in the compaction's record, the original further up is not", () => {
    const source = sourceOf(jsonl(sealed));
    const session = codex.read(source);
    const [first, ...rest] = session.seen.messages;
    if (!first) throw new Error("the example changed");
    const edited = { ...first, parts: first.parts.map((part): Part => ({ ...part, text: "…" }) as Part) };
    const again = codex.read(
      sourceOf(written(codex, session, source, { ...session.seen, messages: [edited, ...rest] })),
    );
    expect(words(again.seen)[0]).toBe("…");
    expect(words(again.whole)[0]).toBe("fix the bug");
  });

  test("in early files a local shell call and its output are a pair", () => {
    const { whole } = read(bare);
    expect(pairUp(whole)).toMatchObject({
      pairs: [{ call: { part: { name: "local_shell" } }, result: {} }],
      orphans: [],
    });
    expect(words(whole)).toEqual(["list the files", "One file: a.ts."]);
  });

  test("a commit for undo was never sent", () => {
    const ghost = item("ghost_snapshot", { ghost_commit: { id: "abc" } });
    expect(outline(read([...working, ghost]).whole)).toEqual(outline(read(working).whole));
  });

  test("a record named like a built-in, or without a payload, does no harm", () => {
    const strange = [
      { type: "constructor", payload: {} },
      { type: "response_item" },
      record("event_msg", {}),
    ];
    expect(read([...strange, ...working]).whole.messages).toHaveLength(8);
  });

  test("an item that is no object is none: nothing of it could be copied", () => {
    const strange = { timestamp: "2026-06-30T08:33:39.451Z", type: "response_item", payload: ["x"] };
    expect(outline(read([...working, strange]).whole)).toEqual(outline(read(working).whole));
  });

  test("a bare text in a list of content is a text, also when it is edited", () => {
    const source = sourceOf(jsonl([says("user", "go"), calls("c1", "ls"), gets("c1", ["one", "two"])]));
    const session = codex.read(source);
    expect(session.seen.messages[2]?.parts[0]).toMatchObject({ output: [{ text: "one" }, { text: "two" }] });
    const next = { ...session.seen, messages: session.seen.messages.map(cut) };
    const { seen } = codex.read(sourceOf(written(codex, session, source, next)));
    expect(seen.messages[2]?.parts[0]).toMatchObject({ output: [{ type: "text", text: "cut" }] });
  });

  test("is known by its first line however long, and a compressed file is nobody's", () => {
    const long = record("session_meta", { id: "s1", base_instructions: { text: "x".repeat(40_000) } });
    expect(codex.detect(sampleOf(new TextEncoder().encode(jsonl([long, ...working]))))).toBe(2);
    expect(codex.detect(sampleOf(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0xff, 0xfe)))).toBe(0);
  });
});
