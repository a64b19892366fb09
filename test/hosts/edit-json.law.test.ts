import fc from "fast-check";
import { parse } from "jsonc-parser";
import { expect, test } from "vitest";
import { editJson } from "../../src/hosts/edit-json.ts";
import type { Json, JsonObject } from "../../src/transcript/json.ts";

const key = fc.constantFrom("a", "b", "hooks", "plugin", "x y", "ü");
const { settings } = fc.letrec<{ value: Json; settings: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Json>(1, true, null, "s", "// no comment", 'a"b,]}'),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("settings"),
  ),
  settings: fc.dictionary(key, tie("value"), { maxKeys: 4 }),
}));
/** The same settings as people and programs spell them. */
const spelling = fc.constantFrom(
  (of: JsonObject) => JSON.stringify(of),
  (of: JsonObject) => `${JSON.stringify(of, null, 2)}\n`,
  (of: JsonObject) => `${JSON.stringify(of, null, "\t").replaceAll("\n", "\r\n")}\r\n`,
  (of: JsonObject) =>
    `// mine\n${JSON.stringify(of, null, 4).replaceAll(/([^[{,])\n( *[}\]])/g, "$1, // last\n$2")}\n`,
);
const read = (text: string) => parse(text, [], { allowTrailingComma: true });

test("whatever is changed, the text then says it, and is JSON wherever it was", () => {
  fc.assert(
    fc.property(settings, settings, spelling, (before, after, spell) => {
      const text = spell(before);
      fc.pre(JSON.stringify(read(text)) === JSON.stringify(before));
      expect(read(editJson(text, before, after))).toEqual(after);
    }),
  );
});

test("what was only added and is taken out again leaves the bytes there were", () => {
  fc.assert(
    fc.property(settings, settings, spelling, (before, more, spell) => {
      const text = spell(before);
      fc.pre(JSON.stringify(read(text)) === JSON.stringify(before) && Object.keys(before).length > 0);
      const ours = Object.fromEntries(Object.entries(more).map(([name, value]) => [`our ${name}`, value]));
      const after = { ...before, ...ours };
      expect(editJson(editJson(text, before, after), after, before)).toBe(text);
    }),
  );
});
