/** `palimpsest inspect <session>`: what fills the context. */
import { existsSync } from "node:fs";
import { view } from "../apply/view.ts";
import { inspectSession } from "../inspect.ts";
import type { Store } from "../store/store.ts";
import { wireNames } from "../wire/wires.ts";
import { parseWords } from "./arguments.ts";
import { STORE_HELP, STORE_OPTION, storePath, withStore } from "./home.ts";
import { inspectHtml } from "./inspect-html.ts";
import { inspectText } from "./inspect-text.ts";
import { EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";
import { type Given, isFileWord, oneWord, readGivenFile, readGivenName } from "./session-argument.ts";
import { visibleData } from "./visible.ts";
import { writeOut } from "./write-out.ts";

const HELP = `palimpsest inspect <session> [--json] [--html F] [--wire W] [--store DIR]

What fills the context of a session: by kind, by tool, by file, by turn; outputs that
repeat, reads that were superseded, the largest single parts, recorded usage and cost,
and what the harness's own compactions removed.

  <session>   a session file of any agent, a saved request body, - for standard input, or
              the name of a session in the store: its context is what is left of it now
  --json      the same as data
  --html F    the same as a page: one file, nothing to load
  --wire W    do not guess whose file it is: ${wireNames.slice(0, 5).join(", ")},
              ${wireNames.slice(5, 10).join(", ")},
              ${wireNames.slice(10).join(", ")}
${STORE_HELP}

Examples
  palimpsest inspect ~/.claude/projects/-home-me-app/3f2c….jsonl
  palimpsest inspect ~/.codex/sessions/2026/11/18/rollout-….jsonl --json | jq .byTool
  opencode export ses_… | palimpsest inspect -
`;

const OPTIONS = {
  ...STORE_OPTION,
  json: { type: "boolean" },
  html: { type: "string" },
  wire: { type: "string" },
} as const;

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "inspect");
  const word = oneWord(positionals, "inspect");
  const store = storePath(io, values.store);
  const isStored = !isFileWord(word) && existsSync(store);
  const { name, session } = isStored
    ? await withStore(store, (open) => readStored(word, open))
    : readGivenFile(word, io, values.wire);
  const inspection = inspectSession(session);
  const shown = visibleData(inspection);
  if (values.html !== undefined) await writeOut(values.html, inspectHtml(shown, name));
  io.out(values.json ? `${JSON.stringify(inspection, null, 2)}\n` : inspectText(shown, name, io));
  return EXIT.done;
}

/** As it is now: the context is what the ledger shows of it. */
async function readStored(word: string, store: Store): Promise<Given> {
  const given = await readGivenName(word, store);
  const seen = view(given.session.seen, await store.ledger(given.id));
  return { ...given, session: { ...given.session, seen } };
}

export const inspect: Command = {
  name: "inspect",
  summary: "what fills the context of a session",
  help: HELP,
  run,
};
