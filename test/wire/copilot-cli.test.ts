import { describe, expect, test } from "vitest";
import type { Json } from "../../src/transcript/json.ts";
import { resultText, type Transcript } from "../../src/transcript/message.ts";
import { copilotCli } from "../../src/wire/copilot-cli.ts";
import { sourceOf } from "../../src/wire/source.ts";
import { fold, neutral, PAGES, testSessionWire, written } from "../contracts/wire.ts";

type Fields = { readonly [key: string]: Json };

const timestamp = "2026-06-25T01:50:34.403Z";
const event = (type: string, data: Fields, more: Fields = {}) => ({
  type,
  data,
  id: `e-${type}`,
  timestamp,
  parentId: null,
  ...more,
});
const begins = event("session.start", {
  sessionId: "s1",
  copilotVersion: "1.0.64",
  startTime: timestamp,
  context: { cwd: "/w" },
});
const prompt = (content: string, role = "system") => event("system.message", { role, content });
const says = (content: string, more: Fields = {}) =>
  event("user.message", {
    content,
    transformedContent: `<current_datetime>now</current_datetime>\n\n${content}\n\n<system_reminder>todos</system_reminder>`,
    attachments: [],
    ...more,
  });
const replies = (content: string, more: Fields = {}) =>
  event("assistant.message", {
    messageId: "m",
    model: "claude-sonnet-4.6",
    content,
    toolRequests: [],
    ...more,
  });
const asksFor = (...ids: readonly string[]) => ({
  toolRequests: ids.map((toolCallId) => ({
    toolCallId,
    name: "bash",
    arguments: { command: "ls" },
    type: "function",
  })),
});
const finishes = (toolCallId: string, content: string, more: Fields = {}) =>
  event("tool.execution_complete", {
    toolCallId,
    success: true,
    result: { content, detailedContent: `${content} and more` },
    ...more,
  });
const jsonl = (records: readonly Json[]) => `${records.map((value) => JSON.stringify(value)).join("\n")}\n`;

const parallel = [
  begins,
  prompt("You are the Copilot CLI."),
  says("fix the bug"),
  event("assistant.turn_start", { turnId: "0" }),
  replies("", { ...asksFor("t1", "t2"), reasoningText: "look first", reasoningOpaque: "sealed" }),
  event("tool.execution_start", { toolCallId: "t1", toolName: "bash", arguments: {} }),
  finishes("t2", "", { success: false, result: null, error: { message: "1 failed", code: "failure" } }),
  event("system.notification", { content: "<system_notification>done</system_notification>", kind: {} }),
  finishes("t1", "const a = 1;"),
  event("assistant.turn_end", { turnId: "0" }),
  replies("Found it."),
];

const compacted = [
  ...parallel,
  event("session.compaction_start", {}),
  replies("Still here."),
  event("session.compaction_complete", {
    success: true,
    trigger: "threshold",
    preCompactionTokens: 150_000,
    postCompactionTokens: 20_000,
    summaryContent: "<overview>A bug.</overview>",
  }),
  says("now the docs"),
  replies("Writing docs."),
];

testSessionWire(copilotCli, [
  { name: "parallel calls", value: jsonl(parallel) },
  { name: "a compaction", value: jsonl(compacted) },
]);

const read = (records: readonly Json[]) => copilotCli.read(sourceOf(jsonl(records)));
const outline = (transcript: Transcript) =>
  transcript.messages.map(({ role, parts }) => `${role}: ${parts.map((part) => part.type).join(" ")}`);
const words = (transcript: Transcript) =>
  transcript.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" && part.synthetic !== true ? [part.text] : [])),
  );
const resultsOf = (transcript: Transcript) =>
  transcript.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-result" ? [resultText(part)] : [])),
  );

describe("copilot-cli, what is its own", () => {
  test("results stand right behind their calls as one message, in the order of the calls", () => {
    const { whole } = read(parallel);
    expect(outline(whole)).toEqual([
      "user: text text text",
      "assistant: thinking tool-call tool-call",
      "tool: tool-result tool-result",
      "user: text",
      "assistant: text",
    ]);
    expect(whole.messages[2]?.parts).toMatchObject([
      { callId: "t1", isError: false, output: [{ text: "const a = 1;" }] },
      { callId: "t2", isError: true, output: [{ text: "1 failed" }] },
    ]);
  });

  test("a user message is read as it was sent, and the typed words are told from the rest", () => {
    const parts = read(parallel).whole.messages[0]?.parts;
    expect(parts).toMatchObject([
      { text: "<current_datetime>now</current_datetime>\n\n", synthetic: true },
      { text: "fix the bug" },
      { text: "\n\n<system_reminder>todos</system_reminder>", synthetic: true },
    ]);
    expect(parts?.[1]).not.toHaveProperty("synthetic");
  });

  test("a typed word that also stands in what was put around it is found where it was typed", () => {
    const parts = read([begins, says("now")]).whole.messages[0]?.parts;
    expect(parts?.map((part) => part.type === "text" && part.text)).toEqual([
      "<current_datetime>now</current_datetime>\n\n",
      "now",
      "\n\n<system_reminder>todos</system_reminder>",
    ]);
  });

  test("all pieces of a user message can be edited at once, and the typed text follows", () => {
    const source = sourceOf(jsonl(parallel));
    const session = copilotCli.read(source);
    const [first, ...rest] = session.whole.messages;
    if (!first) throw new Error("no message");
    const parts = first.parts.map((part, index) => ({ ...part, text: `[${index}]` }));
    const next = { messages: [{ ...first, parts }, ...rest] };
    const record = JSON.parse(written(copilotCli, session, source, next).split("\n")[2] ?? "");
    expect(record.data).toMatchObject({ content: "[1]", transformedContent: "[0][1][2]" });
  });

  test("words that were sent in another form stay the user's; what a skill says does not become theirs", () => {
    const { whole } = read([
      begins,
      says("/fix", { transformedContent: "Fix the bug in a.ts" }),
      says("<skill-context>", { source: "skill-pdf" }),
      says("stop that", { source: "immediate-prompt" }),
    ]);
    expect(words(whole)).toEqual(["Fix the bug in a.ts", "stop that"]);
  });

  test("the system prompt stands outside, the latest counts, and a developer's message stays in its place", () => {
    const { whole } = read([
      begins,
      prompt("old"),
      says("hi"),
      prompt("be brief", "developer"),
      prompt("new"),
    ]);
    expect(whole.system).toMatchObject([{ text: "new" }]);
    expect(whole.messages[1]).toMatchObject({ role: "system", parts: [{ text: "be brief" }] });
  });

  test("hidden reasoning is carried beside what is readable of it", () => {
    expect(read(parallel).whole.messages[1]?.parts[0]).toMatchObject({
      type: "thinking",
      text: "look first",
      encrypted: "sealed",
    });
  });

  test("a compaction removes what was said when it started, and keeps what was said while it ran", () => {
    const { seen, whole, compactions } = read(compacted);
    expect(outline(seen)).toEqual([
      "user: text",
      "assistant: text",
      "user: text text text",
      "assistant: text",
    ]);
    expect(seen.messages[0]?.parts).toMatchObject([{ text: "<overview>A bug.</overview>", synthetic: true }]);
    expect(words(seen)).toEqual(["Still here.", "now the docs", "Writing docs."]);
    expect(whole.messages).toHaveLength(8);
    expect(compactions).toMatchObject([
      { kind: "summary", at: 6, trigger: "auto", removed: [0, 1, 2, 3, 4], tokensBefore: 150_000 },
    ]);
  });

  test("a compaction that failed changes nothing", () => {
    const failed = event("session.compaction_complete", { success: false, error: "no", summaryContent: "x" });
    const { seen, whole, compactions } = read([...parallel, failed]);
    expect(seen.messages).toEqual(whole.messages);
    expect(compactions).toEqual([]);
  });

  test("a cleared context leaves nothing behind but the original", () => {
    const { seen, compactions } = read([...compacted, event("session.context_cleared", {}), says("anew")]);
    expect(words(seen)).toEqual(["anew"]);
    expect(compactions[1]).toMatchObject({ at: 8, trigger: "manual", removed: [5, 6, 7] });
  });

  test("subagents stand aside, by the agent's name or by the call that started them", () => {
    const { whole, asides } = read([
      ...parallel,
      replies("three tests", { parentToolCallId: "t9" }),
      event("assistant.message", { messageId: "m", content: "", ...asksFor("t10") }, { agentId: "a7" }),
      event(
        "tool.execution_complete",
        { toolCallId: "t10", success: true, result: { content: "x" } },
        { agentId: "a7" },
      ),
    ]);
    expect(whole.messages).toHaveLength(5);
    expect(asides.map(({ kind, name, transcript }) => [kind, name, outline(transcript)])).toEqual([
      ["subagent", "t9", ["assistant: text"]],
      ["subagent", "a7", ["assistant: tool-call", "tool: tool-result"]],
    ]);
  });

  test("an abort leaves the calls of the last response open", () => {
    const { whole } = read([
      begins,
      says("go"),
      replies("", asksFor("t1")),
      event("abort", { reason: "user" }),
    ]);
    expect(whole.messages[1]).toMatchObject({ ended: "aborted" });
    expect(outline(whole)).toEqual(["user: text text text", "assistant: tool-call"]);
  });

  test("what the user ran is told without a call; a result whose call is missing stays a result", () => {
    const { whole } = read([
      begins,
      finishes("x1", "a.ts", { isUserRequested: true }),
      finishes("x2", "b.ts"),
    ]);
    expect(whole.messages).toMatchObject([
      { role: "user", parts: [{ type: "text", text: "a.ts", synthetic: true }] },
      { role: "tool", parts: [{ callId: "x2" }] },
    ]);
  });

  test("lines that were written twice are read once, and a fold takes both", () => {
    const numbered = parallel.map((value, index) => ({ ...value, id: `e${index}` }));
    const source = sourceOf(jsonl([...numbered, ...numbered]));
    const session = copilotCli.read(source);
    expect(outline(session.whole)).toEqual(outline(read(parallel).whole));
    const next = fold(session.seen, PAGES[0]?.messages ?? []);
    const again = copilotCli.read(sourceOf(written(copilotCli, session, source, next)));
    expect(neutral(again.seen)).toEqual(neutral(next));
    // Also where what stays is edited.
    const [first, ...rest] = next.messages;
    if (!first) throw new Error("the example changed");
    const cut = first.parts.map((part) => (part.type === "text" ? { ...part, text: `${part.text}…` } : part));
    const edited = { ...next, messages: [{ ...first, parts: cut }, ...rest] };
    const third = copilotCli.read(sourceOf(written(copilotCli, session, source, edited)));
    expect(third.seen.messages).toHaveLength(edited.messages.length);
  });

  test("where an id is used again each call has a result of its own, and what one response takes along stays with the other", () => {
    const rounds = ["one", "two"].flatMap((word) => [
      says(`go ${word}`),
      replies(word, asksFor("t1")),
      finishes("t1", word),
    ]);
    const source = sourceOf(jsonl([begins, ...rounds, says("and?")]));
    const session = copilotCli.read(source);
    expect(resultsOf(session.whole)).toEqual(["one", "two"]);
    const messages = session.seen.messages.filter((_, index) => index !== 1 && index !== 2);
    const again = copilotCli.read(
      sourceOf(written(copilotCli, session, source, { ...session.seen, messages })),
    );
    expect(resultsOf(again.seen)).toEqual(["two"]);
  });

  test("events that name themselves as the one before fold like any others", () => {
    const looped = parallel.map((value, index) => ({
      ...value,
      id: `e${index}`,
      parentId: index === parallel.length - 1 ? "e4" : `e${index}`,
    }));
    const source = sourceOf(jsonl(looped));
    const session = copilotCli.read(source);
    const next = { ...session.seen, messages: session.seen.messages.slice(-1) };
    expect(neutral(copilotCli.read(sourceOf(written(copilotCli, session, source, next))).seen)).toEqual(
      neutral(next),
    );
  });

  test("a pasted image is a part, and a text can take its place", () => {
    const image = { type: "blob", mimeType: "image/png", data: "AAAA", displayName: "a.png" };
    const source = sourceOf(jsonl([begins, says("look", { attachments: [image] })]));
    const session = copilotCli.read(source);
    const [only] = session.whole.messages;
    if (!only) throw new Error("no message");
    expect(only.parts[3]).toMatchObject({ type: "image", source: { base64: "AAAA" } });
    const stub = { type: "text" as const, text: "stub", native: only.parts[3]?.native ?? null };
    const out = written(copilotCli, session, source, {
      messages: [{ ...only, parts: only.parts.with(3, stub) }],
    });
    expect(copilotCli.read(sourceOf(out)).whole.messages[0]?.parts[3]).toMatchObject({ text: "stub" });
  });
});
