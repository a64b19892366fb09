import { expect, test } from "vitest";
import { cacheNames, cacheRulesNamed, rulesFor } from "../../arena/replay/cache-rules.ts";
import { playPolicy } from "../../arena/replay/play-policy.ts";
import { PrefixCache } from "../../arena/replay/prefix-cache.ts";
import { missesOf, vouchFor } from "../../arena/replay/vouch.ts";
import { weightsOf } from "../../arena/replay/weights.ts";
import { modelNamed } from "../../src/measure/models.ts";
import { policyNamed } from "../../src/plan/policies.ts";
import type { Message, Usage } from "../../src/transcript/message.ts";
import type { Session } from "../../src/wire/wire.ts";
import { assistant, calls, gets, user } from "../say.ts";

const MINUTE = 60_000;
const block = (key: string, tokens = 1_000) => ({ key, tokens });
const at = (minutes: number) => ({ sentMs: minutes * MINUTE, answeredMs: minutes * MINUTE });

test("a marked cache reads what an earlier request ended in, as long as it lives", () => {
  const cache = new PrefixCache({ kind: "marked", ttlMs: 5 * MINUTE, minimumTokens: 1_024, stepTokens: 1 });
  expect(cache.send([block("system"), block("a")], at(0)).readTokens).toBe(0);
  expect(cache.send([block("system"), block("a"), block("b")], at(4)).readTokens).toBe(2_000);
  // Read at minute 4, so it lives until 9.
  expect(cache.send([block("system"), block("a"), block("b"), block("c")], at(8)).readTokens).toBe(3_000);
  expect(cache.send([block("system"), block("a"), block("b"), block("c")], at(14)).readTokens).toBe(0);
});

test("an edit in the middle costs everything behind it", () => {
  const cache = new PrefixCache({ kind: "marked", ttlMs: 5 * MINUTE, minimumTokens: 0, stepTokens: 1 });
  cache.send([block("system"), block("a")], at(0));
  cache.send([block("system"), block("a"), block("b"), block("c")], at(1));
  expect(cache.send([block("system"), block("a"), block("stub"), block("c")], at(2)).readTokens).toBe(2_000);
});

test("an automatic cache reads any common prefix, in steps of 128 tokens", () => {
  const cache = new PrefixCache({
    kind: "automatic",
    ttlMs: 5 * MINUTE,
    minimumTokens: 1_024,
    stepTokens: 128,
  });
  cache.send([block("system"), block("a"), block("b")], at(0));
  expect(cache.send([block("system"), block("a"), block("x")], at(1)).readTokens).toBe(1_920);
  expect(cache.send([block("other", 900), block("a")], at(1)).readTokens).toBe(0);
});

const usage = (cacheReadTokens: number, cacheWriteTokens: number): Usage => ({
  ...{ uncachedTokens: 0, cacheReadTokens, cacheWriteTokens, outputTokens: 50 },
});

/** Each request reads what the one before had sent, as Claude Code's do. */
function recorded(reads: (index: number) => Usage | undefined, requests = 8): Session {
  const messages: Message[] = [user("Count the rows of every table, please.")];
  for (let index = 0; index < requests; index += 1) {
    const used = reads(index);
    const stamp = { at: index * MINUTE, ...(used ? { usage: used } : {}) };
    messages.push({ ...calls(`c${index}`, "Bash", { command: `count ${index}` }), ...stamp });
    messages.push({ ...gets(`c${index}`, `table rows ${index}000 `.repeat(400)), at: index * MINUTE });
  }
  const whole = { messages, model: "claude-opus-4-5" };
  return { wire: "test", whole, seen: whole, compactions: [], asides: [], skipped: [], about: {} };
}

const PLAYING = {
  windowTokens: 14_000,
  model: "claude-opus-4-5",
  isLong: false,
  rules: cacheRulesNamed("anthropic-5m"),
  misses: new Map<number, number>(),
};

const GROWTH = 3_000;
const honest = recorded((index) =>
  index === 0 ? usage(0, 20_000) : usage(20_000 + (index - 1) * GROWTH, GROWTH),
);

test("a session whose cache did what the rules say is vouched for", () => {
  const { isVouchedFor, because } = vouchFor(honest, weightsOf(honest));
  expect(because).toBe("reads +0.0 %, writes +0.0 %");
  expect(isVouchedFor).toBe(true);
});

const missing = (isMissed: (index: number) => boolean) =>
  recorded((index) =>
    isMissed(index) || index === 0
      ? usage(0, 20_000 + index * GROWTH)
      : usage(20_000 + (index - 1) * GROWTH, GROWTH),
  );

test("a miss that no rule foretells is taken from the record, and happens to every policy", async () => {
  const session = missing((index) => index === 5);
  const weights = weightsOf(session);
  const { isVouchedFor, because } = vouchFor(session, weights);
  expect(because).toBe(
    "reads +0.0 %, writes +0.0 %; 1 of 8 requests missed the cache for no reason the file tells, replayed",
  );
  expect(isVouchedFor).toBe(true);
  const misses = missesOf(session, weights);
  expect([...misses.keys()]).toEqual([11]);
  const played = await playPolicy(policyNamed("palimpsest"), { ...PLAYING, session, weights, misses });
  expect(played.requests[5]?.readTokens).toBe(0);
});

test("what the host left out without a word weighs nothing from there on, under any policy", async () => {
  const LEFT_OUT = 9_000;
  const session = recorded((index) => {
    if (index === 0) return usage(0, 20_000);
    const prompt = 20_000 + index * GROWTH - (index < 5 ? 0 : LEFT_OUT);
    // The prefix changed with it: only what stands before the first message is read.
    return index === 5 ? usage(19_900, prompt - 19_900) : usage(prompt - GROWTH, GROWTH);
  });
  const weights = weightsOf(session);
  expect([...weights.shrinks.keys()]).toEqual([11]);
  expect(vouchFor(session, weights).because).toMatch(/^reads [+−]0\.\d %, writes [+−][0-2]\.\d %$/);
  const none = await playPolicy(policyNamed("none"), { ...PLAYING, session, weights });
  expect(none.requests.at(-1)?.promptTokens).toBeCloseTo(20_000 + 7 * GROWTH - LEFT_OUT, -2);
});

test("where the cache missed time and again there is no simulation, and it says so", () => {
  const session = missing((index) => index % 2 === 0);
  const { isVouchedFor, because } = vouchFor(session, weightsOf(session));
  expect(isVouchedFor).toBe(false);
  expect(because).toContain("3 of 8 requests missed");
});

test("a provider that caches nothing is billed so; a file without usage is not vouched for", () => {
  const session = recorded((index) => ({ ...usage(0, 0), uncachedTokens: 20_000 + index * GROWTH }), 12);
  const rules = rulesFor(session, modelNamed("llama-4-maverick"));
  expect(rules.kind).toBe("none");
  expect(vouchFor(session, weightsOf(session)).isVouchedFor).toBe(true);
  const silent = recorded(() => undefined);
  expect(vouchFor(silent, weightsOf(silent)).because).toContain("records no usage");
});

test("what stands behind the host's last mark is not cached", () => {
  const cache = new PrefixCache({ kind: "marked", ttlMs: 5 * MINUTE, minimumTokens: 0, stepTokens: 1 });
  const standing = ["a", "b", "c"].map((key) => block(key));
  cache.send([...standing, block("d"), block("e")], { ...at(0), unmarkedTokens: 1_000 });
  expect(cache.send([...standing, block("d"), block("e"), block("f")], at(1)).readTokens).toBe(4_000);
});

test("the table of caches names its rows, and nothing else is one", () => {
  expect(cacheNames).toEqual(["anthropic-5m", "anthropic-1h", "openai", "openai-512", "gemini", "none"]);
  expect(() => cacheRulesNamed("redis")).toThrow(/anthropic-5m/);
  expect(cacheRulesNamed("anthropic-1h").ttlMs).toBeGreaterThan(cacheRulesNamed("anthropic-5m").ttlMs);
});

test("without a policy the replay sends what was sent; with one it sends less and counts what it threw away", async () => {
  const playing = { ...PLAYING, session: honest, weights: weightsOf(honest) };
  const none = await playPolicy(policyNamed("none"), playing);
  expect(none.requests.map(({ promptTokens }) => promptTokens)).toEqual(
    Array.from({ length: 8 }, (_, index) => 20_000 + index * GROWTH),
  );
  const ours = await playPolicy(policyNamed("palimpsest"), playing);
  expect(ours.compactions).toBeGreaterThan(0);
  expect(ours.requests.at(-1)?.promptTokens).toBeLessThan(none.requests.at(-1)?.promptTokens ?? 0);
  // All of it on arrival: it was in no cache yet.
  expect(ours.invalidatedTokens).toBe(0);
  expect((await playPolicy(policyNamed("nucleic"), playing)).invalidatedTokens).toBeGreaterThan(0);
});

test("a fact that is out of sight when it is needed costs an extra request", async () => {
  const secret = gets("c0", `${"filler line about rows\n".repeat(900)}the checksum label is qxPort99Value\n`);
  const messages = honest.whole.messages.map((message, index) =>
    index === 2 ? { ...secret, at: 0 } : message,
  );
  const asked = [...messages, { ...assistant("Now use qxPort99Value."), at: 9 * MINUTE }];
  const whole = { ...honest.whole, messages: asked };
  const session = { ...honest, whole, seen: whole };
  const playing = { ...PLAYING, session, weights: weightsOf(session) };
  const played = await playPolicy(policyNamed("nucleic"), playing);
  expect(played.needed).toBeGreaterThan(0);
  expect(played.extraRequests).toBe(played.neededKept === played.needed ? 0 : 1);
});

test("what was sent before, unchanged, and not read is missed; what is new or was edited is not", () => {
  const cache = new PrefixCache({ kind: "marked", ttlMs: 5 * MINUTE, minimumTokens: 0, stepTokens: 1 });
  const [system, a, b, c] = ["system", "a", "b", "c"].map((key) => block(key));
  if (!system || !a || !b || !c) throw new Error("four blocks");
  expect(cache.send([system, a], at(0)).missedTokens).toBe(0);
  expect(cache.send([system, a, b], at(1)).missedTokens).toBe(0);
  expect(cache.send([system, a, b, c], at(20))).toMatchObject({ readTokens: 0, missedTokens: 3_000 });
  // An edit: what stands behind it was not missed, it is another. Equal blocks made anew are the same.
  expect(cache.send([block("system"), block("a"), block("stub"), c], at(40)).missedTokens).toBe(2_000);
});

test("a summary is billed where a policy has a model write it, not where the extractor does; too large a prompt is counted", async () => {
  const play = (name: string) =>
    playPolicy(policyNamed(name), { session: honest, weights: weightsOf(honest), ...PLAYING });
  const [ours, nucleic, none] = [await play("palimpsest"), await play("nucleic"), await play("none")];
  expect(ours.compactions).toBeGreaterThan(0);
  expect(ours.summaries).toEqual([]);
  expect(nucleic.summaries.length).toBeGreaterThan(0);
  expect(none.overWindow).toBeGreaterThan(0);
  expect(ours.overWindow).toBe(0);
});
