/**
 * Codes are public: the gateway answers with them, the inspector shows them. Red means: deliberate? Types are erased,
 * so the list is read from the source.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const source = readFileSync(resolve(import.meta.dirname, "../../src/transcript/rules.ts"), "utf8");

function unionNamed(name: string): readonly (string | undefined)[] {
  const union = new RegExp(`export type ${name} =([\\s\\S]*?);\\s`).exec(source)?.[1] ?? "";
  return [...union.matchAll(/\| "([a-z-]+)"/g)].map(([, literal]) => literal);
}

test("the codes a problem can have", () => {
  expect(unionNamed("ProblemCode")).toEqual([
    "no-messages",
    "empty-message",
    "empty-text",
    "blank-text",
    "misplaced-call",
    "misplaced-result",
    "misplaced-thinking",
    "misplaced-words",
    "unanswered-call",
    "open-call",
    "late-result",
    "orphan-result",
    "repeated-result",
    "result-after-words",
    "repeated-call-id",
    "missing-call-id",
    "long-call-id",
    "malformed-call-id",
    "missing-name",
    "input-not-object",
    "starts-with-assistant",
    "ends-with-assistant",
    "system-inside",
    "system-not-after-user",
    "roles-do-not-alternate",
    "thinking-last",
    "thinking-edited",
    "prefix-changed",
    "missing-thinking",
    "opaque-edited",
    "foreign-opaque",
  ]);
});

test("the providers whose rules are known", () => {
  expect(unionNamed("Provider")).toEqual([
    "anthropic",
    "openai-chat",
    "openai-responses",
    "gemini",
    "chat-template",
    "strictest",
  ]);
});
