import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { guardCall } from "../src/guard.ts";
import { opaqueStubText, shortenedText, stubText } from "../src/plan/stub.ts";
import type { Json } from "../src/transcript/json.ts";
import { refOf } from "../src/transcript/ref.ts";

const ref = refOf({ type: "text", text: "the file" });
const stub = stubText({ ref, description: "File: src/a.ts", why: "read again later", tokens: 1234 });
const written = (content: Json) => guardCall({ name: "Write", input: { file_path: "src/a.ts", content } });

const refs = fc.string({ maxLength: 20 }).map((text) => refOf({ type: "text", text }));
const stubs = fc
  .record({ ref: refs, description: fc.string(), why: fc.string(), tokens: fc.nat() })
  .chain((facts) =>
    fc
      .constantFrom(stubText(facts), opaqueStubText(facts.ref), shortenedText(facts, "head\n…\ntail"))
      .map((text) => ({
        ref: facts.ref,
        text,
      })),
  );

/** A text in a value, behind any number of keys, lists and layers of JSON text. */
const embeddings = fc.array(
  fc.constantFrom<(value: Json) => Json>(
    (value) => ({ edits: [{ old_string: "a", new_string: value }] }),
    (value) => [1, null, value],
    (value) => JSON.stringify(value),
    (value) => (typeof value === "string" ? { [value]: 1 } : [value]),
    (value) => ({ patch: value, "": true }),
  ),
  { maxLength: 6 },
);

describe("a stub among the arguments", () => {
  test("is refused, and the answer names the ref to read", () => {
    const refusal = written(`import x;\n${stub}\n`);
    expect(refusal?.refs).toEqual([ref]);
    expect(refusal?.text).toContain(`read_ref({ ref: "${ref}" })`);
    expect(refusal?.text).toMatch(/^Not run: the arguments contain a stub/);
  });

  test("every stub, however deep and however often escaped", () => {
    fc.assert(
      fc.property(stubs, fc.string(), fc.string(), embeddings, ({ ref, text }, before, after, layers) => {
        const input = layers.reduce<Json>((value, wrap) => wrap(value), `${before}${text}${after}`);
        const refusal = guardCall({ name: "Edit", input });
        expect(refusal?.refs).toContain(ref);
      }),
      { numRuns: 300 },
    );
  });

  test.each<[string, (text: string) => string]>([
    ["indented", (text) => `    ${text}`],
    ["commented", (text) => `// ${text}`],
    ["wrapped", (text) => text.replaceAll(" ", "\n   ")],
    ["a space behind the bracket", (text) => text.replace("⟦", "⟦ ")],
    ["escaped as JSON", (text) => text.replace("⟦", "\\u27e6").replace("⟧", "\\u27E7")],
    ["escaped twice", (text) => text.replace("⟦", "\\\\u27e6").replace("⟧", "\\\\u27e7")],
    ["escaped as HTML", (text) => text.replace("⟦", "&#x27E6;").replace("⟧", "&#10215;")],
    ["escaped as a URL", (text) => encodeURIComponent(text)],
    ["its end as a URL", (text) => encodeURIComponent(text.slice(-20))],
    ["its beginning", (text) => text.slice(0, 25)],
    ["its end", (text) => text.slice(-20)],
    ["without brackets", (text) => text.slice(1, -1)],
    ["without the end", (text) => text.slice(1, text.indexOf("Use"))],
    ["in a patch", (text) => `*** Update File: a.ts\n+${text}`],
  ])("%s", (_how, change) => {
    expect(written(change(stub))).toBeDefined();
    expect(guardCall({ name: "apply_patch", input: change(stub) })).toBeDefined();
  });

  test("nested deeper than a stack", () => {
    let input: Json = stub;
    for (let depth = 0; depth < 200_000; depth += 1) input = [input];
    expect(guardCall({ name: "Write", input })?.refs).toEqual([ref]);
  });
});

describe("what is no stub", () => {
  test.each<[string, string]>([
    ["a ref in prose", `As ${ref} shows, the test failed. Use read_ref to see it.`],
    ["a commit message", `fix: keep ${ref} out of the file\n\nSee ${ref}; 3 tokens less.`],
    ["a table of refs", `| ${ref} | text | 101 | Command: npm test |`],
    ["brackets of mathematics", "⟦e⟧ρ = ⟦e₁⟧ρ + ⟦e₂⟧ρ"],
    ["our own source", "const STUB = /⟦(ref_[0-9a-hjkmnp-tv-z]{12}) [^⟦⟧]*Use read_ref\\.⟧/g;"],
    ["another's ref_", "const ref_abc = ref_count; // ref_0"],
    ["a list of refs", JSON.stringify([ref, ref])],
  ])("%s", (_what, text) => {
    expect(written(text)).toBeUndefined();
    expect(
      guardCall({ name: "Bash", input: { command: `git commit -m ${JSON.stringify(text)}` } }),
    ).toBeUndefined();
  });

  test("no text without our frame is refused", () => {
    const words = fc.constantFrom<string>(
      ref,
      "read_ref",
      "tokens",
      "; ",
      "⟦",
      "⟧",
      "Use",
      " ",
      "\n",
      "x",
      "ref_",
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(words, { maxLength: 30 }).map((pieces) => pieces.join(" ")),
    );
    fc.assert(
      fc.property(texts, fc.jsonValue(), (text, value) => {
        // The only way such words make a stub is to put them in its order.
        fc.pre(!/⟦\s*ref_[0-9a-z]{12}|\d+\s+tokens;|Use\s+read_ref\.\s*⟧/.test(text));
        expect(guardCall({ name: "Write", input: { text, value: value as Json } })).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test("our own tools take a stub for the ref in it", () => {
    for (const name of ["read_ref", "list_refs", "compact", "mcp__palimpsest__read_ref"])
      expect(guardCall({ name, input: { ref: stub } })).toBeUndefined();
    expect(guardCall({ name: "not_read_ref", input: { ref: stub } })).toBeDefined();
  });

  test("megabytes of its pieces are no stub, and are looked through in linear time", () => {
    const text = `${ref} ${"; 5 tokens ".repeat(200_000)}${"ref_".repeat(200_000)}${"⟦ ".repeat(200_000)}`;
    expect(written(text)).toBeUndefined();
  });
});
