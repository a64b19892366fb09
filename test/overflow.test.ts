import { APICallError, RetryError } from "ai";
import { describe, expect, test } from "vitest";
import { isOverflow } from "../src/overflow.ts";
import { type OverflowWire, overflowBody, overflowMessage } from "../src/overflow-message.ts";
import { OVERFLOWS } from "../src/overflow-table.ts";

/** Provider, what it says, tokens, limit: as sent, with numbers where the text has them. */
const said: readonly (readonly [string, string, (number | undefined)?, (number | undefined)?])[] = [
  ["Anthropic", "prompt is too long: 219898 tokens > 200000 maximum", 219_898, 200_000],
  ["Anthropic", "Prompt too long"],
  [
    "Anthropic, with max_tokens",
    "input length and `max_tokens` exceed context limit: 199759 + 21333 > 200000, decrease input length or `max_tokens` and try again",
    199_759,
    200_000,
  ],
  ["Anthropic, bytes", "Request exceeds the maximum size"],
  ["Bedrock", "Input is too long for requested model."],
  ["Bedrock", "Too many input tokens. Max input tokens: 8192, request input token count: 9000", 9000, 8192],
  [
    "Bedrock",
    "Malformed input request: expected maxLength: 42000, actual: 46735, please reformat your input",
  ],
  ["Bedrock", "prompt: length: 1..200000"],
  [
    "OpenAI Responses",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
  ],
  [
    "OpenAI, Azure",
    "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300125 tokens. Please reduce the length of the messages.",
    300_125,
    272_000,
  ],
  [
    "OpenAI, vLLM, DeepSeek, OpenRouter",
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 131245 tokens. Please reduce the length of the messages.",
    131_245,
    128_000,
  ],
  [
    "OpenAI, vLLM, DeepSeek, OpenRouter",
    "This model's maximum context length is 32768 tokens. However, you requested 40960 tokens (36864 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.",
    36_864,
    32_768,
  ],
  [
    "OpenAI, vLLM, DeepSeek, OpenRouter",
    "This model's maximum context length is 65536 tokens. However, your request has 70001 input tokens. Please reduce the length of the input messages.",
    70_001,
    65_536,
  ],
  [
    "OpenAI, vLLM, DeepSeek, OpenRouter",
    'This endpoint\'s maximum context length is 262144 tokens. However, you requested about 300123 tokens (290000 of text input, 10123 in the output). Please reduce the length of either one, or use the "middle-out" transform.',
    290_000,
    262_144,
  ],
  [
    "OpenRouter",
    "The input length of 300123 tokens exceeds the maximum allowed input length of 262,144 tokens",
    300_123,
    262_144,
  ],
  [
    "LiteLLM",
    "Requested token count exceeds the model's maximum context length of 32,768 tokens",
    undefined,
    32_768,
  ],
  ["LiteLLM", "The prompt exceeds the maximum context length (8192)", undefined, 8192],
  ["LiteLLM", "litellm.ContextWindowExceededError: litellm.BadRequestError: AnthropicException"],
  [
    "Gemini",
    "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
    1_200_293,
    1_048_576,
  ],
  [
    "Gemini",
    "The input token count exceeds the maximum number of tokens allowed 1048576.",
    undefined,
    1_048_576,
  ],
  ["Gemini, bytes", "Request payload size exceeds the limit: 20971520 bytes."],
  [
    "xAI",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    537_812,
    131_072,
  ],
  ["Groq", "Please reduce the length of the messages or completion."],
  ["Groq", "Please reduce the length of the messages."],
  [
    "Mistral",
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    40_000,
    32_768,
  ],
  ["Mistral", "The prompt has too many tokens"],
  [
    "Cohere",
    "too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try using a shorter prompt or a smaller max_tokens value.",
    6354,
    2048,
  ],
  [
    "Together, SGLang",
    "The input (50000 tokens) is longer than the model's context length (32768 tokens).",
    50_000,
    32_768,
  ],
  [
    "Hugging Face TGI, Together, SageMaker",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`",
    9000,
    8193,
  ],
  ["Hugging Face TGI, Together, SageMaker", "length limit exceeded"],
  ["GitHub Copilot", "prompt token count of 135000 exceeds the limit of 128000", 135_000, 128_000],
  ["GitHub Copilot, bytes", "413 failed to parse request"],
  ["MiniMax", "invalid params, context window exceeds limit (2013)"],
  [
    "Kimi",
    "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)",
    291_351,
    262_144,
  ],
  [
    "DashScope, Qwen",
    "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
    undefined,
    129_024,
  ],
  ["Cerebras", "400 status code (no body)"],
  ["Cerebras", "413 (no body)"],
  [
    "Cerebras",
    "Please reduce the length of the messages or completion. Current length is 9127 while limit is 8192",
    9127,
    8192,
  ],
  [
    "llama.cpp",
    "request (12000 tokens) exceeds the available context size (8192 tokens), try increasing it",
    12_000,
    8192,
  ],
  [
    "llama.cpp",
    "input (12000 tokens) is larger than the max context size (8192 tokens). skipping",
    12_000,
    8192,
  ],
  ["LM Studio", "The number of tokens to keep from the initial prompt is greater than the context length."],
  [
    "LM Studio",
    "Trying to keep the first 12000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    12_000,
    4096,
  ],
  ["Ollama", "prompt too long; exceeded max context length by 12 tokens"],
  ["Ollama", "the input length exceeds the context length"],
  ["DS4", "Prompt has 150,000 tokens, but the configured context size is 131,072 tokens", 150_000, 131_072],
  ["any", "context length exceeded"],
  ["any", "token limit exceeded"],
  ["any, bytes", "413 Request Entity Too Large"],
];

describe("what a provider says when the prompt does not fit", () => {
  test.each(said.map(([provider, message, tokens, limit]) => ({ provider, message, tokens, limit })))(
    "$provider: $message",
    ({ provider, message, tokens, limit }) => {
      const expected = {
        kind: "overflow",
        provider,
        ...(tokens === undefined ? {} : { tokens }),
        ...(limit === undefined ? {} : { limit }),
      };
      expect(isOverflow(message)).toMatchObject(expected);
      expect(isOverflow(message)?.tokens).toBe(tokens);
      expect(isOverflow(message)?.limit).toBe(limit);
      expect(isOverflow(new Error(message))).toMatchObject(expected);
      expect(isOverflow({ error: { message } })).toMatchObject(expected);
    },
  );

  test("every row of the table is quoted above or by its code or status below", () => {
    const quoted = OVERFLOWS.filter(
      ({ says }) => says !== undefined && said.some(([, text]) => says.test(text)),
    );
    const others = OVERFLOWS.filter((row) => !quoted.includes(row));
    expect(others.map(({ code, status }) => code ?? status)).toEqual([
      "request_too_large",
      "1261",
      "exceed_context_size_error",
      "context_length_exceeded",
      413,
    ]);
  });

  test.each([
    ["request_too_large", { type: "error", error: { type: "request_too_large", message: "Too big." } }],
    ["1261", { error: { code: "1261", message: "输入过长" } }],
    [
      "context_length_exceeded",
      { type: "response.failed", response: { error: { code: "context_length_exceeded" } } },
    ],
    ["413", { statusCode: 413, message: "nope" }],
  ])("by the code %s alone", (_code, body) => {
    expect(isOverflow(body)).toMatchObject({ kind: "overflow" });
  });

  test("llama.cpp gives the numbers as fields", () => {
    const error = {
      code: 400,
      type: "exceed_context_size_error",
      n_prompt_tokens: 9001,
      n_ctx: 8192,
      message: "no",
    };
    expect(isOverflow({ error })).toEqual({
      kind: "overflow",
      provider: "llama.cpp",
      tokens: 9001,
      limit: 8192,
    });
  });

  test("too many bytes are told apart from too many tokens, and a long answer from a long prompt", () => {
    expect(isOverflow("Request payload size exceeds the limit: 20971520 bytes.")).toMatchObject({
      isBytes: true,
    });
    expect(isOverflow("prompt is too long: 3 tokens > 2 maximum")).not.toHaveProperty("isBytes");
    expect(isOverflow(said[2]?.[1])).toMatchObject({ outputTokens: 21_333 });
  });
});

describe("what only sounds like it", () => {
  test.each([
    "429 Too many tokens, please wait before trying again.",
    "Throttling error: Too many tokens, please wait before trying again.",
    "Service unavailable: too many tokens",
    "An error occurred (ThrottlingException) when calling the Converse operation: Too many tokens per day, please wait before trying again.",
    "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000.",
    "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 41234. The input or output tokens must be reduced.",
    "Too many requests: token limit exceeded",
    "You exceeded your current quota: daily token limit exceeded",
    "max_tokens: 128001 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5",
    "max_tokens is too large: 128000. This model supports at most 16384 completion tokens",
    "The maximum tokens you requested exceeds the model limit of 32768",
    "Invalid `signature` in `thinking` block. The block is bound to a different conversation; prompt is too long",
    "Invalid 'user': string too long. Expected a string with maximum length 64",
    "string_above_max_length: Invalid 'messages[0].content': string too long",
    "The number of images exceeds the limit of 20",
    "messages.1.content.0.image: image exceeds 5 MB maximum",
    "Overloaded",
    "",
  ])("%s", (message) => {
    expect(isOverflow(message)).toBeUndefined();
    expect(isOverflow(new Error(message))).toBeUndefined();
    expect(isOverflow({ type: "error", error: { message } })).toBeUndefined();
  });

  test("the status says it: throttled, not allowed, overloaded", () => {
    for (const status of [401, 403, 429, 503, 529])
      expect(isOverflow(Object.assign(new Error("too many tokens"), { status }))).toBeUndefined();
    expect(isOverflow(Object.assign(new Error("too many tokens"), { status: 400 }))).toBeDefined();
    expect(isOverflow({ name: "ThrottlingException", message: "Too many tokens" })).toBeUndefined();
    expect(isOverflow({ message: "Too many tokens", $metadata: { httpStatusCode: 429 } })).toBeUndefined();
  });

  test.each([undefined, null, 0, true, [], {}, () => 1, Symbol("a")])("%s", (thrown) => {
    expect(isOverflow(thrown)).toBeUndefined();
  });
});

describe("as clients throw it", () => {
  const message = "prompt is too long: 219898 tokens > 200000 maximum";
  const body = { type: "error", error: { type: "invalid_request_error", message }, request_id: "req_1" };
  const found = { tokens: 219_898, limit: 200_000 };
  const aiSdk = (text: string, requestBodyValues: unknown = {}) =>
    new APICallError({
      message: text,
      url: "https://api.anthropic.com/v1/messages",
      requestBodyValues,
      statusCode: 400,
      responseBody: JSON.stringify(body),
    });

  test("the AI SDK: the body as text, and the last of its retries", () => {
    expect(isOverflow(aiSdk("Bad Request"))).toMatchObject(found);
    const throttled = new Error("Rate limit reached");
    const retry = (errors: Error[]) =>
      new RetryError({ message: "Failed after 2 attempts.", reason: "maxRetriesExceeded", errors });
    expect(isOverflow(retry([throttled, aiSdk("Bad Request")]))).toMatchObject(found);
    expect(isOverflow(retry([aiSdk("Bad Request"), throttled]))).toBeUndefined();
  });

  test("the vendors' own: a status before the body in the message, the body as an object", () => {
    const text = `400 ${JSON.stringify(body)}`;
    expect(isOverflow(Object.assign(new Error(text), { status: 400 }))).toMatchObject(found);
    expect(isOverflow(Object.assign(new Error("400"), { status: 400, error: body }))).toMatchObject(found);
    expect(isOverflow(`429 ${JSON.stringify(body)}`)).toBeUndefined();
  });

  test("wrapped in causes, in an axios response, in OpenRouter's raw, in a list, in Gemini's", () => {
    expect(isOverflow(new Error("turn failed", { cause: new Error("x", { cause: body }) }))).toMatchObject(
      found,
    );
    expect(isOverflow({ message: "Request failed", response: { status: 400, data: body } })).toMatchObject(
      found,
    );
    expect(
      isOverflow({
        error: { message: "Provider returned error", code: 400, metadata: { raw: JSON.stringify(body) } },
      }),
    ).toMatchObject(found);
    expect(isOverflow([{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }])).toMatchObject(found);
  });

  test("a cause that leads back to itself ends", () => {
    const error = new Error("a");
    error.cause = error;
    expect(isOverflow(error)).toBeUndefined();
  });

  test("the conversation that rides along is not the provider's words", () => {
    const error = new APICallError({
      message: "Internal server error",
      url: "https://api.anthropic.com/v1/messages",
      requestBodyValues: { messages: [{ role: "user", content: message }] },
      statusCode: 500,
      responseBody: "{}",
    });
    expect(isOverflow(error)).toBeUndefined();
    expect(isOverflow({ role: "assistant", content: [{ type: "text", text: message }] })).toBeUndefined();
    expect(
      isOverflow({ choices: [{ message: { content: message } }], error: null, message }),
    ).toBeUndefined();
  });

  test("a page of megabytes is looked at for its beginning only", () => {
    expect(isOverflow(`input length ${"a ".repeat(20_000_000)}`)).toBeUndefined();
  });
});

describe("responses that do not fail", () => {
  test("the stop reason says it, in a body and in a stream", () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 199_000, cache_creation_input_tokens: 900 };
    expect(isOverflow({ stop_reason: "model_context_window_exceeded", content: [], usage })).toMatchObject({
      tokens: 199_910,
    });
    expect(
      isOverflow({ type: "message_delta", delta: { stop_reason: "model_context_window_exceeded" } }),
    ).toBeDefined();
    expect(
      isOverflow({ stop_reason: "end_turn", content: [], usage }, { windowTokens: 200_000 }),
    ).toBeUndefined();
  });

  test.each([
    [
      "ours",
      { usage: { uncachedTokens: 1, cacheReadTokens: 200_000, cacheWriteTokens: 0, outputTokens: 5 } },
    ],
    [
      "Chat",
      { choices: [{ finish_reason: "stop" }], usage: { prompt_tokens: 200_001, completion_tokens: 5 } },
    ],
    ["Responses", { response: { output: [], usage: { input_tokens: 200_001, output_tokens: 5 } } }],
    ["Gemini", { candidates: [], usageMetadata: { promptTokenCount: 200_001, candidatesTokenCount: 5 } }],
  ])("more was counted than the window holds: %s", (_wire, response) => {
    expect(isOverflow(response, { windowTokens: 200_000 })).toMatchObject({
      tokens: 200_001,
      limit: 200_000,
    });
    expect(isOverflow(response, { windowTokens: 200_001 })).toBeUndefined();
    expect(isOverflow(response)).toBeUndefined();
  });

  test("no word of an answer, because the prompt filled the window to the brim", () => {
    const response = (prompt: number, output: number, reason = "length") => ({
      choices: [{ finish_reason: reason }],
      usage: { prompt_tokens: prompt, completion_tokens: output },
    });
    const options = { windowTokens: 100_000 };
    expect(isOverflow(response(99_000, 0), options)).toBeDefined();
    expect(isOverflow(response(98_999, 0), options)).toBeUndefined();
    expect(isOverflow(response(99_000, 1), options)).toBeUndefined();
    expect(isOverflow(response(99_000, 0, "stop"), options)).toBeUndefined();
  });
});

describe("overflowMessage", () => {
  const wires: readonly OverflowWire[] = ["anthropic-messages", "openai-chat", "openai-responses", "gemini"];

  test.each(wires)("%s: what we say is understood, by us as well", (wire) => {
    const numbers = wire === "openai-responses" ? {} : { tokens: 250_000, limit: 200_000 };
    expect(isOverflow(overflowMessage(wire, 250_000, 200_000))).toMatchObject(numbers);
    expect(isOverflow(overflowBody(wire, 250_000, 200_000))).toMatchObject({ kind: "overflow", ...numbers });
  });

  test("the words are those that harnesses recover from", () => {
    expect(wires.map((wire) => overflowMessage(wire, 3, 2))).toEqual([
      "prompt is too long: 3 tokens > 2 maximum",
      "This model's maximum context length is 2 tokens. However, your messages resulted in 3 tokens. Please reduce the length of the messages.",
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "The input token count (3) exceeds the maximum number of tokens allowed (2).",
    ]);
  });
});
