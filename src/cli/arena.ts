/**
 * `palimpsest arena`: policies and opponents compared on session files. The arena itself is a workspace of its own that
 * knows this package by its public name only, so it is reached by name and loaded when asked for.
 */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { PalimpsestError } from "../errors.ts";
import type { Json } from "../transcript/json.ts";
import { parseWords, usageError, wholeNumber } from "./arguments.ts";
import { EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";

const HELP = `palimpsest arena [--sessions GLOB] [--policies P,Q] [--cascade 1,2,3,10] [--prices M] [--html F] [--json]

Which policy keeps what an agent needs, and what it costs: measured on session files of any
harness, without a model and without a key. Facts are mined from each session and asked for
after it was compacted; every recorded request is priced again under each policy. Two runs
give the same bytes.

  --sessions GLOB   files, a folder or a pattern; commas between several (default: the
                    session bundled with the package)
  --policies P,Q    policies and controls to compare; all where not said
  --cascade K,L     so many compactions, one after the other (default 1,3,10)
  --budget N,M      fixed sizes to compact to, in characters / 4 (default 4000,8000,16000)
  --window N        cut where a window of this size fills, in place of one that gives exactly
                    so many compactions; --trigger 0.8 says how full
  --prices M        price every session as if it had run on model M
  --workers N       processors to use (default: all)
  --experiments     seed 003 instead: eight sessions of ours, summaries against pointers, one to
                    three compactions, and what the policies say can be varied
  --html F          the report as one page with plots
  --json            the report as data

Examples
  palimpsest arena
  palimpsest arena --sessions '~/.claude/projects/**' --policies palimpsest,nucleic,tail
  palimpsest arena --sessions 'sessions/**' --cascade 1,3,10 --html arena.html
`;

const OPTIONS = {
  sessions: { type: "string" },
  policies: { type: "string" },
  cascade: { type: "string" },
  budget: { type: "string" },
  window: { type: "string" },
  trigger: { type: "string" },
  prices: { type: "string" },
  workers: { type: "string" },
  experiments: { type: "boolean" },
  html: { type: "string" },
  json: { type: "boolean" },
} as const;

interface Order {
  readonly sessions: string;
  readonly opponents?: readonly string[] | undefined;
  readonly cascades: readonly number[];
  readonly budgets: readonly number[];
  readonly prices?: string | undefined;
  readonly windowTokens?: number | undefined;
  readonly trigger?: number | undefined;
  readonly workers: number;
}

/** As much of the arena as this command uses; a test holds it to what the arena has. */
export interface Arena<Run = unknown, Report = unknown, Rows = unknown> {
  readonly runArena: (order: Order, onFile: (done: number, of: number, name: string) => void) => Promise<Run>;
  readonly reportOf: (run: Run) => Report;
  readonly reportText: (report: Report) => string;
  readonly reportHtml: (report: Report) => string;
  readonly runExperiments: () => Promise<Rows>;
  readonly experimentsText: (rows: Rows) => string;
}

/** Not a literal: what it names is built from this package, after it. */
const ARENA: string = "#arena";

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "arena");
  if (positionals.length > 0) throw usageError(`"${positionals[0]}" is not understood here.`, "arena");
  const order = orderOf(values);
  const arena = (await import(ARENA)) as Arena<{ readonly files: readonly unknown[] }, Json, Json>;
  if (values.experiments === true) return experiments(arena, values.json === true, io);
  const ran = await arena.runArena(order, (done, of, name) => {
    if (io.isTerminal)
      io.err(`\r\u001b[K${done < of ? `${done} of ${of} sessions, ${name.slice(0, 60)}` : ""}`);
  });
  if (ran.files.length === 0)
    throw new PalimpsestError("unreadable", `There is no session file at ${order.sessions}.`);
  const report = arena.reportOf(ran);
  if (values.html !== undefined) writeFileSync(values.html, arena.reportHtml(report));
  io.out(values.json === true ? `${JSON.stringify(report, null, 1)}\n` : arena.reportText(report));
  return EXIT.done;
}

type Experiments = Pick<Arena<unknown, unknown, Json>, "runExperiments" | "experimentsText">;

async function experiments(arena: Experiments, isJson: boolean, io: Io): Promise<number> {
  const rows = await arena.runExperiments();
  io.out(isJson ? `${JSON.stringify(rows, null, 1)}\n` : arena.experimentsText(rows));
  return EXIT.done;
}

type Values = ReturnType<typeof parseWords<typeof OPTIONS>>["values"];

function orderOf(values: Values): Order {
  const {
    sessions,
    policies,
    cascade = "1,3,10",
    budget = "4000,8000,16000",
    prices,
    window,
    workers,
  } = values;
  return {
    sessions: sessions ?? BUNDLED,
    cascades: numbers(cascade, "--cascade"),
    budgets: budget === "" ? [] : numbers(budget, "--budget"),
    workers: workers === undefined ? availableParallelism() : wholeNumber(workers, "--workers", "arena"),
    opponents: policies?.split(",").map((name) => name.trim()),
    prices,
    windowTokens: window === undefined ? undefined : wholeNumber(window, "--window", "arena"),
    trigger: values.trigger === undefined ? undefined : shareOf(values.trigger),
  };
}

const BUNDLED: string = new URL("../../examples/sessions", import.meta.url).pathname;

function numbers(list: string, option: string): readonly number[] {
  return list.split(",").map((text) => wholeNumber(text, option, "arena"));
}

function shareOf(text: string): number {
  const value = Number(text);
  if (value > 0.5 && value <= 1) return value;
  throw usageError(`--trigger takes a share of the window over 0.5; "${text}" is none.`, "arena");
}

export const arena: Command = {
  name: "arena",
  summary: "compare policies on sessions: what survives, what it costs",
  help: HELP,
  run,
};
