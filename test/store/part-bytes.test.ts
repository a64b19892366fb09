/** How parts are spelled: literally, because stores find by hash what they have already. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOfPart, partOfBytes, spellParts } from "../../src/store/part-bytes.ts";
import type { Part } from "../../src/transcript/message.ts";

/** As a wire reads it: with fields we have no word for. */
const read = (json: string): Part => JSON.parse(json) as Part;

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
])("%s is spelled the same in every version", (json, spelled) => {
  expect(Buffer.from(bytesOfPart(read(json))).toString()).toBe(spelled);
});

test("a field without a value is left out, as JSON does", () => {
  const part = { type: "text", text: "x", synthetic: undefined } as unknown as Part;
  expect(Buffer.from(bytesOfPart(part)).toString()).toBe('{"type":"text"}\nx');
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
      const spelled = spellParts(parts);
      expect(spelled.map((bytes) => Buffer.from(bytes))).toEqual(parts.map(bytesOfPart));
      const back = spelled.map((bytes, index) => partOfBytes(bytes, index % 2 === 0 ? undefined : "c"));
      expect(back).toEqual(parts);
    }),
    { seed: 7 },
  );
});
