/**
 * If you read one file of the agent, read this one: steer → prepare (compact) → budgets → model → tools, and again, until
 * the model calls nothing.
 *
 * The compression check comes before the abort check (seed 001): a context that can be made smaller is no reason to end.
 * Everything is on disk before the next thing begins, so the loop can be taken up wherever it was left.
 */
import type { Outcome } from "../compact.ts";
import { isOverflow } from "../overflow.ts";
import { palimpsest } from "../plan/policies/palimpsest.ts";
import type { AgentSession } from "../session.ts";
import { type Json, type JsonObject, list, object } from "../transcript/json.ts";
import { promptTokens } from "../transcript/message.ts";
import { type Answer, ask, Interrupted, type Request } from "./ask.ts";
import type { Spending } from "./budget.ts";
import type { AgentEvent, Ending } from "./events.ts";
import { callsIn } from "./journal.ts";
import { type Calling, runCalls, unknownEnd } from "./run-calls.ts";
import type { Thread } from "./thread.ts";

export interface Run {
  readonly thread: Thread;
  readonly session: AgentSession;
  readonly spending: Spending;
  readonly calling: Calling;
  readonly signal: AbortSignal;
  /** Everything of a request but its messages. */
  readonly request: Omit<Request, "messages">;
  readonly around: { readonly system: string; readonly tools: Json };
  readonly marks: { readonly full: number; readonly boundary: number };
  readonly overflowRetries: number;
  /** What the runtime has to say with the next user message. */
  note(options?: { readonly isFolded: boolean }): Promise<string | undefined>;
  /** Something was compacted: tells who watches, and whether a fold took messages. */
  compacted(outcome: Outcome | undefined): boolean;
  /** Of the prompt and the answer, as reported last, or as measured after a compaction. */
  tokens(): number;
  readonly windowTokens: number;
  readonly onTokens: (tokens: number) => void;
  readonly onSent: (messages: readonly Json[]) => void;
  readonly onEvent: (event: AgentEvent) => void;
}

export async function runLoop(run: Run): Promise<Ending> {
  const { thread, spending } = run;
  for (const call of thread.openCalls) await thread.result(unknownEnd(call));
  for (;;) {
    if (thread.isSteered) await thread.user([], await run.note());
    const messages = await prepared(run);
    const { end } = spending;
    if (end) return { kind: "budget", ...end };
    const answer = await answered(run, messages);
    if ("kind" in answer) return answer;
    const calls = callsIn(answer.message);
    if (calls.length > 0) await runCalls(calls, run.calling);
    if (run.signal.aborted) return interrupted(run);
    if (calls.length > 0 || thread.isSteered) continue;
    return ended(answer);
  }
}

function ended({ text, message, stopReason }: Answer): Ending {
  if (message) return { kind: "done", text };
  return { kind: "failed", why: `the model answered nothing (${stopReason || "no reason given"})` };
}

/** The messages to send. After a fold in the middle of the work, what is sticky is said again behind the newest results. */
async function prepared(run: Run): Promise<readonly Json[]> {
  const { thread, session, around } = run;
  const { messages, outcome } = await session.prepare(thread.messages, around);
  const isFolded = run.compacted(outcome);
  if (isFolded || !isBrimful(run) || !(await lastResort(run))) return withNote(run, messages, isFolded);
  return withNote(run, (await session.prepare(thread.messages, around)).messages, true);
}

/** Over this share of the window the next results may not fit. */
const BRIM = 0.9;

function isBrimful({ tokens, windowTokens }: Run): boolean {
  return tokens() > windowTokens * BRIM;
}

/** Behind everything, so what was prepared stays as it is. */
async function withNote(run: Run, messages: readonly Json[], isFolded: boolean): Promise<readonly Json[]> {
  const { thread } = run;
  const isBetween = object(thread.last)["role"] === "tool";
  const note = isFolded && isBetween ? await run.note({ isFolded }) : undefined;
  if (note === undefined) return messages;
  await thread.user([], note);
  return [...messages, thread.last ?? null];
}

/**
 * Some policies only replace large things, and small ones fill a window too. Where the policy can do no more and the next
 * request would not fit, the default one folds: a run may not fail because its policy has nothing left to do.
 */
async function lastResort(run: Run): Promise<boolean> {
  const targetTokens = Math.floor(run.tokens() / 2);
  const outcome = await run.session.compact({ trigger: "overflow", policy: palimpsest, targetTokens });
  const isFolded = run.compacted(outcome);
  if (isFolded) run.onEvent({ type: "notice", text: LAST_RESORT });
  return isFolded;
}

const LAST_RESORT = "The policy could do no more and the window was full: the default one folded.";

/** The answer, on disk; or how the run ends without one. */
async function answered(run: Run, messages: readonly Json[]): Promise<Answer | Ending> {
  try {
    const answer = await askWithin(run, messages);
    if (answer.message) await run.thread.assistant(answer.message);
    observe(run, answer);
    return answer;
  } catch (error) {
    if (!(error instanceof Interrupted)) return { kind: "failed", why: wordsOf(error) };
    // What was shown was said; thinking and half a call are not kept, nobody could check them.
    if (error.text.trim() !== "")
      await run.thread.assistant({
        role: "assistant",
        content: [{ type: "text", text: error.text.trimEnd() }],
      });
    return interrupted(run);
  }
}

/** Too long for the provider: compact and ask again, as often as the policy says, and then once by the last resort. */
async function askWithin(run: Run, messages: readonly Json[]): Promise<Answer> {
  let sent = messages;
  for (let attempt = 0; ; attempt += 1) {
    run.onSent(sent);
    try {
      return await ask({ ...run.request, messages: sent });
    } catch (error) {
      if (!isOverflow(error) || !(await isSmaller(run, error, attempt))) throw error;
      sent = (await run.session.prepare(run.thread.messages, run.around)).messages;
    }
  }
}

async function isSmaller(run: Run, error: unknown, attempt: number): Promise<boolean> {
  if (attempt > run.overflowRetries) return false;
  const recovered = attempt < run.overflowRetries ? await run.session.recover(error) : undefined;
  if (recovered) run.compacted(recovered.outcome);
  return recovered !== undefined || (await lastResort(run));
}

function observe(run: Run, { usage, stopReason, message }: Answer): void {
  const { session, spending, marks, request } = run;
  session.observe(usage, { stopReason });
  spending.answered(usage, request.model.name);
  const { turns } = spending.spent;
  run.onEvent({ type: "step", step: turns, calls: callsIn(message).length, usage });
  const tokens = promptTokens(usage) + usage.outputTokens;
  run.onTokens(tokens);
  // Between the two marks a fold can be made ready while tools run; not behind thinking, which is sealed to what it saw.
  if (tokens > marks.boundary && tokens <= marks.full && !isThoughtful(message)) void session.prepareAhead();
}

function isThoughtful(message: JsonObject | undefined): boolean {
  return list(message?.["content"]).some((part) => object(part)["type"] === "reasoning");
}

function interrupted({ spending, signal }: Run): Ending {
  const { end } = spending;
  return end && signal.reason === "time" ? { kind: "budget", ...end } : { kind: "interrupted" };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
