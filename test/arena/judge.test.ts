import { expect, test } from "vitest";
import { ScratchStore } from "../../arena/opponents/scratch-store.ts";
import { judge, shareOf } from "../../arena/probes/judge.ts";
import { linesOf } from "../../arena/probes/lines.ts";
import type { AtomProbe, Probe } from "../../arena/probes/probe.ts";
import { type Habit, Reader } from "../../arena/probes/reader.ts";
import { SessionIndex } from "../../arena/probes/session-index.ts";
import { Shown } from "../../arena/probes/shown.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { Original } from "../../src/store/store.ts";
import type { Part } from "../../src/transcript/message.ts";
import { refOf } from "../../src/transcript/ref.ts";
import { result } from "../say.ts";

const PORT: AtomProbe = {
  type: "number",
  sets: ["ALL"],
  match: "atom",
  value: "5432",
  anchors: ["metrics", "listens"],
  isEarly: true,
};
const shown = (text: string, written = "") => new Shown(linesOf(text), linesOf(written));

test("a value counts as visible only beside a word of its source; alone it is bare; inside another it is nothing", () => {
  expect(shown("metrics listens on 5432").find(PORT)).toBe("visible");
  expect(shown("5432\n8080").find(PORT)).toBe("bare");
  expect(shown("metrics listens on 15432").find(PORT)).toBeUndefined();
});

test("a sentence may be reworded by who wrote the summary, not by who said something else", () => {
  const probe: Probe = { ...PORT, match: "sentence", value: "Never touch the legacy folder without asking" };
  expect(shown("x\nNever touch the legacy folder without asking\ny").find(probe)).toBe("visible");
  expect(shown("", "- legacy folder: never touch").find(probe)).toBe("visible");
  expect(shown("the legacy folder, never mind").find(probe)).toBeUndefined();
});

test("a stale value is wrong where the summary states it, and where the latest is nowhere in sight", () => {
  const probe: Probe = { ...PORT, match: "update", value: "19", stale: ["17"], anchors: ["tests", "total"] };
  expect(shown("", "Tests total: 17").find(probe)).toBe("wrong");
  expect(shown("Tests total: 19", "Tests total: 17").find(probe)).toBe("visible");
  expect(shown("Tests total: 17").find(probe)).toBeUndefined();
  expect(shown("", "subtotal of tests: 17").find(probe)).toBeUndefined();
  expect(shown("", `total tests ${"of a long log line ".repeat(20)} 17`).find(probe)).toBeUndefined();
});

test("a number inside a ref or a longer number is not that number", () => {
  const probe: Probe = { ...PORT, match: "update", value: "10", stale: ["9"], anchors: ["tests", "total"] };
  expect(shown("", "tests in total [ref_tzgnd4b9f6vw], 1.9 of them, 9.5 s").find(probe)).toBeUndefined();
  expect(shown("", "tests in total: 9, see [ref_tzgnd4b9f6vw]").find(probe)).toBe("wrong");
});

test("a command is known by its line with how it ended", () => {
  const probe: Probe = {
    ...PORT,
    match: "pair",
    value: "1",
    command: "npm test -- retry",
    parts: [result("1", "x")],
  };
  expect(shown("| ref_0 | Command: npm test -- retry → exit 1 |").find(probe)).toBe("visible");
  expect(shown("npm test -- retry").find(probe)).toBeUndefined();
});

const OUTPUT: Part = result("1", "boot\nserver listens on port 5432 for metrics\ndone");
const OTHER: Part = result("2", "nothing here but a list of metrics files");
const original = (part: Part, description: string): Original => ({
  ref: refOf(part),
  part,
  description,
  tokens: 20,
  at: 1,
});

async function kept(): Promise<{ store: ScratchStore; index: SessionIndex }> {
  const index = new SessionIndex();
  const store = new ScratchStore(index);
  await store.keep("s", [original(OUTPUT, "Command: npm start"), original(OTHER, "Command: ls metrics")]);
  return { store, index };
}

async function fateOf(text: string): Promise<string | undefined> {
  const { store } = await kept();
  const view = shown(text);
  const reader = new Reader({ store, shown: view, answers: new Map() });
  const { ALL } = await judge([PORT], { shown: view, reader, isStored: () => true });
  return Object.entries(ALL.fates).find(([, count]) => count === 1)?.[0];
}

test("the reader finds by the words it knows what a ref holds, and gives up where nothing says that it can be read", async () => {
  expect(await fateOf("And 2 more: list_refs finds them.")).toBe("read1");
  expect(await fateOf("an ordinary summary")).toBe("stored");
});

test("who may not search browses descriptions; an adversary knows only words that no description has", async () => {
  const { store } = await kept();
  const table = shown(`| ${refOf(OUTPUT)} | Command: npm start, it listens |`);
  const found = async (habit: Habit, words: readonly string[]) => {
    const reader = new Reader({ store, shown: table, answers: new Map(), habit });
    return (await reader.read({ ...PORT, anchors: words, asked: words })).reads;
  };
  expect(await found("search", ["server", "listens"])).toBe(1);
  expect(await found("browse", ["listens"])).toBe(1);
  expect(await found("browse", ["server"])).toBeUndefined();
  expect(await found("adversary", ["server"])).toBe(1);
  expect(await found("adversary", ["listens"])).toBeUndefined();
});

test("shares are of what was asked, and nothing asked is no share", async () => {
  const tallies = await judge([PORT], { shown: shown("metrics 5432") });
  expect(shareOf(tallies.ALL, ["visible"])).toBe(1);
  expect(shareOf(tallies.USER, ["visible"])).toBeUndefined();
});

test("an invented value beside the words of a real one is wrong", async () => {
  const tallies = await judge([{ ...PORT, type: "absent", sets: ["ABSENT"], value: "6432" }], {
    shown: shown("metrics listens on 6432"),
  });
  expect(tallies.ABSENT.fates.wrong).toBe(1);
});

test("the scratch store finds what the memory store finds", async () => {
  const { store } = await kept();
  const memory = memoryStore();
  await memory.openSession({ id: "s", at: 1 });
  const hump = original(result("3", "calls loadMetricsConfig twice"), "File: src/Metrics.ts");
  for (const to of [store, memory]) {
    if (to === memory)
      await to.keep("s", [original(OUTPUT, "Command: npm start"), original(OTHER, "Command: ls metrics")]);
    await to.keep("s", [hump]);
  }
  for (const contains of [
    "metrics",
    "metric",
    "config",
    "listens port",
    "start",
    "etrics",
    "listens nowhere",
    "Metrics",
  ]) {
    const refs = async (of: typeof memory | ScratchStore) =>
      (await of.list("s", { contains })).rows.map(({ ref }) => ref);
    expect(await refs(store), contains).toEqual(await refs(memory));
  }
});
