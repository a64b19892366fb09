/** The order of events is part of each API: clients are state machines over it. Pinned as literals. */
import { describe, expect, test } from "vitest";
import { type Json, object, string } from "../../src/transcript/json.ts";
import { askChat, askClaude, askGemini, askResponses, eventsOf, post, serverFor } from "./ask.ts";

const REPLY = {
  thinking: "hm, so",
  text: "I look.",
  calls: [{ name: "look", input: { at: "a" }, id: "call_1" }, { name: "wait" }],
  chunkChars: 4,
};
const hello = { role: "user", content: "hello" };

describe("Anthropic", () => {
  test("blocks open, fill and close one after the other, between message_start and message_stop", async () => {
    const server = await serverFor([REPLY]);
    const answered = await askClaude(server, { stream: true, messages: [hello] });
    expect(answered.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(eventsOf(answered).map(summary)).toEqual([
      "message_start",
      "content_block_start 0 thinking",
      "ping",
      'content_block_delta 0 thinking_delta "hm, "',
      'content_block_delta 0 thinking_delta "so"',
      "content_block_delta 0 signature_delta",
      "content_block_stop 0",
      "content_block_start 1 text",
      'content_block_delta 1 text_delta "I lo"',
      'content_block_delta 1 text_delta "ok."',
      "content_block_stop 1",
      "content_block_start 2 tool_use",
      'content_block_delta 2 input_json_delta ""',
      'content_block_delta 2 input_json_delta "{\\"at"',
      'content_block_delta 2 input_json_delta "\\":\\"a"',
      'content_block_delta 2 input_json_delta "\\"}"',
      "content_block_stop 2",
      "content_block_start 3 tool_use",
      'content_block_delta 3 input_json_delta ""',
      'content_block_delta 3 input_json_delta "{}"',
      "content_block_stop 3",
      "message_delta tool_use",
      "message_stop",
    ]);
  });

  test("every event carries its name", async () => {
    const server = await serverFor(["Hi."]);
    const { text } = await askClaude(server, { stream: true, messages: [hello] });
    const names = text.match(/^event: .*$/gm)?.map((line) => line.slice(7));
    expect(names).toEqual([
      "message_start",
      "content_block_start",
      "ping",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
  });

  test("usage stands at the start, and its output at the end", async () => {
    const server = await serverFor([{ text: "Hi.", usage: { uncachedTokens: 7, outputTokens: 9 } }]);
    const events = eventsOf(await askClaude(server, { stream: true, messages: [hello] })).map(object);
    expect(object(events[0]?.["message"])["usage"]).toMatchObject({ input_tokens: 7, output_tokens: 1 });
    expect(events.at(-2)?.["usage"]).toMatchObject({ input_tokens: 7, output_tokens: 9 });
  });

  function summary(event: Json): string {
    const { type, index, content_block: block, delta } = object(event);
    const { type: kind, stop_reason: stop, ...fields } = object(delta);
    const [said] = kind === "signature_delta" ? [] : Object.values(fields).filter((value) => value !== null);
    const opened = string(object(block)["type"]);
    const words = [type, index, opened, kind ?? stop, said === undefined ? undefined : JSON.stringify(said)];
    return words.filter((word) => word !== undefined).join(" ");
  }
});

describe("OpenAI Chat", () => {
  test("role, reasoning, content, calls with their arguments in pieces, the end, usage, [DONE]", async () => {
    const server = await serverFor([REPLY]);
    const more = { stream: true, stream_options: { include_usage: true } };
    const events = eventsOf(await askChat(server, [hello], more));
    const deltas = events.slice(0, -2).map((event) => {
      const [choice] = object(event)["choices"] as { delta: Json; finish_reason: string | null }[];
      return choice?.finish_reason ?? choice?.delta;
    });
    expect(deltas).toEqual([
      { role: "assistant", content: "", refusal: null },
      { reasoning_content: "hm, " },
      { reasoning_content: "so" },
      { content: "I lo" },
      { content: "ok." },
      {
        tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "look", arguments: "" } }],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"at' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '":"a' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '"}' } }] },
      {
        tool_calls: [
          {
            index: 1,
            id: expect.stringMatching(/^call_/),
            type: "function",
            function: { name: "wait", arguments: "" },
          },
        ],
      },
      { tool_calls: [{ index: 1, function: { arguments: "{}" } }] },
      "tool_calls",
    ]);
    expect(object(events.at(-2))["choices"]).toEqual([]);
    expect(object(events.at(-2))["usage"]).toMatchObject({ prompt_tokens: server.requests[0]?.promptTokens });
    expect(events.at(-1)).toBe("[DONE]");
  });

  test("usage is not said where it was not asked for", async () => {
    const server = await serverFor(["Hi."]);
    expect((await askChat(server, [hello], { stream: true })).text).not.toContain("usage");
  });
});

describe("OpenAI Responses", () => {
  test("each item is added, filled, said whole, and done", async () => {
    const server = await serverFor([REPLY]);
    const events = eventsOf(await askResponses(server, "hello", { stream: true })).map(object);
    expect(events.map(({ type }) => string(type)?.replace("response.", ""))).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "reasoning_summary_part.added",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
      "output_item.done",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "output_item.added",
      "function_call_arguments.delta",
      "function_call_arguments.delta",
      "function_call_arguments.delta",
      "function_call_arguments.done",
      "output_item.done",
      "output_item.added",
      "function_call_arguments.delta",
      "function_call_arguments.done",
      "output_item.done",
      "completed",
    ]);
    expect(events.map(({ sequence_number: sequence }) => sequence)).toEqual(events.map((_, index) => index));
    const { output } = object(events.at(-1)?.["response"]);
    expect(output).toMatchObject([
      { type: "reasoning", summary: [{ text: "hm, so" }] },
      { type: "message", content: [{ type: "output_text", text: "I look." }] },
      { type: "function_call", call_id: "call_1", arguments: '{"at":"a"}' },
      { type: "function_call", name: "wait" },
    ]);
    expect(JSON.stringify(output)).not.toContain("encrypted_content");
  });

  test("an answer cut short is incomplete; free text is a custom call", async () => {
    const server = await serverFor([
      { text: "Hi", ends: "max-tokens" },
      { calls: [{ name: "patch", input: "*** Begin" }] },
    ]);
    const first = eventsOf(await askResponses(server, "hello", { stream: true })).map(object);
    expect(first.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    });
    const second = await askResponses(server, "hello");
    expect(second.body).toMatchObject({
      output: [{ type: "custom_tool_call", name: "patch", input: "*** Begin" }],
    });
  });
});

describe("Gemini", () => {
  const contents = [{ role: "user", parts: [{ text: "hello" }] }];

  test("texts in pieces, calls whole, the end with the last; the seal stands on the first call", async () => {
    const server = await serverFor([REPLY]);
    const answered = await askGemini(server, contents, "streamGenerateContent?alt=sse");
    const candidates = eventsOf(answered).map((event) => object((object(event)["candidates"] as Json[])[0]));
    const parts = candidates.flatMap(({ content }) => object(content)["parts"] as Json[]);
    expect(parts).toEqual([
      { text: "hm, ", thought: true },
      { text: "so", thought: true },
      { text: "I lo" },
      { text: "ok." },
      {
        functionCall: { id: "call_1", name: "look", args: { at: "a" } },
        thoughtSignature: expect.any(String),
      },
      { functionCall: { id: expect.any(String), name: "wait", args: {} } },
    ]);
    expect(candidates.map(({ finishReason }) => finishReason)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      "STOP",
    ]);
  });

  test("without alt=sse the stream is one JSON list", async () => {
    const server = await serverFor([REPLY]);
    const { body } = await askGemini(server, contents, "streamGenerateContent");
    expect(body).toHaveLength(6);
  });

  test("before Gemini 3 calls have no ids, and without thinking no seal", async () => {
    const server = await serverFor([{ calls: [{ name: "look" }] }]);
    const { body } = await post(server, "/v1beta/models/gemini-2.5-pro:generateContent", { contents });
    expect(body).toMatchObject({
      candidates: [{ content: { parts: [{ functionCall: { name: "look", args: {} } }] } }],
    });
    expect(JSON.stringify(body)).not.toMatch(/"id"|thoughtSignature/);
  });
});

test("a stream says what the whole answer says", async () => {
  const server = await serverFor(() => ({ text: "Grüße 🌞🌞🌞", chunkChars: 1 }));
  const events = eventsOf(await askClaude(server, { stream: true, messages: [hello] })).map(object);
  const said = events.map(({ delta }) => string(object(delta)["text"]) ?? "").join("");
  expect(said).toBe("Grüße 🌞🌞🌞");
});
