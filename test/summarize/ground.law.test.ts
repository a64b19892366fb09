/** Law 7: a summary may not lie. Facts are changed and must-haves dropped at random; grounding must notice each. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SectionName, Summary } from "../../src/plan/summary.ts";
import { extract } from "../../src/summarize/extractive.ts";
import { ground } from "../../src/summarize/ground.ts";
import { sourcesOf } from "../../src/summarize/sources.ts";
import { refOf } from "../../src/transcript/ref.ts";
import { assistant, calls, gets, result, user } from "../say.ts";
import { inputOf, linesOf, textsOf } from "./inputs.ts";

const conversation = inputOf([
  user("Never touch migrations/. Keep Node 18 support."),
  calls("1", "Edit", {
    file_path: "src/deliveries/retry.ts",
    old_string: "a",
    new_string: "const maxDelayMs = 900_000;",
  }),
  gets("1", "ok"),
  calls("2", "Bash", { command: "npm test" }),
  user(result("2", 'Exit code 1\nRangeError: not a price: "4.125"\n3 failed, 131 passed', true)),
  assistant(
    "Wrong approach: rounding loses 34 deliveries. I'll use Intl instead because it knows the decimals of KWD.",
  ),
  calls("3", "Edit", {
    file_path: "src/orders/money.ts",
    old_string: "a",
    new_string: "function digitsOf() {}",
  }),
  gets("3", "ok"),
  assistant("Committed as a9b0d62, the server listens on port 8477.\n\nNext steps:\n1. Write the README."),
]);
const sources = sourcesOf(conversation);
const mustHaves = extract(conversation);
const said = refOf({
  type: "text",
  text: "Committed as a9b0d62, the server listens on port 8477.\n\nNext steps:\n1. Write the README.",
});

describe("claims that no source has", () => {
  const grounded = (text: string) =>
    textsOf(
      ground({ sections: { "Critical Context": [{ text, refs: [said] }] } }, sources).summary,
      "Critical Context",
    );

  test.each([
    ["a number", "The server listens on port 8477", "The server listens on port 8487"],
    ["a hash", "Committed as a9b0d62", "Committed as a9b0d63"],
    ["a path", "Edited src/deliveries/retry.ts", "Edited src/delivery/retry.ts"],
    ["part of a path", "Edited deliveries/retry.ts", "Edited deliveries/retries.ts"],
    ["a name", "It sets maxDelayMs now", "It sets minDelayMs now"],
    ["a quote", 'The user said "Keep Node 18 support."', 'The user said "Drop Node 18 support."'],
    ["an error", '`RangeError: not a price: "4.125"` came up', '`RangeError: not a price: "4.126"` came up'],
  ])("%s: the true line stays, the false one is struck", (_, right, wrong) => {
    expect(grounded(right)).toEqual([right]);
    expect(grounded(wrong)).toEqual([]);
  });

  test("a line that stands without the false clause is shortened", () => {
    expect(grounded("Committed as a9b0d62, pushed to release-7.2, port 8477")).toEqual([
      "Committed as a9b0d62, port 8477",
    ]);
  });

  test("what was struck is noted", () => {
    const { notes } = ground(
      { sections: { "Next Steps": [{ text: "Open port 9999", refs: [said] }] } },
      sources,
    );
    expect(notes).toEqual(["Next Steps: struck 9999: Open port 9999"]);
  });

  test("a ref that is not there is taken away, and found anew from the words; a line without any source is struck", () => {
    const fake = refOf({ type: "text", text: "elsewhere" });
    const { summary } = ground(
      {
        sections: {
          "Critical Context": [
            { text: "Committed as a9b0d62", refs: [fake] },
            { text: "Dragons everywhere today", refs: [] },
          ],
        },
      },
      sources,
    );
    expect(summary.sections["Critical Context"]).toEqual([{ text: "Committed as a9b0d62", refs: [said] }]);
  });

  test("the summary before is a source too", () => {
    const previous: Summary = {
      sections: { "Critical Context": [{ text: '"The old port is 7001."', refs: [said] }] },
    };
    const line = { text: "The old port is 7001", refs: [said] };
    expect(
      textsOf(
        ground({ sections: { "Critical Context": [line] } }, sourcesOf({ ...conversation, previous }))
          .summary,
        "Critical Context",
      ),
    ).toEqual([line.text]);
  });
});

describe("laws", () => {
  test("what the extractor says is all found", () => {
    const { summary, notes } = ground(mustHaves, sources, mustHaves);
    expect(notes).toEqual([]);
    expect(linesOf(summary)).toEqual(linesOf(mustHaves));
  });

  test("one character of any fact changed: the changed fact is nowhere in the result", () => {
    const facts = ["8477", "a9b0d62", "retry.ts", "maxDelayMs", "4.125", "131", "src/orders/money.ts"];
    fc.assert(
      fc.property(
        fc.constantFrom(...facts),
        fc.nat(30),
        fc.constantFrom("z", "7", "q"),
        (fact, at, letter) => {
          const place = at % fact.length;
          if (!/\w/.test(fact[place] ?? "") || fact[place] === letter) return;
          const changed = `${fact.slice(0, place)}${letter}${fact.slice(place + 1)}`;
          for (const text of [
            `It is about ${changed} now`,
            `\`${changed}\` was seen`,
            `Known: a9b0d62; then "${changed}" came`,
          ]) {
            const { summary } = ground(
              { sections: { "Critical Context": [{ text, refs: [said] }] } },
              sources,
              mustHaves,
            );
            expect(textsOf(summary, "Critical Context").join("\n")).not.toContain(changed);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("any must-haves dropped: they are added back", () => {
    const must: readonly SectionName[] = [
      "Constraints and Preferences",
      "Key Decisions",
      "Failed Approaches",
      "Errors Encountered",
      "Files Modified",
      "Next Steps",
    ];
    const all = must.flatMap((name) => (mustHaves.sections[name] ?? []).map((line) => ({ name, line })));
    expect(all.length).toBeGreaterThanOrEqual(8);
    fc.assert(
      fc.property(fc.subarray(all), (kept) => {
        const sections = Object.fromEntries(
          must.map((name) => [name, kept.filter((entry) => entry.name === name).map(({ line }) => line)]),
        );
        const { summary } = ground({ sections }, sources, mustHaves);
        for (const { name, line } of all) expect(textsOf(summary, name)).toContain(line.text);
      }),
      { numRuns: 200 },
    );
  });
});
