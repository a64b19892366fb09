/** What goes wrong in the world, on demand. */
import { describe, expect, test } from "vitest";
import { type Fault, type Reply, startModelServer } from "../../src/testing/index.ts";
import { object } from "../../src/transcript/json.ts";
import {
  type Answered,
  askChat,
  askClaude,
  askGemini,
  askResponses,
  errorOf,
  eventsOf,
  post,
  serverFor,
  VERSION,
} from "./ask.ts";

const hello = { role: "user", content: "hello" };
const ask = {
  anthropic: (server, stream = false) => askClaude(server, { messages: [hello], stream }),
  chat: (server, stream = false) => askChat(server, [hello], { stream }),
  responses: (server, stream = false) => askResponses(server, "hello", { stream }),
  gemini: (server, stream = false) =>
    askGemini(
      server,
      [{ role: "user", parts: [{ text: "hello" }] }],
      stream ? "streamGenerateContent?alt=sse" : "generateContent",
    ),
} satisfies Record<
  string,
  (server: Awaited<ReturnType<typeof serverFor>>, stream?: boolean) => Promise<Answered>
>;

const everyone = Object.entries(ask);

test("each provider is overloaded, limited and broken in its own words", async () => {
  const errors = async (fault: Fault) =>
    Promise.all(everyone.map(async ([, asks]) => errorOf(await asks(await serverFor([{ fault }])))));
  expect(await errors({ kind: "overloaded" })).toEqual([
    [529, "overloaded_error", "Overloaded"],
    [503, "server_error", "The engine is currently overloaded, please try again later."],
    [503, "server_error", "The engine is currently overloaded, please try again later."],
    [503, "UNAVAILABLE", "The model is overloaded. Please try again later."],
  ]);
  expect((await errors({ kind: "rate-limit" })).map(([status, type]) => [status, type])).toEqual([
    [429, "rate_limit_error"],
    [429, "tokens"],
    [429, "tokens"],
    [429, "RESOURCE_EXHAUSTED"],
  ]);
  expect((await errors({ kind: "server-error" })).map(([status]) => status)).toEqual([500, 500, 500, 500]);
  expect(await errors({ kind: "overflow", tokens: 213_462, windowTokens: 200_000 })).toEqual([
    [400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"],
    [
      400,
      "invalid_request_error",
      "This model's maximum context length is 200000 tokens. However, your messages resulted in 213462 tokens. Please reduce the length of the messages.",
    ],
    [
      400,
      "invalid_request_error",
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
    ],
    [
      400,
      "INVALID_ARGUMENT",
      "The input token count (213462) exceeds the maximum number of tokens allowed (200000).",
    ],
  ]);
});

test("a limit may say when to come back, and any status may be asked for", async () => {
  const server = await serverFor([
    { fault: { kind: "rate-limit", retryAfterSeconds: 7 } },
    { fault: { kind: "status", status: 403, message: "Not you." } },
  ]);
  expect((await ask.anthropic(server)).headers.get("retry-after")).toBe("7");
  expect(errorOf(await ask.anthropic(server))).toEqual([403, "permission_error", "Not you."]);
});

describe.each(everyone)("%s", (name, asks) => {
  test("a connection is cut before, and in the middle of, an answer", async () => {
    for (const stream of [false, true]) {
      const server = await serverFor([
        { text: "Hi there.", fault: { kind: "cut", afterChunks: 0 } },
        { text: "Hi there.", fault: "cut" },
        "Hi there.",
      ]);
      await expect(asks(server, stream)).rejects.toThrow();
      await expect(asks(server, stream)).rejects.toThrow();
      expect((await asks(server, stream)).text).toContain("there.");
    }
  });

  test("garbage comes with status 200", async () => {
    const server = await serverFor([
      { text: "Hi.", fault: "garbage" },
      { text: "Hi.", fault: "garbage" },
    ]);
    const whole = await asks(server);
    expect([whole.status, whole.body]).toEqual([200, null]);
    const { status, text } = await asks(server, true);
    expect(status).toBe(200);
    expect(text).toContain("<html>");
  });

  test("a stream ends in the provider's error event", async () => {
    const server = await serverFor([
      { text: "Hi.", fault: { kind: "stream-error", afterChunks: 2, error: "overflow" } },
    ]);
    const events = eventsOf(await asks(server, true)).map(object);
    const last = events.at(-1) ?? {};
    const error = object(name === "responses" ? object(last["response"])["error"] : last["error"]);
    expect(String(error["message"])).toMatch(/too long|maximum context|exceeds/);
    expect(last["type"]).toBe({ anthropic: "error", responses: "response.failed" }[name]);
    if (name === "responses") expect(last["sequence_number"]).toBe(2);
  });

  test("an empty answer is an answer", async () => {
    const server = await serverFor([{}, {}]);
    expect((await asks(server)).status).toBe(200);
    const events = eventsOf(await asks(server, true));
    expect(events.length).toBeGreaterThan(0);
  });

  test("slow chunks arrive one by one", async () => {
    const server = await serverFor([{ text: "one two three", chunkChars: 4, delayMs: 20, chunkDelayMs: 20 }]);
    const before = performance.now();
    const { text } = await asks(server, true);
    expect(performance.now() - before).toBeGreaterThan(70);
    expect(text).toContain("one ");
  });
});

test("an answer ends as the script says, in each provider's word for it", async () => {
  const words = async (reply: Reply) =>
    Promise.all(
      everyone.map(async ([, asks]) => {
        const { text } = await asks(await serverFor([reply]));
        return /"(?:stop_reason|finish_reason|finishReason)":"(\w+)"|"reason":"(\w+)"|"status":"(completed)"/
          .exec(text)
          ?.slice(1)
          .find(Boolean);
      }),
    );
  expect(await words({ text: "Hi" })).toEqual(["end_turn", "stop", "completed", "STOP"]);
  expect(await words({ text: "Hi", ends: "max-tokens" })).toEqual([
    "max_tokens",
    "length",
    "max_output_tokens",
    "MAX_TOKENS",
  ]);
  expect(await words({ ends: "window-full" })).toEqual([
    "model_context_window_exceeded",
    "length",
    "max_output_tokens",
    "MAX_TOKENS",
  ]);
  expect(await words({ text: "No.", ends: "refusal" })).toEqual(["refusal", "stop", "completed", "SAFETY"]);
});

test("OpenAI refuses in a field of its own", async () => {
  const server = await serverFor(() => ({ text: "No.", ends: "refusal" }));
  expect((await ask.chat(server)).body).toMatchObject({
    choices: [{ message: { content: null, refusal: "No." } }],
  });
  expect((await ask.responses(server)).body).toMatchObject({
    output: [{ content: [{ type: "refusal", refusal: "No." }] }],
  });
});

test("closing ends open streams at once", async () => {
  const server = await startModelServer({
    script: [{ text: "one two three", chunkChars: 1, chunkDelayMs: 60_000 }],
  });
  const open = ask.anthropic(server, true);
  const failed = expect(open).rejects.toThrow();
  while (server.requests[0]?.status === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  await server.close();
  await failed;
  await expect(fetch(server.url)).rejects.toThrow();
});

test("a script may ask what was asked; where it fails, the test hears of it", async () => {
  const server = await serverFor((request, turn) => {
    if (turn === 1) throw new Error("oh");
    return `${request.api} ${request.transcript.messages.length}`;
  });
  expect((await ask.anthropic(server)).text).toContain("anthropic 1");
  expect(errorOf(await ask.anthropic(server))).toEqual([
    400,
    "invalid_request_error",
    "The script failed at its request number 2: Error: oh",
  ]);
});

test("models are listed as each provider lists them; other paths are not found", async () => {
  const server = await serverFor([], { models: ["claude-sonnet-4-5"] });
  const list = async (path: string, headers = {}) =>
    (await fetch(`${server.url}${path}`, { headers })).json();
  expect(await list("/v1/models")).toMatchObject({ object: "list", data: [{ id: "claude-sonnet-4-5" }] });
  expect(await list("/v1/models", VERSION)).toMatchObject({ data: [{ type: "model" }], has_more: false });
  expect(await list("/v1beta/models")).toMatchObject({ models: [{ name: "models/claude-sonnet-4-5" }] });
  expect((await post(server, "/v1/nothing", {})).status).toBe(404);
});

test("what is recorded holds no key", async () => {
  const server = await serverFor(["Hi."]);
  const path = "/v1beta/models/gemini-3-pro:generateContent?key=sk-secret";
  await post(server, path, { contents: [{ role: "user", parts: [{ text: "x" }] }] }, { cookie: "sk-secret" });
  const [request] = server.requests;
  expect(JSON.stringify(request)).not.toContain("sk-secret");
  expect([request?.method, request?.path, request?.hasKey, request?.model]).toEqual([
    "POST",
    "/v1beta/models/gemini-3-pro:generateContent",
    true,
    "gemini-3-pro",
  ]);
});
