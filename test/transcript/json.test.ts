import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  canonical,
  defined,
  type Json,
  list,
  number,
  object,
  parseJson,
  sameJson,
  string,
} from "../../src/transcript/json.ts";

test("what is nested a thousand levels deep is read and can be spelled; what is deeper is foreign", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  expect(canonical(parseJson(nested(1_000)))).toBe(nested(1_000));
  expect(parseJson(nested(1_001))).toBeUndefined();
  expect(parseJson(`{"a":${nested(100_000)}}`)).toBeUndefined();
});

describe("canonical", () => {
  test("spells keys in order, at every depth, and leaves out what is undefined", () => {
    expect(canonical({ b: 1, a: [{ d: null, c: undefined, b: "x" }], B: true })).toBe(
      '{"B":true,"a":[{"b":"x","d":null}],"b":1}',
    );
  });

  test("keeps lists in order, and half a surrogate pair apart from another", () => {
    expect(canonical([2, 1])).toBe("[2,1]");
    expect(canonical("\ud83d")).not.toBe(canonical("\ud83e"));
  });

  test("spells nothing as null", () => {
    expect(canonical(undefined)).toBe("null");
  });

  test("says the same of any value as JSON does, and the same of equal values", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as Json;
        expect(JSON.parse(canonical(json))).toEqual(json);
        expect(canonical(shuffled(json))).toBe(canonical(json));
      }),
    );
  });
});

describe("sameJson", () => {
  test("does not mind the order of keys, or a key that is undefined", () => {
    expect(sameJson({ a: 1, b: [2] }, { b: [2], a: 1, c: undefined })).toBe(true);
  });

  test("minds the order of lists, types, nulls and lengths", () => {
    const pairs: readonly (readonly [Json, Json])[] = [
      [
        [1, 2],
        [2, 1],
      ],
      [[1], [1, 2]],
      [[], {}],
      [{ a: null }, {}],
      ["1", 1],
      [null, {}],
      [{ a: { b: 1 } }, { a: { b: 2 } }],
    ];
    for (const [a, b] of pairs) {
      expect(sameJson(a, b)).toBe(false);
      expect(sameJson(b, a)).toBe(false);
    }
  });

  test("agrees with canonical", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const [a, b] = [left, right].map((value) => JSON.parse(JSON.stringify(value)) as Json);
        expect(sameJson(a, b)).toBe(canonical(a) === canonical(b));
        expect(sameJson(a, shuffled(a ?? null))).toBe(true);
      }),
    );
  });
});

test("the readers take anything and give what was asked for, or nothing", () => {
  expect([object(null), object([1]), object("x"), object(undefined)]).toEqual([{}, {}, {}, {}]);
  expect([list({ 0: 1 }), list("ab"), list(undefined)]).toEqual([[], [], []]);
  expect([string(1), string("a"), number("1"), number(Number.NaN), number(1)]).toEqual([
    undefined,
    "a",
    undefined,
    undefined,
    1,
  ]);
  expect([parseJson("{"), parseJson("null"), parseJson('{"a":1}')]).toEqual([undefined, null, { a: 1 }]);
  expect(Object.keys(defined({ a: undefined, b: null, c: 0 }))).toEqual(["b", "c"]);
});

function shuffled(value: Json): Json {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, shuffled(item ?? null)]),
  );
}
