/** Seeds 000 and 001: what the text promises, on conversations compacted for real. */
import { expect, test } from "vitest";
import { policyNamed, withVariables } from "../../../src/plan/policies.ts";
import { openSession } from "../../../src/session.ts";
import { conversation as spoken } from "../../anthropic-conversation.ts";
import { assistant, call, result, system, transcript, user } from "../../say.ts";
import { act, step, steps, text } from "./acting.ts";

const small = transcript(
  user("Fix the parser."),
  assistant("I will look."),
  ...steps(9, 100),
  assistant("Done so far."),
);
const WINDOW = 3_000;

test('seed 000: "if estimated tokens (system prompt plus every message) exceed 80% … compression fires"', async () => {
  const { outcome: under } = await act(small, "nucleic", { windowTokens: WINDOW });
  expect(under.kind).toBe("unchanged");
  const withSystem = { ...small, messages: [system(text(1_500, "rule")), ...small.messages] };
  const { outcome: over } = await act(withSystem, "nucleic", { windowTokens: WINDOW });
  expect(over.kind).toBe("compacted");
});

test('seed 001: "Tool call arguments are counted because they\'re structured data that can be substantial"', async () => {
  const patch = call("p", "Edit", { file_path: "a.ts", old_string: "a", new_string: text(1_500, "line") });
  const patched = transcript(...small.messages, assistant(patch), user(result("p", "ok")));
  expect((await act(patched, "nucleic", { windowTokens: WINDOW })).outcome.kind).toBe("compacted");
});

test('seed 001: "It can be changed via the COMPRESSION_THRESHOLD environment variable"', async () => {
  const policy = withVariables(policyNamed("nucleic"), { COMPRESSION_THRESHOLD: "0.3" });
  expect((await act(small, policy, { windowTokens: WINDOW })).outcome.kind).toBe("compacted");
});

const long = transcript(
  system("You are Nucleic. Never push to main."),
  user("Fix the parser of src/parse.ts. Do not touch the lexer."),
  ...step("head", text(200, "head"), { says: "I read it first." }),
  ...steps(9, 100),
  ...step("edit", "The file has been updated.", {
    name: "Edit",
    input: { file_path: "src/parse.ts", old_string: "a", new_string: "b" },
    says: "I decided to keep the old grammar, because the tests rely on it.",
  }),
  ...steps(4, 100, 20),
  assistant("All of it is read now."),
);
/** The system prompt is no message there: its head of 2 is the request and the first response. */
const OVER = { windowTokens: 1_500 };

test('seed 000: "Any tool_result message older than 4 turns gets its content replaced … The message stays"', async () => {
  // Only the head keeps an old result: everything else that old is in the middle.
  const head = transcript(user("Fix it."), ...step("head", text(200, "head")), ...steps(9, 150));
  const { said } = await act(head, "nucleic", OVER);
  expect(said[1]).toContain("Read(");
  expect(said[2]).toBe("user: [Cleared for context space]");
  expect(said.filter((line) => line.includes("[Cleared for context space]"))).toHaveLength(1);
});

test('seed 000: "The first 2 messages are always preserved verbatim", "The last 6 messages are always preserved verbatim"', async () => {
  const { outcome } = await act(long, "nucleic", OVER);
  const { messages } = outcome.transcript;
  expect(messages.slice(0, 2)).toEqual(long.messages.slice(0, 2));
  expect(messages.slice(-6)).toEqual(long.messages.slice(-6));
});

test('seed 000: "The entire middle section becomes a single synthetic assistant message with the summary"', async () => {
  const { outcome, said } = await act(long, "nucleic", OVER);
  if (outcome.kind !== "compacted") throw new Error(outcome.detail);
  expect(outcome.compaction.page?.role).toBe("assistant");
  const pages = said.filter((line) => line.includes("## Key Decisions"));
  expect(pages).toHaveLength(1);
  expect(pages[0]).toMatch(/^assistant: /);
  expect(pages[0]).toContain("keep the old grammar, because the tests rely on it");
  for (const heading of ["Session Intent", "Key Decisions", "Next Steps", "Critical Context"])
    expect(pages[0]).toContain(`## ${heading}`);
});

test('seed 000: "On subsequent compressions, the new middle messages … are integrated into the existing summary"; "The working set grows but never resets"', async () => {
  const { store, outcome } = await act(long, "nucleic", OVER);
  expect(outcome.kind).toBe("compacted");
  const more = transcript(
    ...long.messages,
    user("Go on with src/print.ts."),
    ...steps(9, 150, 50),
    assistant("Read."),
  );
  const later = await act(more, "nucleic", { ...OVER, store });
  expect(later.outcome.kind).toBe("compacted");
  const page = later.said.find((line) => line.includes("<read-files>")) ?? "";
  expect(page).toContain("keep the old grammar, because the tests rely on it");
  const [, read = "", modified = ""] =
    /<read-files>([\s\S]*)<\/read-files>\n<modified-files>([\s\S]*)<\/modified-files>/.exec(page) ?? [];
  expect(modified.trim()).toBe("src/parse.ts");
  // From the first middle, and from the second.
  expect(read).toContain("src/file1.ts");
  expect(read).toContain("src/file52.ts");
  expect(later.said.filter((line) => line.includes("<read-files>"))).toHaveLength(1);
});

test('seed 001: "Sticky sections … are excluded from compression entirely"', async () => {
  const { outcome } = await act(long, "nucleic", OVER);
  expect(outcome.transcript.messages[0]).toBe(long.messages[0]);
});

test('seed 000: "when the model returns a context-too-long error — compress immediately, then retry"', async () => {
  const session = await openSession({ policy: "nucleic", windowTokens: 200_000 });
  const messages = spoken(12);
  expect((await session.prepare(messages)).messages).toEqual(messages);
  const error = { status: 400, error: { message: "prompt is too long: 210000 tokens > 200000 maximum" } };
  const again = await session.recover(error);
  expect(again?.outcome?.kind).toBe("compacted");
  expect(again?.messages.length).toBeLessThan(messages.length);
  expect(again?.messages.slice(-6)).toEqual(messages.slice(-6));
});
