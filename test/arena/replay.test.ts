import { expect, test } from "vitest";
import { playPolicy } from "../../arena/replay/play-policy.ts";
import { PrefixCache } from "../../arena/replay/prefix-cache.ts";
import { vouchFor } from "../../arena/replay/vouch.ts";
import { weightsOf } from "../../arena/replay/weights.ts";
import { policyNamed } from "../../src/plan/policies.ts";
import type { Message, Usage } from "../../src/transcript/message.ts";
import type { Session } from "../../src/wire/wire.ts";
import { assistant, calls, gets, user } from "../say.ts";

const MINUTE = 60_000;
const block = (key: string, tokens = 1_000) => ({ key, tokens });
const at = (minutes: number) => ({ sentMs: minutes * MINUTE, answeredMs: minutes * MINUTE });

test("a marked cache reads what an earlier request ended in, as long as it lives", () => {
  const cache = new PrefixCache({ kind: "marked", ttlMs: 5 * MINUTE, minimumTokens: 1_024 });
  expect(cache.send([block("system"), block("a")], at(0)).readTokens).toBe(0);
  expect(cache.send([block("system"), block("a"), block("b")], at(4)).readTokens).toBe(2_000);
  // Read at minute 4, so it lives until 9.
  expect(cache.send([block("system"), block("a"), block("b"), block("c")], at(8)).readTokens).toBe(3_000);
  expect(cache.send([block("system"), block("a"), block("b"), block("c")], at(14)).readTokens).toBe(0);
});

test("an edit in the middle costs everything behind it", () => {
  const cache = new PrefixCache({ kind: "marked", ttlMs: 5 * MINUTE, minimumTokens: 0 });
  cache.send([block("system"), block("a")], at(0));
  cache.send([block("system"), block("a"), block("b"), block("c")], at(1));
  expect(cache.send([block("system"), block("a"), block("stub"), block("c")], at(2)).readTokens).toBe(2_000);
});

test("an automatic cache reads any common prefix, in steps of 128 tokens", () => {
  const cache = new PrefixCache({ kind: "automatic", ttlMs: 5 * MINUTE, minimumTokens: 1_024 });
  cache.send([block("system"), block("a"), block("b")], at(0));
  expect(cache.send([block("system"), block("a"), block("x")], at(1)).readTokens).toBe(1_920);
  expect(cache.send([block("other", 900), block("a")], at(1)).readTokens).toBe(0);
});

const usage = (cacheReadTokens: number, cacheWriteTokens: number): Usage => ({
  ...{ uncachedTokens: 0, cacheReadTokens, cacheWriteTokens, outputTokens: 50 },
});

/** Each request reads what the one before had sent, as Claude Code's do. */
function recorded(reads: (index: number) => Usage): Session {
  const messages: Message[] = [user("Count the rows of every table, please.")];
  for (let index = 0; index < 8; index += 1) {
    const stamp = { at: index * MINUTE, usage: reads(index) };
    messages.push({ ...calls(`c${index}`, "Bash", { command: `count ${index}` }), ...stamp });
    messages.push({ ...gets(`c${index}`, `table rows ${index}000 `.repeat(400)), at: index * MINUTE });
  }
  const whole = { messages, model: "claude-opus-4-5" };
  return { wire: "test", whole, seen: whole, compactions: [], asides: [], skipped: [], about: {} };
}

const GROWTH = 3_000;
const honest = recorded((index) =>
  index === 0 ? usage(0, 20_000) : usage(20_000 + (index - 1) * GROWTH, GROWTH),
);

test("a session whose cache did what the rules say is vouched for", () => {
  const { isVouchedFor, because } = vouchFor(honest, weightsOf(honest));
  expect(because).toBe("reads +0.0 %, writes +0.0 %");
  expect(isVouchedFor).toBe(true);
});

test("a session whose cache missed for no reason is not, and it says by how much", () => {
  const missing = recorded((index) =>
    index === 5
      ? usage(0, 20_000 + 5 * GROWTH)
      : index === 0
        ? usage(0, 20_000)
        : usage(20_000 + (index - 1) * GROWTH, GROWTH),
  );
  const { isVouchedFor, because } = vouchFor(missing, weightsOf(missing));
  expect(isVouchedFor).toBe(false);
  expect(because).toMatch(/writes −?-\d+/);
});

test("without a policy the replay sends what was sent; with one it sends less and counts what it threw away", async () => {
  const playing = {
    session: honest,
    weights: weightsOf(honest),
    windowTokens: 14_000,
    model: "claude-opus-4-5",
  };
  const none = await playPolicy(policyNamed("none"), playing);
  expect(none.requests.map(({ promptTokens }) => promptTokens)).toEqual(
    Array.from({ length: 8 }, (_, index) => 20_000 + index * GROWTH),
  );
  const ours = await playPolicy(policyNamed("palimpsest"), playing);
  expect(ours.compactions).toBeGreaterThan(0);
  expect(ours.requests.at(-1)?.promptTokens).toBeLessThan(none.requests.at(-1)?.promptTokens ?? 0);
  expect(ours.invalidatedTokens).toBeGreaterThan(0);
});

test("a fact that is out of sight when it is needed costs an extra request", async () => {
  const secret = gets("c0", `${"filler line about rows\n".repeat(900)}the checksum label is qxPort99Value\n`);
  const messages = honest.whole.messages.map((message, index) =>
    index === 2 ? { ...secret, at: 0 } : message,
  );
  const asked = [...messages, { ...assistant("Now use qxPort99Value."), at: 9 * MINUTE }];
  const whole = { ...honest.whole, messages: asked };
  const session = { ...honest, whole, seen: whole };
  const playing = { session, weights: weightsOf(session), windowTokens: 14_000, model: "claude-opus-4-5" };
  const played = await playPolicy(policyNamed("nucleic"), playing);
  expect(played.needed).toBeGreaterThan(0);
  expect(played.extraRequests).toBe(played.neededKept === played.needed ? 0 : 1);
});
