/** Each rule broken once, and the provider's own answer to it. */
import { describe, expect, test } from "vitest";
import {
  askChat,
  askClaude,
  askGemini,
  askResponses,
  CLAUDE,
  errorOf,
  GPT,
  post,
  serverFor,
  VERSION,
} from "./ask.ts";

const hello = { role: "user", content: "hello" };
const use = (...ids: readonly string[]) => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_use", id, name: "look", input: {} })),
});
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "seen" });
const says = (...content: readonly object[]) => ({ role: "user", content });
const text = (words: string) => ({ type: "text", text: words });
const marked = { ...text("x"), cache_control: { type: "ephemeral" } };

describe("Anthropic", () => {
  const cases: readonly (readonly [string, object, string])[] = [
    ["no messages", { messages: [] }, "messages: at least one message is required"],
    [
      "a call nobody answered",
      { messages: [hello, use("a", "b"), says(text("and?"))] },
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a, b. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ],
    [
      "a call at the end",
      { messages: [hello, use("a")] },
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ],
    [
      "a result without a call",
      { messages: [says(result("a"))] },
      "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ],
    [
      "two results for one call",
      { messages: [hello, use("a"), says(result("a"), result("a"))] },
      "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a",
    ],
    [
      "words before results",
      { messages: [hello, use("a"), says(text("look:"), result("a"))] },
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ],
    [
      "one id for two calls",
      { messages: [hello, use("a"), says(result("a")), use("a"), says(result("a"))] },
      "messages: `tool_use` ids must be unique",
    ],
    [
      "an odd id",
      { messages: [hello, use("a|b"), says(result("a|b"))] },
      "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    ["an empty text", { messages: [says(text(""))] }, "messages: text content blocks must be non-empty"],
    [
      "a blank text",
      { messages: [says(text(" \n"))] },
      "messages: text content blocks must contain non-whitespace text",
    ],
    [
      "an empty system text",
      { system: [text("")], messages: [hello] },
      "system: text content blocks must be non-empty",
    ],
    [
      "an empty message",
      { messages: [hello, { role: "assistant", content: [] }, hello] },
      "messages.1: all messages must have non-empty content except for the optional final assistant message",
    ],
    [
      "the model first",
      { messages: [use("a"), says(result("a"))] },
      'messages: first message must use the "user" role',
    ],
    [
      "the model last",
      { messages: [hello, { role: "assistant", content: "Hi" }] },
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    ],
    [
      "an unknown role",
      { messages: [{ role: "tool", content: "x" }] },
      'messages: Unexpected role "tool". Allowed roles are "user" or "assistant".',
    ],
    [
      "a system message where the model takes none",
      { messages: [hello, { role: "system", content: "x" }] },
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    ],
    [
      "five cache marks",
      { system: [marked, marked], messages: [says(marked, marked, marked)] },
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    ["no max_tokens", { max_tokens: undefined, messages: [hello] }, "max_tokens: Field required"],
    [
      "too many max_tokens",
      { max_tokens: 100_000, messages: [hello] },
      `max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for ${CLAUDE}`,
    ],
    [
      "a thinking budget over max_tokens",
      { max_tokens: 2000, thinking: { type: "enabled", budget_tokens: 2000 }, messages: [hello] },
      "`max_tokens` must be greater than `thinking.budget_tokens`.",
    ],
    [
      "block_binding without its beta",
      { thinking: { type: "adaptive", block_binding: {} }, messages: [hello] },
      "thinking.block_binding: Extra inputs are not permitted",
    ],
  ];

  test.each(cases)("%s", async (_name, body, message) => {
    const server = await serverFor(["never said"]);
    expect(errorOf(await askClaude(server, body))).toEqual([400, "invalid_request_error", message]);
    expect(server.violations.map((violation) => violation.message)).toContain(message);
  });

  test("a request without a version, an unknown model, a wrong key", async () => {
    const server = await serverFor(["Hi."], { models: [CLAUDE], keys: ["right"] });
    const body = { model: CLAUDE, max_tokens: 10, messages: [hello] };
    const key = { "x-api-key": "right" };
    expect(errorOf(await post(server, "/v1/messages", body, key))).toEqual([
      400,
      "invalid_request_error",
      "anthropic-version: header is required",
    ]);
    expect(errorOf(await askClaude(server, { ...body, model: "claude-9" }, key))).toEqual([
      404,
      "not_found_error",
      "model: claude-9",
    ]);
    expect(errorOf(await askClaude(server, body))).toEqual([
      401,
      "authentication_error",
      "invalid x-api-key",
    ]);
    expect((await askClaude(server, body, key)).status).toBe(200);
  });

  test("32 MB are taken, more are not", async () => {
    const server = await serverFor(["Hi."], { windowTokens: 100_000_000 });
    const paste = (chars: number) => ({ messages: [{ role: "user", content: "x".repeat(chars) }] });
    expect((await askClaude(server, paste(33_500_000))).status).toBe(200);
    const tooLarge = await askClaude(server, paste(33_600_000));
    expect(errorOf(tooLarge)).toEqual([413, "request_too_large", "Request exceeds the maximum size"]);
  });

  test("a prompt over the window", async () => {
    const server = await serverFor(["Hi."], { windowTokens: 50 });
    const long = { messages: [{ role: "user", content: "word ".repeat(400) }] };
    const [status, type, message] = errorOf(await askClaude(server, long));
    expect([status, type]).toEqual([400, "invalid_request_error"]);
    expect(message).toBe(`prompt is too long: ${server.requests[0]?.promptTokens} tokens > 50 maximum`);
  });

  test("broken JSON", async () => {
    const server = await serverFor([]);
    const [status, type, message] = errorOf(await post(server, "/v1/messages", "{", VERSION));
    expect([status, type]).toEqual([400, "invalid_request_error"]);
    expect(message).toMatch(/^The request body is not valid JSON/);
  });
});

describe("OpenAI Chat", () => {
  const calls = (...ids: readonly string[]) => ({
    role: "assistant",
    content: null,
    tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "look", arguments: "{}" } })),
  });
  const answer = (id: string) => ({ role: "tool", tool_call_id: id, content: "seen" });
  const long = "x".repeat(65);
  const cases: readonly (readonly [string, readonly object[], string])[] = [
    [
      "no messages",
      [],
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    ],
    [
      "a call nobody answered",
      [hello, calls("a", "b"), answer("a"), hello],
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: b",
    ],
    [
      "a result without a call",
      [hello, answer("a")],
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    ],
    [
      "a long id",
      [hello, calls(long), answer(long)],
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
    ],
    [
      "an unknown role",
      [{ role: "robot", content: "x" }],
      "Invalid value: 'robot'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
    ],
    [
      "an empty list of calls",
      [hello, { role: "assistant", content: "x", tool_calls: [] }, hello],
      "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    ],
    [
      "nothing said",
      [{ role: "user", content: null }],
      "Invalid value for 'content': expected a string, got null.",
    ],
  ];

  test.each(cases)("%s", async (_name, messages, message) => {
    const server = await serverFor(["never said"]);
    expect(errorOf(await askChat(server, messages))).toEqual([400, "invalid_request_error", message]);
  });

  test("the error names parameter and code as OpenAI does", async () => {
    const server = await serverFor([], { windowTokens: 10 });
    expect((await askChat(server, [{ role: "user", content: "word ".repeat(50) }])).body).toMatchObject({
      error: { param: "messages", code: "context_length_exceeded", type: "invalid_request_error" },
    });
    expect((await askChat(server, [hello, answer("a")])).body).toMatchObject({
      error: { param: "messages.[1].role", code: null },
    });
  });

  test("an unknown model, broken JSON", async () => {
    const server = await serverFor([], { models: ["gpt-5"] });
    expect(errorOf(await askChat(server, [hello]))).toEqual([
      404,
      "invalid_request_error",
      `The model \`${GPT}\` does not exist or you do not have access to it.`,
    ]);
    const [status, , message] = errorOf(await post(server, "/v1/chat/completions", "nonsense"));
    expect([status, message.slice(0, 50)]).toEqual([
      400,
      "We could not parse the JSON body of your request. ",
    ]);
  });
});

describe("OpenAI Responses", () => {
  const call = (id: string) => ({ type: "function_call", call_id: id, name: "look", arguments: "{}" });
  const output = (id: string) => ({ type: "function_call_output", call_id: id, output: "seen" });
  const cases: readonly (readonly [string, readonly object[], string])[] = [
    ["a call nobody answered", [hello, call("a"), hello], "No tool output found for function call a."],
    [
      "an output without a call",
      [hello, output("a")],
      "No tool call found for function call output with call_id a.",
    ],
    [
      "one id for two calls",
      [hello, call("a"), output("a"), call("a"), output("a")],
      "Duplicate item found with id a. Remove duplicate items from your input and try again.",
    ],
  ];

  test.each(cases)("%s", async (_name, input, message) => {
    const server = await serverFor(["never said"]);
    expect(errorOf(await askResponses(server, input))).toEqual([400, "invalid_request_error", message]);
  });

  test("a reference to what is not stored is not found", async () => {
    const server = await serverFor([{ thinking: "hm", text: "Hi." }, "Ho."]);
    const first = await askResponses(server, "hello", { store: false });
    const { output: items } = first.body as { output: { id: string }[] };
    const again = await askResponses(server, [hello, { type: "item_reference", id: items[0]?.id }, hello]);
    expect(errorOf(again)).toEqual([
      404,
      "invalid_request_error",
      `Item with id '${items[0]?.id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    ]);
    const unknown = await askResponses(server, "hello", { previous_response_id: "resp_1" });
    expect(errorOf(unknown)[2]).toBe("Previous response with id 'resp_1' not found.");
  });

  test("an item does not come back without the reasoning it was made from, nor reasoning alone", async () => {
    const server = await serverFor([{ thinking: "hm", calls: [{ name: "look" }] }, "Seen.", "Seen."]);
    const first = await askResponses(server, "hello", { include: ["reasoning.encrypted_content"] });
    const { output: items } = first.body as { output: { id: string; call_id: string }[] };
    const [reasoning, made] = items;
    const seen = output(made?.call_id ?? "");
    expect(errorOf(await askResponses(server, [hello, made, seen]))).toEqual([
      400,
      "invalid_request_error",
      `Item '${made?.id}' of type 'function_call' was provided without its required 'reasoning' item: '${reasoning?.id}'.`,
    ]);
    expect(errorOf(await askResponses(server, [hello, reasoning, hello]))[2]).toBe(
      `Item '${reasoning?.id}' of type 'reasoning' was provided without its required following item.`,
    );
    expect((await askResponses(server, [hello, reasoning, made, seen])).status).toBe(200);
  });

  test("a conversation goes on from the response before, and counts as a whole", async () => {
    const server = await serverFor(["Hi.", "Ho."]);
    const first = await askResponses(server, "hello");
    const { id } = first.body as { id: string };
    await askResponses(server, "and now?", { previous_response_id: id });
    const said = server.requests[1]?.transcript.messages.map(({ role }) => role);
    expect(said).toEqual(["user", "assistant", "user"]);
  });

  test("a prompt over the window", async () => {
    const server = await serverFor([], { windowTokens: 10 });
    const answered = await askResponses(server, "word ".repeat(50));
    expect(answered.body).toMatchObject({ error: { code: "context_length_exceeded", param: "input" } });
    expect(errorOf(answered)[2]).toBe(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
    );
  });
});

describe("Gemini", () => {
  const asks = { role: "user", parts: [{ text: "hello" }] };
  const call = (name: string) => ({
    functionCall: { name, args: {} },
    thoughtSignature: "skip_thought_signature_validator",
  });
  const answer = (name: string) => ({ functionResponse: { name, response: { output: "seen" } } });
  const model = (...parts: readonly object[]) => ({ role: "model", parts });
  const user = (...parts: readonly object[]) => ({ role: "user", parts });
  const UNEQUAL =
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  const cases: readonly (readonly [string, readonly object[], string])[] = [
    ["fewer answers than calls", [asks, model(call("a"), call("b")), user(answer("a"))], UNEQUAL],
    ["a call nobody answered", [asks, model(call("a")), asks], UNEQUAL],
    [
      "an answer without a call",
      [asks, user(answer("a"))],
      "Please ensure that function response turn comes immediately after a function call turn.",
    ],
    ["no contents", [], "* GenerateContentRequest.contents: contents is not specified\n"],
    ["no parts", [user()], "* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.\n"],
    ["an unknown role", [{ role: "robot", parts: [{ text: "x" }] }], "Please use a valid role: user, model."],
    [
      "the model last",
      [asks, model({ text: "Hi" })],
      "Please ensure that multiturn requests ends with a user role or a function response.",
    ],
    [
      "a signature nobody made",
      [
        asks,
        model({ functionCall: { name: "a", args: {} }, thoughtSignature: "b2RkIQ==" }),
        user(answer("a")),
      ],
      "Corrupted thought signature.",
    ],
  ];

  test.each(cases)("%s", async (_name, contents, message) => {
    const server = await serverFor(["never said"]);
    expect(errorOf(await askGemini(server, contents))).toEqual([400, "INVALID_ARGUMENT", message]);
  });

  test("a call of the running turn that lost its signature", async () => {
    const server = await serverFor([{ calls: [{ name: "a" }] }, "Seen.", "Seen."]);
    const first = (await askGemini(server, [asks])).body as {
      candidates: { content: { parts: { functionCall: object; thoughtSignature: string }[] } }[];
    };
    const made = first.candidates[0]?.content.parts[0];
    const bare = model({ functionCall: made?.functionCall });
    const [status, , message] = errorOf(await askGemini(server, [asks, bare, user(idAnswer(made))]));
    expect([status, message.slice(0, 66)]).toEqual([
      400,
      "Function call is missing a thought_signature in functionCall parts",
    ]);
    expect((await askGemini(server, [asks, model(made ?? {}), user(idAnswer(made))])).status).toBe(200);
    expect(
      (await askGemini(server, [asks, bare, user(idAnswer(made)), model({ text: "ok" }), asks])).status,
    ).toBe(200);
  });

  function idAnswer(made: { functionCall: object } | undefined): object {
    return {
      functionResponse: {
        ...(made?.functionCall as { id: string; name: string }),
        args: undefined,
        response: {},
      },
    };
  }

  test("a prompt over the window, an unknown model", async () => {
    const server = await serverFor([], { windowTokens: 10, models: ["gemini-3-pro"] });
    const [status, type, message] = errorOf(await askGemini(server, [user({ text: "word ".repeat(50) })]));
    expect([status, type]).toEqual([400, "INVALID_ARGUMENT"]);
    expect(message).toBe(
      `The input token count (${server.requests[0]?.promptTokens}) exceeds the maximum number of tokens allowed (10).`,
    );
    const unknown = await post(server, "/v1beta/models/gemini-9:generateContent", { contents: [asks] });
    expect(errorOf(unknown).slice(0, 2)).toEqual([404, "NOT_FOUND"]);
  });
});

test("what a server is lenient about is recorded, and answered", async () => {
  const server = await serverFor(["Hi."], { lenient: ["blank-text"] });
  expect((await askClaude(server, { messages: [says(text("hello"), text(" "))] })).status).toBe(200);
  expect(server.violations.map(({ code }) => code)).toEqual(["blank-text"]);
});

test("what the rules refuse costs no reply of the script", async () => {
  const server = await serverFor(["Hi."]);
  expect((await askClaude(server, { messages: [] })).status).toBe(400);
  expect((await askClaude(server, { messages: [hello] })).body).toMatchObject({ content: [text("Hi.")] });
  const [status, , message] = errorOf(await askClaude(server, { messages: [hello] }));
  expect([status, message]).toEqual([400, "The script has no reply left: this is its request number 2."]);
});
