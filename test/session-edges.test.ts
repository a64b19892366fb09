/** Law 6 at every edge of a session: what fails inside is said, and the agent goes on. */
import { afterEach, expect, test, vi } from "vitest";
import { openSession } from "../src/session.ts";
import { memoryStore } from "../src/store/memory.ts";
import type { Summarizer } from "../src/summarize/summarizer.ts";
import { conversation, says, step } from "./anthropic-conversation.ts";

afterEach(() => vi.restoreAllMocks());

const OVERFLOW = new Error("prompt is too long: 210000 tokens > 200000 maximum");
const open = (more: Parameters<typeof openSession>[0] = {}) =>
  openSession({ model: "claude-opus-4-5", windowTokens: 200_000, ...more });

/** A real store, of which some methods fail. */
const failing = (...methods: readonly string[]) =>
  new Proxy(memoryStore(), {
    get: (whole, key) =>
      methods.includes(String(key))
        ? () => Promise.reject(new Error(`disk full in ${String(key)}`))
        : Reflect.get(whole, key).bind(whole),
  });

test("an overflow that cannot be recovered from leaves the provider's error to the caller", async () => {
  const said: unknown[] = [];
  const session = await open({ store: failing("keep"), onError: (error) => said.push(error) });
  await session.prepare(conversation(30));
  expect(await session.recover(OVERFLOW)).toBeUndefined();
  expect(said).toEqual([new Error("disk full in keep")]);
});

test("compact, undo and end say what went wrong, and the session stands as it was", async () => {
  const said: string[] = [];
  const onError = (error: unknown) => said.push(String(error));
  const session = await open({ store: failing("keep", "endSession"), onError });
  const messages = conversation(30);
  await session.prepare(messages);
  expect(await session.compact()).toMatchObject({
    kind: "unchanged",
    because: "failed",
    detail: "disk full in keep",
  });
  await session.end();
  expect((await session.prepare(messages)).messages).toEqual(messages);
  const other = await open({ store: appendingOnce(), onError });
  await other.prepare(messages);
  expect((await other.compact())?.kind).toBe("compacted");
  expect(await other.undo()).toBe(false);
  expect((await other.prepare(messages)).messages.length).toBeLessThan(messages.length);
  expect(said).toEqual(["Error: disk full in keep", "Error: disk full in endSession", "Error: no more room"]);
});

/** Room for one entry. */
function appendingOnce() {
  const store = memoryStore();
  let isFull = false;
  return new Proxy(store, {
    get(whole, key) {
      if (key !== "append") return Reflect.get(whole, key).bind(whole);
      return (...args: Parameters<typeof store.append>) => {
        if (isFull) return Promise.reject(new Error("no more room"));
        isFull = true;
        return whole.append(...args);
      };
    },
  });
}

test("a tool of ours answers the model when the store does not, and somebody is told", async () => {
  const said: unknown[] = [];
  const session = await open({ store: failing("recall", "keep"), onError: (error) => said.push(error) });
  await session.prepare(conversation(30));
  const read = await session.tools.run("read_ref", { ref: "ref_bxbncrrmmyhz" });
  expect(read).toMatchObject({ isError: true, structured: { error: { code: "store" } } });
  expect(read.text).toContain("disk full in recall");
  expect((await session.tools.run("compact", {})).text).toBe("Nothing was compacted: disk full in keep");
  expect(said).toHaveLength(2);
});

test.each([[undefined], [null], ["{not json"], [() => {}]])(
  "a tool is answered whatever its input: %s",
  async (input) => {
    const session = await open();
    expect(await session.tools.run("read_ref", input)).toMatchObject({
      isError: true,
      structured: { error: { code: "bad-input" } },
    });
  },
);

test.each([[undefined], [null]])("usage that is %s is said to be none", async (usage) => {
  const said: unknown[] = [];
  const session = await open({ onError: (error) => said.push(error) });
  await session.prepare(conversation(1));
  session.observe(usage);
  expect(said).toMatchObject([{ code: "unknown-usage" }]);
});

test("a host whose own callbacks fail gets its messages, and both errors", async () => {
  const printed = vi.spyOn(console, "error").mockImplementation(() => {});
  const fails = (what: string) => () => {
    throw new Error(`${what} is down`);
  };
  const session = await open({
    windowTokens: 20_000,
    onNotice: fails("the screen"),
    onError: fails("the log"),
  });
  const messages = [...conversation(30)];
  expect((await session.prepare(messages)).outcome?.kind).toBe("compacted");
  const broken = await open({ windowTokens: 20_000, store: failing("keep"), onError: fails("the log") });
  expect((await broken.prepare(messages)).messages).toEqual(messages);
  expect(printed.mock.calls).toEqual([
    ["palimpsest: onNotice failed: the screen is down"],
    ["palimpsest: the messages go out as they are (disk full in keep), and onError failed: the log is down"],
  ]);
});

test("a window that is not a number is said and not believed; a wire that is none ends it at once", async () => {
  const said: unknown[] = [];
  const session = await open({ windowTokens: Number("none"), onError: (error) => said.push(error) });
  expect(said).toMatchObject([{ code: "usage", message: "windowTokens is a number of tokens, not NaN." }]);
  expect((await session.prepare(conversation(600))).outcome?.kind).toBe("compacted");
  await expect(open({ wire: "no-such" })).rejects.toMatchObject({ code: "unknown-wire" });
});

test("steps of giant results do not keep the steps before them from being folded", async () => {
  const session = await open({ windowTokens: 20_000 });
  const messages = [says("Read them all.")];
  for (let id = 0; id < 40; id += 1) {
    messages.push(...step(id, 300));
    const { messages: sent } = await session.prepare(messages);
    expect(JSON.stringify(sent).length / 3).toBeLessThan(20_000);
  }
});

const asks = (write: unknown) => ({ name: "a model", write: write as Summarizer["write"] });

test.each([
  ["nothing", async () => undefined],
  ["no summary", async () => ({ summary: {}, by: "a model", notes: [] })],
  ["lines that are none", async () => ({ summary: { sections: { "Next Steps": [null] } }, by: "a model" })],
])("a summarizer that writes %s is refused, and the extractor writes", async (_, write) => {
  const session = await open({ windowTokens: 20_000, summarizer: asks(write) });
  const { outcome } = await session.prepare(conversation(30));
  expect(outcome).toMatchObject({ kind: "compacted", compaction: { summarizing: { by: "extractive" } } });
});

test("a summarizer that never answers holds nobody up whose request is aborted, or longer than ten minutes", async () => {
  const session = await open({ windowTokens: 20_000, summarizer: asks(() => new Promise(() => {})) });
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 20);
  const { outcome } = await session.prepare(conversation(30), { signal: stop.signal });
  expect(outcome).toMatchObject({ kind: "compacted", compaction: { summarizing: { by: "extractive" } } });
  const roomy = await open({ summarizer: asks(() => new Promise(() => {})) });
  await roomy.prepare(conversation(30));
  expect(await roomy.compact({ focus: "the parser", signal: stop.signal })).toMatchObject({
    compaction: { focus: "the parser", summarizing: { by: "extractive" } },
  });
  vi.useFakeTimers();
  const waiting = open({ windowTokens: 20_000, summarizer: asks(() => new Promise(() => {})) }).then(
    (opened) => opened.prepare(conversation(30)),
  );
  await vi.advanceTimersByTimeAsync(31 * 60_000);
  vi.useRealTimers();
  expect((await waiting).outcome?.kind).toBe("compacted");
});
