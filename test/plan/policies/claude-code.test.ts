/** Seed 003 on Claude Code: what the text says of it, on conversations compacted for real. */
import { expect, test } from "vitest";
import { NINE_HEADINGS } from "../../../src/plan/policies/borrowed.ts";
import { policyNamed } from "../../../src/plan/policies.ts";
import { marksOf } from "../../../src/plan/size.ts";
import { readAnswer } from "../../../src/summarize/answer.ts";
import { extractive } from "../../../src/summarize/extractive.ts";
import { instructionFor } from "../../../src/summarize/prompt.ts";
import type { SummarizeInput, Summarizer } from "../../../src/summarize/summarize.ts";
import { assistant, transcript, user } from "../../say.ts";
import { act, step, steps, text } from "./acting.ts";

const CLEARED = "[Old tool result content cleared]";

test('seed 003: "around 167k tokens into a 200k window (context window minus reserved output tokens minus a 13k buffer)"', () => {
  const room = { windowTokens: 200_000, outputTokens: 32_000 };
  expect(marksOf(policyNamed("claude-code"), room).full).toBe(167_000);
});

test('seed 003: "file reads, shell output, grep, glob, web fetches, and file edits"; "Only specific tool types are eligible"; "older results first"', async () => {
  const big = (id: string, name: string) =>
    step(id, text(12_000, id), { name, input: { command: id, path: id } });
  const conversation = transcript(
    user("Look at it all."),
    ...["Read", "Bash", "Grep", "WebFetch", "TodoWrite", "Task"].flatMap((name) => big(name, name)),
    ...steps(3, 12_000),
  );
  const { said, outcome } = await act(conversation, "claude-code", { windowTokens: 150_000 });
  expect(outcome.kind).toBe("compacted");
  const cleared = said.flatMap((line, index) => (line.endsWith(CLEARED) ? [(index - 2) / 2] : []));
  // The first four are old and eligible; plans and subagents are not, and the last three stay.
  expect(cleared).toEqual([0, 1, 2, 3]);
  // "The model knows it ran the tool but can't see the output."
  expect(said[1]).toContain("Read(");
});

const long = transcript(
  user("Add a retry to src/http.ts. Never retry a POST."),
  ...steps(6, 300),
  user("And log each attempt, please."),
  ...steps(3, 300, 10),
  assistant("I go on with the log line."),
);
const ASKED = { trigger: "manual", windowTokens: 100_000 } as const;

test('seed 003: "The prompt asks for nine sections", "all user messages verbatim"', async () => {
  const { said } = await act(long, "claude-code", ASKED);
  const page = said.find((line) => line.includes("## Primary Request and Intent")) ?? "";
  expect([...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title).slice(0, 9)).toEqual([
    ...[
      "Primary Request and Intent",
      "Key Technical Concepts",
      "Files and Code Sections",
      "Errors and Fixes",
    ],
    ...["Problem Solving", "All User Messages", "Pending Tasks", "Current Work", "Optional Next Step"],
  ]);
  const [, words = ""] = /## All User Messages\n([\s\S]*?)\n\n## /.exec(page) ?? [];
  expect(words).toContain("Add a retry to src/http.ts. Never retry a POST.");
  expect(words).toContain("And log each attempt, please.");
  // The constraint in it is told by the message itself.
  expect(words.match(/Never retry a POST/g)).toHaveLength(1);
});

test('seed 003: "replaces the entire conversation history", framed as "this session is being continued from a previous conversation that ran out of context"', async () => {
  const { said } = await act(long, "claude-code", ASKED);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(
    /^user: This session is being continued from a previous conversation that ran out of context\./,
  );
});

test('seed 003: "an <analysis> block (which gets stripped before the summary enters context)"', () => {
  const form = policyNamed("claude-code").summary;
  const sections = NINE_HEADINGS.map(({ title }) => `## ${title}\n- about ${title} [ref_0123456789ab]`);
  const written = `<analysis>\nFirst I look.\n</analysis>\n<summary>\n${sections.join("\n")}\n</summary>`;
  const input = {
    messages: long.messages,
    userMessages: [],
    maxTokens: 1_000,
    tokensOf: (of: string) => of.length,
    form,
  };
  const read = JSON.stringify(readAnswer({ text: written, ended: "stop" }, input));
  expect(read).toContain("about Current Work");
  expect(read).not.toContain("First I look");
});

test('seed 003: "custom compaction instructions that get appended to the prompt"', async () => {
  const asked: SummarizeInput[] = [];
  const listening: Summarizer = {
    name: "listening",
    write: (input) => {
      asked.push(input);
      return extractive.write(input);
    },
  };
  await act(long, "claude-code", { ...ASKED, focus: "test output and code changes", summarizer: listening });
  const prompt = instructionFor(asked[0] ?? { maxTokens: 0 });
  expect(prompt.trimEnd().endsWith("test output and code changes")).toBe(true);
  expect(prompt).toContain("## Optional Next Step");
});
