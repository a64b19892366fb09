/** The long task of issue 7, with every policy of the seeds: over 300 steps in a window of 32,000 tokens. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ModelRequest, Reply } from "../../src/testing/index.ts";
import { serverFor } from "../testing/ask.ts";
import { agentOn, folder, lastText, of } from "./agents.ts";

const STEPS = 310;
export const WINDOW = 32_000;
export const BUDGETS = { turns: 1_000, tokens: 100_000_000, toolCalls: 2_000, usd: 1_000, minutes: 60 };

const POLICIES = [
  "nucleic",
  "layered",
  "summarize",
  "pointerize",
  "hybrid",
  "claude-code",
  "opencode",
  "ion",
  "palimpsest",
];

/** Work as agents do it: read, run, edit, search, note down; now and then two at once, and between tasks a compaction. */
function work(step: number): Reply {
  const file = `src/part-${step % 7}.txt`;
  const kinds: readonly Reply[] = [
    {
      text: `Step ${step}: I run the checks.`,
      calls: [run(`seq -f 'check %g of ${step}: ok' 60; echo n=${step}`)],
    },
    { text: `Step ${step}: I read.`, calls: [{ name: "read_file", input: { path: file } }] },
    {
      thinking: `The line of step ${step} goes in because the file lists every step.`,
      calls: [
        run(`echo 'line ${step}' >> ${file}`),
        { name: "grep", input: { pattern: `line ${step}`, path: "src" } },
      ],
    },
    { text: `Decision ${step}: keep it, because it is simple.`, calls: [run(`cat ${file} | wc -l`)] },
    {
      calls: [
        { name: "glob", input: { pattern: "**/*.txt" } },
        { name: "read_file", input: { path: "missing.txt" } },
      ],
    },
  ];
  if (step % 60 === 59) return { calls: [{ name: "compact", input: { focus: `task ${step}` } }] };
  return kinds[step % kinds.length] ?? {};
}

function run(command: string) {
  return { name: "bash", input: { command } };
}

/** A model that is asked for a summary, or for notes, gives one; else it does its next step. */
export function scripted() {
  let step = 0;
  const answers = { summaries: 0, notes: 0 };
  const script = (request: ModelRequest): Reply => {
    const asked = lastText(request);
    if (asked.includes("Now write the summary, beginning with")) {
      answers.summaries += 1;
      return {
        text: "## Session Intent\n- add a line for each step\n\n## Next Steps\n- go on with the next step\n",
      };
    }
    if (asked.startsWith("The context is about to be compacted.")) {
      answers.notes += 1;
      return { text: "Lines are being added, one for each step." };
    }
    step += 1;
    return step > STEPS ? { text: `All ${STEPS} steps are done.` } : work(step);
  };
  return { script, answers };
}

test.each(POLICIES)("%s: 310 steps in 32,000 tokens, and no request was illegal", async (policy) => {
  const { script, answers } = scripted();
  const server = await serverFor(script, { windowTokens: WINDOW });
  const workspace = folder({ "src/part-0.txt": "begin\n", "AGENT.md": "You add lines." });
  const { agent, events } = await agentOn(server, {
    policy,
    workspace,
    windowTokens: WINDOW,
    budgets: BUDGETS,
  });

  const ending = await agent.run("Add a line for each step. Never delete a file.");

  expect(ending).toEqual({ kind: "done", text: `All ${STEPS} steps are done.` });
  expect(server.violations).toEqual([]);
  expect(of(events, "problem")).toEqual([]);
  expect(agent.spending.spent.turns).toBeGreaterThan(STEPS);
  // It had to compact to get there: the whole transcript would not have fitted many times over.
  expect(of(events, "compacted").length).toBeGreaterThan(2);
  const written = Array.from({ length: 7 }, (_, part) =>
    lines(join(workspace, `src/part-${part}.txt`)),
  ).flat();
  const expected = Array.from({ length: STEPS }, (_, index) => index + 1).filter(
    (step) => step % 5 === 2 && step % 60 !== 59,
  );
  expect(written.filter((line) => line.startsWith("line")).length).toBe(expected.length);
  if (policy === "opencode") expect(answers.notes).toBeGreaterThan(0);
  // Everything the tools said is still there, to the byte.
  const page = await agent.session.refs({ limit: 1 });
  expect(page.total).toBeGreaterThan(50);
});

function lines(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    return [];
  }
}
