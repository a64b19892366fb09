/**
 * A session for people who write agents: one call before each model request, one after it.
 *
 * `prepare` never fails the agent: whatever goes wrong inside, the original messages go through and the error is
 * reported (law 6). What it returns was made durable first. Work can be prepared ahead and is swapped in only if the
 * history it was computed from is still there.
 */
import { randomUUID } from "node:crypto";
import { checkedOptions, type Given } from "./checked-options.ts";
import { type CompactOptions, commit, compact, type Outcome } from "./compact.ts";
import type { LiveConversation } from "./live.ts";
import { liveRequestAround } from "./live-request.ts";
import { usageFrom } from "./measure/usage.ts";
import { isOverflow } from "./overflow.ts";
import { isBound } from "./plan/bound.ts";
import type { CompactionTrigger, LedgerEntry } from "./plan/ledger.ts";
import type { Policy } from "./plan/policy.ts";
import { isPassing } from "./plan/prune.ts";
import { netSavings, type Savings } from "./savings.ts";
import { Ahead } from "./session-ahead.ts";
import { type Asked, askedOf, SessionConversation } from "./session-conversation.ts";
import { flushNotes } from "./session-flush.ts";
import { SessionLedger } from "./session-ledger.ts";
import { messageOf, Notices, unknownUsage } from "./session-notices.ts";
import type { CompactRequest, Observed, Prepared, RequestAround, SessionOptions } from "./session-options.ts";
import { SessionRequests } from "./session-requests.ts";
import { type SessionTools, sessionTools } from "./session-tools.ts";
import { Overhead } from "./standing-overhead.ts";
import { memoryStore } from "./store/memory.ts";
import type { RefPage, RefQuery } from "./store/store.ts";
import { defined, type Json } from "./transcript/json.ts";
import type { Message } from "./transcript/message.ts";

export async function openSession(options: SessionOptions = {}): Promise<AgentSession> {
  const given = checkedOptions(options);
  const { store = memoryStore(), id = randomUUID(), now = Date.now } = given;
  await store.openSession({ id, at: now(), ...defined({ parent: options.parent, model: options.model }) });
  return new AgentSession(await store.ledger(id), { ...given, store, id, now });
}

type Settled = Given & Required<Pick<SessionOptions, "store" | "id" | "now">>;

export class AgentSession {
  readonly id: string;
  readonly #options: Settled;
  readonly #policy: Policy;
  readonly #ledger: SessionLedger;
  readonly #requests: SessionRequests;
  readonly #conversation: SessionConversation;
  readonly #ahead = new Ahead();
  readonly #overhead = new Overhead();
  readonly #notices: Notices;

  constructor(ledger: readonly LedgerEntry[], options: Settled) {
    this.id = options.id;
    this.#options = options;
    this.#policy = options.policy;
    this.#ledger = new SessionLedger(ledger, options);
    this.#requests = new SessionRequests(options, ledger);
    this.#conversation = new SessionConversation(options, this.#requests, this.#ledger);
    this.#notices = new Notices(options);
  }

  /** Before each request: the messages to send, in the spelling they came in. */
  async prepare<M>(messages: readonly M[], around: RequestAround = {}): Promise<Prepared<M>> {
    try {
      const asked = askedOf(messages, around);
      const added = this.#conversation.hold(asked);
      this.#beginAnew(asked);
      const outcome = await this.#whatIsDue(asked, added);
      // What is recorded and what is shortened for this request alone are two plans.
      if (outcome?.kind === "compacted" && !outcome.compaction.isTransient && isPassing(this.#policy))
        await this.#attempt(asked, "auto");
      return { messages: this.#written(asked), ...defined({ outcome }) };
    } catch (error) {
      this.#notices.report(error);
      return { messages };
    }
  }

  /**
   * After each response: what the provider reported, in its own words or ours. Corrects the counts, goes into the net
   * savings, and tells of a prompt that overflowed without an error: the next `prepare` compacts.
   */
  observe(reported: object | null | undefined, how: Observed | Message["ended"] = {}): void {
    const { live } = this.#conversation;
    const usage = usageFrom(reported ?? {});
    if (!usage) this.#notices.report(unknownUsage(reported), "this request was not counted");
    if (!live || !usage) return;
    const at = this.#options.now();
    const observed = typeof how === "string" ? { ended: how } : how;
    this.#requests.observe(live.countedTokens, usage, { ...observed, at });
    const ours = this.#overhead.of(live, this.#requests);
    this.#record({
      kind: "requested",
      at,
      usage,
      tokensWithoutUs: this.#requests.calibrated(live.countedWithoutUs) - ours.countedTokens,
      overheadTokens: ours.sentTokens,
      ...defined({ model: this.#requests.model }),
    });
  }

  /** On demand: by the user (`/compact focus`), by the agent at a task boundary, when idle. Where it fails, it says so and nothing is done. */
  async compact({ trigger = "manual", ...own }: CompactRequest = {}): Promise<Outcome | undefined> {
    const live = this.#conversation.fresh;
    if (!live) return undefined;
    const options = () => ({ ...this.#compactOptions(trigger), ...defined(own) });
    return this.#try(live, () => compact(live.transcript, options()), "nothing was compacted");
  }

  /** The prompt is too long: compact and send again, once. Undefined where the error is another. `messages`: those that were refused. */
  async recover<M = Json>(error: unknown, messages?: readonly M[]): Promise<Prepared<M> | undefined> {
    const overflow = isOverflow(error);
    const last = this.#conversation.live;
    if (!last || !overflow) return undefined;
    const asked = askedOf(messages ?? last.natives, last.around);
    try {
      const { countedTokens } = this.#conversation.of(asked);
      const targetTokens = this.#requests.refused(countedTokens, overflow, this.#policy);
      const outcome = await this.compact({ trigger: "overflow", targetTokens });
      return outcome?.kind === "compacted" ? { messages: this.#written(asked), outcome } : undefined;
    } catch (failure) {
      this.#notices.report(failure, "the overflow was not recovered from");
      return undefined;
    }
  }

  /**
   * Prepares the next compaction while the model or the user is busy. Nobody waits for it: `prepare` swaps it in when it is
   * ready, if the history it was made from is still there. The promise tells when that is, and never fails.
   */
  async prepareAhead({ trigger = "idle", ...own }: CompactRequest = {}): Promise<void> {
    const live = this.#conversation.fresh;
    if (!live) return;
    const options = { ...this.#compactOptions(trigger), ...defined(own), isDryRun: true };
    const basis = { transcript: live.transcript, ledger: this.#ledger.entries };
    await this.#ahead.queue(basis, ({ transcript, ledger }) => compact(transcript, { ...options, ledger }));
  }

  /** Takes the last compaction back. Nothing was lost, so nothing has to be found. */
  async undo(): Promise<boolean> {
    const undoing = this.#ledger.undo(this.#options.now());
    const isUndone = await undoing.catch(this.#notices.failing("nothing was undone"));
    if (isUndone) this.#conversation.look();
    return isUndone;
  }

  refs(query: RefQuery = {}): Promise<RefPage> {
    return this.#options.store.list(this.id, query);
  }

  /** Tools to give the model, and how to run them. */
  get tools(): SessionTools {
    return sessionTools({
      store: this.#options.store,
      sessionId: this.id,
      policy: this.#policy,
      notices: this.#notices,
      onGiven: () => this.#overhead.toolsAreGiven(),
      compact: (focus) => this.compact({ trigger: "agent", ...defined({ focus }) }),
      onRecalled: (recalled) => this.#record({ kind: "recalled", at: this.#options.now(), ...recalled }),
    });
  }

  savings(): Savings {
    return netSavings(this.#ledger.entries, { model: this.#requests.model });
  }

  /** Ends the session: its grace period begins. */
  async end(): Promise<void> {
    const ending = this.#options.store.endSession(this.id, this.#options.now());
    await ending.catch(this.#notices.failing("the session was not ended"));
  }

  /** Each request begins from the whole; but while the model waits for results, it must see what it thought about. */
  #beginAnew(asked: Asked): void {
    if (!this.#ledger.isPassing || isBound(this.#conversation.of(asked).transcript)) return;
    this.#ledger.beginAnew();
    this.#conversation.look();
  }

  /** What was shortened may still be too much: a step of giant results does not make room for the steps before it. */
  async #whatIsDue(asked: Asked, added: readonly Message[]): Promise<Outcome | undefined> {
    const isGiant = this.#requests.isGiantAmong(added, this.#policy);
    const outcome =
      (await this.#swapIn(asked)) ??
      // Before it was ever sent: it was in no cache, so this costs nothing.
      (isGiant ? await this.#attempt(asked, "arrival") : undefined) ??
      (await this.#afterOverflow(asked));
    if (outcome && !this.#isFull(asked)) return outcome;
    return (await this.#whenDue(asked)) ?? outcome;
  }

  /** The last prompt did not fit, and nobody said so: what the model answered, it answered to a part of it. */
  async #afterOverflow(asked: Asked): Promise<Outcome | undefined> {
    return this.#requests.takeOverflow() && !this.#ledger.isBroken
      ? this.#attempt(asked, "overflow")
      : undefined;
  }

  /** Over the mark a fold is due. Below it, now and then, clearing may pay: looking each time would cost the history. */
  async #whenDue(asked: Asked): Promise<Outcome | undefined> {
    // What is being prepared would be stale by anything done now.
    if (this.#ledger.isBroken || this.#ahead.isWorking) return undefined;
    const live = this.#conversation.of(asked);
    const tokens = this.#requests.calibrated(live.countedTokens);
    const isFull = this.#isFull(asked);
    const glance = { tokens, last: live.transcript.messages.at(-1), now: this.#options.now() };
    if (!isFull && !this.#requests.areWorthALook(this.#policy, glance)) return undefined;
    this.#requests.lookedAt(tokens);
    if (isFull) await flushNotes(this.#policy, this.#options, this.#notices);
    return this.#attempt(asked, "auto");
  }

  #isFull(asked: Asked): boolean {
    const { countedTokens } = this.#conversation.of(asked);
    return this.#requests.calibrated(countedTokens) > this.#requests.marksOf(this.#policy).full;
  }

  async #attempt(asked: Asked, trigger: CompactionTrigger): Promise<Outcome | undefined> {
    const live = this.#conversation.of(asked);
    live.readAgain(asked.natives);
    const options = { ...this.#compactOptions(trigger), ...defined({ signal: asked.signal }) };
    const outcome = await this.#try(live, () => compact(live.transcript, options));
    return outcome.kind === "compacted" ? outcome : undefined;
  }

  /** What goes wrong in a compaction leaves what stood before it: that is sent. The breaker counts it, for it costs each time. */
  async #try(live: LiveConversation, work: () => Promise<Outcome>, what?: string): Promise<Outcome> {
    const { transcript } = live;
    try {
      return this.#settle(await work());
    } catch (error) {
      const detail = messageOf(error);
      this.#notices.report(error, what);
      this.#notices.tell(this.#ledger.failed(detail));
      return { kind: "unchanged", transcript, because: "failed", detail };
    }
  }

  /** What was prepared ahead, if it is ready and its history is still there. Over the hard mark it is waited for. */
  async #swapIn(asked: Asked): Promise<Outcome | undefined> {
    const { hard } = this.#requests.marksOf(this.#policy);
    const { countedTokens } = this.#conversation.of(asked);
    const isWaiting = this.#ahead.isWorking && this.#requests.calibrated(countedTokens) > hard;
    const polled = await this.#ahead.take({ isWaiting });
    if (polled.kind === "failed") this.#notices.report(polled.error, "nothing was prepared ahead");
    if (polled.kind !== "ready" || polled.outcome.kind !== "compacted") return undefined;
    const { outcome } = polled;
    const live = this.#conversation.of(asked);
    live.readAgain(asked.natives);
    const now = { transcript: live.transcript, ledger: this.#ledger.entries };
    if (!this.#ahead.fits(outcome, now, live.view)) return undefined;
    const done = await this.#try(live, async () => {
      await commit(outcome, { store: this.#options.store, sessionId: this.id, spool: this.#options.spool });
      return outcome;
    });
    return done.kind === "compacted" ? done : undefined;
  }

  #settle(outcome: Outcome): Outcome {
    const notice = this.#ledger.settle(outcome);
    if (outcome.kind === "compacted") {
      if (!outcome.compaction.isTransient) this.#requests.compacted(outcome.compaction);
      this.#conversation.look();
    }
    this.#notices.tell(notice);
    return outcome;
  }

  /** In the spelling they came in: a wire writes what it reads. */
  #written<M>(asked: Asked): readonly M[] {
    return this.#conversation.of(asked).written as unknown as readonly M[];
  }

  /** Recorded in the background: it informs, and no context depends on it. */
  #record(entry: LedgerEntry): void {
    this.#ledger.record(entry).catch(this.#notices.failing("this was not recorded"));
  }

  #compactOptions(trigger: CompactionTrigger): CompactOptions {
    const { store, summarizer, fullSummarizer, workspace, spool, now } = this.#options;
    const { windowTokens, calibration } = this.#requests;
    const { live } = this.#conversation;
    return {
      store,
      sessionId: this.id,
      policy: this.#policy,
      trigger,
      at: now(),
      ledger: this.#ledger.entries,
      windowTokens,
      cache: this.#requests.cacheAt(now()),
      ...(live ? { live: liveRequestAround(live.wire, [...live.written], live.around) } : {}),
      ...defined({ calibration, summarizer, fullSummarizer, workspace, spool }),
    };
  }
}
