import { describe, expect, test } from "vitest";
import { Lines } from "../../src/summarize/lines.ts";

function quotableLines(text: string): readonly string[] {
  return new Lines((line) => ({ text: line, scan: { things: [], words: 0, isNumbered: false } }))
    .of(text)
    .map((line) => line.text);
}

describe("lines that can be quoted", () => {
  test.each([
    ["   12→const value = 1;", ["const value = 1;"]],
    ["12\tconst value = 1;", ["const value = 1;"]],
    ["  12 | const value = 1;", ["const value = 1;"]],
    ["12: const value = 1;", ["const value = 1;"]],
    ["12:const value = 1;", ["12:const value = 1;"]],
    ["1234567 is a number of its own", ["1234567 is a number of its own"]],
    ["first line\r\nsecond line\n\nthird\tline", ["first line", "second line", "third line"]],
    ["a    gap   is one blank", ["a gap is one blank"]],
    ["\u001b[31mred words\u001b[0m", ["red words"]],
    ["half\rwritten over", ["written over"]],
    ["12345 67890", []],
    ["</output-tag>", []],
    ["see ref_0123456789ab for more", []],
    [`key ${"k".repeat(120)}`, []],
    [`${"k".repeat(90)}, ${"k".repeat(120)}`, []],
    [`${"k".repeat(90)}, ${"k".repeat(119)}`, [`${"k".repeat(90)}, ${"k".repeat(119)}`]],
    [`(${"k".repeat(119)}`, [`(${"k".repeat(119)}`]],
  ])("%j", (text, lines) => {
    expect(quotableLines(text)).toEqual(lines);
  });

  test("are cut and judged alike, whether or not a letter in them is beyond ASCII", () => {
    for (const line of LINES) {
      const bare = quotableLines(`${line} word`);
      const far = quotableLines(`${line} wörd`);
      expect(far, line).toEqual(bare.map((one) => one.replace(/word$/, "wörd")));
    }
  });
});

test("a line is one, wherever in whichever text it was said", () => {
  const lines = new Lines((text) => ({ text, scan: { things: [], words: 0, isNumbered: false } }));
  const [, first] = lines.of("something before it\nconst value = 1;");
  const [, , second] = lines.of("other words\nbefore it again\n   7→const value = 1;\nand behind");
  expect(second).toBe(first);
  expect(lines.each(["const value = 1;"])[0]).toBe(first);
  expect(lines.all.map(({ text }) => text)).toEqual([
    "something before it",
    "const value = 1;",
    "other words",
    "before it again",
    "and behind",
  ]);
});

const BEFORE = ["", "  ", "\t", "7 ", " 12→", "12\t\t", "123456 | ", "12:  ", "12: ", "1234567 ", "12│"];
const WORDS = [
  "return value;",
  "a  b\tc",
  "<tag>",
  "ref_0123456789ab",
  "k".repeat(119),
  "k".repeat(120),
  "(x)",
  "no_ref_0",
];
const LINES = BEFORE.flatMap((before) => WORDS.map((words) => `${before}${words}`));

describe("a line of any script", () => {
  test.each([
    ["  12→│ мост закрыт девять лет", ["│ мост закрыт девять лет"]],
    ["这座旧桥已经关闭了九年", ["这座旧桥已经关闭了九年"]],
    ["✓ 12 · 34 → 56 … 78", []],
    ["a\u00a0wide gap", ["a wide gap"]],
    ["a wide\u2003gap", ["a wide gap"]],
    ["a zero\u200bwide gap", ["a zero wide gap"]],
    ["a line\u2028of its own", ["a line of its own"]],
    ["a mark\ufeffof order", ["a mark of order"]],
    ["half \ud800 of a pair", ["half \ufffd of a pair"]],
    ["progress ████████ done", []],
    ["a stub ⟦ref⟧ of ours", []],
    [`é${"é".repeat(120)} no gap`, []],
  ])("%j is cut to %j", (text, lines) => {
    expect(quotableLines(text)).toEqual(lines);
  });
});
