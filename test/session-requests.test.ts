/** What a session learns from its requests: overflows nobody reported, a switched model, what of ours stands in each prompt. */
import { describe, expect, test } from "vitest";
import type { Outcome } from "../src/compact.ts";
import { policyNamed } from "../src/plan/policies.ts";
import type { Policy } from "../src/plan/policy.ts";
import { openSession } from "../src/session.ts";
import { schemaTokens } from "../src/standing-overhead.ts";
import { memoryStore } from "../src/store/memory.ts";
import type { Json } from "../src/transcript/json.ts";
import type { Usage } from "../src/transcript/message.ts";
import { conversation, says, step } from "./anthropic-conversation.ts";

const MODEL = "claude-sonnet-4-5";
const used = (uncachedTokens: number, outputTokens = 10): Usage => ({
  uncachedTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens,
});
const open = (more: Parameters<typeof openSession>[0] = {}) =>
  openSession({ model: MODEL, windowTokens: 20_000, ...more });
/** Clears what has aged as soon as that pays. */
const clearing: Policy = {
  ...policyNamed("palimpsest"),
  prune: [{ strategy: "aged-results", when: "pays", minTokens: 500, keepSteps: 12, leave: { kind: "stub" } }],
};
/** Below the marks, with nothing to clear. */
const messages = conversation(10);
const next = [...messages, ...step(10)];

describe("an overflow nobody reported", () => {
  test.each([
    ["more input than the window", used(25_000), {}],
    ["the stop reason of Anthropic", used(7_000), { stopReason: "model_context_window_exceeded" }],
    ["no room to answer", used(19_900, 0), { stopReason: "length" }],
  ])("%s: the next request is compacted, once", async (_, usage, how) => {
    const session = await open();
    expect((await session.prepare(messages)).outcome).toBeUndefined();
    session.observe(usage, how);
    const { outcome } = await session.prepare(next);
    expect(outcome).toMatchObject({ kind: "compacted", compaction: { trigger: "overflow" } });
    expect((await session.prepare([...next, ...step(11)])).outcome).toBeUndefined();
  });

  test.each([
    ["an answer that was cut, with room to spare", used(7_000, 0), { stopReason: "length" }],
    ["a long answer in a full window", used(19_900, 1_000), { stopReason: "length" }],
    ["a response that failed", used(25_000), "failed" as const],
  ])("%s is none", async (_, usage, how) => {
    const session = await open({ policy: "none" });
    await session.prepare(messages);
    session.observe(usage, how);
    expect((await session.prepare(next)).messages).toEqual(next);
    const plain = await open();
    await plain.prepare(messages);
    plain.observe(usage, how);
    const { outcome } = await plain.prepare(next);
    expect(outcome?.kind === "compacted" && outcome.compaction.trigger).not.toBe("overflow");
  });

  test("a window that is a guess convicts nobody, one that was given does", async () => {
    const guessed = await openSession({ model: "nobody-knows-1" });
    await guessed.prepare(messages);
    guessed.observe(used(900_000));
    const { outcome } = await guessed.prepare(next);
    expect(outcome?.kind === "compacted" && outcome.compaction.trigger).not.toBe("overflow");
    const given = await open({ model: "nobody-knows-1", windowTokens: 20_000 });
    await given.prepare(messages);
    given.observe(used(20_001));
    expect((await given.prepare(next)).outcome).toMatchObject({ compaction: { trigger: "overflow" } });
  });
});

describe("a switched model", () => {
  test("has its own window: a smaller one is compacted for before the first request", async () => {
    const long = [says("Go."), ...Array.from({ length: 11 }, (_, id) => step(id, 580)).flat()];
    const isFolded = (outcome: Outcome | undefined) =>
      outcome?.kind === "compacted" && outcome.compaction.page !== undefined;
    const { pays: _, ...trigger } = policyNamed("palimpsest").trigger;
    const policy = { ...policyNamed("palimpsest"), prune: [], trigger };
    const session = await openSession({ model: MODEL, windowTokens: 1_000_000, policy });
    expect(isFolded((await session.prepare(long)).outcome)).toBe(false);
    expect(isFolded((await session.prepare(long, { model: "gpt-4o" })).outcome)).toBe(true);
  });

  test("makes the cache cold: what clearing would have cost is paid anyway", async () => {
    const clears = async (model: string) => {
      let now = 1_000_000;
      const session = await open({ now: () => now, policy: clearing });
      await session.prepare(conversation(11), { model: MODEL });
      session.observe(used(7_000));
      now += 1_000;
      // Two steps more, so that it looks again: one result has aged, and much stands behind it.
      const grown = conversation(14);
      const { outcome } = await session.prepare(grown, { model });
      return outcome?.kind === "compacted" ? outcome.compaction.edits.length : 0;
    };
    expect(await clears(MODEL)).toBe(0);
    expect(await clears("claude-opus-4-5")).toBeGreaterThan(0);
  });

  test("counts anew: what was learnt of the old one's tokens is not believed", async () => {
    const session = await openSession({ model: MODEL });
    await session.prepare(messages);
    // Far more than we count: going by that, the next request would be full.
    session.observe(used(190_000));
    const { outcome } = await session.prepare(next, { model: "gpt-4o" });
    expect(outcome?.kind === "compacted" && outcome.compaction.page).toBeFalsy();
  });

  test("is recorded with its requests, and prices them", async () => {
    const store = memoryStore();
    const session = await open({ store, id: "s" });
    await session.prepare(messages);
    session.observe(used(9_000));
    await session.prepare(next, { model: "gpt-5.1" });
    session.observe(used(9_500));
    const ledger = await store.ledger("s");
    expect(ledger.flatMap((entry) => (entry.kind === "requested" ? [entry.model] : []))).toEqual([
      MODEL,
      "gpt-5.1",
    ]);
  });

  test("after a restart the last request is remembered: a warm cache is not taken for a cold one", async () => {
    const store = memoryStore();
    const at = 5_000_000;
    const clears = async (now: number) => {
      const session = await open({ store, id: "s", now: () => now, policy: clearing });
      const outcome = (await session.prepare(conversation(13))).outcome;
      return outcome?.kind === "compacted";
    };
    const first = await open({ store, id: "s", now: () => at, policy: "none" });
    await first.prepare([says("hello")]);
    first.observe(used(50));
    expect(await clears(at + 1_000)).toBe(false);
    expect(await clears(at + 3_600_000)).toBe(true);
  });

  test("the long life is known by what was written: ten minutes later its cache is warm", async () => {
    const clears = async (cacheWrite1hTokens: number) => {
      let now = 5_000_000;
      const session = await open({ now: () => now, policy: clearing });
      await session.prepare(conversation(11));
      session.observe({ ...used(0), cacheWriteTokens: 7_000, cacheWrite1hTokens });
      now += 600_000;
      return (await session.prepare(conversation(13))).outcome?.kind === "compacted";
    };
    expect(await clears(0)).toBe(true);
    expect(await clears(7_000)).toBe(false);
  });
});

describe("what of ours stands in every prompt", () => {
  const ourTools = (schemas: readonly { readonly name: string; readonly input: Json }[]): Json =>
    schemas.map(({ name, input }) => ({ name, input_schema: input }));
  const own: Json = [{ name: "Read", input_schema: { type: "object" } }];
  const line = (session: Awaited<ReturnType<typeof open>>, what: string) =>
    session.savings().lines.find((found) => found.what === what)?.tokens ?? 0;

  test("tools the host tells us of, tools it does not, no tools: each counts against us once", async () => {
    const told = await open();
    await told.prepare([says("hi")], {
      tools: [...(own as Json[]), ...(ourTools(told.tools.schemas) as Json[])],
    });
    const untold = await open();
    expect(untold.tools.schemas).toHaveLength(3);
    await untold.prepare([says("hi")], { tools: own });
    const without = await open();
    await without.prepare([says("hi")], { tools: own });
    const schemas = schemaTokens(MODEL);
    for (const session of [told, untold]) {
      session.observe(used(1_000));
      // Nothing was left out, so all that is different is what we added.
      expect(session.savings().tokens).toBe(-schemas);
      expect(line(session, "standing overhead")).toBe(-schemas);
      expect(line(session, "sent")).toBe(schemas - 1_010);
    }
    without.observe(used(1_000));
    expect(without.savings().tokens).toBe(0);
    expect(line(without, "standing overhead")).toBe(0);
  });

  test.each<[string, Json]>([
    ["Chat Completions", [{ type: "function", function: { name: "read_ref", parameters: {} } }]],
    ["Gemini", [{ functionDeclarations: [{ name: "read_ref" }] }]],
    ["the AI SDK", { read_ref: { inputSchema: {} } }],
    ["MCP", [{ name: "mcp__palimpsest__read_ref", input_schema: {} }]],
  ])("are known in the spelling of %s", async (_, tools) => {
    const session = await open();
    await session.prepare([says("hi")], { tools });
    session.observe(used(1_000));
    expect(line(session, "standing overhead")).toBe(-schemaTokens(MODEL));
  });

  test("the ref table of the page too, as long as it is shown", async () => {
    const session = await open();
    await session.prepare(messages);
    session.observe(used(9_000));
    expect(line(session, "standing overhead")).toBe(0);
    expect((await session.compact())?.kind).toBe("compacted");
    await session.prepare(messages);
    session.observe(used(5_000));
    const table = -line(session, "standing overhead");
    expect(table).toBeGreaterThan(100);
    await session.prepare(messages);
    session.observe(used(5_000));
    expect(-line(session, "standing overhead")).toBeGreaterThanOrEqual(2 * table - 200);
    await session.undo();
    const before = line(session, "standing overhead");
    await session.prepare(messages);
    session.observe(used(9_000));
    expect(line(session, "standing overhead")).toBe(before);
  });
});
