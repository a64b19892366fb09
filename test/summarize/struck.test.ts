import { describe, expect, test } from "vitest";
import { MIN_CHARS } from "../../src/summarize/clean-lines.ts";
import { Struck } from "../../src/summarize/struck.ts";

const piece = "x9".repeat(MIN_CHARS).slice(0, MIN_CHARS);

describe("what an edit took out of a line", () => {
  test.each([
    ["alone", piece],
    ["at its start", `${piece} and more`],
    ["in the middle", `some ${piece} and more`],
    ["at its end", `some ${piece}`],
  ])("%s", (_, text) => {
    const struck = new Struck();
    struck.add(piece, 1);
    expect(struck.holds({ text, order: 1 })).toBe(true);
  });

  test("not where the line was said later, nor where only its beginning is the same", () => {
    const struck = new Struck();
    struck.add(`${piece} to the end`, 1);
    expect(struck.holds({ text: `${piece} to the end`, order: 2 })).toBe(false);
    expect(struck.holds({ text: `${piece} to the beginning`, order: 1 })).toBe(false);
  });

  test("each of those that begin the same", () => {
    const struck = new Struck();
    for (const end of ["one", "two", "three"]) struck.add(`${piece} ${end}`, 1);
    expect(["one", "two", "three"].map((end) => struck.holds({ text: `${piece} ${end}`, order: 0 }))).toEqual(
      [true, true, true],
    );
    expect(struck.holds({ text: `${piece} four`, order: 0 })).toBe(false);
  });
});
