import { describe, expect, test } from "vitest";
import type { Part } from "../../src/transcript/message.ts";
import { samePart } from "../../src/transcript/same-part.ts";
import { call, result, thinks } from "../say.ts";

const text: Part = { type: "text", text: "a" };
const image: Part = { type: "image", source: { kind: "data", mediaType: "image/png", base64: "a" } };
const document: Part = {
  type: "document",
  title: "notes",
  source: { kind: "url", url: "https://example.com" },
};
const opaque: Part = { type: "opaque", of: "x", value: { a: [1, { b: 2 }] } };

/** Each part with every way to say something else. */
const others: readonly (readonly [Part, readonly Part[]])[] = [
  [text, [{ ...text, text: "b" }, thinks("a")]],
  [
    thinks("a", "s"),
    [thinks("b", "s"), thinks("a", "t"), thinks("a"), { type: "thinking", text: "a", encrypted: "s" }],
  ],
  [
    call("1", "Read", { a: 1 }),
    [call("2", "Read", { a: 1 }), call("1", "Bash", { a: 1 }), call("1", "Read", { a: 2 })],
  ],
  [
    result("1", "a"),
    [result("2", "a"), result("1", "b"), result("1", "a", true), { ...result("1", "a"), output: [] } as Part],
  ],
  [image, [{ ...image, source: { kind: "data", mediaType: "image/png", base64: "b" } }, document]],
  [
    document,
    [
      { ...document, title: "other" },
      { ...document, source: { kind: "file", id: "f" } },
    ],
  ],
  [
    opaque,
    [
      { ...opaque, of: "y" },
      { ...opaque, value: { a: [1, { b: 3 }] } },
    ],
  ],
];

describe.each(others)("$type", (part, different) => {
  test("is the same as its copy, whatever the native", () => {
    expect(samePart(part, { ...structuredClone(part), native: { line: 1 } })).toBe(true);
  });

  test("is not the same as anything that says something else", () => {
    for (const other of different) {
      expect(samePart(part, other)).toBe(false);
      expect(samePart(other, part)).toBe(false);
    }
  });
});

test("who wrote a text is not what it says", () => {
  expect(samePart(text, { ...text, synthetic: true })).toBe(true);
});

test("inputs are the same in any order of keys", () => {
  expect(samePart(call("1", "Read", { a: 1, b: 2 }), call("1", "Read", { b: 2, a: 1 }))).toBe(true);
});
