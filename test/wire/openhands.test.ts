import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/transcript/json.ts";
import { hasUserWords, type Part, type Transcript } from "../../src/transcript/message.ts";
import { pairUp } from "../../src/transcript/pairs.ts";
import { openHands } from "../../src/wire/openhands.ts";
import { sourceOf } from "../../src/wire/source.ts";
import { detectWire, sampleFrom } from "../../src/wire/wires.ts";
import { neutral, testSessionWire, written } from "../contracts/wire.ts";

const action = (id: number, name: string, args: JsonObject, more: JsonObject = {}) => ({
  id,
  timestamp: `2025-04-30T16:32:${10 + id}.5`,
  source: "agent",
  action: name,
  args,
  ...more,
});
const observation = (id: number, cause: number, name: string, content: string, more: JsonObject = {}) => ({
  id,
  timestamp: `2025-04-30T16:32:${10 + id}.5`,
  source: "agent",
  cause,
  observation: name,
  content,
  extras: {},
  ...more,
});
/** The response an action came from, as it is kept with each of its calls. */
const metadata = (responseId: string, calls: readonly (readonly [string, JsonObject])[], mine: string) => ({
  tool_call_metadata: {
    function_name: "execute_bash",
    tool_call_id: mine,
    model_response: {
      id: responseId,
      model: "llama-4",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: `I do ${responseId}.`,
            tool_calls: calls.map(([id, input]) => ({
              id,
              type: "function",
              function: { name: "execute_bash", arguments: JSON.stringify(input) },
            })),
          },
        },
      ],
      usage: { prompt_tokens: 500, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 400 } },
    },
    total_calls_in_response: calls.length,
  },
});
const one = (n: number, command: string) => metadata(`r${n}`, [[`t${n}`, { command }]], `t${n}`);
const twice = (mine: string) =>
  metadata(
    "r3",
    [
      ["t3", { command: "a" }],
      ["t4", { command: "b" }],
    ],
    mine,
  );
const exit = (code: number) => ({ extras: { metadata: { exit_code: code } } });

const opening = [
  action(0, "system", {
    content: "You are OpenHands agent",
    tools: [{ type: "function", function: { name: "execute_bash", description: "runs", parameters: {} } }],
  }),
  action(1, "message", { content: "fix the segfault", image_urls: null }, { source: "user" }),
  action(2, "recall", { query: "fix the segfault" }, { source: "user" }),
  observation(3, 2, "recall", "Added workspace context", {
    source: "environment",
    extras: {
      date: "2025-04-30",
      repo_instructions: "",
      microagent_knowledge: [{ name: "git", content: "Use git." }],
    },
  }),
];
const steps = [
  action(4, "run", { command: "ls", thought: "I do r1." }, one(1, "ls")),
  observation(5, 4, "run", "main.c", { ...one(1, "ls"), ...exit(0) }),
  observation(6, 0, "agent_state_changed", "", { extras: { agent_state: "running" } }),
  action(7, "run", { command: "a" }, twice("t3")),
  observation(8, 7, "run", "not found", { ...twice("t3"), ...exit(127) }),
  action(9, "run", { command: "b" }, twice("t4")),
  observation(10, 9, "run", "[still running]", { ...twice("t4"), ...exit(-1) }),
  { ...observation(11, 0, "error", "Parameter 'command' is wrong"), cause: undefined },
  action(12, "finish", { final_thought: "done", thought: "I do r5." }, one(5, "finish")),
];
const row = (name: string, history: readonly Json[], more: JsonObject = {}) => ({
  instance_id: name,
  test_result: { git_patch: "" },
  instruction: "fix the segfault",
  metadata: { agent_class: "CodeActAgent", llm_config: { model: "openai/llama-4" } },
  history,
  metrics: { token_usages: [] },
  error: null,
  ...more,
});
const condensed = [
  ...opening,
  ...steps.slice(0, 7),
  action(11, "condensation", {
    forgotten_events_start_id: 4,
    forgotten_events_end_id: 8,
    summary: "ls showed main.c",
    summary_offset: 4,
  }),
  action(12, "run", { command: "make" }, one(6, "make")),
  observation(13, 12, "run", "ok", { ...one(6, "make"), ...exit(0) }),
];
const old = [
  [
    { id: 1, source: "user", action: "message", args: { content: "hello" } },
    { id: 2, source: "agent", observation: "null", content: "", extras: {} },
  ],
  [
    { source: "agent", action: "run", args: { command: "ls", thought: "Look.", is_static: false } },
    { source: "agent", observation: "run", content: "a.c", extras: { exit_code: 0 } },
  ],
  [
    { source: "agent", action: "finish", args: { thought: "That is all." } },
    { observation: "null", content: "" },
  ],
];

const event = (id: string, kind: string, more: JsonObject) => ({
  id,
  timestamp: "2025-11-01T10:00:00.000000",
  kind,
  ...more,
});
const text = (value: string) => ({ type: "text", text: value, cache_prompt: false });
const acts = (id: string, responseId: string, call: string, more: JsonObject = {}) =>
  event(id, "ActionEvent", {
    source: "agent",
    thought: [],
    thinking_blocks: [],
    action: { kind: "TerminalAction", command: id },
    tool_name: "terminal",
    tool_call_id: call,
    tool_call: { id: call, name: "terminal", arguments: `{"command":"${id}"}`, origin: "completion" },
    llm_response_id: responseId,
    ...more,
  });
const observes = (id: string, call: string, said: JsonObject) =>
  event(id, "ObservationEvent", {
    source: "environment",
    tool_name: "terminal",
    tool_call_id: call,
    action_id: "-",
    observation: { kind: "TerminalObservation", ...said },
  });
const sdk = [
  event("e0", "SystemPromptEvent", {
    source: "agent",
    system_prompt: text("You are OpenHands"),
    tools: [{ type: "function", function: { name: "terminal", description: "runs" } }],
    dynamic_context: text("Today is Monday"),
  }),
  event("e1", "MessageEvent", {
    source: "user",
    llm_message: { role: "user", content: [text("fix it")] },
    extended_content: [text("<EXTRA>rule</EXTRA>")],
  }),
  event("e2", "ConversationStateUpdateEvent", {
    source: "environment",
    key: "execution_status",
    value: "running",
  }),
  acts("e3", "r1", "c1", {
    thought: [text("Two at once.")],
    thinking_blocks: [{ type: "thinking", thinking: "hm", signature: "sig" }],
  }),
  acts("e4", "r1", "c2"),
  observes("e5", "c1", { content: [text("main.c")], is_error: false, exit_code: 0 }),
  observes("e6", "c2", { output: "boom", exit_code: 1 }),
  acts("e7", "r2", "c3", { reasoning_content: "and now" }),
  event("e8", "AgentErrorEvent", {
    source: "agent",
    tool_name: "terminal",
    tool_call_id: "c3",
    error: "no such tool",
  }),
  acts("e9", "r3", "c4"),
  event("e10", "UserRejectObservation", {
    source: "environment",
    tool_name: "terminal",
    tool_call_id: "c4",
    action_id: "e9",
    rejection_reason: "too risky",
  }),
  event("e11", "MessageEvent", {
    source: "agent",
    llm_message: { role: "assistant", content: [text("Done.")] },
    llm_response_id: "r4",
  }),
];
const sdkCondensed = [
  ...sdk,
  event("e12", "Condensation", {
    source: "environment",
    forgotten_event_ids: ["e3", "e4", "e5", "e6", "e7", "e8"],
    summary: "main.c was found",
    summary_offset: 2,
    llm_response_id: "r5",
  }),
  event("e13", "MessageEvent", { source: "user", llm_message: { role: "user", content: [text("go on")] } }),
];

const jsonl = (values: readonly Json[]) => `${values.map((value) => JSON.stringify(value)).join("\n")}\n`;
const evaluation = [row("first", [...opening, ...steps]), row("second", [...opening, ...steps.slice(0, 2)])];

testSessionWire(openHands, [
  { name: "an evaluation", value: jsonl(evaluation) },
  { name: "a condensation", value: jsonl([row("none", []), row("one", condensed)]) },
  { name: "old pairs", value: jsonl([row("none", []), row("one", old)]) },
  { name: "an exported list", value: JSON.stringify([...opening, ...steps], null, 4) },
  { name: "events of the SDK, one a line", value: jsonl(sdk) },
  { name: "events of the SDK in a row", value: jsonl([row("none", []), row("one", sdkCondensed)]) },
]);

const read = (history: readonly Json[]) => openHands.read(sourceOf(jsonl([row("one", history)])));
const outline = (transcript: Transcript) =>
  transcript.messages.map(({ role, parts }) => `${role}: ${parts.map((part) => part.type).join(" ")}`);
const words = (transcript: Transcript) =>
  transcript.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );
const errors = (transcript: Transcript) =>
  pairUp(transcript).pairs.map(({ call, result }) => [call.part.callId, result?.part.isError]);
const rewrite = (history: readonly Json[], edit: (part: Part) => Part) => {
  const source = sourceOf(jsonl([row("one", history)]));
  const session = openHands.read(source);
  const messages = session.seen.messages.map((message) => ({ ...message, parts: message.parts.map(edit) }));
  return JSON.parse(written(openHands, session, source, { ...session.seen, messages })).history;
};

describe("openhands, what is its own", () => {
  test("actions of one response are one message, with the calls the model made", () => {
    expect(outline(read([...opening, ...steps]).whole)).toEqual([
      "system: text",
      "user: text",
      "user: text",
      "assistant: text tool-call",
      "tool: tool-result",
      "assistant: text tool-call tool-call",
      "tool: tool-result",
      "tool: tool-result",
      "user: text",
      "assistant: text tool-call",
    ]);
    expect(read([...opening, ...steps]).whole.messages[5]?.parts).toMatchObject([
      { text: "I do r3." },
      { callId: "t3", name: "execute_bash", input: { command: "a" } },
      { callId: "t4", input: { command: "b" } },
    ]);
  });

  test("a command that failed is an error, one that still runs is not, and finish has no answer", () => {
    expect(errors(read([...opening, ...steps]).whole)).toEqual([
      ["t1", false],
      ["t3", true],
      ["t4", false],
      ["t5", undefined],
    ]);
  });

  test("the model is not sent a call without an answer", () => {
    const { seen } = read([...opening, ...steps]);
    expect(outline(seen).at(-1)).toBe("assistant: text");
  });

  test("only the first message is the user's words: knowledge and errors are the harness's", () => {
    const { messages } = read([...opening, ...steps]).whole;
    expect(messages.filter(hasUserWords)).toHaveLength(1);
    expect(words({ messages })).toContain("Use git.");
    expect(words({ messages })).toContain("Parameter 'command' is wrong");
  });

  test("usage, model, time and tools are read where they are", () => {
    const { whole, about } = read([...opening, ...steps]);
    expect(whole.messages[3]).toMatchObject({
      model: "llama-4",
      at: Date.parse("2025-04-30T16:32:14.5Z"),
      usage: { uncachedTokens: 100, cacheReadTokens: 400, outputTokens: 7 },
    });
    expect(whole.tools).toMatchObject([{ name: "execute_bash", description: "runs" }]);
    expect(about.id).toBe("one");
  });

  test("the last instance is the conversation; the others stand aside, whole", () => {
    const session = openHands.read(sourceOf(jsonl(evaluation)));
    expect(session.about.id).toBe("second");
    expect(session.whole.messages).toHaveLength(5);
    expect(session.asides).toMatchObject([{ kind: "instance", name: "first" }]);
    expect(session.asides[0]?.transcript.messages).toHaveLength(10);
  });

  test("an instance that never began does not hide the others", () => {
    const session = openHands.read(sourceOf(jsonl([...evaluation, row("third", [])])));
    expect(session.about.id).toBe("second");
    expect(session.asides.map(({ name }) => name)).toEqual(["first", "third"]);
  });

  test("an edit reaches every copy of a response", () => {
    const edited = rewrite([...opening, ...steps], (part) => {
      if (part.type === "text" && part.text === "I do r3.") return { ...part, text: "…" };
      return part.type === "tool-call" && part.callId === "t4" ? { ...part, input: { command: "…" } } : part;
    });
    for (const index of [7, 9])
      expect(edited[index].tool_call_metadata.model_response.choices[0].message).toMatchObject({
        content: "…",
        tool_calls: [{}, { function: { arguments: '{"command":"…"}' } }],
      });
  });

  test("a condensation takes away whole messages and puts its summary in their place", () => {
    const session = read(condensed);
    expect(session.compactions).toMatchObject([{ kind: "summary", at: 8, removed: [3, 4, 6] }]);
    expect(words(session.seen)).toEqual([
      "You are OpenHands agent",
      "fix the segfault",
      "Use git.",
      "ls showed main.c",
      "I do r3.",
      "I do r6.",
    ]);
    // The first of the two parallel calls lost its result, so it goes too; the second keeps its own.
    expect(errors(session.seen)).toEqual([
      ["t4", false],
      ["t6", false],
    ]);
    expect(session.whole.messages).toHaveLength(10);
  });

  test("a second condensation may forget what the first one kept, and its summary stands alone", () => {
    const again = action(14, "condensation", {
      forgotten_event_ids: [9, 10, 12, 13],
      summary: "all done",
      summary_offset: 4,
    });
    const { compactions, seen } = read([...condensed, again]);
    expect(compactions.map(({ removed }) => removed)).toEqual([
      [3, 4, 6],
      [5, 7, 8, 9],
    ]);
    expect(words(seen).slice(3)).toEqual(["all done"]);
  });

  test.each([
    ["on lines of their own", jsonl],
    ["in one list", (events: readonly Json[]) => JSON.stringify(events)],
  ])(
    "of two conversations with the same ids, %s, what leaves takes nothing of the other along",
    (_, spell) => {
      const again = [
        action(4, "run", { command: "make", thought: "I do r9." }, one(9, "make")),
        observation(5, 4, "run", "all built", { ...one(9, "make"), ...exit(0) }),
      ];
      const source = sourceOf(spell([...opening, ...steps.slice(0, 2), ...again]));
      const session = openHands.read(source);
      const messages = session.seen.messages.filter((_, index) => index !== 3 && index !== 4);
      const next = { ...session.seen, messages };
      const { seen } = openHands.read(sourceOf(written(openHands, session, source, next)));
      expect(neutral(seen)).toEqual(neutral(next));
      expect(words(seen)).toContain("I do r9.");
    },
  );

  test("old pairs: an action without a response is a thought and a call named after it", () => {
    const { whole } = read(old);
    expect(outline(whole)).toEqual([
      "user: text",
      "assistant: text tool-call",
      "tool: tool-result",
      "assistant: text",
    ]);
    expect(whole.messages[1]?.parts[1]).toMatchObject({ name: "run", input: { command: "ls" } });
    expect(pairUp(whole)).toMatchObject({ pairs: [{ result: {} }], orphans: [] });
  });

  test("a command the user ran is theirs, and what it printed is not an answer to the model", () => {
    const own = [
      action(4, "run", { command: "git pull" }, { source: "user" }),
      observation(5, 4, "run", "up to date", { source: "user" }),
    ];
    expect(outline(read([...opening, ...own]).whole).slice(-2)).toEqual(["user: text", "user: text"]);
  });

  test("events of the SDK: parallel calls, errors, rejections and what was thought", () => {
    const { whole } = read(sdk);
    expect(outline(whole)).toEqual([
      "system: text text",
      "user: text text",
      "assistant: thinking text tool-call tool-call",
      "tool: tool-result",
      "tool: tool-result",
      "assistant: thinking tool-call",
      "tool: tool-result",
      "assistant: tool-call",
      "tool: tool-result",
      "assistant: text",
    ]);
    expect(errors(whole)).toEqual([
      ["c1", false],
      ["c2", true],
      ["c3", true],
      ["c4", true],
    ]);
    expect(whole.messages[1]?.parts[1]).toMatchObject({ text: "<EXTRA>rule</EXTRA>", synthetic: true });
  });

  test("usage of the SDK is found in the row, by response", () => {
    const usages = [{ response_id: "r1", prompt_tokens: 90, completion_tokens: 3, cache_read_tokens: 60 }];
    const { whole } = openHands.read(
      sourceOf(jsonl([row("one", sdk, { metrics: { token_usages: usages } })])),
    );
    expect(whole.messages.map(({ usage }) => usage?.uncachedTokens)[2]).toBe(30);
  });

  test("a condensation of the SDK does the same", () => {
    const { seen, compactions, whole } = read(sdkCondensed);
    expect(compactions).toMatchObject([{ at: 10, removed: [2, 3, 4, 5, 6] }]);
    expect(words(seen)).toEqual([
      "You are OpenHands",
      "Today is Monday",
      "fix it",
      "<EXTRA>rule</EXTRA>",
      "main.c was found",
      "Done.",
      "go on",
    ]);
    expect(whole.messages).toHaveLength(11);
  });

  test("a patch larger than the sample does not hide whose file it is", () => {
    const huge = jsonl([row("one", sdk, { test_result: { git_patch: "+x\n".repeat(20_000) } })]);
    expect(detectWire(sampleFrom(sourceOf(huge))).name).toBe("openhands");
  });

  test("nor does a system prompt; and a log that only has a source and an action is not ours", () => {
    const { id, timestamp, source, ...rest } = action(0, "system", { content: "You are OpenHands agent" });
    const long = { id, timestamp, source, message: "x".repeat(20_000), ...rest };
    const exported = JSON.stringify([long, ...opening.slice(1)], null, 2);
    expect(detectWire(sampleFrom(sourceOf(exported))).name).toBe("openhands");
    const log = jsonl([{ source: "web", action: "click" }]);
    expect(openHands.detect(sampleFrom(sourceOf(log)))).toBe(0);
  });
});
