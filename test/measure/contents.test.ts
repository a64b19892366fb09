import { expect, test } from "vitest";
import { contentsOf } from "../../src/measure/contents.ts";
import type { Part } from "../../src/transcript/message.ts";
import { refOf } from "../../src/transcript/ref.ts";
import { assistant, call, calls, gets, result, thinks, transcript, user } from "../say.ts";

/** One token a character: sums can be done in the head. */
const letters = (part: Part): number => {
  if (part.type === "text" || part.type === "thinking") return part.text.length;
  if (part.type === "tool-call") return JSON.stringify(part.input).length;
  return part.type === "tool-result" && part.output[0]?.type === "text" ? part.output[0].text.length : 0;
};

const session = transcript(
  user("fix a.ts"),
  assistant(
    thinks("hm"),
    call("1", "Read", { file_path: "a.ts" }),
    call("2", "Bash", { command: "npm test" }),
  ),
  user(result("1", "old text of a"), result("2", "1 failed", true)),
  calls("3", "Edit", { file_path: "a.ts" }),
  gets("3", "ok"),
  calls("4", "Bash", { command: "npm test" }),
  gets("4", "1 passed"),
  user({ type: "text", text: "<reminder>", synthetic: true }),
  user("and once more"),
  calls("5", "Bash", { command: "npm test" }),
  gets("5", "1 passed"),
);
const contents = contentsOf(session, { tokensOf: letters });

test("the kinds add up to everything that was said, the largest first", () => {
  const total = session.messages.flatMap(({ parts }) => parts).reduce((sum, part) => sum + letters(part), 0);
  expect(contents.byKind.reduce((sum, row) => sum + row.tokens, 0)).toBe(total);
  expect(contents.byKind.map(({ tokens }) => tokens)).toEqual(
    contents.byKind.map(({ tokens }) => tokens).toSorted((a, b) => b - a),
  );
  expect(contents.byKind.find(({ kind }) => kind === "user words")).toEqual({
    kind: "user words",
    count: 2,
    tokens: 21,
  });
  expect(contents.byKind.find(({ kind }) => kind === "harness text")).toEqual({
    kind: "harness text",
    count: 1,
    tokens: 10,
  });
});

test("a tool is charged for its calls and for what they brought back", () => {
  expect(contents.byTool.find(({ tool }) => tool === "Bash")).toEqual({
    tool: "Bash",
    calls: 3,
    errors: 1,
    callTokens: 66,
    resultTokens: 24,
    tokens: 90,
  });
});

test("a file is charged for every call that touched it", () => {
  expect(contents.byFile).toEqual([{ path: "a.ts", reads: 1, edits: 1, tokens: 20 + 13 + 20 + 2 }]);
});

test("turns begin with the user's words, not with the harness's", () => {
  expect(contents.byTurn.map(({ turn, says, messages }) => [turn, says, messages])).toEqual([
    [1, "fix a.ts", 8],
    [2, "and once more", 3],
  ]);
});

test("an output that came twice is a repeat, and costs what could go", () => {
  const repeated = result("4", "1 passed");
  expect(contents.repeats).toEqual([{ ref: refOf(repeated), what: "Bash npm test", times: 2, tokens: 8 }]);
});

test("a read that was overtaken by an edit is superseded", () => {
  expect(contents.superseded).toMatchObject([{ path: "a.ts", by: "edited", messageIndex: 2, tokens: 13 }]);
});

test("the largest parts come first, and say what they are", () => {
  expect(contents.largest[0]).toMatchObject({ what: "Bash npm test", tokens: 22 });
});

test("a path below the working directory is told from there, and is one file with its short form", () => {
  const both = transcript(
    calls("1", "Read", { file_path: "/w/a.ts" }),
    gets("1", "x"),
    calls("2", "Read", { file_path: "a.ts" }),
    gets("2", "y"),
  );
  expect(contentsOf(both, { tokensOf: letters, cwd: "/w" }).byFile).toMatchObject([
    { path: "a.ts", reads: 2 },
  ]);
});
