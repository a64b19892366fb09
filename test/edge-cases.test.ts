/**
 * The edge cases of compaction that harnesses got wrong (`../shared/facts/harnesses.md` §7), by their number there. Each
 * is one sentence and one test; where a folder's own tests go deeper, the sentence is enough here.
 */
import { describe, expect, test } from "vitest";
import { view } from "../src/apply/view.ts";
import { type CompactOptions, compact, type Outcome } from "../src/compact.ts";
import { estimatorFor } from "../src/measure/count.ts";
import { policyNamed } from "../src/plan/policies.ts";
import { openSession } from "../src/session.ts";
import { memoryStore } from "../src/store/memory.ts";
import type { Store } from "../src/store/store.ts";
import { commandSummarizer } from "../src/summarize/command.ts";
import { check } from "../src/transcript/check.ts";
import type { Json } from "../src/transcript/json.ts";
import type { Message, Part, Transcript } from "../src/transcript/message.ts";
import { assistant, call, calls, gets, result, thinks, transcript, user } from "./say.ts";

const lines = (topic: string, count = 60) =>
  Array.from({ length: count }, (_, index) => `${topic} ${index}: const value_${index} = ${index * 7};`).join(
    "\n",
  );
const step = (id: number): readonly Message[] => [
  assistant(`Looking at part ${id}.`, call(`c${id}`, "Read", { file_path: `src/part${id}.ts` })),
  gets(`c${id}`, lines(`part ${id}`)),
];
const steps = (count: number): readonly Message[] =>
  Array.from({ length: count }, (_, id) => step(id)).flat();
const long = (...end: readonly Message[]): Transcript =>
  transcript(user("Never touch migrations/. Fix the parser."), ...steps(20), ...end);

async function opened(): Promise<Store> {
  const store = memoryStore();
  await store.openSession({ id: "s", at: 0 });
  return store;
}

async function folded(of: Transcript, more: Partial<CompactOptions> = {}): Promise<Outcome> {
  const store = more.store ?? (await opened());
  return compact(of, {
    store,
    sessionId: "s",
    policy: policyNamed("palimpsest"),
    trigger: "manual",
    at: 0,
    windowTokens: 20_000,
    ...more,
  });
}

const isLegal = (outcome: Outcome, original: Transcript) =>
  check(outcome.transcript, { as: "record", original });
const textIn = ({ messages }: Transcript) => JSON.stringify(messages);
const native = (count: number): Json[] => [
  { role: "user", content: "Never touch migrations/. Fix the parser." },
  ...Array.from({ length: count }, (_, id): Json[] => [
    {
      role: "assistant",
      content: [{ type: "tool_use", id: `toolu_${id}`, name: "Read", input: { file_path: `src/p${id}.ts` } }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `toolu_${id}`, content: lines(`part ${id}`) }],
    },
  ]).flat(),
];

describe("edge cases", () => {
  test("1: parallel calls and their results stay or go together", async () => {
    const parallel = [
      assistant(call("p1", "Read"), call("p2", "Bash")),
      user(result("p1", lines("one")), result("p2", lines("two"))),
    ];
    const history = transcript(
      user("go"),
      ...steps(10),
      ...parallel,
      ...steps(30).slice(20),
      assistant("done"),
    );
    const outcome = await folded(history);
    expect(outcome.kind).toBe("compacted");
    expect(isLegal(outcome, history)).toEqual([]);
  });

  test("2: an earlier compaction inside the kept history leaves no orphan", async () => {
    const store = await opened();
    await folded(long(), { store });
    const longer = long(assistant("half way"), user("go on"), ...steps(50).slice(40));
    const second = await folded(longer, { store });
    expect(isLegal(second, longer)).toEqual([]);
  });

  test("3: a call that is still open at the end stays open, and nothing answers it for the tool", async () => {
    const history = long(assistant("ok"), user("again"), calls("open", "Bash"));
    const outcome = await folded(history);
    expect(outcome.transcript.messages.at(-1)).toEqual(history.messages.at(-1));
    expect(isLegal(outcome, history)).toEqual([]);
  });

  test("4: words beside a result are kept without keeping an orphan", async () => {
    const mixed = [calls("m", "Bash"), user(result("m", lines("mixed")), "also: keep Node 18")];
    const history = transcript(user("go"), ...mixed, ...steps(20), assistant("done"));
    const outcome = await folded(history);
    expect(isLegal(outcome, history)).toEqual([]);
    expect(textIn(outcome.transcript)).toContain("also: keep Node 18");
  });

  test("5: no sealed thinking is left behind something that changed", async () => {
    const sealed = [
      assistant(thinks("deep", "seal"), call("t", "Read")),
      gets("t", "x"),
      assistant(thinks("more", "seal2"), "answer"),
    ];
    const history = long(...sealed, user("thanks"), assistant("welcome"));
    const outcome = await folded(history);
    expect(outcome.kind).toBe("compacted");
    expect(isLegal(outcome, history)).toEqual([]);
  });

  test("5: thinking made behind an earlier compaction is held against what the model saw, not against the history", async () => {
    const store = await opened();
    const first = await folded(long(assistant("half way"), user("go on")), { store });
    expect(first.kind).toBe("compacted");
    const since = [
      assistant(thinks("behind the page", "seal"), call("t", "Read")),
      gets("t", "x"),
      assistant("answer"),
    ];
    const longer = long(assistant("half way"), user("go on"), ...since, user("thanks"), assistant("welcome"));
    const sent = { ...longer, messages: [...first.transcript.messages, ...longer.messages.slice(43)] };
    expect(view(longer, await store.ledger("s")).messages).toEqual(sent.messages);
    // Against the history it looks changed; against what was sent it is not.
    expect(check(sent, { as: "record", original: longer }).map(({ code }) => code)).toEqual([
      "prefix-changed",
    ]);
    expect(check(sent, { as: "record", original: sent })).toEqual([]);
    // A second compaction that changes what stands before it must take it along.
    const second = await folded(
      { ...longer, messages: [...longer.messages, user("more"), ...steps(60).slice(80)] },
      { store },
    );
    expect(second.kind).toBe("compacted");
    const original = { ...longer, messages: [...sent.messages, user("more"), ...steps(60).slice(80)] };
    expect(check(second.transcript, { as: "record", original })).toEqual([]);
    expect(textIn(second.transcript)).not.toContain("behind the page");
  });

  test("a mistake of the host's own does not forbid a compaction", async () => {
    const history = long(assistant("done"), user("ok"), gets("nobody asked", "orphan"), assistant("hm"));
    const outcome = await folded(history);
    expect(outcome.kind).toBe("compacted");
    expect(isLegal(outcome, history).map(({ code }) => code)).toEqual(["orphan-result"]);
  });

  test("6: usage from before a compaction does not trigger the next", async () => {
    const session = await openSession({ model: "claude-opus-4-5", windowTokens: 20_000 });
    const messages = native(25);
    await session.prepare(messages.slice(0, 21));
    session.observe({ uncachedTokens: 11_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 });
    expect((await session.prepare(messages)).outcome?.kind).toBe("compacted");
    expect((await session.prepare(messages)).outcome).toBeUndefined();
  });

  test("7: without progress it stops by itself, and says so", async () => {
    const notices: string[] = [];
    // Nothing here can be folded or cleared: one message, larger than the window.
    const session = await openSession({
      model: "claude-opus-4-5",
      windowTokens: 2_000,
      onNotice: (notice) => notices.push(notice),
    });
    const messages: Json[] = [{ role: "user", content: "short" }];
    for (let round = 0; round < 8; round += 1) {
      messages.push(
        { role: "assistant", content: "ok" },
        { role: "user", content: `${round} ${"word ".repeat(400)}` },
      );
      await session.prepare(messages);
    }
    expect(notices.length).toBeLessThan(8);
  });

  test("8: what would not be smaller is not committed", async () => {
    const store = await opened();
    const small = transcript(user("hi"), assistant("hello"), user("and?"), assistant("nothing"));
    const outcome = await folded(small, { store });
    expect(outcome).toMatchObject({ kind: "unchanged" });
    expect(await store.ledger("s")).toEqual([]);
  });

  test.each([
    ["empty", "true"],
    ["refused", "echo I cannot help with that."],
    ["failing", "exit 3"],
    ["analysis only", "echo '<analysis>thinking about it</analysis>'"],
  ])("9: a summary that is %s is never stored; what is extracted stands in", async (_, command) => {
    const outcome = await folded(long(assistant("done")), { summarizer: commandSummarizer(command) });
    expect(outcome).toMatchObject({ kind: "compacted", compaction: { summarizing: { by: "extractive" } } });
  });

  test("10: a session far larger than any window is summarized all the same", async () => {
    const history = transcript(user("go"), ...steps(300), assistant("done"));
    expect((await folded(history)).kind).toBe("compacted");
  });

  test("11: the answer a model may give is set aside, and never more than a small window can spare", async () => {
    const session = await openSession({ model: "claude-opus-4-5", windowTokens: 16_000 });
    expect((await session.prepare(native(3))).outcome).toBeUndefined();
  });

  test("12: an image is counted by its pixels, and does not go to the summarizer as text", async () => {
    const image: Part = {
      type: "image",
      source: { kind: "data", mediaType: "image/png", base64: "A".repeat(400_000) },
    };
    expect(estimatorFor("claude-opus-4-5").part(image)).toBeLessThan(5_000);
    const outcome = await folded(transcript(user("look", image), ...steps(20), assistant("done")));
    expect(outcome.kind === "compacted" && outcome.compaction.page?.text.includes("AAAAAAAA")).toBe(false);
  });

  test("13: one huge result at the end is shortened itself, before it was ever sent", async () => {
    const session = await openSession({ model: "claude-opus-4-5" });
    const messages = native(1).with(2, {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_0", content: lines("huge", 5_000) }],
    });
    const prepared = await session.prepare(messages);
    expect(JSON.stringify(prepared.messages).length).toBeLessThan(JSON.stringify(messages).length / 4);
  });

  test("14: the conversation ends as it did: nobody has to say continue", async () => {
    const history = long(assistant("almost"), user("and now?"));
    const outcome = await folded(history);
    expect(outcome.transcript.messages.at(-1)).toBe(history.messages.at(-1));
  });

  test("15: instructions that live in the history stay readable, whoever put them there", async () => {
    const rules: Part = {
      type: "text",
      text: "<system-reminder>CLAUDE.md: run make lint before every commit</system-reminder>",
      synthetic: true,
    };
    const store = await opened();
    const history = transcript(user("go", rules), ...steps(20), assistant("done"));
    const outcome = await folded(history, { store });
    const kept =
      outcome.kind === "compacted"
        ? outcome.originals.some(({ part }) => JSON.stringify(part).includes("make lint"))
        : false;
    expect(kept || textIn(outcome.transcript).includes("make lint")).toBe(true);
  });

  test("16: constraints and denials are there word for word, however often it folds", async () => {
    const store = await opened();
    for (const count of [20, 35, 50]) {
      const history = transcript(
        user("Never touch migrations/. Fix the parser."),
        ...steps(count),
        assistant("ok"),
        user("Stop. Do not change orders.json."),
        assistant("stopped"),
      );
      const outcome = await folded(history, { store });
      expect(textIn(outcome.transcript)).toContain("Never touch migrations/. Fix the parser.");
      expect(textIn(outcome.transcript)).toContain("Stop. Do not change orders.json.");
    }
  });

  test("17: work prepared ahead is dropped when the history it was made from is gone", async () => {
    const session = await openSession({ model: "claude-opus-4-5", windowTokens: 20_000 });
    await session.prepare(native(10));
    session.prepareAhead({ trigger: "manual" });
    const other: Json[] = [{ role: "user", content: "something else entirely" }];
    expect((await session.prepare(other)).messages).toEqual(other);
  });

  test("18: in a smaller window the same history is due, in a larger one it is not", async () => {
    const prepare = async (windowTokens: number) =>
      (await openSession({ model: "claude-opus-4-5", windowTokens })).prepare(native(11));
    expect((await prepare(10_000)).outcome?.kind).toBe("compacted");
    expect((await prepare(900_000)).outcome).toBeUndefined();
  });

  test("19: after a restart, a resend and a fork each history has exactly the edits that apply", async () => {
    const store = await opened();
    const history = long(assistant("done"), user("next"));
    const outcome = await folded(history, { store });
    const ledger = await store.ledger("s");
    expect(textIn(view(JSON.parse(JSON.stringify(history)), ledger))).toBe(textIn(outcome.transcript));
    const fork = { messages: [...history.messages.slice(0, 3), user("another way")] };
    expect(check(view(fork, ledger), { as: "record", original: fork })).toEqual([]);
  });

  test("20: every pointer that is shown can be followed", async () => {
    const store = await opened();
    const outcome = await folded(long(assistant("done")), { store });
    const refs = new Set(textIn(outcome.transcript).match(/ref_[0-9a-hjkmnp-tv-z]{12}/g) ?? []);
    expect(refs.size).toBeGreaterThan(5);
    for (const ref of refs) expect((await store.recall("s", ref)).kind, ref).toBe("found");
  });
});
