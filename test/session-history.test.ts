/** What hosts do to their history between two requests, besides adding to it. */
import { expect, test } from "vitest";
import { openSession } from "../src/session.ts";
import type { Json } from "../src/transcript/json.ts";
import { anthropicMessages } from "../src/wire/anthropic-messages.ts";
import type { BodyWire } from "../src/wire/wire.ts";
import { conversation, says, step } from "./anthropic-conversation.ts";

const open = (windowTokens = 20_000) => openSession({ model: "claude-opus-4-5", windowTokens });
/** A host's own objects, which it may change. */
const owned = (messages: readonly Json[]) => structuredClone(messages) as unknown as Said[];
interface Said {
  role: string;
  content: string | { type: string; text?: string; content?: string }[];
}
const text = (messages: readonly object[]) => JSON.stringify(messages);
const blocks = (message: Said | undefined) => (Array.isArray(message?.content) ? message.content : []);

test("a message that another was put in the place of is not sent any more, wherever it stands", async () => {
  const session = await open(1_000_000);
  const history = owned(conversation(200));
  await session.prepare(history);
  const redacted = history.map((message, index) => (index === 7 ? { ...message, content: "gone" } : message));
  const { messages } = await session.prepare([...redacted, ...owned([says("Go on.")])]);
  expect(messages[7]).toBe(redacted[7]);
});

test("what is added to the newest message in place is sent, kept and found", async () => {
  const session = await open();
  const history = owned(conversation(8));
  await session.prepare(history);
  blocks(history.at(-1)).push({ type: "text", text: "Stop: use the marmalade parser instead." });
  history.push(...owned(step(20)));
  expect(text((await session.prepare(history)).messages)).toContain("marmalade");
  for (let id = 21; id < 50; id += 1) {
    history.push(...owned(step(id)));
    expect(text((await session.prepare(history)).messages)).toContain("marmalade");
  }
});

test("behind a page too, a result that was changed in place goes out as it is now", async () => {
  const session = await open();
  const history = owned(conversation(30));
  expect((await session.prepare(history)).outcome?.kind).toBe("compacted");
  const [result] = blocks(history.at(-1));
  if (result) result.content = "shortened by the host";
  expect(text((await session.prepare(history)).messages)).toContain("shortened by the host");
});

test("what was changed in place long ago is what is kept when it leaves", async () => {
  const session = await open(1_000_000);
  const history = owned(conversation(30));
  await session.prepare(history);
  const [result] = blocks(history[2]);
  if (result) result.content = `a result with marmalade in it ${"and more ".repeat(300)}`;
  history.push(...owned([says("Go on.")]));
  await session.prepare(history);
  expect((await session.compact())?.kind).toBe("compacted");
  const { rows } = await session.refs({ contains: "marmalade" });
  expect(rows.map(({ kind }) => kind)).toContain("tool-result");
});

test("a cache mark that moves is no change: nothing is read anew", async () => {
  const session = await open(1_000_000);
  const history = owned(conversation(30));
  await session.prepare(history);
  const marked = { cache_control: { type: "ephemeral" } };
  for (let id = 40; id < 45; id += 1) {
    for (const message of history)
      for (const block of blocks(message)) Reflect.deleteProperty(block, "cache_control");
    Object.assign(blocks(history.at(-1))[0] ?? {}, marked);
    history.push(...owned(step(id)));
    const { messages } = await session.prepare(history);
    expect(messages.map((message, index) => message === history[index])).not.toContain(false);
  }
});

test("a host that goes on with the list it was given, and pushes to it, stays below its window", async () => {
  const session = await open();
  let list = owned(conversation(1));
  for (let id = 1; id < 60; id += 1) {
    const { messages } = await session.prepare(list);
    expect(text(messages).length).toBeLessThan(20_000 * 4);
    list = messages as Said[];
    list.push(...owned(step(id, 5)));
  }
  expect(text(list)).toContain("Never touch migrations/.");
});

test("what a host puts behind the list it was given stays in that request", async () => {
  const session = await open();
  const history = owned(conversation(3));
  const { messages } = await session.prepare(history);
  (messages as Said[]).push({ role: "user", content: "only this once" });
  history.push(...owned([says("Go on.")]));
  expect((await session.prepare(history)).messages).toEqual(history);
});

test("two conversations prepared at once get each their own messages, below the window", async () => {
  const session = await open();
  const [one, other] = [
    owned(conversation(30)),
    owned([says("Only a title."), ...conversation(60).slice(61)]),
  ];
  const [first, second] = await Promise.all([session.prepare(one), session.prepare(other)]);
  expect(text(first.messages)).toContain("Never touch migrations/.");
  expect(text(first.messages)).not.toContain("Only a title.");
  expect(text(second.messages)).toContain("Only a title.");
  for (const { messages } of [first, second])
    expect(text(messages).length).toBeLessThan(text(one).length / 2);
});

test("after an overflow the messages that were refused come back shorter, not those asked about since", async () => {
  const session = await open(1_000_000);
  const [one, other] = [owned(conversation(30)), owned([says("Only a title.")])];
  await session.prepare(one);
  await session.prepare(other);
  const recovered = await session.recover(
    new Error("prompt is too long: 210000 tokens > 200000 maximum"),
    one,
  );
  expect(text(recovered?.messages ?? [])).toContain("Never touch migrations/.");
  expect(text(recovered?.messages ?? []).length).toBeLessThan(text(one).length);
});

test("tools and a system prompt that are made anew for each request, and say the same, cost no new reading", async () => {
  let reads = 0;
  const wire: BodyWire = {
    ...anthropicMessages,
    read: (body) => {
      reads += Array.isArray(body) ? body.length : 0;
      return anthropicMessages.read(body);
    },
  };
  const session = await openSession({ model: "claude-opus-4-5", windowTokens: 1_000_000, wire });
  const history = owned(conversation(30));
  const around = (name: string) => ({
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    tools: [{ name, input_schema: { type: "object" } }],
  });
  for (let id = 40; id < 50; id += 1) {
    await session.prepare(history, around("Read"));
    history.push(...owned(step(id)));
  }
  expect(reads).toBe(61 + 9 * 2);
  await session.prepare(history, around("Write"));
  expect(reads).toBe(61 + 9 * 2 + history.length);
});

test("a compaction taken back does not take back what the host has changed in place since", async () => {
  const session = await open(1_000_000);
  const history = owned(conversation(30));
  await session.prepare(history);
  expect((await session.compact())?.kind).toBe("compacted");
  const [said] = blocks(history[1]);
  if (said) said.text = "redacted by the host";
  expect(await session.undo()).toBe(true);
  expect((await session.prepare(history)).messages).toEqual(history);
});

test("undo of one compaction of two writes what the host has changed since, and not what was read", async () => {
  const session = await open(400_000);
  const history = owned(conversation(30));
  await session.prepare(history);
  expect((await session.compact({ targetTokens: 20_000 }))?.kind).toBe("compacted");
  history.push(...owned(conversation(20)));
  await session.prepare(history);
  expect((await session.compact({ targetTokens: 12_000 }))?.kind).toBe("compacted");
  const [first] = history;
  if (first) first.content = "what the user says now";
  expect(await session.undo()).toBe(true);
  const { messages } = await session.prepare(history);
  expect(messages).not.toEqual(history);
  expect(text(messages)).toContain("what the user says now");
});

test("a history that cannot be read goes out as it is, with its overflow, and the next one is read", async () => {
  const said: unknown[] = [];
  const session = await openSession({ model: "claude-opus-4-5", onError: (error) => said.push(error) });
  const history = owned(conversation(30));
  await session.prepare(history);
  const unreadable = [
    ...history,
    { role: "assistant", content: [{ type: "tool_use", id: "t", name: "n", input: 1n }] },
  ];
  expect((await session.prepare(unreadable)).messages).toBe(unreadable);
  const overflow = new Error("prompt is too long: 210000 tokens > 200000 maximum");
  expect(await session.recover(overflow, unreadable)).toBeUndefined();
  expect(said).toHaveLength(2);
  history.push(...owned([says("Go on.")]));
  expect((await session.prepare(history)).messages).toEqual(history);
});
