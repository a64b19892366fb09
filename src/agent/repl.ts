/**
 * An agent at a terminal, or behind a pipe: a task and then more, or one task and out. Ctrl-C first stops the model and asks
 * what should change; again, it ends. Whatever happens, the session can be resumed.
 */
import type { Agent } from "./agent.ts";
import type { Ending } from "./events.ts";
import { handoffPage } from "./handoff.ts";
import { openAgent } from "./open-agent.ts";
import type { AgentOptions } from "./options.ts";
import type { Screen } from "./screen.ts";
import { runSlash } from "./slash.ts";
import type { Typed } from "./typed.ts";

export interface ReplOptions {
  readonly screen: Screen;
  readonly typed: Typed;
  /** Whether a person is there to be asked. */
  readonly isTerminal: boolean;
  readonly agent: Agent;
  /** To open the next thread with. */
  readonly options: AgentOptions;
}

export class Repl {
  readonly #options: ReplOptions;
  #agent: Agent;
  /** Ctrl-C, twice. */
  #isOver = false;
  /** What the new thread begins with. */
  #goal: string | undefined;

  constructor(options: ReplOptions) {
    this.#options = options;
    this.#agent = options.agent;
  }

  get agent(): Agent {
    return this.#agent;
  }

  /** One task to its end. At a terminal an interruption is a question, not an end. */
  async task(words: string | undefined): Promise<Ending> {
    let ending = await this.#agent.run(words);
    while (ending.kind === "interrupted" && this.#options.isTerminal) {
      const line = await this.#options.typed.next(INTERRUPTED, { isQuestion: true });
      this.#isOver = line === undefined;
      if (line === undefined) return ending;
      ending = await this.#agent.run(line.trim() === "" ? undefined : line);
    }
    return ending;
  }

  /** Until the input ends. The way the last task ended. */
  async talk(first?: Ending): Promise<Ending | undefined> {
    const { typed, screen } = this.#options;
    let ending = first;
    if (this.#options.isTerminal) screen.say("/help lists the commands; Ctrl-C interrupts.");
    for (let isLeaving = false; !this.#isOver; ) {
      const line = await typed.next(`${screen.meter} › `);
      if (line === undefined) {
        if (isLeaving || typed.isEnded) return ending;
        isLeaving = true;
        screen.say("Ctrl-C again, or /quit, ends; the session is kept.");
        continue;
      }
      isLeaving = false;
      if (line.trim() === "/quit") return ending;
      if (line.trim() !== "") ending = (await this.#line(line)) ?? ending;
    }
    return ending;
  }

  async #line(line: string): Promise<Ending | undefined> {
    const { screen } = this.#options;
    const handoff = (goal: string | undefined) => this.#handoff(goal);
    const rows = line.startsWith("/") ? await runSlash(line, { agent: this.#agent, handoff }) : undefined;
    for (const row of rows ?? []) screen.say(row);
    const words = rows ? this.#takeGoal() : line;
    if (words === undefined) return undefined;
    const ending = await this.task(words);
    this.#agent.idle();
    return ending;
  }

  #takeGoal(): string | undefined {
    const goal = this.#goal;
    this.#goal = undefined;
    return goal;
  }

  async #handoff(goal: string | undefined): Promise<string> {
    const before = this.#agent;
    const opening = await handoffPage(before, goal);
    const { id: _, ...options } = this.#options.options;
    this.#agent = await openAgent({ ...options, parent: before.id, opening, spending: before.spending });
    await before.close();
    this.#goal = goal;
    return `New thread ${this.#agent.id}; ${before.id} stays as it is.`;
  }
}

const INTERRUPTED = "Say what should change; an empty line goes on; Ctrl-C ends › ";
