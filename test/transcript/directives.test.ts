import { expect, test } from "vitest";
import { directivesIn, sentencesOf } from "../../src/transcript/directives.ts";

test.each([
  ["Never push to main.", true],
  ["Please keep the old API working.", true],
  ["use tabs, not spaces", true],
  ["- Run the tests first", true],
  ["Find and run any tests that are related to:", true],
  ["Don't touch the migrations", true],
  ["No, that is wrong.", true],
  ["Bitte niemals direkt committen.", true],
  ["不要修改数据库", true],
  ["It was raining.", false],
  ["The server answered with 200.", false],
  ["1234 5678", false],
])("%s", (sentence, expected) => {
  expect(directivesIn(sentence)).toEqual(expected ? [sentence] : []);
});

test("they come out in order, to the letter, each once", () => {
  const text = "The build is red. Fix it!  But never skip tests.\nIt rained.\nBut never skip tests.";
  expect(directivesIn(text)).toEqual(["Fix it!", "But never skip tests."]);
});

test("code, quotes and tables are not the user speaking", () => {
  expect(directivesIn("```\nnever()\nyou must\n```\n> you must\n| must | x |\nok")).toEqual([]);
});

test("a megabyte without a full stop is no sentence", () => {
  expect(sentencesOf("must ".repeat(200_000))).toEqual([]);
});
