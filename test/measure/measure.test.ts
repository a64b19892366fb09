import { describe, expect, test } from "vitest";
import { observe, UNCALIBRATED } from "../../src/measure/calibrate.ts";
import { type Counter, counterOf, estimatorFor } from "../../src/measure/count.ts";
import { estimateTokens } from "../../src/measure/estimate.ts";
import { isOver, Meter, measure } from "../../src/measure/measure.ts";
import { rulesFor } from "../../src/measure/rules.ts";
import type { Message, Part, Transcript } from "../../src/transcript/message.ts";
import { assistant, call, calls, gets, result, thinks, transcript, user } from "../say.ts";

/** One token a character, and nothing around it: sums can be done in the head. */
function perCharacter(): Counter & { counted: string[] } {
  const counted: string[] = [];
  const rules = { ...rulesFor("gpt-5"), scale: 1, messageTokens: 0, callTokens: 0, resultTokens: 0 };
  const counter = counterOf("estimate", rules, (text) => {
    counted.push(text);
    return text.length;
  });
  return { ...counter, counted };
}

const system = (text: string): Pick<Transcript, "system"> => ({ system: [{ type: "text", text }] });

describe("measure", () => {
  test("sums what the model sees: system, tools, messages, arguments as JSON, results", () => {
    const { total, messages, ...rest } = measure(
      {
        ...system("12345"),
        tools: [{ name: "Read", description: "abc", input: { a: 1 } }],
        ...transcript(user("hello"), calls("1", "Read", { path: "x" }), gets("1", "0123456789")),
      },
      { counter: perCharacter() },
    );
    expect(rest).toEqual({
      basis: "estimate",
      overhead: 0,
      system: 5,
      tools: "Readabc".length + '{"a":1}'.length,
    });
    expect(messages).toEqual([
      { tokens: 5, parts: [5] },
      { tokens: 16, parts: ['Read{"path":"x"}'.length] },
      { tokens: 10, parts: [10] },
    ]);
    expect(total).toBe(5 + 14 + 5 + 16 + 10);
  });

  test("counts a part once, however often it is measured", () => {
    const counter = perCharacter();
    const conversation = transcript(
      user("hello"),
      assistant("hi", call("1", "Bash", { command: "ls" })),
      gets("1", "a b c"),
    );
    const first = measure(conversation, { counter });
    const texts = counter.counted.length;
    expect(measure({ messages: [...conversation.messages] }, { counter })).toEqual(first);
    expect(counter.counted.length).toBe(texts);
    measure(transcript(...conversation.messages, user("new")), { counter });
    expect(counter.counted.slice(texts)).toEqual(["new"]);
  });

  test("says how it knows, and usage beats the count", () => {
    const conversation = transcript(user("x".repeat(1000)));
    const usage = { uncachedTokens: 0, cacheReadTokens: 43_000, cacheWriteTokens: 1000, outputTokens: 1 };
    const calibration = observe(UNCALIBRATED, { counted: 1000, usage });
    const measured = measure(conversation, { counter: perCharacter(), calibration });
    expect(measured).toMatchObject({ total: 44_000, basis: "usage", overhead: 43_000 });
    expect(measure(conversation, { counter: perCharacter(), calibration: UNCALIBRATED }).basis).toBe(
      "estimate",
    );
  });

  test("a part sealed away by Anthropic counts as the thought it hides; elsewhere thoughts do not come back", () => {
    const thought = "I wonder whether the cache is warm. ".repeat(100);
    const seal = "A".repeat(Math.round((thought.length + 175) / 0.75));
    const claude = estimatorFor("claude-opus-4-8");
    const shown = claude.part(thinks(thought, seal));
    expect(claude.part(thinks("", seal)) / shown).toBeCloseTo(1, 0);
    expect(claude.part(thinks("cache?", seal))).toBe(claude.part(thinks("", seal)));
    expect(claude.part({ type: "thinking", text: "", encrypted: seal })).toBe(claude.part(thinks("", seal)));
    expect(estimatorFor("gpt-5.5").part(thinks(thought, seal))).toBe(0);
  });

  test("an opaque part counts as its JSON, and what is encrypted in it as the text it hides", () => {
    const opaque = (value: Part & { type: "opaque" }) => estimatorFor("gpt-5.5").part(value);
    const plain = opaque({ type: "opaque", of: "x", value: { type: "web_search_call", query: "who am I" } });
    expect(plain).toBeGreaterThan(6);
    expect(plain).toBeLessThan(25);
    const sealed = opaque({ type: "opaque", of: "x", value: { encrypted_content: "gAAAAB".repeat(1000) } });
    expect(sealed).toBeLessThan(1100);
    expect(sealed).toBeLessThan(estimateTokens("gAAAAB".repeat(1000)));
  });
});

describe("seed 001's shouldCompress", () => {
  interface State {
    readonly systemPrompt: string;
    readonly messages: readonly {
      role: string;
      content?: string;
      toolCalls?: readonly { args: { readonly [key: string]: string } }[];
    }[];
  }
  /** As the seed writes it, with a character for a token. */
  function shouldCompress(state: State, maxTokens: number, threshold: number): boolean {
    const estimate = (text: string) => text.length;
    let totalTokens = estimate(state.systemPrompt);
    for (const msg of state.messages) {
      totalTokens += estimate(msg.content ?? "");
      if (msg.role === "assistant" && msg.toolCalls) {
        for (const tc of msg.toolCalls) {
          totalTokens += estimate(JSON.stringify(tc.args));
        }
      }
    }
    return totalTokens > maxTokens * threshold;
  }

  const state: State = {
    systemPrompt: "s".repeat(300),
    messages: [
      { role: "user", content: "u".repeat(100) },
      { role: "assistant", content: "a".repeat(50), toolCalls: [{ args: { patch: "p".repeat(200) } }] },
      { role: "tool", content: "r".repeat(120) },
    ],
  };
  const ours = {
    ...system(state.systemPrompt),
    ...transcript(
      user("u".repeat(100)),
      assistant("a".repeat(50), {
        type: "tool-call",
        callId: "1",
        name: "",
        input: { patch: "p".repeat(200) },
      }),
      gets("1", "r".repeat(120)),
    ),
  };
  const total = 300 + 100 + 50 + JSON.stringify({ patch: "p".repeat(200) }).length + 120;

  test("is `isOver(measure(…))`, for every budget around the mark", () => {
    const measured = measure(ours, { counter: perCharacter() });
    expect(measured.total).toBe(total);
    for (let maxTokens = total - 5; maxTokens < total * 1.5; maxTokens += 1)
      expect(isOver(measured, maxTokens, 0.8), `${maxTokens}`).toBe(shouldCompress(state, maxTokens, 0.8));
  });

  test("fires strictly above 80 % of the budget, and 80 % is the default", () => {
    expect(isOver({ total: 800 }, 1000)).toBe(false);
    expect(isOver({ total: 801 }, 1000)).toBe(true);
    expect(isOver({ total: 801 }, 1000, 0.9)).toBe(false);
  });
});

describe("Meter", () => {
  const step = (index: number): readonly Message[] => [
    calls(`${index}`, "Bash", { command: `make test-${index}` }),
    gets(`${index}`, `ok ${index}\n`.repeat(5)),
  ];

  test("comes to what measure comes to", () => {
    const whole: Transcript = {
      ...system("be brief"),
      tools: [{ name: "Bash" }],
      messages: [user("go"), ...step(1), ...step(2)],
    };
    const meter = new Meter({ ...whole, messages: [] });
    for (const message of whole.messages) meter.add(message);
    expect(meter.total).toBe(measure(whole).total);
    expect(meter.restart([user("a summary")])).toBe(
      measure({ ...whole, messages: [user("a summary")] }).total,
    );
  });

  test("a result inside a user message with words counts with both", () => {
    const counter = perCharacter();
    expect(new Meter(transcript(user("four", result("1", "sixsix"))), counter).total).toBe(10);
  });
});
