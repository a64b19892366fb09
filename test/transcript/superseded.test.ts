import { expect, test } from "vitest";
import type { Message } from "../../src/transcript/message.ts";
import { pairUp } from "../../src/transcript/pairs.ts";
import { supersededReads } from "../../src/transcript/superseded.ts";
import { calls, gets, result, transcript, user } from "../say.ts";

const reads = (
  id: string,
  path: string,
  lines: { offset?: number; limit?: number } = {},
): readonly Message[] => [
  calls(id, "Read", { file_path: path, ...lines }),
  gets(id, `text of ${path} ${id}`),
];
const edits = (id: string, path: string): readonly Message[] => [
  calls(id, "Edit", { file_path: path }),
  gets(id, "ok"),
];
const found = (...messages: readonly Message[]) =>
  supersededReads(pairUp(transcript(...messages))).map(({ pair, by }) => [pair.call.part.callId, by]);

test("of two reads of one file the earlier is superseded, and the later is not", () => {
  expect(found(...reads("1", "a"), ...reads("2", "b"), ...reads("3", "a"))).toEqual([["1", "read again"]]);
});

test("a read of other lines supersedes nothing; a read of more lines does", () => {
  const first = reads("1", "a", { offset: 10, limit: 5 });
  expect(found(...first, ...reads("2", "a", { offset: 20, limit: 5 }))).toEqual([]);
  expect(found(...first, ...reads("2", "a", { offset: 8, limit: 20 }))).toEqual([["1", "read again"]]);
});

test("an edit supersedes every reading before it, and none after", () => {
  expect(found(...reads("1", "a", { offset: 10, limit: 5 }), ...edits("2", "a"), ...reads("3", "a"))).toEqual(
    [["1", "edited"]],
  );
});

test("a failed edit supersedes nothing", () => {
  expect(
    found(...reads("1", "a"), calls("2", "Edit", { file_path: "a" }), user(result("2", "no match", true))),
  ).toEqual([]);
});

test("a result that shows two files goes only when both are overtaken", () => {
  const both = [calls("1", "bash", { command: "cat a.ts b.ts" }), gets("1", "both")];
  expect(found(...both, ...edits("2", "a.ts"))).toEqual([]);
  expect(found(...both, ...edits("2", "a.ts"), ...edits("3", "b.ts"))).toEqual([["1", "edited"]]);
});

test("ten thousand reads of one file in pieces are looked through in one go", () => {
  const many = Array.from({ length: 10_000 }, (_, index) =>
    reads(`r${index}`, "a", { offset: index * 10, limit: 5 }),
  ).flat();
  expect(found(...many)).toEqual([]);
});
