import { describe, expect, test } from "vitest";
import { estimateTokens } from "../../src/measure/estimate.ts";
import type { Summary } from "../../src/plan/summary.ts";
import { extractive } from "../../src/summarize/extractive.ts";
import { mergeSummaries } from "../../src/summarize/merge.ts";
import { renderSummary } from "../../src/summarize/render.ts";
import { summarize } from "../../src/summarize/summarize.ts";
import type { Message } from "../../src/transcript/message.ts";
import { refOf } from "../../src/transcript/ref.ts";
import { assistant, calls, gets, result, user } from "../say.ts";
import { extractOf, inputOf, textsOf } from "./inputs.ts";

const refs = [refOf({ type: "text", text: "source" })];
const room = (maxTokens: number) => ({ maxTokens, tokensOf: estimateTokens });

describe("merging", () => {
  test("a later line about the same takes the place of the earlier", () => {
    const before: Summary = {
      sections: {
        "Commands and Results": [
          { text: "`npm test` → exit 1", refs, about: "npm test" },
          { text: "`make` → ok", refs, about: "make" },
        ],
      },
    };
    const after: Summary = {
      sections: { "Commands and Results": [{ text: "`npm test` → ok", refs, about: "npm test" }] },
    };
    expect(textsOf(mergeSummaries(before, after), "Commands and Results")).toEqual([
      "`make` → ok",
      "`npm test` → ok",
    ]);
  });

  test("the task and the next steps are those of now; constraints and failed approaches of any time stay", () => {
    const before: Summary = {
      sections: {
        "Constraints and Preferences": [{ text: '"Never x."', refs }],
        "Current Task": [{ text: 'Request: "one"', refs, about: "Request" }],
        "Failed Approaches": [{ text: "Tried a", refs }],
        "Next Steps": [{ text: '"first"', refs }],
        "Open Questions": [{ text: '"Which?"', refs }],
      },
    };
    const after: Summary = {
      sections: {
        "Constraints and Preferences": [{ text: '"Always y."', refs }],
        "Current Task": [{ text: 'Request: "two"', refs, about: "Request" }],
        "Next Steps": [{ text: '"second"', refs }],
      },
    };
    const merged = mergeSummaries(before, after);
    expect(textsOf(merged, "Constraints and Preferences")).toEqual(['"Never x."', '"Always y."']);
    expect(textsOf(merged, "Current Task")).toEqual(['Request: "two"']);
    expect(textsOf(merged, "Failed Approaches")).toEqual(["Tried a"]);
    expect(textsOf(merged, "Next Steps")).toEqual(['"second"']);
    expect(textsOf(merged, "Open Questions")).toEqual([]);
  });

  test("a correction of a later stretch takes the place of the rule it names", () => {
    const merged = mergeSummaries(
      extractOf(user("Retry up to 5 times.")),
      extractOf(user("Make it 8 attempts, not 5.")),
    );
    expect(textsOf(merged, "Constraints and Preferences")).toEqual([
      '"Make it 8 attempts, not 5." — in place of: "Retry up to 5 times."',
    ]);
    expect(
      textsOf(
        mergeSummaries(merged, extractOf(user("Make it 8 attempts, not 5."))),
        "Constraints and Preferences",
      ),
    ).toEqual(textsOf(merged, "Constraints and Preferences"));
  });

  test("an error is resolved by a run of a later stretch, and a file that is edited is no longer only read", () => {
    const first = extractOf(
      user("Go."),
      calls("1", "Read", { file_path: "a.ts" }),
      gets("1", "x"),
      calls("2", "Bash", { command: "make" }),
      user(result("2", "Exit code 1\nError: no", true)),
    );
    const second = extractOf(
      user("On."),
      calls("1", "Edit", { file_path: "a.ts", old_string: "x", new_string: "const y = 1" }),
      gets("1", "ok"),
      calls("2", "Bash", { command: "make" }),
      gets("2", "fine"),
    );
    const merged = mergeSummaries(first, second);
    expect(textsOf(merged, "Errors Encountered")).toEqual(["`Error: no` in `make`, exit 1; resolved"]);
    expect(textsOf(merged, "Files Read")).toEqual([]);
    expect(textsOf(mergeSummaries(merged, second), "Files Modified")).toEqual([
      "`a.ts` edited: `const y = 1`",
    ]);
  });

  test("a file that was created stays one that was created", () => {
    const created: Summary = {
      sections: { "Files Modified": [{ text: "`a.ts` created: `Foo`", refs, about: "a.ts" }] },
    };
    const edited: Summary = {
      sections: { "Files Modified": [{ text: "`a.ts` edited twice: `Bar`", refs, about: "a.ts" }] },
    };
    const merged = mergeSummaries(created, edited);
    expect(textsOf(merged, "Files Modified")).toEqual([
      "`a.ts` created, edited twice: `Bar`, also edited earlier",
    ]);
    expect(mergeSummaries(merged, edited)).toEqual(merged);
  });

  test("the same summary merged ten times over is itself", () => {
    const summary = mergeSummaries(
      undefined,
      extractOf(user("Never x. Do y."), assistant("Decided: z, because w.")),
    );
    let merged = summary;
    for (let round = 0; round < 10; round += 1) merged = mergeSummaries(merged, summary);
    expect(merged).toEqual(summary);
  });
});

describe("the size", () => {
  test("is kept by leaving out what is easiest to get again, and never a rule, a failed approach or a changed file", () => {
    const many = (count: number, text: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => ({ text: text(index), refs }));
    const summary: Summary = {
      sections: {
        "Constraints and Preferences": many(20, (index) => `"Never do ${index}."`),
        "Failed Approaches": many(20, (index) => `Tried way ${index}`),
        "Files Modified": many(20, (index) => `\`src/${index}.ts\` edited`),
        "Files Read": many(200, (index) => `\`docs/${index}.md\``),
        "Critical Context": many(200, (index) => `"Value ${index} is ${index * 7}."`),
      },
    };
    const small = mergeSummaries(undefined, summary, room(2000));
    expect(estimateTokens(renderSummary(small))).toBeLessThanOrEqual(2000);
    for (const name of ["Constraints and Preferences", "Failed Approaches", "Files Modified"] as const) {
      expect(textsOf(small, name)).toEqual(textsOf(summary, name));
    }
    expect(textsOf(small, "Files Read").length).toBeLessThan(200);
    expect(textsOf(small, "Critical Context").at(-1)).toBe('"Value 199 is 1393."');
  });

  test("a section that is emptied says whether its words stand elsewhere, until it has lines again", () => {
    const long = (word: string) => `"${word} ${"words ".repeat(60)}"`;
    const summary: Summary = {
      sections: {
        "Session Intent": [{ text: long("asked"), refs }],
        "Files Read": [{ text: `\`src/${"deep/".repeat(40)}a.ts\``, refs }],
        "Files Modified": [{ text: "`b.ts` edited", refs, about: "b.ts" }],
      },
    };
    const isInSight = ({ text }: { readonly text: string }) => text.includes("asked");
    const small = mergeSummaries(undefined, summary, { ...room(100), isInSight });
    expect(small.emptied).toEqual({ "Session Intent": "said", "Files Read": "room" });
    const still = mergeSummaries(small, { sections: {} }, { ...room(1_000), isInSight });
    expect(still.emptied).toEqual(small.emptied);
    const later: Summary = { sections: { "Files Read": [{ text: "`c.ts`", refs }] } };
    expect(mergeSummaries(small, later).emptied).toEqual({ "Session Intent": "said" });
    expect(mergeSummaries(undefined, summary, room(10_000)).emptied).toBeUndefined();
  });

  test("ten cascaded summaries of a session that goes on keep what the first kept, within their room", async () => {
    let previous: Summary | undefined;
    for (let round = 0; round < 10; round += 1) {
      const input = inputOf(stretch(round), { maxTokens: 4000, ...(previous ? { previous } : {}) });
      ({ summary: previous } = await summarize(input, extractive));
      expect(estimateTokens(renderSummary(previous))).toBeLessThanOrEqual(4000);
    }
    const text = renderSummary(previous as Summary);
    for (let round = 0; round < 10; round += 1) {
      expect(text).toContain(`Never touch folder${round}/.`);
      expect(text).toContain(`src/file${round}.ts`);
      expect(text).toContain(`Wrong approach: option ${round} is too slow.`);
    }
    expect(textsOf(previous as Summary, "Current Task")[0]).toContain("folder9");
    expect(text).not.toContain('Request: "Step 0');
  });
});

function stretch(round: number): readonly Message[] {
  return [
    user(`Step ${round}. Never touch folder${round}/. Then go on.`),
    ...Array.from({ length: 20 }, (_, index) => [
      calls(`r${index}`, "Read", { file_path: `lib/${round}-${index}.ts` }),
      gets(`r${index}`, `text ${round} ${index}`),
    ]).flat(),
    calls("e", "Edit", {
      file_path: `src/file${round}.ts`,
      old_string: "a",
      new_string: `const value${round} = 1;`,
    }),
    gets("e", "ok"),
    calls("t", "Bash", { command: `npm test -- ${round}` }),
    user(result("t", `Exit code 1\nRangeError: number ${round}`, true)),
    assistant(`Wrong approach: option ${round} is too slow.`),
  ];
}
