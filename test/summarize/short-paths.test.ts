import { expect, test } from "vitest";
import type { Summary } from "../../src/plan/summary.ts";
import { commonFolder, shortPaths } from "../../src/summarize/short-paths.ts";

const files = (...paths: readonly string[]): Summary => ({
  sections: {
    "Files Modified": paths.map((about) => ({ text: `\`${about}\` edited`, refs: [], about })),
  },
});

test("the folder most paths are in is said once, and none where that saves nothing", () => {
  const root = "/home/dev/projects/hookline/src/";
  expect(
    commonFolder(
      files(`${root}plan/a.ts`, `${root}plan/b.ts`, `${root}store/c.ts`, `${root}d.ts`, "/etc/hosts"),
    ),
  ).toBe(root);
  expect(commonFolder(files("/home/dev/a.ts", "/etc/hosts"))).toBe("");
  expect(commonFolder(files("src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts"))).toBe("");
});

test("paths are shortened in our own lines, never in what is quoted", () => {
  const text = [
    "- `/home/dev/src/a.ts` edited; see `/home/dev/src/b.ts` [ref_000000000001]",
    "  > open(`/home/dev/src/a.ts`)",
    "- ran `cat /home/dev/src/a.ts`",
  ].join("\n");
  expect(shortPaths(text, "/home/dev/src/")).toBe(
    [
      "- `a.ts` edited; see `b.ts` [ref_000000000001]",
      "  > open(`/home/dev/src/a.ts`)",
      "- ran `cat /home/dev/src/a.ts`",
    ].join("\n"),
  );
  expect(shortPaths(text, "")).toBe(text);
});
