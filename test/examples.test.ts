/** The session we ship: it demonstrates the product, and other tests take the facts planted in it as ground truth. */
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { openFile } from "../src/file.ts";
import { check } from "../src/transcript/check.ts";
import { type Message, type Part, promptTokens, resultText } from "../src/transcript/message.ts";
import { pairUp } from "../src/transcript/pairs.ts";
import { turnsOf } from "../src/transcript/turns.ts";
import { claudeCode } from "../src/wire/claude-code.ts";

const path = fileURLToPath(new URL("../examples/sessions/webhook-retries.jsonl", import.meta.url));
const source = openFile(path);
const session = claudeCode.read(source);
const { messages } = session.whole;
const turns = turnsOf(session.whole).map(({ start, end }) => messages.slice(start, end));

describe("examples/sessions/webhook-retries.jsonl", () => {
  test("is read without leaving anything out, and written again byte for byte", () => {
    expect(session.skipped).toEqual([]);
    expect(Buffer.concat([...claudeCode.write(session, source)]).equals(readFileSync(path))).toBe(true);
  });

  test("is small enough to ship and long enough to compact", () => {
    expect(statSync(path).size).toBeLessThan(1_500_000);
    expect(messages.map(messageText).join("\n").length / 4).toBeGreaterThan(90_000);
  });

  test("is legal: every call is answered, and no harness has compacted it", () => {
    const { pairs, orphans } = pairUp(session.seen);
    expect(pairs.filter(({ result }) => result === undefined)).toEqual([]);
    expect(orphans).toEqual([]);
    expect(check(session.seen)).toEqual([]);
    expect(session.compactions).toEqual([]);
    expect(session.seen.messages).toHaveLength(messages.length);
  });

  test("has the turns, the calls and the tools that README.md speaks of", () => {
    const { pairs } = pairUp(session.whole);
    expect(turns).toHaveLength(14);
    expect(pairs).toHaveLength(166);
    expect([...new Set(pairs.map(({ call }) => call.part.name))].sort()).toEqual(
      ["Bash", "Edit", "Glob", "Grep", "Read", "Task", "TodoWrite", "Write"].sort(),
    );
    expect(pairs.filter(({ result }) => result?.part.isError)).toHaveLength(12);
  });

  test("has one branch that was rewound, and its proposal is not in the conversation", () => {
    expect(session.asides.map(({ kind }) => kind)).toEqual(["rewound"]);
    const aside = session.asides.flatMap(({ transcript }) => transcript.messages.map(messageText)).join("\n");
    expect(aside).toContain("src/threads/");
    expect(messages.map(messageText).join("\n")).not.toContain("src/threads/");
  });

  test("loses its prompt cache after the long pauses, and only then", () => {
    const responses = messages.filter(({ usage }) => usage !== undefined);
    const cold = responses.filter(({ usage }) => usage?.cacheReadTokens === 0);
    const after = cold.map(
      ({ at = 0 }) => at - (responses.findLast((other) => (other.at ?? 0) < at)?.at ?? 0),
    );
    expect(cold).toHaveLength(8);
    expect(after.slice(1).every((pause) => pause > 5 * 60_000)).toBe(true);
    expect(after.slice(1).some((pause) => pause > 60 * 60_000)).toBe(true);
    const sizes = responses.flatMap(({ usage }) => (usage ? [promptTokens(usage)] : []));
    expect(sizes.at(0)).toBeGreaterThan(21_000);
    expect(sizes.at(-1)).toBeGreaterThan(150_000);
  });

  test.each([
    [1, "Never touch migrations/"],
    [1, "Do not add dependencies."],
    [1, "Keep Node 18 support"],
    [3, "Retry up to 5 times"],
    [3, "use the word 'delivery', not 'dispatch'"],
    [4, "leave the timeout at 2750 ms"],
    [5, "No threads for that, please: allow at most 4 attempts per receiver host"],
    [8, "Do not change test/fixtures/orders.json"],
    [9, "Correction: make it 8 attempts, not 5."],
    [9, "A single wait must never be longer than 15 minutes."],
    [12, "If something is already listening on port 8477, leave it running"],
    [13, "never reset it, because support reads the total from it"],
  ])("turn %i, the user: %s", (turn, words) => {
    expect(messageText(turns[turn - 1]?.[0])).toContain(words);
  });

  test.each([
    [2, '"no answer within 2750 ms > 409 > 409": 34'],
    [3, '"failed":6,"accepted":18,"conflicts":0'],
    [3, "2000 !== 1000"],
    [4, "src/deliveries/send.js:11: AbortSignal.any needs Node 20.3.0, package.json says >=18"],
    [5, "(expected `['a1', 'a2', 'b1']`, got `['a1', 'a2']`)"],
    [7, 'RangeError: not a price: "4.125"'],
    [7, "[Request interrupted by user]"],
    [9, "because only then the sum of the waits is at least 45.5 minutes"],
    [10, "max_attempts smallint NOT NULL DEFAULT 3"],
    [11, "Do not push. I push myself, after I have read it."],
    [11, "a9b0d62"],
    [12, "Error: listen EADDRINUSE: address already in use 127.0.0.1:8477"],
    [13, "4 !== 6"],
    [13, "de71e22"],
    [14, "**Open question:** should a dead letter hold the body of the order?"],
    [14, "'/var/lib/hookline/dead-letters.ndjson'"],
  ])("turn %i holds: %s", (turn, words) => {
    expect(turns[turn - 1]?.map(messageText).join("\n")).toContain(words);
  });

  test("ends in the middle of the work: the last thing said is a failing test", () => {
    const [last] = messages.at(-1)?.parts ?? [];
    expect(last).toMatchObject({ type: "tool-result", isError: true });
  });
});

function messageText(message: Message | undefined): string {
  return message?.parts.map(partText).join("\n") ?? "";
}

function partText(part: Part): string {
  if (part.type === "text" || part.type === "thinking") return part.text;
  if (part.type === "tool-call") return JSON.stringify(part.input);
  return part.type === "tool-result" ? resultText(part) : "";
}
