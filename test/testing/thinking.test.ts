/** Sealed thinking comes back as it was made, behind what it was made behind, or is refused. */
import { describe, expect, test } from "vitest";
import type { ModelServer } from "../../src/testing/index.ts";
import { askClaude, askResponses, CLAUDE, errorOf, post, serverFor, VERSION } from "./ask.ts";

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly thinking?: string;
  readonly signature?: string;
}

const on = { max_tokens: 4000, thinking: { type: "enabled", budget_tokens: 2000 } };
const tools = [
  { name: "look", description: "Looks.", input_schema: { type: "object" } },
  { name: "wait", description: "Waits.", input_schema: { type: "object" } },
];
const hello = { role: "user", content: "hello" };
const REPLIES = [{ thinking: "I should look.", calls: [{ name: "look" }] }, "Seen.", "Seen again."];

/** One step: the model thought and called, the tool answered. */
async function step(server: ModelServer) {
  const { body } = await askClaude(server, { ...on, system: "Be brief.", tools, messages: [hello] });
  const { content } = body as unknown as { content: Block[] };
  const call = content.find(({ type }) => type === "tool_use");
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: call?.id, content: "seen" }] };
  return { content, result };
}

const INVALID =
  "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";

describe("Anthropic", () => {
  test("what comes back unchanged is taken, whatever is not compared: marks, order of tools, spelling of texts", async () => {
    const server = await serverFor(REPLIES);
    const { content, result } = await step(server);
    const respelled = {
      role: "user",
      content: [{ type: "text", text: "hello\n", cache_control: { type: "ephemeral" } }],
    };
    const body = { ...on, system: [{ type: "text", text: "Be brief." }], tools: [...tools].reverse() };
    const answered = await askClaude(server, {
      ...body,
      messages: [respelled, { role: "assistant", content }, result],
    });
    expect(answered.status).toBe(200);
    expect(server.violations).toEqual([]);
  });

  const changes: readonly (readonly [string, object])[] = [
    ["system", { system: "Be verbose." }],
    ["a tool", { tools: tools.slice(0, 1) }],
    ["an earlier message", { first: { role: "user", content: "hello there" } }],
  ];
  test.each(changes)("changed before it: %s", async (_name, change) => {
    const server = await serverFor(REPLIES);
    const { content, result } = await step(server);
    const { first = hello, ...fields } = change as { first?: object };
    const messages = [first, { role: "assistant", content }, result];
    const body = { ...on, system: "Be brief.", tools, ...fields, messages };
    expect(errorOf(await askClaude(server, body))).toEqual([400, "invalid_request_error", INVALID]);
    const counted = await post(server, "/v1/messages/count_tokens", { model: CLAUDE, ...body }, VERSION);
    expect(errorOf(counted)[2]).toBe(INVALID);
  });

  test("with drop_block it is left out instead, and the answer says so", async () => {
    const server = await serverFor(REPLIES);
    const { content, result } = await step(server);
    const answered = await askClaude(
      server,
      {
        ...on,
        thinking: { ...on.thinking, block_binding: { prefix_mismatch_behavior: "drop_block" } },
        tools,
        system: "Be verbose.",
        messages: [hello, { role: "assistant", content }, result],
      },
      { "anthropic-beta": "thinking-binding-controls-2026-08-01" },
    );
    expect(answered.status).toBe(200);
    expect(answered.body).toMatchObject({
      input_transformations: [
        { type: "thinking_dropped", path: "messages.1.content.0", reason: "prefix_binding_mismatch" },
      ],
    });
  });

  test("changed itself: another sentence for the latest response than for older ones", async () => {
    const server = await serverFor(REPLIES);
    const { content, result } = await step(server);
    const edited = content.map((block) => (block.thinking ? { ...block, thinking: "I should not." } : block));
    const body = { ...on, system: "Be brief.", tools };
    const latest = [hello, { role: "assistant", content: edited }, result];
    expect(errorOf(await askClaude(server, { ...body, messages: latest }))[2]).toBe(
      "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
    );
    const older = [...latest, { role: "assistant", content: "Seen." }, hello];
    expect(errorOf(await askClaude(server, { ...body, messages: older }))[2]).toBe(
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    );
  });

  test("left out while results come back; but it may go once the model spoke again, or with thinking off", async () => {
    const server = await serverFor(REPLIES);
    const { content, result } = await step(server);
    const bare = content.filter(({ type }) => type !== "thinking");
    const messages = [hello, { role: "assistant", content: bare }, result];
    const body = { ...on, system: "Be brief.", tools };
    expect(errorOf(await askClaude(server, { ...body, messages }))[2]).toMatch(
      /^messages\.1\.content\.0\.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`\. When `thinking` is enabled/,
    );
    expect((await askClaude(server, { ...body, thinking: { type: "disabled" }, messages })).status).toBe(200);
    const later = [...messages, { role: "assistant", content: "Seen." }, hello];
    expect((await askClaude(server, { ...body, messages: later })).status).toBe(200);
  });

  test("left out where the user's words follow the results in a message of their own: it is joined with them", async () => {
    const server = await serverFor(REPLIES);
    const { content, result } = await step(server);
    const bare = content.filter(({ type }) => type !== "thinking");
    const messages = [hello, { role: "assistant", content: bare }, result, { role: "user", content: "and?" }];
    const body = { ...on, system: "Be brief.", tools };
    expect(errorOf(await askClaude(server, { ...body, messages }))[2]).toMatch(
      /^messages\.1\.content\.0\.type: Expected `thinking`/,
    );
    const whole = messages.with(1, { role: "assistant", content });
    expect((await askClaude(server, { ...body, messages: whole })).status).toBe(200);
  });

  test("hidden thinking is a seal alone, and holds as well", async () => {
    const hidden = { type: "thinking" as const, text: "secret", encrypted: "yes" };
    const server = await serverFor([{ parts: [hidden, { type: "text", text: "Hi." }] }, "Ho."]);
    const { body } = await askClaude(server, { messages: [hello] });
    const { content } = body as unknown as { content: Block[] };
    expect(content.map(({ type }) => type)).toEqual(["redacted_thinking", "text"]);
    expect(JSON.stringify(body)).not.toContain("secret");
    const messages = [hello, { role: "assistant", content }, hello];
    expect((await askClaude(server, { messages })).status).toBe(200);
    expect((await askClaude(server, { messages: messages.slice(1) })).status).toBe(400);
  });

  test("a second server knows the seals of the first", async () => {
    const { content, result } = await step(await serverFor(REPLIES));
    const messages = [hello, { role: "assistant", content }, result];
    const body = { ...on, system: "Be brief.", tools, messages };
    expect((await askClaude(await serverFor(["Seen."]), body)).status).toBe(200);
  });
});

test("OpenAI Responses takes encrypted reasoning only as it was made, wherever it stands", async () => {
  const server = await serverFor([{ thinking: "hm", text: "Hi." }, "Ho."]);
  const asked = { store: false, include: ["reasoning.encrypted_content"] };
  const { body } = await askResponses(server, "hello", asked);
  const { output } = body as unknown as { output: { encrypted_content?: string }[] };
  const [reasoning, message] = output;
  const edited = { ...reasoning, encrypted_content: `gAAA${reasoning?.encrypted_content?.slice(4)}` };
  const refused = await askResponses(server, [hello, edited, message, hello], asked);
  expect(refused.body).toMatchObject({ error: { code: "invalid_encrypted_content" } });
  const moved = await askResponses(
    server,
    [{ role: "user", content: "other" }, reasoning, message, hello],
    asked,
  );
  expect(moved.status).toBe(200);
});
