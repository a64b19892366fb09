/** Work prepared in the background: nobody waits for it, it is swapped in when ready, and dropped when stale. */
import { describe, expect, test } from "vitest";
import { policyNamed } from "../src/plan/policies.ts";
import { openSession } from "../src/session.ts";
import { extractive } from "../src/summarize/extractive.ts";
import type { Summarizer } from "../src/summarize/summarizer.ts";
import type { Json } from "../src/transcript/json.ts";
import { conversation, says, step } from "./anthropic-conversation.ts";

/** Writes when it is let. */
function slowly(): {
  readonly summarizer: Summarizer;
  readonly letGo: () => void;
  readonly asked: () => number;
} {
  let letGo = () => {};
  let asked = 0;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const summarizer: Summarizer = {
    name: "slow",
    async write(input) {
      asked += 1;
      await gate;
      return extractive.write(input);
    },
  };
  return { summarizer, letGo: () => letGo(), asked: () => asked };
}

const open = (more: Parameters<typeof openSession>[0] = {}) =>
  openSession({ model: "claude-opus-4-5", windowTokens: 20_000, ...more });
const grown = (messages: readonly Json[], id: number): readonly Json[] => [...messages, ...step(id)];

describe("work prepared ahead", () => {
  test("is swapped in at the first request after it is ready; until then requests go out at once, as they are", async () => {
    const { summarizer, letGo, asked } = slowly();
    const session = await open({ summarizer });
    const messages = conversation(11);
    await session.prepare(messages);
    const ready = session.prepareAhead({ trigger: "manual" });
    const meanwhile = await session.prepare(grown(messages, 11));
    expect(meanwhile).toEqual({ messages: grown(messages, 11) });
    letGo();
    await ready;
    const { outcome, messages: sent } = await session.prepare(grown(grown(messages, 11), 12));
    expect(outcome?.kind).toBe("compacted");
    // What came after it was queued is behind it, untouched.
    expect(sent.slice(-4)).toEqual([...step(11), ...step(12)]);
    expect(asked()).toBe(1);
    expect((await session.refs({ limit: 100 })).rows.length).toBeGreaterThan(5);
  });

  test("over the hard mark it is waited for", async () => {
    const { summarizer, letGo } = slowly();
    const session = await open({ summarizer, windowTokens: 100_000 });
    const messages = conversation(11);
    await session.prepare(messages);
    void session.prepareAhead({ trigger: "manual" });
    const usage = { uncachedTokens: 99_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
    session.observe(usage);
    setTimeout(letGo, 20);
    expect((await session.prepare(messages)).outcome?.kind).toBe("compacted");
  });

  test("is dropped where its history was rewound", async () => {
    const session = await open();
    const messages = conversation(11);
    await session.prepare(messages);
    await session.prepareAhead({ trigger: "manual" });
    const rewound = [
      ...messages.slice(0, 3),
      { role: "assistant", content: "Stopped." },
      says("another way"),
    ];
    expect((await session.prepare(rewound)).messages).toEqual(rewound);
    expect((await session.refs()).rows).toEqual([]);
  });

  test("is dropped where anything before its end was changed, even if all it would edit is still there", async () => {
    const session = await open();
    const messages = conversation(11);
    await session.prepare(messages);
    await session.prepareAhead({ trigger: "manual" });
    const changed = [...messages.slice(0, -1), { ...(step(10)[1] as object), content: [result("other")] }];
    expect((await session.prepare(changed)).messages).toEqual(changed);
  });

  test("is dropped where something else was compacted meanwhile: its page would hide the newer one", async () => {
    const session = await open();
    const messages = conversation(11);
    await session.prepare(messages);
    await session.prepareAhead({ trigger: "manual" });
    expect((await session.compact({ focus: "the parser" }))?.kind).toBe("compacted");
    const sent = await session.prepare(messages);
    expect(sent.outcome).toBeUndefined();
    expect((await session.prepare(messages)).messages).toEqual(sent.messages);
  });

  test("holds for a host that parses its history anew", async () => {
    const session = await open();
    const messages = conversation(11);
    await session.prepare(messages);
    await session.prepareAhead({ trigger: "manual" });
    const anew = JSON.parse(JSON.stringify(messages));
    expect((await session.prepare(anew)).outcome?.kind).toBe("compacted");
  });

  test("is dropped where the model has thought since: that thinking is sealed to what would be edited", async () => {
    const session = await open();
    const messages = conversation(11);
    await session.prepare(messages);
    await session.prepareAhead({ trigger: "manual" });
    const [response, results] = step(11) as readonly {
      readonly role: string;
      readonly content: readonly Json[];
    }[];
    const thought = { type: "thinking", thinking: "I saw it all.", signature: "sealed" };
    const thoughtful = { role: "assistant", content: [thought, ...(response?.content ?? [])] };
    const next = [...messages, thoughtful, results ?? null];
    // Nothing before the thinking has changed.
    expect(await session.prepare(next)).toEqual({ messages: next });
  });

  test("that failed is reported, and the request goes out", async () => {
    const errors: unknown[] = [];
    const broken = { ...extractive, write: () => Promise.reject(new Error("no summary today")) };
    const session = await open({ summarizer: broken, onError: (error) => errors.push(error) });
    const messages = conversation(11);
    await session.prepare(messages);
    await session.prepareAhead({ trigger: "manual" });
    expect((await session.prepare(messages)).messages).toEqual(messages);
    expect(String(errors)).toContain("no summary today");
  });

  test("when idle, the lower mark of a task boundary holds", async () => {
    const quiet = await open();
    await quiet.prepare(conversation(2));
    expect((await quiet.compact({ trigger: "idle" }))?.kind).toBe("unchanged");
    // Where a fold pays before the marks, they would not be seen.
    const { pays: _, ...trigger } = policyNamed("palimpsest").trigger;
    const session = await open({ windowTokens: 16_000, policy: { ...policyNamed("palimpsest"), trigger } });
    const messages = conversation(11);
    expect((await session.prepare(messages)).outcome).toBeUndefined();
    expect((await session.compact({ trigger: "idle" }))?.kind).toBe("compacted");
  });
});

function result(content: string): Json {
  return { type: "tool_result", tool_use_id: "toolu_10", content };
}
