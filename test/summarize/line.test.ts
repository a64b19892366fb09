import { expect, test } from "vitest";
import { flat } from "../../src/summarize/line.ts";

test("what is taken for usual is what the general rule leaves as it is", () => {
  const general = (text: string) =>
    text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").replaceAll(/\p{Cs}/gu, "\ufffd");
  const other: string[] = [];
  for (let unit = 0; unit <= 0xffff; unit += 1) {
    const text = `a${String.fromCharCode(unit)}b`;
    if (flat(text) !== general(text)) other.push(unit.toString(16));
  }
  expect(other).toEqual([]);
});
