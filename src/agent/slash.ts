/** The commands of the REPL: `/context`, `/compact [focus]` and the rest. Each answers in lines. */
import type { Agent } from "./agent.ts";
import { contextRows, costRows, count, refRows } from "./context-report.ts";

export interface Desk {
  readonly agent: Agent;
  /** A new thread takes the place of this one. */
  handoff(goal: string | undefined): Promise<string>;
}

interface Slash {
  readonly name: string;
  readonly takes?: string;
  readonly about: string;
  run(rest: string | undefined, desk: Desk): Promise<readonly string[]>;
}

const SLASHES: readonly Slash[] = [
  {
    name: "context",
    about: "what fills the context",
    run: async (_, { agent }) => contextRows(agent),
  },
  {
    name: "refs",
    takes: "[words]",
    about: "what left it and can be read back",
    run: async (words, { agent }) => refRows(agent, words),
  },
  {
    name: "compact",
    takes: "[focus]",
    about: "make it smaller now; the focus is what must stay in view",
    run: async (focus, { agent }) => compacted(agent, focus),
  },
  {
    name: "undo",
    about: "take the last compaction back",
    run: async (_, { agent }) => [
      (await agent.undo()) ? "the last compaction is taken back" : "nothing to take back",
    ],
  },
  {
    name: "cost",
    about: "what was spent, and what compaction saved, net",
    run: async (_, { agent }) => costRows(agent),
  },
  {
    name: "budget",
    about: "start a new budget of the same size",
    run: async (_, { agent }) => {
      agent.spending.renew();
      return ["a new budget begins"];
    },
  },
  {
    name: "handoff",
    takes: "[goal]",
    about: "go on in a new thread that begins with a summary of this one",
    run: async (goal, desk) => [await desk.handoff(goal)],
  },
];

/** Undefined where the line is no command. */
export async function runSlash(line: string, desk: Desk): Promise<readonly string[] | undefined> {
  const [, name, rest] = /^\/([a-z]+)(?:\s+(.*\S))?\s*$/s.exec(line) ?? [];
  if (name === undefined) return undefined;
  if (name === "help") return helpRows();
  const slash = SLASHES.find((candidate) => candidate.name === name);
  if (slash) return slash.run(rest, desk);
  return [`There is no /${name}; /help lists what there is.`];
}

function helpRows(): readonly string[] {
  const rows = SLASHES.map(({ name, takes = "", about }) => [`/${name} ${takes}`, about] as const);
  const quit = [["/quit", "end; the session can be resumed"]] as const;
  return [...rows, ...quit].map(([command, about]) => `  ${command.padEnd(18)}  ${about}`);
}

async function compacted(agent: Agent, focus: string | undefined): Promise<readonly string[]> {
  const outcome = await agent.compact(focus);
  if (outcome === undefined) return ["there is nothing to compact yet"];
  if (outcome.kind === "unchanged") return [`unchanged: ${outcome.detail}`];
  const { edits, summarizing } = outcome.compaction;
  const by = summarizing ? `, summary by ${summarizing.by}` : "";
  return [`${count(edits.length)} parts left${by}; /undo takes it back`];
}
