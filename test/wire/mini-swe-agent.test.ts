import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/transcript/json.ts";
import { hasUserWords, type Part, type Transcript } from "../../src/transcript/message.ts";
import { pairUp } from "../../src/transcript/pairs.ts";
import { miniSweAgent } from "../../src/wire/mini-swe-agent.ts";
import { sourceOf } from "../../src/wire/source.ts";
import { detectWire, sampleFrom } from "../../src/wire/wires.ts";
import { testSessionWire, written } from "../contracts/wire.ts";

const response = {
  model: "google/gemini-3-pro",
  created: 1_763_509_596,
  usage: {
    prompt_tokens: 1000,
    completion_tokens: 30,
    cost: 0.5,
    prompt_tokens_details: { cached_tokens: 800 },
  },
};
const says = (role: string, content: Json, more: JsonObject = {}) => ({ role, content, ...more });
const acts = (content: string) => says("assistant", content, { extra: { response } });
const prints = (code: number, output: string) =>
  says("user", `<returncode>${code}</returncode>\n<output>\n${output}\n</output>`);
const traj = (messages: readonly Json[], info: JsonObject = {}, more: JsonObject = {}) =>
  JSON.stringify(
    {
      info: {
        exit_status: "Submitted",
        submission: "diff --git",
        model_stats: { instance_cost: 1, api_calls: 2 },
        mini_version: "1.15.0",
        config: { model: { model_name: "gemini/from-config" }, environment: { cwd: "/testbed" } },
        ...info,
      },
      messages,
      trajectory_format: "mini-swe-agent-1",
      instance_id: "django__django-1",
      ...more,
    },
    null,
    2,
  );

const textual = [
  says("system", "You are a helpful assistant"),
  says("user", "<pr_description>Fix it</pr_description>"),
  acts("THOUGHT: look\n\n```bash\nls -la\n```"),
  prints(0, "a.py"),
  acts("THOUGHT: two of them\n\n```bash\nls\n```\n\n```bash\npwd\n```"),
  says("user", "Please always provide EXACTLY ONE action in triple backticks, found 2 actions."),
  acts("THOUGHT: run it\n\n```bash\npython a.py\n```\n\nThat should fail."),
  prints(1, "Traceback"),
  acts("THOUGHT: hand in\n\n```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff\n```"),
  says("user", "diff --git a/a.py b/a.py"),
];

const bash = (id: string, command: string) => ({
  id,
  type: "function",
  function: { name: "bash", arguments: JSON.stringify({ command }) },
});
const tools = [
  says("system", "You are a helpful assistant"),
  says("user", "Fix it"),
  says("assistant", "I look twice.", {
    tool_calls: [bash("c1", "ls"), bash("c2", "cat a.py")],
    reasoning_content: "two at once",
    extra: {
      actions: [{ command: "ls", tool_call_id: "c1" }],
      cost: 0.25,
      timestamp: 1_763_509_600.5,
      response,
    },
  }),
  says("tool", "<returncode>0</returncode>\n<output>\na.py</output>", {
    tool_call_id: "c1",
    extra: { raw_output: "a.py", returncode: 0, timestamp: 1_763_509_601, exception_info: "" },
  }),
  says("tool", "<returncode>2</returncode>\n<output>\nno such file</output>", {
    tool_call_id: "c2",
    extra: { raw_output: "no such file", returncode: 2 },
  }),
  says("assistant", null, { tool_calls: [bash("c3", "submit")], extra: { actions: [], response } }),
  says("exit", "diff --git", { extra: { exit_status: "Submitted", submission: "diff --git" } }),
];

const item = (type: string, more: JsonObject) => ({ type, ...more });
const responses = [
  says("system", "You are a helpful assistant"),
  says("user", "Fix it"),
  {
    object: "response",
    id: "resp_1",
    model: "gpt-5",
    created_at: 1_763_509_596,
    usage: { input_tokens: 500, output_tokens: 9, input_tokens_details: { cached_tokens: 100 } },
    output: [
      item("message", {
        role: "assistant",
        content: [{ type: "output_text", text: "I look.", annotations: [] }],
      }),
      item("function_call", {
        call_id: "c1",
        name: "bash",
        arguments: '{"command":"ls"}',
        status: "completed",
      }),
    ],
    extra: { actions: [{ command: "ls", tool_call_id: "c1" }], cost: 0.1 },
  },
  item("function_call_output", {
    call_id: "c1",
    output: "<returncode>0</returncode>",
    extra: { raw_output: "", returncode: 0 },
  }),
];

testSessionWire(miniSweAgent, [
  { name: "v1", value: traj(textual) },
  { name: "v2 with tool calls", value: traj(tools, { mini_version: "2.0.0" }) },
  { name: "v2 with whole responses", value: traj(responses, { mini_version: "2.1.0" }) },
]);

const read = (messages: readonly Json[]) => miniSweAgent.read(sourceOf(traj(messages)));
const outline = (transcript: Transcript) =>
  transcript.messages.map(({ role, parts }) => `${role}: ${parts.map((part) => part.type).join(" ")}`);
const answers = (transcript: Transcript) =>
  pairUp(transcript).pairs.map(({ call, result }) => [call.part.input, result?.part.isError]);
const rewrite = (messages: readonly Json[], edit: (part: Part) => Part) => {
  const source = sourceOf(traj(messages));
  const session = miniSweAgent.read(source);
  const next = session.seen.messages.map((message) => ({ ...message, parts: message.parts.map(edit) }));
  return JSON.parse(written(miniSweAgent, session, source, { ...session.seen, messages: next }));
};

describe("mini-swe-agent, what is its own", () => {
  test("every response of v1 is a step with an answer; a failed command and a malformed response are errors", () => {
    expect(answers(read(textual).whole)).toEqual([
      [{ command: "ls -la" }, false],
      [{}, true],
      [{ command: "python a.py" }, true],
      [{ command: "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff" }, false],
    ]);
    expect(pairUp(read(textual).whole).orphans).toEqual([]);
  });

  test("what stands around the command is text of its own", () => {
    expect(read(textual).whole.messages[6]?.parts).toMatchObject([
      { text: "THOUGHT: run it" },
      { name: "bash" },
      { text: "That should fail." },
    ]);
  });

  test("thought, command and afterthought can be edited in one go", () => {
    const edited = rewrite(textual, (part) => {
      if (part.type === "text" && part.text.startsWith("THOUGHT: run")) return { ...part, text: "…" };
      if (part.type === "text" && part.text.startsWith("That")) return { ...part, text: "No." };
      return part.type === "tool-call" && part.callId === "step-3"
        ? { ...part, input: { command: "python b.py" } }
        : part;
    });
    expect(edited.messages[6].content).toBe("…\n\n```bash\npython b.py\n```\n\nNo.");
    // What stands before it was edited too, so its usage no longer holds.
    expect(edited.messages[6].extra).toEqual({ response: { ...response, usage: null } });
  });

  test("a thought that shows another command is refused: the harness would run neither", () => {
    expect(() =>
      rewrite(textual, (part) =>
        part.type === "text" && part.text === "THOUGHT: look" ? { ...part, text: "```bash\nls\n```" } : part,
      ),
    ).toThrow(/read back/);
  });

  test("usage is the provider's, with the cached part taken out of the prompt", () => {
    expect(read(textual).whole.messages[2]).toMatchObject({
      model: "google/gemini-3-pro",
      at: 1_763_509_596_000,
      usage: {
        uncachedTokens: 200,
        cacheReadTokens: 800,
        cacheWriteTokens: 0,
        outputTokens: 30,
        costUsd: 0.5,
      },
    });
    expect(read(responses).whole.messages[2]?.usage).toMatchObject({ uncachedTokens: 400, costUsd: 0.1 });
  });

  test("a command that timed out is an error", () => {
    const late = says("user", "The last command <command>sleep\n9</command> timed out and has been killed.");
    expect(answers(read([...textual.slice(0, 3), late]).whole)).toEqual([[{ command: "ls -la" }, true]]);
  });

  test("a failed result that is shortened stays an error, whatever is left of its text", () => {
    const source = sourceOf(traj(textual));
    const session = miniSweAgent.read(source);
    const short = (part: Part): Part =>
      part.type === "tool-result" ? { ...part, output: [{ type: "text", text: "⟦gone⟧" }] } : part;
    const messages = session.seen.messages.map((message) => ({
      ...message,
      parts: message.parts.map(short),
    }));
    const again = miniSweAgent.read(
      sourceOf(written(miniSweAgent, session, source, { ...session.seen, messages })),
    );
    const failures = ({ messages: all }: Transcript) =>
      all.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool-result" ? part.isError : [])));
    expect(failures(again.seen)).toEqual(failures(session.seen));
  });

  test("what a person says instead of running the command is theirs, and the command was no call", () => {
    const no = says("user", "Command not executed. The user rejected your command: never touch main");
    const { messages } = read([...textual.slice(0, 3), no, acts("```bash\nls\n```")]).whole;
    expect(outline({ messages }).slice(2)).toEqual(["assistant: text", "user: text", "assistant: tool-call"]);
    expect(messages.map(hasUserWords)).toEqual([false, true, false, true, false]);
  });

  test("tool calls of v2 pair by id, and the exit is what the last one printed", () => {
    expect(outline(read(tools).whole)).toEqual([
      "system: text",
      "user: text",
      "assistant: thinking text tool-call tool-call",
      "tool: tool-result",
      "tool: tool-result",
      "assistant: tool-call",
      "user: tool-result",
    ]);
    expect(answers(read(tools).whole)).toEqual([
      [{ command: "ls" }, false],
      [{ command: "cat a.py" }, true],
      [{ command: "submit" }, false],
    ]);
  });

  test("an exit that answers nothing is the harness's word", () => {
    const exit = says("exit", "LimitsExceeded", { extra: { exit_status: "LimitsExceeded" } });
    const last = read([...tools.slice(0, 5), exit]).whole.messages.at(-1);
    expect(last).toMatchObject({ role: "user", parts: [{ type: "text", synthetic: true }] });
  });

  test("complaints of v2 are not the user's words; interruptions are", () => {
    const complaint = says("user", "No tool calls found", { extra: { interrupt_type: "FormatError" } });
    const comment = says("user", "Interrupted by user: stop", {
      extra: { interrupt_type: "UserInterruption" },
    });
    const { messages } = read([...tools.slice(0, 5), complaint, comment]).whole;
    expect(messages.slice(-2).map(hasUserWords)).toEqual([false, true]);
  });

  test("whole responses are taken apart into what was said and called", () => {
    expect(outline(read(responses).whole).slice(2)).toEqual([
      "assistant: text tool-call",
      "tool: tool-result",
    ]);
    expect(answers(read(responses).whole)).toEqual([[{ command: "ls" }, false]]);
  });

  test("a submission larger than the sample does not hide whose file it is", () => {
    const huge = traj(textual, { submission: "+x\n".repeat(20_000) });
    expect(detectWire(sampleFrom(sourceOf(huge))).name).toBe("mini-swe-agent");
  });
});
