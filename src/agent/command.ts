/** `palimpsest agent`, once its words are understood: opens the agent, watches it, and says with which code to end. */
import { createColors } from "picocolors";
import type { Agent } from "./agent.ts";
import type { Ending } from "./events.ts";
import { handoffPage } from "./handoff.ts";
import { openAgent } from "./open-agent.ts";
import type { AgentOptions } from "./options.ts";
import { Repl } from "./repl.ts";
import { isUnfinished, sessionToResume } from "./resume.ts";
import { Screen } from "./screen.ts";
import type { Asked, Permission, Permit } from "./tools/tool.ts";
import { Typed } from "./typed.ts";

export interface CommandOptions extends Omit<AgentOptions, "id" | "permit" | "onEvent"> {
  readonly task?: string | undefined;
  readonly resume?: string | undefined;
  readonly isFromSummary: boolean;
  /** Everything is allowed; nobody is asked. */
  readonly isAllowed: boolean;
  readonly isJson: boolean;
  readonly terminal: Place;
}

/** Where it runs. */
export interface Place {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Whether a person types and reads. */
  readonly isTerminal: boolean;
  readonly hasColors: boolean;
  readonly columns: number;
}

/** How the last task ended; undefined where there was none. */
export async function runAgentCommand(options: CommandOptions): Promise<Ending | undefined> {
  const { terminal, isJson } = options;
  const isTerminal = terminal.isTerminal && !isJson;
  const screen = screenFor(terminal, { isJson, isTerminal });
  const held: { repl?: Repl } = {};
  const typed = typedFor(options, { screen, isTerminal, agent: () => held.repl?.agent });
  const settled: AgentOptions = {
    ...options,
    permit: options.isAllowed
      ? async () => ({ kind: "yes" })
      : asking({ typed, isTerminal, agent: () => held.repl?.agent }),
    onEvent: screen.show,
  };
  try {
    const agent = await opened(options, settled);
    held.repl = new Repl({ screen, typed, isTerminal, agent, options: settled });
    return await run(held.repl, options);
  } finally {
    typed.close();
    await held.repl?.agent.close();
    const id = held.repl?.agent.id;
    if (id !== undefined && !isJson) terminal.err(`To go on: palimpsest agent --resume ${id}\n`);
  }
}

async function run(repl: Repl, { task, terminal, isJson }: CommandOptions): Promise<Ending | undefined> {
  if (task !== undefined) return repl.task(task);
  const first = isUnfinished(repl.agent.thread) ? await repl.task(undefined) : undefined;
  const ending = await repl.talk(first);
  // A person saw how each task ended; a script has only the exit code.
  return terminal.isTerminal && !isJson ? undefined : ending;
}

async function opened(
  { home, resume, isFromSummary }: CommandOptions,
  settled: AgentOptions,
): Promise<Agent> {
  if (resume === undefined) return openAgent(settled);
  const id = await sessionToResume(home, resume);
  if (!isFromSummary) return openAgent({ ...settled, id });
  const before = await openAgent({ ...settled, id, onEvent: () => {} });
  const opening = await handoffPage(before);
  await before.close();
  return openAgent({ ...settled, parent: id, opening });
}

interface Watching {
  readonly isJson: boolean;
  readonly isTerminal: boolean;
}

function screenFor({ out, err, hasColors, columns }: Place, { isJson, isTerminal }: Watching): Screen {
  // In a pipe, standard output has the answer and nothing else.
  return new Screen({ out, aside: isTerminal ? out : err, colors: createColors(hasColors), isJson, columns });
}

interface Listening {
  readonly screen: Screen;
  readonly isTerminal: boolean;
  readonly agent: () => Agent | undefined;
}

function typedFor(
  { terminal, task, isJson }: CommandOptions,
  { screen, isTerminal, agent }: Listening,
): Typed {
  const steers = isTerminal || (isJson && task !== undefined);
  const stop = () => agent()?.interrupt();
  if (!isTerminal) process.once("SIGINT", stop).once("SIGTERM", stop);
  return new Typed({
    input: terminal.input,
    output: terminal.output,
    isTerminal,
    onLine: steers ? (line) => void agent()?.steer(line) : undefined,
    onInterrupt: stop,
    onTyping: () => screen.hold(),
    onTyped: () => screen.release(),
  });
}

const QUESTION = { isQuestion: true };

/** Asks the person; `a` allows the same kind from then on, and any other words are the reason for a no. */
function asking({ typed, isTerminal, agent }: Omit<Listening, "screen"> & { readonly typed: Typed }): Permit {
  const always = new Set<Asked["effect"]>();
  return async ({ what, effect }): Promise<Permission> => {
    if (always.has(effect)) return { kind: "yes" };
    if (!isTerminal) return { kind: "no", reason: "Nobody is there to ask; --yes allows everything." };
    const answer = (await typed.next(`Allow: ${what}? y/n/a(lways ${effect}) › `, QUESTION))?.trim();
    if (answer === undefined) agent()?.interrupt();
    if (/^a(lways)?$/i.test(answer ?? "")) always.add(effect);
    if (/^(y(es)?|a(lways)?)$/i.test(answer ?? "")) return { kind: "yes" };
    const isPlainNo = answer === undefined || /^(no?)?$/i.test(answer);
    return isPlainNo ? { kind: "no" } : { kind: "no", reason: `They say: ${answer}` };
  };
}
