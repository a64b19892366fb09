/**
 * `palimpsest arena`: policies and opponents compared on session files. The arena itself is a workspace of its own that
 * knows this package by its public name only, so it is reached by name and loaded when asked for.
 */
import { accessSync, constants } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { PalimpsestError } from "../errors.ts";
import type { Json } from "../transcript/json.ts";
import { type AskerChoice, askerChoice, howManyAsked, MODEL_OPTIONS } from "./arena-model.ts";
import { parseWords, positiveNumber, usageError, wholeNumber } from "./arguments.ts";
import { EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";
import { writeOut } from "./write-out.ts";

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
  --cache RULES     bill every session under these cache rules in place of its provider's own:
                    anthropic-5m, anthropic-1h, openai, openai-512, gemini, none
  --workers N       processors to use (default: all)
  --experiments     seed 003 instead: eight sessions of ours, summaries against pointers, one to
                    three compactions, what the policies say can be varied, and OpenCode's 60/40
  --model M         a model answers: <provider>/<model> with keys and OPENAI_BASE_URL from the
                    environment, or command:<program>. Probe questions with the read tools, claims held
                    against the session, obedience, the next call; with --experiments their questions
  --questions N     so many per session (default 20); --replicates N, each so often (default 5)
  --record F        write every answer to F; --replay F answers from it, without a key
  --html F          the report as one page with plots
  --json            the report as data

Examples
  palimpsest arena
  palimpsest arena --sessions '~/.claude/projects/**' --policies palimpsest,nucleic,tail
  palimpsest arena --sessions 'sessions/**' --cascade 1,3,10 --html arena.html
  palimpsest arena --sessions s.jsonl --window 200000 --cascade 1 --budget 8000 --json
  palimpsest arena --sessions s.jsonl --prices gpt-5.5 --cache openai
  palimpsest arena --experiments --policies summarize,pointerize,hybrid
  palimpsest arena --sessions s.jsonl --model anthropic/claude-sonnet-4-5 --record calls.jsonl
  palimpsest arena --sessions s.jsonl --replay calls.jsonl

Ctrl-C ends it at once, with 130: nothing is written but --record, which keeps whole answers.
`;

const OPTIONS = {
  sessions: { type: "string" },
  policies: { type: "string" },
  cascade: { type: "string" },
  budget: { type: "string" },
  window: { type: "string" },
  trigger: { type: "string" },
  prices: { type: "string" },
  cache: { type: "string" },
  workers: { type: "string" },
  ...MODEL_OPTIONS,
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
  readonly cache?: string | undefined;
  readonly windowTokens?: number | undefined;
  readonly trigger?: number | undefined;
  readonly workers: number;
}

interface Progress {
  readonly done: number;
  readonly of: number;
  readonly name: string;
  readonly doing: string;
}

type OnProgress = (progress: Progress) => void;

interface ModelOrder {
  readonly sessions: string;
  readonly opponents?: readonly string[] | undefined;
  readonly cascades: readonly number[];
  readonly questions: number;
  readonly replicates: number;
}

interface ExperimentOrder<Asker> {
  readonly arms?: readonly string[] | undefined;
  readonly asker?: Asker | undefined;
  readonly replicates?: number;
}

interface ArenaTypes {
  readonly run: unknown;
  readonly report: unknown;
  readonly rows: unknown;
  readonly asker: unknown;
  readonly modelRun: unknown;
  readonly modelReport: unknown;
}

/** As much of the arena as this command uses; a test holds it to what the arena has. */
export interface Arena<T extends ArenaTypes = ArenaTypes> {
  readonly runArena: (order: Order, onProgress: OnProgress) => Promise<T["run"]>;
  readonly reportOf: (run: T["run"]) => T["report"];
  readonly reportText: (report: T["report"]) => string;
  readonly reportHtml: (report: T["report"]) => string;
  readonly runExperiments: (order: ExperimentOrder<T["asker"]>) => Promise<T["rows"]>;
  readonly experimentsText: (rows: T["rows"]) => string;
  readonly openAsker: (choice: AskerChoice) => Promise<T["asker"]>;
  readonly runModel: (order: ModelOrder, asker: T["asker"], onProgress: OnProgress) => Promise<T["modelRun"]>;
  readonly modelReportOf: (run: T["modelRun"]) => T["modelReport"];
  readonly modelReportText: (report: T["modelReport"]) => string;
}

interface Loaded extends ArenaTypes {
  readonly run: { readonly files: readonly unknown[] };
  readonly report: Json;
  readonly rows: Json;
  readonly modelReport: Json;
}

/** Not a literal: what it names is built from this package, after it. */
const ARENA: string = "#arena";

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "arena");
  if (positionals.length > 0) throw usageError(`"${positionals[0]}" is not understood here.`, "arena");
  const order = orderOf(values);
  if (values.html !== undefined) mustBeWritable(values.html);
  const arena = (await import(ARENA)) as Arena<Loaded>;
  const print = <R extends Json>(report: R, text: (report: R) => string) => {
    io.out(values.json === true ? `${JSON.stringify(report, null, 1)}\n` : text(report));
    return EXIT.done;
  };
  const choice = await askerChoice(values, io);
  const asker = choice && (await arena.openAsker(choice));
  const asked = howManyAsked(values);
  const { sessions, opponents: arms } = order;
  if (values.experiments === true)
    return print(await arena.runExperiments({ arms, asker, ...asked }), arena.experimentsText);
  if (asker !== undefined) {
    const cascades = values.cascade === undefined ? [1] : order.cascades;
    const modelOrder = { sessions, opponents: arms, cascades, ...asked };
    const ran = await watched(order, io, (onProgress) => arena.runModel(modelOrder, asker, onProgress));
    return print(arena.modelReportOf(ran), arena.modelReportText);
  }
  const ran = await watched(order, io, (onProgress) => arena.runArena(order, onProgress));
  if (ran.files.length === 0)
    throw new PalimpsestError("unreadable", `There is no session file at ${order.sessions}.`);
  const report = arena.reportOf(ran);
  if (values.html !== undefined) await writeOut(values.html, arena.reportHtml(report));
  return print(report, arena.reportText);
}

/** Said before minutes of work, not after. */
function mustBeWritable(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PalimpsestError("unwritable", `Cannot write ${path}: ${why}.`);
  }
}

/** A line that says what is done while someone watches, and is gone when it ends, by itself or by Ctrl-C. */
async function watched<T>(
  { workers }: Order,
  io: Io,
  run: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  const say = (text: string) =>
    io.isTerminal ? io.err(`\r\u001b[K${text.slice(0, io.columns - 1)}`) : undefined;
  const stop = () => {
    say("");
    process.exit(INTERRUPTED);
  };
  // On one processor this thread does the work and would not hear the signal: there it ends the process by itself.
  if (workers > 1) process.once("SIGINT", stop);
  try {
    return await run(({ done, of, name, doing }) =>
      say(`${done} of ${of} sessions · ${name.slice(0, 50)}: ${doing}`),
    );
  } finally {
    process.off("SIGINT", stop);
    say("");
  }
}

const INTERRUPTED = 130;

type Values = ReturnType<typeof parseWords<typeof OPTIONS>>["values"];

function orderOf(values: Values): Order {
  const {
    sessions,
    policies,
    cascade = "1,3,10",
    budget = "4000,8000,16000",
    prices,
    cache,
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
    cache,
    windowTokens: window === undefined ? undefined : positiveNumber(window, "--window", "arena"),
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
