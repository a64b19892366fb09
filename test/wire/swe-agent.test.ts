import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/transcript/json.ts";
import type { Part, Transcript } from "../../src/transcript/message.ts";
import { pairUp } from "../../src/transcript/pairs.ts";
import { sourceOf } from "../../src/wire/source.ts";
import { sweAgent } from "../../src/wire/swe-agent.ts";
import { testSessionWire, written } from "../contracts/wire.ts";

const acts = (thought: string, action: string) => ({
  role: "assistant",
  content: `${thought}\n\n\`\`\`\n${action}\n\`\`\``,
  thought: `${thought}\n\n`,
  action: `${action}\n`,
  agent: "primary",
});
const says = (role: string, content: Json, more: JsonObject = {}) => ({
  role,
  content,
  agent: "primary",
  ...more,
});
const traj = (history: readonly Json[], more: JsonObject = {}) =>
  JSON.stringify(
    {
      environment: "swe_main",
      trajectory: [{ action: "ls\n", observation: "a.py\n", response: "…", state: "{}", thought: "Look." }],
      history,
      info: { exit_status: "submitted", model_stats: { tokens_sent: 9, tokens_received: 1, api_calls: 2 } },
      ...more,
    },
    null,
    2,
  );

/** 0.x: nothing says what an observation is but its place. */
const textual = [
  says("system", "SETTING: you are a programmer"),
  says("user", "Here is a demonstration", { is_demo: true }),
  says("user", "Fix the bug in a.py"),
  acts("Look around.", "ls -a"),
  says("user", "a.py\n(Current directory: /w)\nbash-$"),
  acts("Open it.", "open a.py 10"),
  says("user", "[File: /w/a.py (3 lines total)]"),
  acts("Done, and this text goes\non.", "submit"),
];

/** 1.x with function calling. */
const native = [
  says("system", "You can interact with a computer", { message_type: "system_prompt" }),
  says("user", [{ type: "text", text: "Fix the bug" }], { message_type: "observation" }),
  says("assistant", "I look.", {
    message_type: "action",
    thought: "I look.",
    action: "str_replace_editor view /w",
    tool_calls: [
      {
        index: 1,
        id: "call_1",
        type: "function",
        function: { name: "str_replace_editor", arguments: '{"command":"view","path":"/w"}' },
      },
    ],
    thinking_blocks: [{ type: "thinking", thinking: "hm", signature: "sig" }],
  }),
  says("tool", [{ type: "text", text: "OBSERVATION:\na.py", cache_control: { type: "ephemeral" } }], {
    message_type: "observation",
    tool_call_ids: ["call_1"],
  }),
  says("assistant", "", {
    message_type: "action",
    action: "submit",
    tool_calls: [{ id: "call_2", type: "function", function: { name: "submit", arguments: "{}" } }],
  }),
];

testSessionWire(sweAgent, [
  { name: "actions in the text", value: traj(textual) },
  { name: "tool calls", value: traj(native, { replay_config: "{}" }) },
]);

const read = (history: readonly Json[], more?: JsonObject) => sweAgent.read(sourceOf(traj(history, more)));
const outline = (transcript: Transcript) =>
  transcript.messages.map(({ role, parts }) => `${role}: ${parts.map((part) => part.type).join(" ")}`);
const rewrite = (history: readonly Json[], edit: (part: Part) => Part) => {
  const source = sourceOf(traj(history));
  const session = sweAgent.read(source);
  const messages = session.seen.messages.map((message) => ({ ...message, parts: message.parts.map(edit) }));
  return JSON.parse(written(sweAgent, session, source, { ...session.seen, messages }));
};

describe("swe-agent, what is its own", () => {
  test("an action in the text is a call, and the message after it its result", () => {
    expect(outline(read(textual).whole)).toEqual([
      "system: text",
      "user: text",
      "assistant: text tool-call",
      "user: tool-result",
      "assistant: text tool-call",
      "user: tool-result",
      "assistant: text tool-call",
    ]);
    expect(read(textual).whole.messages[2]?.parts).toMatchObject([
      { text: "Look around." },
      { callId: "step-1", name: "bash", input: { command: "ls -a" } },
    ]);
  });

  test("its own commands keep their name; the last one stays open", () => {
    const { pairs, orphans } = pairUp(read(textual).whole);
    expect(pairs.map(({ call, result }) => [call.part.name, result !== undefined])).toEqual([
      ["bash", true],
      ["open", true],
      ["submit", false],
    ]);
    expect(orphans).toEqual([]);
  });

  test("demonstrations and the second telling of the steps are no part of the conversation", () => {
    const all = JSON.stringify(read(textual).whole);
    expect(all).not.toContain("demonstration");
    expect(all.match(/ls -a/g)).toHaveLength(1);
  });

  test("text and command are edited apart, though they are one string", () => {
    const edited = rewrite(textual, (part) => {
      if (part.type === "text" && part.text === "Look around.") return { ...part, text: "…" };
      return part.type === "tool-call" && part.callId === "step-2"
        ? { ...part, input: { command: "open b.py" } }
        : part;
    });
    expect(edited.history[3].content).toBe("…\n\n```\nls -a\n```");
    expect(edited.history[5]).toMatchObject({
      content: "Open it.\n\n```\nopen b.py\n```",
      action: "open b.py",
    });
    expect(edited.trajectory).toEqual(JSON.parse(traj(textual)).trajectory);
  });

  test("an action that is not in the text is called as it was recorded, and cannot be edited", () => {
    const hidden = [
      ...textual.slice(0, 3),
      { ...acts("Look.", "ls"), content: "<function=bash>ls</function>" },
    ];
    const { parts } = read(hidden).whole.messages.at(-1) ?? {};
    expect(parts).toMatchObject([{ type: "text" }, { type: "tool-call", input: { command: "ls\n" } }]);
    expect(() =>
      rewrite(hidden, (part) => (part.type === "tool-call" ? { ...part, input: {} } : part)),
    ).toThrow(/part of the text/);
  });

  test("a fence in the text before does no harm, and one that would end the command early is refused", () => {
    expect(() =>
      rewrite(textual, (part) =>
        part.type === "text" && part.text === "Look around." ? { ...part, text: "```\nrm -rf /\n```" } : part,
      ),
    ).not.toThrow();
    expect(() =>
      rewrite(textual, (part) =>
        part.type === "tool-call" && part.callId === "step-1"
          ? { ...part, input: { command: "cat <<E\n```\nE" } }
          : part,
      ),
    ).toThrow(/read back/);
  });

  test("tool calls of 1.x are read as they are, with what was thought before them", () => {
    const { messages } = read(native).whole;
    expect(outline({ messages })).toEqual([
      "system: text",
      "user: text",
      "assistant: thinking text tool-call",
      "tool: tool-result",
      "assistant: tool-call",
    ]);
    expect(messages[2]?.parts[2]).toMatchObject({ callId: "call_1", input: { command: "view", path: "/w" } });
    expect(messages[3]?.parts[0]).toMatchObject({
      callId: "call_1",
      output: [{ text: "OBSERVATION:\na.py" }],
    });
  });

  test("a shortened result keeps what stood beside its text", () => {
    const edited = rewrite(native, (part) =>
      part.type === "tool-result" ? { ...part, output: [{ type: "text", text: "gone" }] } : part,
    );
    expect(edited.history[3].content).toEqual([
      { type: "text", text: "gone", cache_control: { type: "ephemeral" } },
    ]);
  });

  test("the harness's last words are no action", () => {
    const exit = says("assistant", "Exit due to cost limit", { action: "exit_cost", thought: "" });
    expect(outline(read([...textual.slice(0, 5), exit]).whole).at(-1)).toBe("assistant: text");
  });

  test("of several attempts the chosen one is the conversation, and the others stand aside", () => {
    const attempts = [{ history: textual.slice(0, 5) }, { history: textual }];
    const chosen = read(textual, { attempts });
    expect(chosen.asides.map(({ kind, name }) => [kind, name])).toEqual([["rewound", "attempt-1"]]);
    const open = sweAgent.read(sourceOf(JSON.stringify({ attempts })));
    expect(outline(open.whole)).toEqual(outline(chosen.whole));
    expect(open.asides).toHaveLength(1);
  });
});
