import { expect, test } from "vitest";
import { estimateTokens } from "../../src/measure/estimate.ts";
import { previewOf } from "../../src/plan/preview.ts";
import type { ToolCallPart, ToolResultPart } from "../../src/transcript/message.ts";
import { call, result } from "../say.ts";

const preview = (name: string, input: object, text: string, maxTokens = 400) =>
  previewOf(result("1", text) as ToolResultPart, call("1", name, input as never) as ToolCallPart, {
    maxTokens,
  }) ?? "";

const lines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join("\n");

test("of a test run: the failures and the closing counts", () => {
  const text = `${lines(900, (n) => ` ✓ test/a.test.ts > passes ${n}`)}
 FAIL  test/b.test.ts > adds
AssertionError: expected 2 to be 3
 ❯ test/b.test.ts:4:10
${lines(300, (n) => ` ✓ test/c.test.ts > passes ${n}`)}
 Test Files  1 failed | 2 passed (3)
      Tests  1 failed | 1200 passed (1201)`;
  const shown = preview("Bash", { command: "npx vitest run" }, text);
  expect(shown).toContain("FAIL  test/b.test.ts > adds\nAssertionError: expected 2 to be 3");
  expect(shown).toContain("1 failed | 1200 passed (1201)");
  expect(shown).not.toContain("passes 100\n");
});

test("of JSON: its shape", () => {
  const text = JSON.stringify({
    total: 900,
    users: Array.from({ length: 900 }, (_, id) => ({ id, name: `user ${id}`, tags: ["a", "b"] })),
  });
  const shown = preview("Bash", { command: "curl x" }, text);
  expect(shown).toContain('"total": 900');
  expect(shown).toContain('"users": [900 items, the first: {');
  expect(shown).not.toContain("user 7");
});

test("of a file: its declarations, with line numbers", () => {
  const body = lines(60, (n) => `    const value${n} = compute(${n});`);
  const text = `import a from "a";\n\nexport function first() {\n${body}\n}\n\nexport class Second {\n${body}\n}`;
  const shown = preview("Read", { path: "a.ts" }, text);
  expect(shown).toContain("3\texport function first() {");
  expect(shown).toContain("66\texport class Second {");
  expect(shown).not.toContain("value40");
});

test("a file with line numbers of its own, read from the middle, keeps them", () => {
  const text = lines(
    80,
    (n) => `${String(500 + n).padStart(6)}→${n === 50 ? "def later(self):" : "    pass"}`,
  );
  expect(preview("Read", { path: "a.py", offset: 500 }, text)).toContain("   550→def later(self):");
  const bare = lines(80, (n) => (n === 50 ? "def later(self):" : "    pass"));
  expect(preview("Read", { path: "a.py", offset: 500 }, bare)).toContain("550\tdef later(self):");
});

test("of a log: the errors and the end", () => {
  const text = lines(2_000, (n) => (n === 700 ? "ERROR disk full" : `info line ${n}`));
  const shown = preview("Bash", { command: "cat app.log | tail" }, text);
  expect(shown).toContain("701: ERROR disk full");
  expect(shown).toContain("info line 1999");
  expect(shown).not.toContain("info line 1000");
});

test("of a diff: files and hunks", () => {
  const text = `diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,4 @@ function x\n${lines(500, (n) => `+added ${n}`)}\n-gone`;
  const shown = preview("Bash", { command: "git diff" }, text);
  expect(shown).toBe("Diff of 1 file:\na.ts +500 −1\n  @@ -1,3 +1,4 @@ function x");
});

test("of anything else: head and tail, also of one endless line", () => {
  const shown = preview("Mystery", {}, `start ${"x".repeat(500_000)} end`);
  expect(shown).toMatch(/^start x+\n\[… \d+ characters …\]\nx+ end$/);
});

test("no preview is larger than asked for, and no half of a surrogate pair is left over", () => {
  for (const text of [
    "漢字".repeat(40_000),
    "😀".repeat(40_000),
    lines(9_000, (n) => `error ${n}`),
    `{"a":[${"1,".repeat(9_000)}1]}`,
  ]) {
    const shown = preview("Bash", { command: "x" }, text, 300);
    expect(estimateTokens(shown)).toBeLessThan(360);
    expect(shown).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
  }
});

test("where there is no text there is no preview", () => {
  expect(previewOf(result("1", " \n") as ToolResultPart)).toBeUndefined();
});
