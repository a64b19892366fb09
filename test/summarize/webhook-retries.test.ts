/** The session we ship, with the facts planted in it (examples/sessions/README.md) as ground truth. */
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { openFile } from "../../src/file.ts";
import { SECTIONS, type SectionName, type Summary } from "../../src/plan/summary.ts";
import { extractive } from "../../src/summarize/extractive.ts";
import { renderSummary } from "../../src/summarize/render.ts";
import { summarize } from "../../src/summarize/summarize.ts";
import { hasUserWords } from "../../src/transcript/message.ts";
import { claudeCode } from "../../src/wire/claude-code.ts";
import { inputOf, stretchesOf, textsOf } from "./inputs.ts";

const path = fileURLToPath(new URL("../../examples/sessions/webhook-retries.jsonl", import.meta.url));
const { messages } = claudeCode.read(openFile(path)).whole;

/** Once in one piece; and in ten pieces, each merged into the summary before, as a long session is. */
const whole = (await summarize(inputOf(messages), extractive)).summary;
const cascaded = await cascade(10);
/** The user's messages beside the others instead of among them: they stay in the context, and are put in by time. */
const apart = (
  await summarize(
    inputOf(
      messages.filter((message) => !hasUserWords(message)),
      { userMessages: messages.filter(hasUserWords) },
    ),
    extractive,
  )
).summary;

describe.each([
  ["in one piece", whole],
  ["after ten cascaded compactions", cascaded],
  ["with the user's messages apart", apart],
])("webhook-retries.jsonl %s", (_, summary) => {
  const lineWith = (section: SectionName, ...words: readonly string[]) =>
    textsOf(summary, section).find((text) => words.every((word) => text.includes(word)));

  test.each([
    "Never touch migrations/",
    "Do not add dependencies.",
    "Keep Node 18 support",
    "use the word 'delivery', not 'dispatch'",
    "leave the timeout at 2750 ms",
    "No threads for that, please: allow at most 4 attempts per receiver host",
    "If something is already listening on port 8477, leave it running",
    "the attempt counter goes on counting, never reset it",
    "Do not change test/fixtures/orders.json",
    "Do not push. I push myself, after I have read it.",
    "A single wait must never be longer than 15 minutes.",
    "Correction: make it 8 attempts, not 5.",
  ])("keeps the rule %j in the user's words", (rule) => {
    expect(lineWith("Constraints and Preferences", rule)).toBeDefined();
  });

  test("shows the instruction that was corrected only as what was corrected", () => {
    const lines = textsOf(summary, "Constraints and Preferences").filter((text) =>
      text.includes("Retry up to 5 times"),
    );
    expect(lines).toEqual([
      '"Correction: make it 8 attempts, not 5." — in place of: "Retry up to 5 times, with exponential backoff and jitter."',
    ]);
  });

  test.each([
    [
      "a key per attempt",
      ["payload.js", "with a key per attempt the receiver accepted 18 orders for 6 deliveries"],
    ],
    ["AbortSignal.any", ["send.js", "AbortSignal.any needs Node 20.3.0, package.json says >=18"]],
    [
      "break in queue.take",
      ["queue.js", "`break` ends the scan at `a3`, so `b1` still waits behind the full host"],
    ],
    [
      "rewriting the fixture",
      ["regenerate `test/fixtures/orders.json`", "stopped by the user", "Do not change"],
    ],
  ])("keeps the failed approach: %s", (__, words) => {
    expect(lineWith("Failed Approaches", ...words)).toBeDefined();
  });

  test.each([
    ["the idempotency key stays the delivery id", "because receivers deduplicate on the key"],
    ["base 30 s, doubling, jitter that only adds", "because only then the sum of the waits"],
    ["the attempt counter goes on counting, never reset it", "because support reads the total from it"],
  ])("keeps the decision: %s", (...words) => {
    expect(lineWith("Key Decisions", ...words)).toBeDefined();
  });

  test.each([
    "2000 !== 1000",
    "src/deliveries/send.js:11: AbortSignal.any needs Node 20.3.0, package.json says >=18",
    'RangeError: not a price: "4.125"',
    "listen EADDRINUSE: address already in use 127.0.0.1:8477",
    "4 !== 6",
    "File does not exist.",
  ])("keeps the exact error %j", (error) => {
    expect(lineWith("Errors Encountered", error)).toBeDefined();
  });

  test("lists every file that was changed, and none that was only read", () => {
    const paths = [
      ..."src/deliveries/payload.js README.md src/deliveries/send.js test/send.test.js testing/receiver.js".split(
        " ",
      ),
      ..."test/queue.test.js src/deliveries/queue.js src/orders/money.js src/orders/validate.js test/money.test.js".split(
        " ",
      ),
      ..."src/deliveries/retry.js src/config.js scripts/replay.mjs test/retry.test.js docs/receivers.md".split(
        " ",
      ),
      ..."src/server.js test/server.test.js test/worker.test.js src/deliveries/ledger.js config/default.json".split(
        " ",
      ),
      ..."src/deliveries/dead-letters.js test/dead-letters.test.js src/deliveries/worker.js test/config.test.js".split(
        " ",
      ),
    ];
    const listed = (summary.sections["Files Modified"] ?? []).map(({ about }) => about);
    expect(listed.toSorted()).toEqual(paths.map((file) => `/home/dev/hookline/${file}`).toSorted());
  });

  test("knows where it stands: the task, the open question, the next steps", () => {
    expect(lineWith("Current Task", "Request: ", "append it to var/dead-letters.ndjson")).toBeDefined();
    expect(lineWith("Open Questions", "should a dead letter hold the body of the order?")).toBeDefined();
    expect(lineWith("Next Steps", "`deadLetters` in `config/production.json`")).toBeDefined();
    expect(lineWith("Next Steps", "Open tasks: ", "README section")).toBeDefined();
  });

  test("has all sections, and nothing of the branch that was rewound", () => {
    const text = renderSummary(summary);
    for (const name of SECTIONS) expect(summary.sections[name]?.length, name).toBeGreaterThan(0);
    expect(text).not.toContain("src/threads");
  });
});

test("numbers, hashes and ports that the agent reported are at hand", () => {
  const text = renderSummary(whole);
  for (const fact of ["131 deliveries. 34 of them", "a9b0d62", "de71e22", "port 8478", "45.5 minutes"])
    expect(text).toContain(fact);
});

async function cascade(pieces: number): Promise<Summary> {
  let previous: Summary | undefined;
  for (const stretch of stretchesOf(messages, pieces)) {
    const input = inputOf(stretch, {
      maxTokens: 8000,
      ...(previous ? { previous } : {}),
    });
    ({ summary: previous } = await summarize(input, extractive));
  }
  return previous ?? { sections: {} };
}
