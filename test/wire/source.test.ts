import { describe, expect, test } from "vitest";
import { isExact, linesOf, sourceOf, wholeText } from "../../src/wire/source.ts";
import { detectWire, sampleFrom } from "../../src/wire/wires.ts";

const lines = (text: string) => [...sourceOf(text).lines()];

describe("lines of a file", () => {
  test("have their text without mark and line end, and their bytes with both", () => {
    const found = lines("\ufeffone\r\ntwo\n\nlast");
    expect(found.map(({ text }) => text)).toEqual(["one", "two", "", "last"]);
    expect(Buffer.concat(found.map(({ bytes }) => bytes)).toString()).toBe("\ufeffone\r\ntwo\n\nlast");
    expect(found.map(({ number, offset }) => [number, offset])).toEqual([
      [1, 0],
      [2, 8],
      [3, 12],
      [4, 13],
    ]);
  });

  test("have their text without the zeros a crash left around it, and their bytes with them", () => {
    const file = '\0\0\0\n\0\0{"a":1}\n{"b":2}\0\0';
    expect(lines(file).map(({ text }) => text)).toEqual(["\0\0\0", '{"a":1}', '{"b":2}']);
    expect(Buffer.concat(lines(file).map(({ bytes }) => bytes)).toString()).toBe(file);
    expect(wholeText(sourceOf('{"a":1}\n\0\0')).text).toBe('{"a":1}\n');
  });

  test("are the same however the bytes arrive", () => {
    const bytes = Buffer.from("añb\ncd\nééé\n");
    for (let size = 1; size <= bytes.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect([...linesOf(chunks)].map(({ text }) => text)).toEqual(["añb", "cd", "ééé"]);
    }
  });

  test("know when their text cannot stand for their bytes", () => {
    const [broken] = linesOf([Uint8Array.of(0x61, 0xff)]);
    const [honest] = linesOf([Buffer.from("\uFFFD")]);
    expect([broken && isExact(broken), honest && isExact(honest)]).toEqual([false, true]);
  });

  test("a line separator inside a string is not a line end", () => {
    expect(lines('{"a":"\u2028"}\n')).toHaveLength(1);
  });
});

describe("a file that is no session", () => {
  const refusal = (text: string) => () => detectWire(sampleFrom(sourceOf(text)));

  test("says what was seen instead", () => {
    expect(refusal("")).toThrow("The file is empty.");
    expect(refusal("# Notes\nhello")).toThrow('This is not JSON; it begins "# Notes');
    expect(refusal('{"name":"palimpsest","version":"1"}')).toThrow("an object with name, version");
    expect(refusal("[1,2]")).toThrow("a list of 1");
    expect(refusal("\u0000\u0001binary")).toThrow("This is not JSON");
  });
});
