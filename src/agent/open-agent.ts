/** Opens an agent, or takes one up where it was left: its transcript, its session, its tools, its prompt. */
import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import type { Outcome } from "../compact.ts";
import { modelNamed } from "../measure/models.ts";
import { policyNamed } from "../plan/policies.ts";
import { openSession } from "../session.ts";
import { openSpool } from "../store/spool.ts";
import { defined } from "../transcript/json.ts";
import { openWorkspace } from "../workspace.ts";
import { Agent, factsOf, type Parts } from "./agent.ts";
import { Spending } from "./budget.ts";
import { CONTRIBUTORS, SUBAGENT_CONTRIBUTORS } from "./contributors.ts";
import type { Ending } from "./events.ts";
import { flushNotes } from "./flush.ts";
import { Journal, journalPath, readJournal } from "./journal.ts";
import type { AgentOptions, Settled } from "./options.ts";
import { assemble, systemText } from "./prompt.ts";
import { summarizersFor } from "./summarizers.ts";
import { Thread } from "./thread.ts";
import { toolSet, toolsFor } from "./tool-belt.ts";
import type { AgentTool, ToolResult } from "./tools/tool.ts";
import { Watch } from "./watch.ts";

export async function openAgent(options: AgentOptions): Promise<Agent> {
  return open(settle(options), true);
}

function settle(options: AgentOptions): Settled {
  const { now = Date.now, policy = "palimpsest", contributors = CONTRIBUTORS, onEvent = () => {} } = options;
  const workspace = resolve(options.workspace);
  return {
    ...options,
    workspace,
    contributors,
    id: options.id ?? newId(),
    policy: typeof policy === "string" ? policyNamed(policy) : policy,
    windowTokens: options.windowTokens ?? modelNamed(options.model.name).windowTokens,
    memoryFolder: options.memoryFolder ?? join(workspace, ".palimpsest", "memory"),
    spending: options.spending ?? new Spending(options.budgets, now),
    now,
    onEvent,
  };
}

function newId(): string {
  return randomUUID().replaceAll("-", "").slice(0, 12);
}

async function open(options: Settled, canDelegate: boolean): Promise<Agent> {
  const { id, home, model, policy, windowTokens, now, onEvent } = options;
  const path = journalPath(home, id);
  const recorded = await readJournal(path);
  const thread = new Thread(await Journal.open(path), recorded ?? {}, now);
  const watch = new Watch(onEvent);
  const opened: { agent?: Agent } = {};
  const spoolFolder = join(home, "agent", id);
  const flush = async (instruction: string) => opened.agent && flushNotes(opened.agent, instruction);
  const session = await sessionOf(options, { watch, spoolFolder, flush });
  const onCompacted = (outcome: Outcome | undefined) => watch.compacted(outcome, options.spending);
  const tools = toolsFor(session, { store: options.store, canDelegate, onCompacted, more: options.tools });
  const system = recorded?.opened.system ?? (await begin(thread, tools, options));
  const delegate = canDelegate ? delegateOf(options) : undefined;
  const parts: Parts = {
    options,
    thread,
    session,
    tools,
    system,
    watch,
    spoolFolder,
    toolSet: await toolSet(tools),
  };
  opened.agent = new Agent({ ...parts, ...defined({ delegate }) });
  const facts = { id, model: model.name, policy: policy.name, windowTokens };
  onEvent({ type: "session", ...facts, isResumed: recorded !== undefined });
  watch.price(model.name, options.spending);
  return opened.agent;
}

interface Reporting {
  readonly watch: Watch;
  readonly spoolFolder: string;
  readonly flush: (instruction: string) => Promise<void>;
}

async function sessionOf(options: Settled, { watch, spoolFolder, flush }: Reporting) {
  const { id, store, policy, model, windowTokens, workspace, now, parent } = options;
  const session = await openSession({
    id,
    store,
    policy,
    model: model.name,
    windowTokens,
    wire: "ai-sdk",
    workspace: openWorkspace(workspace),
    spool: openSpool(spoolFolder),
    now,
    onFlush: flush,
    onNotice: watch.notice,
    onError: watch.problem,
    ...summarizersFor(policy, model, options),
    ...defined({ parent }),
  });
  await store.openSession({ id, at: now(), cwd: workspace });
  return session;
}

/** The first line of a transcript has its system prompt: a resumed session sends the same one. */
async function begin(thread: Thread, tools: readonly AgentTool[], options: Settled): Promise<string> {
  const { id, workspace, model, parent, now, contributors } = options;
  const facts = factsOf(options, { tools, footprint: [], todos: [] });
  const system = systemText(await assemble(contributors, "system", facts));
  const opened = { id, workspace, model: model.name, system, ...defined({ parent }) };
  await thread.journal.append({ kind: "opened", at: now(), ...opened });
  return system;
}

/** A helper: its own transcript, window and session under this one's; the same workspace, permissions and budget. */
function delegateOf(options: Settled): NonNullable<Parts["delegate"]> {
  return async (task, signal): Promise<ToolResult> => {
    const { opening: _, ...rest } = options;
    const id = `${options.id}-${newId().slice(0, 6)}`;
    const onEvent: Settled["onEvent"] = (event) => options.onEvent({ type: "subagent", id, event });
    const contributors = SUBAGENT_CONTRIBUTORS;
    const helper = await open({ ...rest, id, parent: options.id, onEvent, contributors }, false);
    const stop = () => helper.interrupt();
    signal.addEventListener("abort", stop, { once: true });
    try {
      const ending: Ending = signal.aborted ? { kind: "interrupted" } : await helper.run(task);
      if (ending.kind === "done") return { text: ending.text };
      const why = ending.kind === "interrupted" ? "it was interrupted" : ending.why;
      return { text: `The subagent did not finish: ${why}. Its transcript is session ${id}.`, isError: true };
    } finally {
      signal.removeEventListener("abort", stop);
      await helper.close();
    }
  };
}
