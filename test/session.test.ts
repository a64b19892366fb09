/** The library as an agent uses it: one call before each request, one after it. */
import { describe, expect, test } from "vitest";
import { measure } from "../src/measure/measure.ts";
import { openSession } from "../src/session.ts";
import { memoryStore } from "../src/store/memory.ts";
import { check } from "../src/transcript/check.ts";
import type { Json } from "../src/transcript/json.ts";
import type { Usage } from "../src/transcript/message.ts";
import { anthropicMessages } from "../src/wire/anthropic-messages.ts";
import { conversation, says, step, words } from "./anthropic-conversation.ts";

const usage = (tokens: number): Usage => ({
  uncachedTokens: tokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 10,
});
const problems = (messages: readonly Json[]) =>
  check(anthropicMessages.read([...messages]), { provider: "anthropic" });

const open = (more: Parameters<typeof openSession>[0] = {}) =>
  openSession({ model: "claude-opus-4-5", windowTokens: 20_000, ...more });

/** A real store on a disk that fills up. */
function breakable() {
  let isBroken = false;
  const store = new Proxy(memoryStore(), {
    get: (whole, key) =>
      key === "keep" && isBroken
        ? () => Promise.reject(new Error("disk full"))
        : Reflect.get(whole, key).bind(whole),
  });
  return {
    store,
    breakDown: () => {
      isBroken = true;
    },
    mend: () => {
      isBroken = false;
    },
  };
}

describe("a session", () => {
  test("lets a small conversation through untouched, object by object", async () => {
    const session = await open();
    const messages = conversation(3);
    const prepared = await session.prepare(messages);
    expect(prepared.outcome).toBeUndefined();
    for (const [index, message] of prepared.messages.entries()) expect(message).toBe(messages[index]);
  });

  test("keeps a growing conversation under the window, legal, with the user's words", async () => {
    const session = await open();
    const messages = [...conversation(1)];
    let compactions = 0;
    for (let id = 1; id < 60; id += 1) {
      messages.push(...step(id));
      const prepared = await session.prepare(messages);
      if (prepared.outcome) compactions += 1;
      expect(problems(prepared.messages)).toEqual([]);
      expect(JSON.stringify(prepared.messages)).toContain("Never touch migrations/.");
    }
    expect(compactions).toBeGreaterThan(1);
    expect(compactions).toBeLessThan(20);
  });

  test("gives the same bytes for the same messages, before and after a restart, and for a host that parses anew", async () => {
    const store = memoryStore();
    const messages = conversation(30);
    const first = await (await open({ store, id: "s" })).prepare(messages);
    expect(first.outcome?.kind).toBe("compacted");
    const resumed = await (await open({ store, id: "s" })).prepare(JSON.parse(JSON.stringify(messages)));
    expect(resumed.outcome).toBeUndefined();
    expect(JSON.stringify(resumed.messages)).toBe(JSON.stringify(first.messages));
  });

  test("what left is read back by the tools it gives, byte for byte", async () => {
    const session = await open();
    await session.prepare(conversation(30));
    const { rows } = await session.refs({ kind: "tool-result", limit: 100 });
    expect(rows.length).toBeGreaterThan(5);
    const texts = await Promise.all(
      rows.map(async ({ ref }) => (await session.tools.run("read_ref", { ref })).text),
    );
    expect(texts.some((text) => text.includes(words("file 0", 40)))).toBe(true);
  });

  test("compacts on demand, and takes it back", async () => {
    const session = await open();
    const messages = conversation(11);
    await session.prepare(messages);
    const outcome = await session.compact({ focus: "the parser" });
    expect(outcome?.kind).toBe("compacted");
    const small = (await session.prepare(messages)).messages.length;
    expect(small).toBeLessThan(messages.length);
    expect(await session.undo()).toBe(true);
    expect((await session.prepare(messages)).messages).toEqual(messages);
  });

  test("usage from before a compaction does not trigger the next one", async () => {
    const session = await open();
    const messages = [...conversation(30)];
    await session.prepare(messages);
    session.observe(usage(19_000));
    messages.push(...step(31));
    await session.prepare(messages);
    const again = await session.prepare(messages);
    expect(again.outcome).toBeUndefined();
  });

  test("recovers from an overflow once, and leaves other errors alone", async () => {
    const session = await open();
    await session.prepare(conversation(11));
    expect(await session.recover(new Error("401 invalid api key"))).toBeUndefined();
    const recovered = await session.recover(new Error("prompt is too long: 210000 tokens > 200000 maximum"));
    expect(recovered?.outcome?.kind).toBe("compacted");
    expect(problems(recovered?.messages ?? [])).toEqual([]);
  });

  test("learns its window from an overflow that names it, and stays below it from then on", async () => {
    const session = await open({ windowTokens: 200_000 });
    const messages = [...conversation(24)];
    await session.prepare(messages);
    const error = new Error(
      "request (21000 tokens) exceeds the available context size (16384 tokens), try increasing it",
    );
    expect((await session.recover(error))?.outcome?.kind).toBe("compacted");
    let compactions = 0;
    for (let id = 25; id < 60; id += 1) {
      messages.push(...step(id));
      const prepared = await session.prepare(messages);
      compactions += prepared.outcome ? 1 : 0;
      expect(measure(anthropicMessages.read([...prepared.messages])).total).toBeLessThan(16_384);
    }
    expect(compactions).toBeGreaterThan(1);
  });

  test("fails open: the original goes through, and the error is said", async () => {
    const { store: broken, breakDown } = breakable();
    breakDown();
    const errors: unknown[] = [];
    const session = await open({ store: broken, onError: (error) => errors.push(error) });
    const messages = conversation(30);
    const prepared = await session.prepare(messages);
    expect(prepared.messages).toHaveLength(messages.length);
    for (const [index, message] of prepared.messages.entries()) expect(message).toBe(messages[index]);
    expect(String(errors[0])).toContain("disk full");
  });

  test("fails open to what stood: behind a compaction that was made, one that fails sends the view, not the whole", async () => {
    const { store, breakDown } = breakable();
    const errors: unknown[] = [];
    const session = await open({ store, onError: (error) => errors.push(error) });
    const messages = [...conversation(30)];
    const before = await session.prepare(messages);
    expect(before.outcome?.kind).toBe("compacted");
    breakDown();
    for (let id = 30; errors.length === 0 && id < 80; id += 1) {
      messages.push(...step(id));
      const { messages: sent } = await session.prepare(messages);
      expect(sent.slice(0, before.messages.length)).toEqual(before.messages);
      expect(sent.at(-1)).toBe(messages.at(-1));
    }
    expect(String(errors[0])).toContain("disk full");
  });

  test("a compaction that cannot be done is tried three times, then the breaker trips and says so, until one asked for succeeds", async () => {
    const { store, breakDown, mend } = breakable();
    const errors: unknown[] = [];
    const notices: string[] = [];
    const session = await open({
      store,
      onError: (error) => errors.push(error),
      onNotice: (notice) => notices.push(notice),
    });
    breakDown();
    const messages = [...conversation(30)];
    for (let id = 30; id < 40; id += 1) {
      messages.push(...step(id));
      await session.prepare(messages);
    }
    expect(errors).toHaveLength(3);
    expect(notices).toEqual([
      "Compaction did not help 3 times in a row (disk full); it is off until the next one asked for.",
    ]);
    mend();
    expect((await session.compact())?.kind).toBe("compacted");
    messages.push(...conversation(30).slice(1), ...step(50));
    expect((await session.prepare(messages)).outcome?.kind).toBe("compacted");
  });

  test("a giant result arrives as a preview, with its ref, and was never sent whole", async () => {
    const session = await open({ windowTokens: 200_000 });
    const messages = [says("run it"), ...step(1, 2_000)];
    const prepared = await session.prepare(messages);
    const text = JSON.stringify(prepared.messages);
    expect(text.length).toBeLessThan(JSON.stringify(messages).length / 3);
    expect(text).toMatch(/ref_[0-9a-z]{12}/);
    expect(problems(prepared.messages)).toEqual([]);
  });

  test("says what it saved, net", async () => {
    const session = await open();
    const messages = [...conversation(30)];
    await session.prepare(messages);
    session.observe(usage(9_000));
    expect(session.savings()).toHaveProperty("tokens");
  });
});
