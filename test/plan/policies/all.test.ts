/** What holds for every policy: each number has a source, each option is a policy, each trigger is the harness's. */
import { describe, expect, test } from "vitest";
import { policies, policyNamed, readPolicy } from "../../../src/plan/policies.ts";
import { fieldAt } from "../../../src/plan/policy-field.ts";
import { marksOf } from "../../../src/plan/size.ts";
import { isList, isObject, type Json } from "../../../src/transcript/json.ts";

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value));

/** Paths of all numbers in a policy. */
function numbersIn(json: Json | undefined, path = ""): readonly string[] {
  if (typeof json === "number") return [path];
  const entries = isList(json) ? json.map((item, index) => [index, item] as const) : [];
  const fields = isObject(json) ? Object.entries(json) : [];
  return [...entries, ...fields].flatMap(([key, value]) =>
    numbersIn(value, path === "" ? String(key) : `${path}.${key}`),
  );
}

describe.each(policies.filter(({ name }) => name !== "none"))("$name", (policy) => {
  const { notes = {}, options = {}, variables: _, ...rules } = policy;

  test("says of every number where it comes from", () => {
    const covered = (path: string) =>
      Object.keys(notes).some((noted) => path === noted || path.startsWith(`${noted}.`));
    expect(numbersIn(asJson(rules)).filter((path) => !covered(path))).toEqual([]);
  });

  test("notes stand on fields that are there", () => {
    const missing = Object.keys(notes).filter((path) => fieldAt(asJson(rules), path) === undefined);
    expect(missing).toEqual([]);
  });

  test("each value of each option makes a policy", () => {
    for (const [option, { values }] of Object.entries(options))
      for (const value of Object.keys(values)) {
        const name = `${policy.name}:${option}=${value}`;
        expect(readPolicy(asJson(policyNamed(name)))).toMatchObject({ name });
      }
  });
});

test("options set their fields, and take one away", () => {
  const opaque = policyNamed("pointerize:threshold=150:format=preview:interface=read:prompt=passive");
  expect(opaque.prune.map(({ minTokens }) => minTokens)).toEqual([151, 151]);
  expect(opaque.prune[0]).toMatchObject({ leave: { format: "preview", previewChars: 200 } });
  expect(opaque.summary.table).toBeUndefined();
  expect(opaque.retrieval).toEqual({ tools: ["read_ref"], prompt: "passive", descriptions: "semantic" });
  expect(policyNamed("pointerize:format=table").summary.table).toBeDefined();
});

test.each([
  ["pointerize:threshold=200", 'pointerize:threshold is not "200". Known: 150, 300, 500.'],
  ["pointerize:threshold", 'pointerize:threshold is not "". Known: 150, 300, 500.'],
  ["pointerize:toString=1", 'pointerize has no option "toString". Known: threshold,'],
  ["pi:x=1", 'pi has no option "x". It has none.'],
])("%s is told", (name, told) => {
  expect(() => policyNamed(name)).toThrow(told);
});

/** `facts/harnesses.md` §2 at 128k, 200k and 1M with 32k of output; the seeds' systems by their own texts. */
test.each([
  ["nucleic", [102_400, 160_000, 800_000]],
  ["layered", [95_000, 167_000, 967_000]],
  ["summarize", [95_000, 167_000, 967_000]],
  ["pointerize", [95_000, 167_000, 967_000]],
  ["hybrid", [95_000, 167_000, 967_000]],
  ["claude-code", [95_000, 167_000, 967_000]],
  ["opencode", [108_000, 180_000, 980_000]],
  ["ion", [95_200, 156_400, 836_400]],
  ["opencode-v2", [96_000, 168_000, 968_000]],
  ["pi", [111_616, 183_616, 983_616]],
  ["qwen-restore", [95_000, 167_000, 850_000]],
  ["codex-local", [115_200, 180_000, 900_000]],
  ["kimi-handoff", [78_000, 150_000, 850_000]],
  ["cline-basic", [103_680, 162_000, 810_000]],
  ["deepagents-offload", [108_800, 170_000, 850_000]],
  ["gemini-classic", [64_000, 100_000, 500_000]],
  ["mastra-om", [30_000, 30_000, 30_000]],
  ["anthropic-clear-tools", [100_000, 100_000, 100_000]],
  ["roo-fresh-start", [107_008, 171_808, 891_808]],
  ["langchain-summ", [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]],
  ["openhands-rolling", [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]],
] as const)("%s fires where the harness does", (name, marks) => {
  const fullAt = (windowTokens: number) =>
    marksOf(policyNamed(name), { windowTokens, outputTokens: 32_000 }).full;
  expect([128_000, 200_000, 1_000_000].map(fullAt)).toEqual(marks);
});
