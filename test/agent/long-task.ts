/**
 * A long task as agents do it: read, run, edit, search; now and then two calls at once or a thought before them, and
 * between two parts of the task a compaction by the agent itself. Answers are large enough to fill a small window often.
 */
import type { ModelRequest, Reply } from "../../src/testing/index.ts";
import { lastText } from "./agents.ts";

export const STEPS = 310;
/** Raised on purpose: 310 steps are more than a run may take by default. */
export const BUDGETS = {
  turns: 1_000,
  tokens: 100_000_000,
  toolCalls: 2_000,
  usd: 1_000,
  minutes: 60,
} as const;

/** What the workspace holds before. */
export const FILES: Readonly<Record<string, string>> = {
  "AGENT.md": "You add a line for each step.",
  ...Object.fromEntries(Array.from({ length: 7 }, (_, part) => [`src/part-${part}.txt`, partText(part)])),
};

function partText(part: number): string {
  return Array.from(
    { length: 100 },
    (_, row) => `part ${part}, row ${row}: value_${part}_${row} = ${row * 7}\n`,
  ).join("");
}

/** The steps that add a line to a file, for whoever counts them afterwards. */
export function addsLine(step: number): boolean {
  return step % 5 === 2 && !isBoundary(step);
}

function isBoundary(step: number): boolean {
  return step % 60 === 59;
}

function work(step: number): Reply {
  const path = `src/part-${step % 7}.txt`;
  if (isBoundary(step))
    return { calls: [{ name: "compact", input: { focus: `the part after step ${step}` } }] };
  const kinds: readonly Reply[] = [
    { text: `Step ${step}: the checks.`, calls: [run(`seq -f 'check %g of ${step}: ok' 150`)] },
    { text: `Step ${step}: I read.`, calls: [{ name: "read_file", input: { path } }] },
    {
      thinking: `Step ${step} adds its line because the files list every step.`,
      calls: [run(`echo 'line ${step}' >> ${path}`), { name: "grep", input: { pattern: "row 1", path } }],
    },
    { text: `Decision ${step}: keep it, because it is simple.`, calls: [run(`tail -n 40 ${path}`)] },
    {
      calls: [
        { name: "glob", input: { pattern: "**/*.txt" } },
        { name: "read_file", input: { path: "none.txt" } },
      ],
    },
  ];
  return kinds[step % kinds.length] ?? {};
}

function run(command: string): { readonly name: string; readonly input: { readonly command: string } } {
  return { name: "bash", input: { command } };
}

export function isSummaryAsked(request: ModelRequest): boolean {
  return lastText(request).includes("Now write the summary, beginning with");
}

export interface Scripted {
  readonly script: (request: ModelRequest) => Reply;
  /** How often it was asked for something else than its next step. */
  readonly asked: { summaries: number; notes: number };
}

/** A model that gives a summary, or notes, where it is asked for them; else it does its next step. */
export function longTask(steps: number = STEPS): Scripted {
  let step = 0;
  const asked = { summaries: 0, notes: 0 };
  const script = (request: ModelRequest): Reply => {
    const words = lastText(request);
    if (isSummaryAsked(request)) {
      asked.summaries += 1;
      return {
        text: "## Session Intent\n- a line for each step\n\n## Next Steps\n- the next step\n",
        chunkChars: 500,
      };
    }
    if (words.includes("The context is about to be compacted.")) {
      asked.notes += 1;
      return { text: "Lines are being added, one for each step." };
    }
    step += 1;
    return step > steps ? { text: `All ${steps} steps are done.` } : { chunkChars: 500, ...work(step) };
  };
  return { script, asked };
}
