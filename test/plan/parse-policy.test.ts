import { expect, test } from "vitest";
import { PalimpsestError } from "../../src/errors.ts";
import { parsePolicy } from "../../src/plan/parse-policy.ts";
import { policies, policyNamed, policyNames, readPolicy, withVariables } from "../../src/plan/policies.ts";
import type { Json } from "../../src/transcript/json.ts";

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value));
const own = (changes: object): Json => asJson({ extends: "palimpsest", name: "own", ...changes });

test.each(policies)("$name is JSON, and reads back as it is", (policy) => {
  expect(parsePolicy(asJson(policy))).toEqual(policy);
});

test("an unknown name is told with the known ones", () => {
  expect(policyNames).toEqual([
    ...["palimpsest", "nucleic", "layered", "summarize", "pointerize", "hybrid", "claude-code", "opencode"],
    ...["ion", "opencode-v2", "pi", "qwen-restore", "codex-local", "kimi-handoff", "cline-basic"],
    ...["deepagents-offload", "gemini-classic", "mastra-om", "anthropic-clear-tools", "langchain-summ"],
    ...["roo-fresh-start", "openhands-rolling", "none"],
  ]);
  expect(() => policyNamed("nucelic")).toThrow(/"nucelic".*palimpsest, nucleic, layered.*none/);
});

test.each([
  [{ safety: { maxFailures: -1 } }, "safety.maxFailures: expected >=0, found -1"],
  [{ trigger: { at: [{ share: 1.5 }] } }, "trigger.at.0.share: expected <=1, found 1.5"],
  [{ tail: { folds: "all" } }, 'tail.folds: expected ("steps" | "everything" | "nothing"), found "all"'],
  [{ summary: { sections: ["Gossip"] } }, "summary.sections.0: expected"],
  [{ tail: { minStep: 3 } }, "tail.minStep: there is no such field"],
  [{ prune: [{ strategy: "forget" }] }, "prune.0.strategy: expected"],
  [{ name: "My Policy" }, "name: expected"],
] as const)("a wrong one gets an error that names the field: %j", (changes, told) => {
  expect(() => readPolicy(own(changes))).toThrow(PalimpsestError);
  expect(() => readPolicy(own(changes))).toThrow(told);
});

test("a missing field is named", () => {
  expect(() => parsePolicy({ name: "x", about: "y" })).toThrow(/trigger: expected/);
});

test("what is no object is no policy, and only known policies can be extended", () => {
  expect(() => parsePolicy([])).toThrow("a policy is a JSON object");
  expect(() => readPolicy({ extends: "nobody" })).toThrow('extends: there is no policy "nobody"');
});

test("a policy that extends another keeps what it does not say", () => {
  const read = readPolicy(own({ tail: { minSteps: 9 } }));
  expect(read.tail).toEqual({ ...policyNamed("palimpsest").tail, minSteps: 9 });
  expect(read.name).toBe("own");
});

test("COMPRESSION_THRESHOLD sets the mark of nucleic, and a wrong one is told", () => {
  const nucleic = policyNamed("nucleic");
  expect(withVariables(nucleic, { COMPRESSION_THRESHOLD: "0.6" }).trigger.at).toEqual([{ share: 0.6 }]);
  expect(withVariables(nucleic, {})).toBe(nucleic);
  expect(() => withVariables(nucleic, { COMPRESSION_THRESHOLD: "a lot" })).toThrow("trigger.at.0.share");
});
