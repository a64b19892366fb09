import { expect, test } from "vitest";
import { SessionView } from "../../src/hosts/session-view.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { Json } from "../../src/transcript/json.ts";
import { piMessages } from "../../src/wire/pi-messages.ts";

const OF = { sessionId: "s", model: "m", windowTokens: 40_000 };
const user = (content: string): Json => ({ role: "user", content, timestamp: 1 });
const output = (index: number) =>
  Array.from({ length: 150 }, (_, line) => `step ${index} line ${line} is ${line * index * 7919}`).join("\n");
const usage = (input: number) => ({ input, output: 9, cacheRead: 0, cacheWrite: 0 });
const step = (index: number): Json[] => [
  {
    role: "assistant",
    model: "m",
    stopReason: "toolUse",
    usage: usage(1000 + index),
    content: [
      { type: "toolCall", id: `c${index}`, name: "bash", arguments: { command: `cat ${index}.txt` } },
    ],
  },
  {
    role: "toolResult",
    toolCallId: `c${index}`,
    content: [{ type: "text", text: output(index) }],
    isError: false,
  },
];
const conversation = (steps: number): Json[] => [
  user("read them; never touch the port 48213"),
  ...Array.from({ length: steps }, (_, index) => step(index)).flat(),
];

async function opened() {
  const store = memoryStore();
  await store.openSession({ id: "s", at: 1 });
  const errors: unknown[] = [];
  const view = () => new SessionView({ store, wire: piMessages, onError: (error) => errors.push(error) });
  const requested = async () =>
    (await store.ledger("s")).flatMap((entry) =>
      entry.kind === "requested" ? [entry.usage.uncachedTokens] : [],
    );
  return { store, errors, view, requested };
}

test("a list that fits is the host's own, to the object", async () => {
  const { view } = await opened();
  const given = conversation(2);
  const shown = await view().show(given, OF);
  expect([shown.isEdited, shown.messages.every((message, index) => message === given[index])]).toEqual([
    false,
    true,
  ]);
});

test("a list that does not is cut back, told to the user, and the same to another view of the same ledger", async () => {
  const { view, errors } = await opened();
  const shown = await view().show(conversation(20), OF);
  expect([shown.isEdited, shown.notices.length, errors]).toEqual([true, 1, []]);
  expect(JSON.stringify(shown.messages)).toContain("never touch the port 48213");
  expect(JSON.stringify((await view().show(conversation(20), OF)).messages)).toBe(
    JSON.stringify(shown.messages),
  );
  expect(JSON.stringify((await view().only(conversation(20), OF)).messages)).toBe(
    JSON.stringify(shown.messages),
  );
});

test("what an answer reports is observed once, and not after the host has rewound", async () => {
  const { view, requested } = await opened();
  const one = view();
  await one.show(conversation(1), OF);
  await one.show(conversation(2), OF);
  expect(await requested()).toEqual([1001]);
  // A rewind, and other words: another message stands where the answer was.
  await one.show([user("something else"), ...step(7), ...step(8), ...step(9)], OF);
  expect(await requested()).toEqual([1001]);
});

test("the agent's wish is done before the next request, and once", async () => {
  const { view } = await opened();
  const one = view();
  await one.show(conversation(6), OF);
  expect(one.want("the port")).toContain("Before your next step");
  const wished = await one.show(conversation(7), OF);
  expect(JSON.stringify(wished.messages).length).toBeLessThan(JSON.stringify(conversation(7)).length * 0.6);
  const after = await one.show(conversation(8), OF);
  expect(JSON.stringify(after.messages).startsWith(JSON.stringify(wished.messages).slice(0, -1))).toBe(true);
});
