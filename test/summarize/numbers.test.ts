import { describe, expect, test } from "vitest";
import { Numbers } from "../../src/summarize/numbers.ts";

describe("numbers at numbers", () => {
  test("answers like a Map, whatever the keys are and however many", () => {
    const numbers = new Numbers();
    const map = new Map<number, number>();
    const keys = [0, -1, 1, 2 ** 31 - 1, -(2 ** 31)];
    for (let at = 0; at < 20_000; at += 1) keys.push(Math.imul(at, 0x01000193), at, at << 16, -at);
    for (const [value, key] of keys.entries()) {
      expect(numbers.get(key)).toBe(map.get(key) ?? -1);
      numbers.set(key, value);
      map.set(key, value);
    }
    for (const key of keys) expect(numbers.get(key)).toBe(map.get(key));
    expect(numbers.get(123_456_789)).toBe(-1);
  });
});
