/** Policies whose summary a model writes, by the command line, against a scripted model at the far end of a real wire. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NINE_HEADINGS } from "../../src/plan/policies/borrowed.ts";
import { list, object } from "../../src/transcript/json.ts";
import { serverFor } from "../testing/ask.ts";
import { longBody } from "./conversation.ts";
import { run, scratchFolder } from "./run.ts";

const path = join(scratchFolder(), "session.json");
writeFileSync(path, longBody("modelled"));

async function compacted(policy: string, answer: string, ...more: readonly string[]) {
  const server = await serverFor([answer]);
  const words = ["compact", path, "--window", "20000", "--dry-run", "--json", "--policy", policy];
  const { code, out, err } = await run(
    [...words, "--summarizer", "model:openai-compatible/gpt-4.1", ...more],
    { env: { OPENAI_BASE_URL: `${server.url}/v1` } },
  );
  expect({ code, err, violations: server.violations }).toEqual({ code: 0, err: "", violations: [] });
  const asked = list(object(server.requests[0]?.body)["messages"]).map((message) => JSON.stringify(message));
  return { report: JSON.parse(out), asked: asked.join("\n"), requests: server.requests.length };
}

/** Words of the source: what stands in none is struck. */
const WRITTEN = "Make modelled resume after a crash";

const sections = (titles: readonly string[], first: string) =>
  titles.map((title, index) => `## ${title}\n${index === 0 ? `- ${first}` : "(none)"}`).join("\n");

test('claude-code, seed 003: "drafts its thinking in an <analysis> block (which gets stripped …) and then writes the actual <summary>"; "custom compaction instructions that get appended"', async () => {
  const titles = NINE_HEADINGS.map(({ title }) => title);
  const answer = `<analysis>\nFIRST-DRAFT of my thoughts\n</analysis>\n<summary>\n${sections(titles, WRITTEN)}\n</summary>`;
  const focus = "focus on test output and code changes";
  const { report, asked, requests } = await compacted("claude-code", answer, "--focus", focus);
  expect(requests).toBe(1);
  expect(report.outcome).toMatchObject({ kind: "compacted" });
  expect(report.summary).toContain(WRITTEN);
  expect(JSON.stringify(report)).not.toContain("FIRST-DRAFT");
  for (const title of titles) expect(asked).toContain(`## ${title}`);
  // "with all tools disabled", and what the user adds stands behind the base prompt.
  expect(asked).toContain(focus);
  expect(asked.indexOf(focus)).toBeGreaterThan(asked.indexOf("## Optional Next Step"));
});

test('ion, seed 004: "Use this exact format"; what the model left out of its eight sections is added', async () => {
  const titles = ["Session Intent", "Current Task", "Files Modified", "Files Read (reference only)"];
  const rest = ["Key Decisions", "Failed Approaches", "Errors Encountered", "Next Steps"];
  const { report, asked } = await compacted("ion", sections([...titles, ...rest], WRITTEN));
  expect(report.outcome).toMatchObject({ kind: "compacted" });
  expect(report.summary).toContain(WRITTEN);
  expect(asked).toContain("failed approaches and exact error texts always");
  expect(report.quality.sections.missing).toEqual([]);
});
