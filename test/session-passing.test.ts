/** Edits for one request alone: shown, kept, never recorded; the next request begins from the whole. */
import { expect, test } from "vitest";
import { policyNamed } from "../src/plan/policies.ts";
import type { Policy } from "../src/plan/policy.ts";
import { openSession } from "../src/session.ts";
import { memoryStore } from "../src/store/memory.ts";
import type { Json } from "../src/transcript/json.ts";

const OUTPUT = "a line of output that goes on for a while\n".repeat(40);
const MINUTE = 60_000;
const says = (content: string): Json => ({ role: "user", content });
const step = (id: number, thinks = false): readonly Json[] => [
  {
    role: "assistant",
    content: [
      ...(thinks ? [{ type: "thinking", thinking: "hm", signature: "seal" }] : []),
      { type: "tool_use", id: `t${id}`, name: "Read", input: { file_path: `${id}.ts` } },
    ],
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: `t${id}`, content: `${id} ${OUTPUT}` }] },
];

const policy: Policy = {
  ...policyNamed("none"),
  prune: [
    {
      strategy: "aged-results",
      when: "request",
      minTokens: 10,
      keepResults: 1,
      isPersistent: false,
      leave: { kind: "text", text: "[cut]" },
    },
  ],
};

const cuts = (messages: readonly Json[]) => JSON.stringify(messages).split("[cut]").length - 1;

test("each request is cut anew, the ledger stays empty, and the originals can be read back", async () => {
  const store = memoryStore();
  const session = await openSession({ store, id: "s", policy, windowTokens: 20_000, now: () => MINUTE });
  const messages = [says("go"), ...step(1), ...step(2), ...step(3)];
  const before = JSON.stringify(messages);
  const first = await session.prepare(messages);
  expect(first.outcome).toMatchObject({ kind: "compacted", compaction: { isTransient: true } });
  expect(cuts(first.messages)).toBe(2);
  expect(await store.ledger("s")).toEqual([]);
  const { rows } = await session.refs({ kind: "tool-result" });
  expect(rows).toHaveLength(2);

  messages.push(...step(4));
  expect(cuts((await session.prepare(messages)).messages)).toBe(3);
  expect(await store.ledger("s")).toEqual([]);
  expect(JSON.stringify(messages.slice(0, 7))).toBe(before);
  // Rewound to where nothing is old, nothing is cut: no trace is left of the requests before.
  expect((await session.prepare(messages.slice(0, 3))).messages).toEqual(messages.slice(0, 3));
});

test("while the model waits for results it thought about, it sees what it thought about", async () => {
  const session = await openSession({ policy, windowTokens: 20_000, now: () => MINUTE });
  const messages = [says("go"), ...step(1), ...step(2), says("go on")];
  const first = (await session.prepare(messages)).messages;
  expect(cuts(first)).toBe(1);
  messages.push(...step(3, true));
  const second = (await session.prepare(messages)).messages;
  expect(JSON.stringify(second.slice(0, first.length))).toBe(JSON.stringify(first));
});
