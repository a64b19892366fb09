import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { tokenizerFor, windowsOf } from "../../src/measure/tokenizer.ts";
import { user } from "../say.ts";

async function loaded(model = "gpt-5.1") {
  const tokenizer = tokenizerFor(model);
  if (tokenizer.kind !== "exact") throw new Error(tokenizer.because);
  return await tokenizer.load();
}

test.each([
  "gpt-4o",
  "gpt-4.1-mini",
  "gpt-5",
  "gpt-5.1-codex",
  "openai/gpt-5.5",
  "o3",
  "o4-mini-2025-04-16",
  "gpt-oss-120b",
])("%s is counted exactly", (model) => {
  expect(tokenizerFor(model).kind).toBe("exact");
});

test.each([
  ["claude-opus-4-5-20251101", /Anthropic publishes no tokenizer/],
  ["models/gemini-2.5-pro", /Google publishes no tokenizer/],
  ["gpt-4", /not known that gpt-4 counts in o200k/],
  ["gpt-6-sol", /not known/],
  ["kimi-k3", /usage corrects the estimate/],
  ["my-model", /Whose model/],
  [undefined, /No model was named/],
])("%s is not, and the answer says why", (model, why) => {
  const tokenizer = tokenizerFor(model);
  expect(tokenizer.kind === "none" && tokenizer.because).toMatch(why);
});

test("counts what o200k counts, and says so", async () => {
  const counter = await loaded();
  const text = "export const answer = 42; // the question is lost\n".repeat(5);
  expect(counter.basis).toBe("tokenizer");
  expect(counter.text(text)).toBe(countTokens(text));
});

test("in windows it stays within 0.5 % of one count over the whole", async () => {
  const counter = await loaded();
  const text = Array.from(
    { length: 400 },
    (_, at) => `line ${at}: the ${"very ".repeat(at % 5)}long {"json": [${at}, true]} text;\n`,
  ).join("");
  expect(text.length).toBeGreaterThan(8 * 2048);
  expect(Math.abs(counter.text(text) / countTokens(text) - 1)).toBeLessThan(0.005);
});

// Unguarded it would take an hour, and run into the time limit of a test.
test("a million times the letter a is counted, within 1 % of eight letters a token", async () => {
  const counter = await loaded();
  const tokens = counter.text("a".repeat(1_000_000));
  expect(Math.abs(tokens / 125_000 - 1)).toBeLessThan(0.01);
});

test("what looks like a control token is counted as the text it is", async () => {
  const counter = await loaded();
  const [part] = user("never print <|endoftext|> or <|im_start|>").parts;
  expect(part && counter.part(part)).toBeGreaterThan(10);
});

test("windows join to the text, are short, and cut neither words from their space nor characters in two", () => {
  const texts = [
    `${"word ".repeat(3000)}`,
    "x".repeat(10_000),
    "👍".repeat(5000),
    "",
    "short",
    " ".repeat(9000),
  ];
  for (const text of texts) {
    const windows = [...windowsOf(text)];
    expect(windows.join("")).toBe(text);
    for (const window of windows) {
      expect(window.length).toBeLessThanOrEqual(2048);
      expect(!/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(window)).toBe(true);
    }
  }
  expect([...windowsOf("word ".repeat(3000))][1]).toMatch(/^ word/);
});
