/** `palimpsest agent`: a small agent whose context never fills. */
import { dirname } from "node:path";
import { parseWords, positiveNumber, usageError, wholeNumber } from "./arguments.ts";
import { STORE_HELP, STORE_OPTION, storePath, withStore } from "./home.ts";
import { EXIT, type Io, wantsColors } from "./io.ts";
import type { Command } from "./main.ts";
import { policyOption } from "./policy-option.ts";
import { summarizerOption } from "./summarizer-option.ts";

const HELP = `palimpsest agent [task] [--model M] [--policy P] [--window N] [--resume ID] [--yes] [--json]

A small agent with files, a shell, search, a todo list and subagents. Its context is kept small by
the policy you choose; nothing that leaves it is lost. With a task it does that and ends; without
one it talks (/help lists the commands). Everything is on disk as it happens.

  --model M        anthropic/<model>, openai/<model>, or any name at an OpenAI-compatible server
                   (default: $PALIMPSEST_MODEL). Keys: ANTHROPIC_API_KEY, OPENAI_API_KEY
  --base-url URL   of the server (else ANTHROPIC_BASE_URL or OPENAI_BASE_URL)
  --policy P       a policy or a JSON file ("palimpsest policies"; default palimpsest)
  --window N       act as if the model took only so many tokens
  --summarizer S   who writes summaries: extractive, model:<provider>/<model>, command:<program>
                   (default: the model itself where the policy has a model write them)
  --workspace DIR  the folder it works in (default: this one); files are written nowhere else
  --yes            allow writes and commands without asking
  --resume ID      take a session up again; --from summary begins a new thread with its summary
  --turns N, --tokens N, --tool-calls N, --usd N, --minutes N
                   hard limits of this run (200, 1m, 200, 2.00, 30)
${STORE_HELP}
  --json           events as JSON lines; lines on standard input steer it

Ends with 0 when it is done, 1 when a budget, an error or Ctrl-C ended it, 2 on wrong words.

Examples
  palimpsest agent "make the tests pass" --model anthropic/claude-sonnet-4-5 --yes
  OPENAI_BASE_URL=http://127.0.0.1:11434/v1 palimpsest agent --model qwen3-coder --window 32k
  palimpsest agent --resume 3f2c9a1e --policy nucleic --turns 50
`;

const OPTIONS = {
  ...STORE_OPTION,
  model: { type: "string" },
  "base-url": { type: "string" },
  policy: { type: "string" },
  window: { type: "string" },
  summarizer: { type: "string" },
  workspace: { type: "string" },
  yes: { type: "boolean" },
  resume: { type: "string" },
  from: { type: "string" },
  turns: { type: "string" },
  tokens: { type: "string" },
  "tool-calls": { type: "string" },
  usd: { type: "string" },
  minutes: { type: "string" },
  json: { type: "boolean" },
} as const;

type Values = ReturnType<typeof parseWords<typeof OPTIONS>>["values"];

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "agent");
  const [task, ...rest] = positionals;
  if (rest.length > 0) throw usageError(`One task, in quotes; "${rest[0]}" is one too many.`, "agent");
  const { openModel } = await import("../agent/models.ts");
  const { runAgentCommand } = await import("../agent/command.ts");
  const path = storePath(io, values.store);
  const word = values.model ?? io.env["PALIMPSEST_MODEL"];
  if (word === undefined || word === "")
    throw usageError("Which model? --model or PALIMPSEST_MODEL.", "agent");
  const settings = settingsOf(values, io);
  const model = await openModel(word, { baseUrl: values["base-url"], env: io.env });
  const ending = await withStore(path, (store) =>
    runAgentCommand({ ...settings, task, model, store, home: dirname(path) }),
  );
  return ending === undefined || ending.kind === "done" ? EXIT.done : EXIT.failed;
}

function settingsOf(values: Values, io: Io) {
  const { window, summarizer, from, resume, yes, json, workspace } = values;
  if (from !== undefined && from !== "summary" && from !== "transcript")
    throw usageError(`--from is summary or transcript; "${from}" is none.`, "agent");
  if (from !== undefined && resume === undefined) throw usageError("--from belongs to --resume.", "agent");
  return {
    policy: policyOption(values.policy, io),
    workspace: workspace ?? process.cwd(),
    budgets: budgetsOf(values),
    resume,
    isFromSummary: from === "summary",
    isAllowed: yes === true,
    isJson: json === true,
    terminal: placeOf(io),
    ...(window === undefined ? {} : { windowTokens: positiveNumber(window, "--window", "agent") }),
    ...(summarizer === undefined ? {} : { summarizer: summarizerOption(summarizer, io) }),
  };
}

function budgetsOf(values: Values): Readonly<Record<string, number>> {
  const given: readonly (readonly [string, string, string | undefined])[] = [
    ["turns", "--turns", values.turns],
    ["tokens", "--tokens", values.tokens],
    ["toolCalls", "--tool-calls", values["tool-calls"]],
    ["usd", "--usd", values.usd],
    ["minutes", "--minutes", values.minutes],
  ];
  return Object.fromEntries(
    given.flatMap(([name, option, value]) =>
      value === undefined ? [] : [[name, amount(name, option, value)]],
    ),
  );
}

/** Money and time come in parts. */
function amount(name: string, option: string, value: string): number {
  if (name !== "usd" && name !== "minutes") return wholeNumber(value, option, "agent");
  const number = Number(value.replace(/^\$/, ""));
  if (value.trim() !== "" && Number.isFinite(number) && number >= 0) return number;
  throw usageError(`${option} takes a number; "${value}" is none.`, "agent");
}

function placeOf(io: Io) {
  const isTerminal = io.isTerminal && process.stdin.isTTY === true;
  return {
    out: io.out,
    err: io.err,
    input: process.stdin,
    output: process.stdout,
    isTerminal,
    hasColors: wantsColors(io),
    columns: io.columns,
  };
}

export const agent: Command = {
  name: "agent",
  summary: "a small agent whose context never fills",
  help: HELP,
  run,
};
