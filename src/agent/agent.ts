/**
 * A small agent, to be read and to be used: a model, a dozen tools, a workspace, and a session that keeps its context small
 * without losing any of it. `openAgent` opens or resumes one; `run` gives it words and comes back when it has ended.
 */
import type { Outcome } from "../compact.ts";
import { modelNamed } from "../measure/models.ts";
import { marksOf, roomIn } from "../plan/size.ts";
import type { AgentSession } from "../session.ts";
import type { SdkTools } from "../summarize/sdk-model.ts";
import { defined, type Json } from "../transcript/json.ts";
import type { Request } from "./ask.ts";
import type { Spending } from "./budget.ts";
import type { AgentEvent, Ending } from "./events.ts";
import { type Run, runLoop } from "./loop.ts";
import type { Settled } from "./options.ts";
import { assemble, type PromptFacts, Said, type Todo } from "./prompt.ts";
import { type Calling, unknownEnd } from "./run-calls.ts";
import type { Thread } from "./thread.ts";
import { asJson } from "./tool-belt.ts";
import { todosOf } from "./tools/todo.ts";
import type { AgentTool, ToolAround, ToolResult } from "./tools/tool.ts";
import type { Watch } from "./watch.ts";

/** What an agent is made of; `open-agent.ts` puts it together. */
export interface Parts {
  readonly options: Settled;
  readonly thread: Thread;
  readonly session: AgentSession;
  readonly tools: readonly AgentTool[];
  readonly toolSet: SdkTools;
  readonly system: string;
  readonly watch: Watch;
  readonly spoolFolder: string;
  /** Runs a task in an agent of its own. Absent where there may be none. */
  readonly delegate?: (task: string, signal: AbortSignal) => Promise<ToolResult>;
}

const FOOTPRINT_LINES = 10;
/** Of the window, in characters: about a quarter of it in tokens. */
const OUTPUT_SHARE = 0.8;
const MOST_OUTPUT_CHARS = 200_000;
const MOST_ANSWER_TOKENS = 16_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class Agent {
  readonly #parts: Parts;
  readonly #around: { readonly system: string; readonly tools: Json };
  readonly #said: Said = new Said();
  #sent: readonly Json[] = [];
  #footprint: readonly string[] = [];
  #todos: readonly Todo[];
  /** Of the prompt and the answer, as reported last, or as measured after a compaction. */
  #tokens = 0;
  #stop: AbortController = new AbortController();
  #isRunning = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#around = { system: parts.system, tools: asJson(parts.toolSet) };
    this.#todos = todosOf(parts.thread.messages);
  }

  get id(): string {
    return this.#parts.options.id;
  }

  get options(): Settled {
    return this.#parts.options;
  }

  get session(): AgentSession {
    return this.#parts.session;
  }

  get thread(): Thread {
    return this.#parts.thread;
  }

  get spending(): Spending {
    return this.options.spending;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** What the model was sent last, and what has been said since, with what stands around it. */
  get context(): { readonly system: string; readonly tools: Json; readonly messages: readonly Json[] } {
    return { ...this.#around, messages: this.#sent };
  }

  /** Everything of a request but its messages. */
  get request(): Omit<Request, "messages"> {
    const { options, toolSet, system } = this.#parts;
    const { outputTokens } = this.#room;
    return {
      model: options.model,
      system,
      tools: toolSet,
      maxOutputTokens: Math.min(outputTokens, MOST_ANSWER_TOKENS),
      signal: this.#stop.signal,
      onText: (type, text) => options.onEvent({ type, text }),
    };
  }

  /** Gives it words (none: it goes on where it was) and comes back when the run has ended, and says how. */
  async run(words?: string): Promise<Ending> {
    this.#isRunning = true;
    this.#stop = new AbortController();
    const timeLeftMs = Math.min(this.spending.msLeft + 1, LONGEST_TIMER_MS);
    const timer = setTimeout(() => this.#stop.abort("time"), timeLeftMs);
    try {
      if (words !== undefined) await this.#say(words);
      const ending = await runLoop(this.#run());
      this.#tell({ type: "ended", ending, spent: this.spending.spent });
      return ending;
    } finally {
      clearTimeout(timer);
      this.#isRunning = false;
    }
  }

  /** Joins its next prompt, whatever it is doing now. On disk when it resolves. */
  async steer(text: string): Promise<void> {
    await this.thread.steer(text);
    this.#tell({ type: "steered", text });
  }

  /** Ends the request or the command in progress; `run` comes back with what there is. */
  interrupt(): void {
    this.#stop.abort("interrupt");
  }

  /** By the user, between two runs; while one goes on it compacts by itself. */
  async compact(focus?: string): Promise<Outcome | undefined> {
    await this.#look();
    const outcome = await this.session.compact({ trigger: "manual", ...defined({ focus }) });
    this.#compacted(outcome);
    await this.#look();
    return outcome;
  }

  /** Takes the last compaction back. */
  async undo(): Promise<boolean> {
    const isUndone = await this.session.undo();
    await this.#look();
    return isUndone;
  }

  /** Nobody waits: the next fold is made ready, and swapped in if its history is still there. */
  idle(): void {
    void this.session.prepareAhead();
  }

  async close(): Promise<void> {
    await this.thread.journal.close();
  }

  #compacted(outcome: Outcome | undefined): boolean {
    if (outcome?.kind === "compacted") this.#tokens = outcome.compaction.tokensAfter;
    return this.#parts.watch.compacted(outcome, this.spending);
  }

  async #look(): Promise<void> {
    if (this.thread.messages.length === 0) return;
    this.#sent = (await this.session.prepare(this.thread.messages, this.#around)).messages;
  }

  async #say(words: string): Promise<void> {
    for (const call of this.thread.openCalls) await this.thread.result(unknownEnd(call));
    const { opening } = this.options;
    const note = (await this.#note()) ?? "";
    const isFirst = this.thread.messages.length === 0 && opening !== undefined;
    await this.thread.user([words], isFirst ? `${opening}\n\n${note}` : note);
  }

  /** What the runtime has to say with the next user message. */
  async #note(how: { readonly isFolded?: boolean } = {}): Promise<string | undefined> {
    return this.#said.note(await assemble(this.options.contributors, "note", this.#facts), how);
  }

  get #facts(): PromptFacts {
    return factsOf(this.options, {
      tools: this.#parts.tools,
      footprint: this.#footprint,
      todos: this.#todos,
    });
  }

  #run(): Run {
    const { thread, session, options } = this.#parts;
    return {
      thread,
      session,
      spending: this.spending,
      signal: this.#stop.signal,
      calling: this.calling,
      request: this.request,
      around: this.#around,
      marks: marksOf(options.policy, this.#room, options.model.name),
      overflowRetries: options.policy.continuation.overflowRetries,
      note: (how) => this.#note(how),
      compacted: (outcome) => this.#compacted(outcome),
      tokens: () => this.#tokens,
      windowTokens: options.windowTokens,
      onTokens: (tokens) => {
        this.#tokens = tokens;
      },
      onSent: (messages) => {
        this.#sent = messages;
      },
      onEvent: (event) => this.#tell(event),
    };
  }

  /** What its calls are run with. */
  get calling(): Calling {
    const { thread, tools, options } = this.#parts;
    return {
      thread,
      tools,
      spending: this.spending,
      permit: options.permit ?? (async () => ({ kind: "no", reason: "Nobody is there to allow it." })),
      signal: this.#stop.signal,
      aroundCall: (callId) => this.#aroundCall(callId),
      onEvent: (event) => this.#tell(event),
      onDone: (line) => {
        this.#footprint = [...this.#footprint, line].slice(-FOOTPRINT_LINES);
      },
    };
  }

  #aroundCall(callId: string): ToolAround {
    const { options, spoolFolder, delegate } = this.#parts;
    const { signal } = this.#stop;
    return {
      workspace: options.workspace,
      spoolFolder,
      maxChars: Math.min(MOST_OUTPUT_CHARS, Math.floor(options.windowTokens * OUTPUT_SHARE)),
      signal,
      callId,
      setTodos: (items) => {
        this.#todos = items;
      },
      ...(delegate ? { delegate: (task: string) => delegate(task, signal) } : {}),
    };
  }

  get #room() {
    const { windowTokens, model } = this.options;
    return roomIn(windowTokens, modelNamed(model.name));
  }

  #tell(event: AgentEvent): void {
    this.options.onEvent(event);
  }
}

type Doing = Pick<PromptFacts, "tools" | "footprint" | "todos">;

export function factsOf({ workspace, memoryFolder, model, now }: Settled, doing: Doing): PromptFacts {
  return { workspace, memoryFolder, model: model.name, now: now(), ...doing };
}
