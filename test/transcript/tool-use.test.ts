import { describe, expect, test } from "vitest";
import type { Json } from "../../src/transcript/json.ts";
import { toolUse } from "../../src/transcript/tool-use.ts";

const use = (name: string, input: Json) => toolUse({ type: "tool-call", callId: "1", name, input });
const files = (command: string) => use("bash", { command }).files;

describe("what a tool call does", () => {
  test.each([
    [
      "Claude Code",
      "Read",
      { file_path: "/w/a.ts", offset: 10, limit: 20 },
      { path: "/w/a.ts", does: "read", fromLine: 10, toLine: 29 },
    ],
    ["OpenCode", "read", { filePath: "/w/a.ts" }, { path: "/w/a.ts", does: "read" }],
    ["Gemini CLI", "read_file", { absolute_path: "/w/a.ts" }, { path: "/w/a.ts", does: "read" }],
    ["an MCP server", "mcp__fs__read_file", { path: "./a.ts" }, { path: "a.ts", does: "read" }],
    [
      "OpenHands",
      "str_replace_editor",
      { command: "view", path: "/w/a.ts", view_range: [5, -1] },
      { path: "/w/a.ts", does: "read", fromLine: 5 },
    ],
    [
      "OpenHands, creating",
      "str_replace_editor",
      { command: "create", path: "/w/a.ts" },
      { path: "/w/a.ts", does: "write" },
    ],
    ["Cline", "write_to_file", { path: "a.ts", content: "" }, { path: "a.ts", does: "write" }],
    ["pi", "edit", { path: "a.ts", oldText: "1", newText: "2" }, { path: "a.ts", does: "edit" }],
  ])("in %s", (_, name, input, file) => {
    expect(use(name, input as Json).files).toEqual([file]);
  });

  test("several files at once, each with its own lines", () => {
    const input = { files: [{ path: "a.ts", start_line: 1, end_line: 9 }, { path: "b.ts" }] };
    expect(use("read_files", input).files).toEqual([
      { path: "a.ts", does: "read", fromLine: 1, toLine: 9 },
      { path: "b.ts", does: "read" },
    ]);
  });

  test("a patch names its files, as free text and as a field", () => {
    const patch =
      "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-1\n+2\n*** Add File: src/b.ts\n+3\n*** End Patch";
    const expected = [
      { path: "src/a.ts", does: "edit" },
      { path: "src/b.ts", does: "write" },
    ];
    expect(use("apply_patch", patch).files).toEqual(expected);
    expect(use("apply_patch", { input: patch }).files).toEqual(expected);
    expect(use("apply_patch", { patchText: patch }).files).toEqual(expected);
    expect(files(`apply_patch <<'EOF'\n${patch}\nEOF`)).toEqual(expected);
  });

  test("an unknown tool does something else, and a plan is a plan", () => {
    expect(use("ask_oracle", { path: "a.ts" })).toEqual({ does: "other", files: [] });
    expect(use("TodoWrite", { todos: [] }).does).toBe("plan");
  });
});

describe("what a shell command does to files", () => {
  test.each([
    ["sed -n '120,180p' src/a.ts", [{ path: "src/a.ts", does: "read", fromLine: 120, toLine: 180 }]],
    [
      "cat a.ts b.ts | head -50",
      [
        { path: "a.ts", does: "read" },
        { path: "b.ts", does: "read" },
      ],
    ],
    ["cd /w/pkg && head -n 5 a.ts", [{ path: "/w/pkg/a.ts", does: "read", fromLine: 1, toLine: 5 }]],
    ["sed -i 's/1/2/' a.ts", [{ path: "a.ts", does: "edit" }]],
    ["cat > a.ts <<'EOF'\ncat other.ts\nEOF\nnpm test", [{ path: "a.ts", does: "write" }]],
    ["npm test > out.log 2>&1", [{ path: "out.log", does: "write" }]],
    ["make 2>/dev/null", []],
    ["cat $FILE", []],
    ["echo 'cat a.ts'", []],
    ['unbalanced "quote cat a.ts', []],
  ])("%s", (command, expected) => {
    expect(files(command)).toEqual(expected);
  });

  test.each([
    ["cd /w && sed -n '1,9p' a.ts", "read"],
    ["rg -n foo src | head", "search"],
    ["npm test", "run"],
    ["cat a.ts > b.ts", "run"],
  ])("%s is a %s", (command, does) => {
    expect(use("bash", { command }).does).toBe(does);
  });

  test("Codex spells a shell line as a list", () => {
    expect(use("shell", { command: ["bash", "-lc", "cat a.ts"] })).toEqual({
      does: "read",
      files: [{ path: "a.ts", does: "read" }],
      command: "cat a.ts",
    });
  });

  test("a megabyte of command is read as far as its beginning", () => {
    expect(files(`cat a.ts; echo ${"x".repeat(1_000_000)}`)).toEqual([{ path: "a.ts", does: "read" }]);
  });
});
