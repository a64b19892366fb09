/** `palimpsest inspect <session>`: what fills the context. */
import { inspectSession } from "../inspect.ts";
import { readSession, wireNames } from "../wire/wires.ts";
import { parseWords, usageError } from "./arguments.ts";
import { inspectHtml } from "./inspect-html.ts";
import { inspectText } from "./inspect-text.ts";
import { EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";
import { openWithProgress } from "./progress.ts";
import { visible, visibleData } from "./visible.ts";
import { writeOut } from "./write-out.ts";

const HELP = `palimpsest inspect <session> [--json] [--html F] [--wire W]

What fills the context of a session: by kind, by tool, by file, by turn; outputs that
repeat, reads that were superseded, the largest single parts, recorded usage and cost,
and what the harness's own compactions removed.

  <session>   a session file of any agent, a saved request body, or - for standard input
  --json      the same as data
  --html F    the same as a page: one file, nothing to load
  --wire W    do not guess whose file it is: ${wireNames.slice(0, 5).join(", ")},
              ${wireNames.slice(5, 10).join(", ")},
              ${wireNames.slice(10).join(", ")}

Examples
  palimpsest inspect ~/.claude/projects/-home-me-app/3f2c….jsonl
  palimpsest inspect ~/.codex/sessions/2026/11/18/rollout-….jsonl --json | jq .byTool
  opencode export ses_… | palimpsest inspect -
`;

const OPTIONS = { json: { type: "boolean" }, html: { type: "string" }, wire: { type: "string" } } as const;

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "inspect");
  const [path, ...rest] = positionals;
  if (path === undefined) throw usageError("Which session? Name a file, or - for standard input.", "inspect");
  if (rest.length > 0) throw usageError(`One session at a time; "${rest[0]}" is one too many.`, "inspect");
  const session = readSession(
    openWithProgress(path, io),
    values.wire === undefined ? {} : { wire: values.wire },
  );
  const inspection = inspectSession(session);
  const shown = visibleData(inspection);
  if (values.html !== undefined) await writeOut(values.html, inspectHtml(shown, visible(path)));
  io.out(values.json ? `${JSON.stringify(inspection, null, 2)}\n` : inspectText(shown, visible(path), io));
  return EXIT.done;
}

export const inspect: Command = {
  name: "inspect",
  summary: "what fills the context of a session",
  help: HELP,
  run,
};
