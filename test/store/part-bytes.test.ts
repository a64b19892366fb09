/** How parts are spelled: literally, because stores find by hash what they have already. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256Of } from "../../src/store/blobs.ts";
import { partOfBytes, type Spelling, spellings } from "../../src/store/part-bytes.ts";
import type { Part } from "../../src/transcript/message.ts";
import { refOf } from "../../src/transcript/ref.ts";

/** As a wire reads it: with fields we have no word for. */
const read = (json: string): Part => JSON.parse(json) as Part;

/** Alone. */
const spelling = (part: Part) => spellings([part])[0] as Spelling;
const bytesOfPart = (part: Part) => Buffer.from(spelling(part).bytes());

test.each([
  ['{"type":"text","text":"é → 😀","native":{"a":1}}', '{"type":"text"}\né → 😀'],
  ['{"text":"first","type":"text","synthetic":true}', '{"type":"text","synthetic":true}\nfirst'],
  ['{"type":"thinking","text":"why","signature":"s"}', '{"type":"thinking","signature":"s"}\nwhy'],
  ['{"type":"text","text":"a \\ud800 alone"}', '{"type":"text","text":"a \\ud800 alone"}'],
  ['{"type":"text","text":"a \\ufffd of its own"}', '{"type":"text"}\na \ufffd of its own'],
  [
    '{"type":"tool-call","callId":"c","name":"Read","input":{"native":1,"callId":2,"text":3}}',
    '{"type":"tool-call","name":"Read","input":{"native":1,"callId":2,"text":3}}',
  ],
  [
    '{"type":"tool-result","callId":"c","output":[{"type":"text","text":"out","native":1,"callId":"kept"}],"isError":false,"native":2}',
    '{"type":"tool-result","output":[{"type":"text","callId":"kept"}],"isError":false}\nout',
  ],
  [
    '{"type":"tool-result","callId":"c","output":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"isError":true}',
    '{"type":"tool-result","output":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"isError":true}',
  ],
  [
    '{"type":"tool-result","callId":"c","output":[],"isError":false}',
    '{"type":"tool-result","output":[],"isError":false}',
  ],
  [
    '{"type":"text","text":"","__proto__":1,"constructor":2,"7":3,"a \\"quoted\\" key":null}',
    '{"7":3,"type":"text","__proto__":1,"constructor":2,"a \\"quoted\\" key":null}\n',
  ],
])("%s is spelled the same in every version, before and after it has its ref", (json, spelled) => {
  const part = read(json);
  expect(bytesOfPart(part).toString()).toBe(spelled);
  refOf(part);
  const now = spelling(part);
  expect(Buffer.from(now.bytes()).toString()).toBe(spelled);
  expect(now.sha256()).toEqual(sha256Of(now.bytes()));
});

test("the ref of a lone text is the beginning of the hash it is kept under: that is why it is hashed once", () => {
  const part = read(
    '{"type":"tool-result","callId":"c","output":[{"type":"text","text":"out"}],"isError":true}',
  );
  const sixty = BigInt(`0x${sha256Of(bytesOfPart(part)).toString("hex").slice(0, 15)}`);
  const letters = "0123456789abcdefghjkmnpqrstvwxyz";
  const spelled = Array.from(
    { length: 12 },
    (_, at) => letters[Number((sixty >> BigInt(55 - 5 * at)) & 31n)],
  );
  expect(refOf(part)).toBe(`ref_${spelled.join("")}`);
});

test("a part that was changed after it got its ref is kept as it is now, under the hash of that", () => {
  const changes: readonly ((part: { text: string; output: object[]; isError: boolean }) => void)[] = [
    (part) => Object.assign(part.output[0] ?? {}, { text: "changed" }),
    (part) => Object.assign(part, { isError: true }),
    (part) => part.output.push({ type: "text", text: "one more" }),
    (part) => Object.assign(part.output[0] ?? {}, { synthetic: true }),
  ];
  for (const change of changes) {
    const part = JSON.parse(
      '{"type":"tool-result","callId":"c","output":[{"type":"text","text":"first"}],"isError":false}',
    );
    refOf(part);
    change(part);
    const now = spelling(part);
    expect(partOfBytes(now.bytes(), "c")).toEqual(part);
    expect(now.sha256()).toEqual(sha256Of(now.bytes()));
  }
});

test("a field without a value is left out, as JSON does", () => {
  const part = { type: "text", text: "x", synthetic: undefined } as unknown as Part;
  expect(bytesOfPart(part).toString()).toBe('{"type":"text"}\nx');
});

test("many are spelled side by side, each as alone, and each comes back", () => {
  const texts = fc.array(fc.string({ unit: "binary" }), { maxLength: 8 });
  fc.assert(
    fc.property(texts, fc.boolean(), (said, isError) => {
      const parts = said.map(
        (text, index): Part =>
          index % 2 === 0
            ? { type: "text", text }
            : { type: "tool-result", callId: "c", output: [{ type: "text", text }], isError },
      );
      const spelled = spellings(parts).map((one) => one.bytes());
      expect(spelled.map((bytes) => Buffer.from(bytes))).toEqual(parts.map(bytesOfPart));
      const back = spelled.map((bytes, index) => partOfBytes(bytes, index % 2 === 0 ? undefined : "c"));
      expect(back).toEqual(parts);
    }),
    { seed: 7 },
  );
});
