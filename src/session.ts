/**
 * A session for people who write agents: one call before each model request, one after it.
 *
 * `prepare` never fails the agent: whatever goes wrong inside, the original messages go through and the error is
 * reported (law 6). What it returns was made durable first. Work can be prepared ahead and is swapped in only if the
 * history it was computed from is still there.
 */
import { randomUUID } from "node:crypto";
import { counterFor } from "./accounting.ts";
import { type CompactOptions, commit, compact, type Outcome } from "./compact.ts";
import { type Around, LiveConversation } from "./live.ts";
import { liveRequestAround } from "./live-request.ts";
import { usageFrom } from "./measure/usage.ts";
import { isOverflow } from "./overflow.ts";
import { isBound } from "./plan/bound.ts";
import type { CompactionTrigger, LedgerEntry } from "./plan/ledger.ts";
import { policyNamed } from "./plan/policies.ts";
import type { Policy } from "./plan/policy.ts";
import { arrivalTokens, isPassing } from "./plan/prune.ts";
import { netSavings, type Savings } from "./savings.ts";
import { Ahead } from "./session-ahead.ts";
import { SessionLedger } from "./session-ledger.ts";
import { messageOf, Notices, unknownUsage } from "./session-notices.ts";
import type { CompactRequest, Observed, Prepared, SessionOptions } from "./session-options.ts";
import { SessionRequests } from "./session-requests.ts";
import { type SessionTools, sessionTools } from "./session-tools.ts";
import { SessionWire } from "./session-wire.ts";
import { Overhead } from "./standing-overhead.ts";
import { memoryStore } from "./store/memory.ts";
import type { RefPage, RefQuery } from "./store/store.ts";
import { defined, type Json } from "./transcript/json.ts";
import type { Message } from "./transcript/message.ts";

export async function openSession(options: SessionOptions = {}): Promise<AgentSession> {
  const { store = memoryStore(), id = randomUUID(), now = Date.now } = options;
  await store.openSession({ id, at: now(), ...defined({ parent: options.parent, model: options.model }) });
  return new AgentSession(await store.ledger(id), { ...options, store, id, now });
}

type Settled = SessionOptions & Required<Pick<SessionOptions, "store" | "id" | "now">>;

export class AgentSession {
  readonly id: string;
  readonly #options: Settled;
  readonly #policy: Policy;
  readonly #ledger: SessionLedger;
  #live: LiveConversation | undefined;
  readonly #requests: SessionRequests;
  readonly #wire = new SessionWire();
  readonly #ahead = new Ahead();
  readonly #overhead = new Overhead();
  readonly #notices: Notices;

  constructor(ledger: readonly LedgerEntry[], options: Settled) {
    this.id = options.id;
    this.#options = options;
    this.#policy =
      typeof options.policy === "object" ? options.policy : policyNamed(options.policy ?? "palimpsest");
    this.#ledger = new SessionLedger(ledger, { ...options, policy: this.#policy });
    this.#requests = new SessionRequests(options, ledger);
    this.#notices = new Notices(options);
  }

  /** Before each request: the messages to send, in the spelling they came in. */
  async prepare(messages: readonly Json[], around: Around = {}): Promise<Prepared> {
    try {
      const live = this.#conversation(messages, around);
      const added = live.update(messages, { ...around, model: this.#requests.model });
      this.#beginAnew(live);
      const outcome =
        (await this.#swapIn(live)) ??
        (await this.#onArrival(live, added)) ??
        (await this.#afterOverflow(live)) ??
        (await this.#whenDue(live));
      // What is recorded and what is shortened for this request alone are two plans.
      if (outcome?.kind === "compacted" && !outcome.compaction.isTransient && isPassing(this.#policy))
        await this.#attempt(live, "auto");
      return { messages: live.written, ...(outcome ? { outcome } : {}) };
    } catch (error) {
      this.#notices.report(error);
      return { messages };
    }
  }

  /**
   * After each response: what the provider reported, in its own words or ours. Corrects the counts, goes into the net
   * savings, and tells of a prompt that overflowed without an error: the next `prepare` compacts.
   */
  observe(reported: object, how: Observed | Message["ended"] = {}): void {
    const live = this.#live;
    const usage = usageFrom(reported);
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

  /** On demand: by the user (`/compact focus`), by the agent at a task boundary, when idle. */
  async compact({ focus, trigger = "manual", ...own }: CompactRequest = {}): Promise<Outcome | undefined> {
    const live = this.#live;
    if (!live) return undefined;
    const options = { ...this.#compactOptions(trigger, focus), ...defined(own) };
    return this.#settle(await compact(live.transcript, options));
  }

  /** The provider said the prompt is too long: compact and send again, once. Undefined where it said something else. */
  async recover(error: unknown): Promise<Prepared | undefined> {
    const overflow = isOverflow(error);
    if (!this.#live || !overflow) return undefined;
    this.#requests.refused(overflow);
    // Whatever we believe fits, this did not.
    const refused = this.#requests.calibrated(this.#live.countedTokens);
    const targetTokens = Math.min(this.#requests.marksOf(this.#policy).target, refused / 2);
    const outcome = await this.compact({ trigger: "overflow", targetTokens });
    return outcome?.kind === "compacted" ? { messages: this.#live.written, outcome } : undefined;
  }

  /**
   * Prepares the next compaction while the model or the user is busy. Nobody waits for it: `prepare` swaps it in when it is
   * ready, if the history it was made from is still there. The promise tells when that is, and never fails.
   */
  async prepareAhead({ focus, trigger = "idle" }: CompactRequest = {}): Promise<void> {
    const live = this.#live;
    if (!live) return;
    const options = { ...this.#compactOptions(trigger, focus), isDryRun: true };
    const basis = { transcript: live.transcript, ledger: this.#ledger.entries };
    await this.#ahead.queue(basis, ({ transcript, ledger }) => compact(transcript, { ...options, ledger }));
  }

  /** Takes the last compaction back. Nothing was lost, so nothing has to be found. */
  async undo(): Promise<boolean> {
    const isUndone = await this.#ledger.undo(this.#options.now());
    if (isUndone) this.#look();
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
      onGiven: () => this.#overhead.toolsAreGiven(),
      compact: (focus) => this.compact({ trigger: "agent", ...defined({ focus }) }),
      onRecalled: ({ ref, tokens }) =>
        this.#record({ kind: "recalled", at: this.#options.now(), ref, tokens }),
    });
  }

  savings(): Savings {
    return netSavings(this.#ledger.entries, { model: this.#requests.model });
  }

  /** Ends the session: its grace period begins. */
  async end(): Promise<void> {
    await this.#options.store.endSession(this.id, this.#options.now());
  }

  /** Another model counts otherwise, another wire reads otherwise: then the history is read and counted anew. */
  #conversation(messages: readonly Json[], { model, wire = this.#options.wire }: Around): LiveConversation {
    const isSwitched = this.#requests.goesTo(model);
    const found = this.#wire.of(messages, wire);
    if (this.#live?.wire === found.name && !isSwitched) return this.#live;
    this.#live = new LiveConversation(found, this.#requests.model, this.#options.now);
    this.#live.look(this.#ledger.entries);
    return this.#live;
  }

  /** Each request begins from the whole; but while the model waits for results, it must see what it thought about. */
  #beginAnew(live: LiveConversation): void {
    if (!this.#ledger.isPassing || isBound(live.transcript)) return;
    this.#ledger.beginAnew();
    this.#look();
  }

  /** A giant result is shortened before it was ever sent: it was in no cache, so this costs nothing. */
  async #onArrival(live: LiveConversation, added: readonly Message[]): Promise<Outcome | undefined> {
    const counter = counterFor(this.#policy.accounting, this.#requests.model);
    const limit = arrivalTokens(this.#policy, this.#requests.windowTokens) ?? Number.POSITIVE_INFINITY;
    const isGiant = (message: Message) =>
      message.parts.some((part) => part.type === "tool-result" && counter.part(part) >= limit);
    if (!added.some(isGiant)) return undefined;
    return this.#attempt(live, "arrival");
  }

  /** The last prompt did not fit, and nobody said so: what the model answered, it answered to a part of it. */
  async #afterOverflow(live: LiveConversation): Promise<Outcome | undefined> {
    return this.#requests.takeOverflow() && !this.#ledger.isBroken
      ? this.#attempt(live, "overflow")
      : undefined;
  }

  /** Over the mark a fold is due. Below it, now and then, clearing may pay: looking each time would cost the history. */
  async #whenDue(live: LiveConversation): Promise<Outcome | undefined> {
    const tokens = this.#requests.calibrated(live.countedTokens);
    const isFull = tokens > this.#requests.marksOf(this.#policy).full;
    // What is being prepared would be stale by anything done now.
    if (this.#ledger.isBroken || this.#ahead.isWorking) return undefined;
    const glance = { tokens, last: live.transcript.messages.at(-1), now: this.#options.now() };
    if (!isFull && !this.#requests.areWorthALook(this.#policy, glance)) return undefined;
    this.#requests.lookedAt(tokens);
    if (isFull) await this.#flush();
    return this.#attempt(live, "auto");
  }

  /** Some systems let their model write down what must last before a fold: the host runs that turn. */
  async #flush(): Promise<void> {
    const { flush } = this.#policy.continuation;
    if (flush === undefined || !this.#options.onFlush) return;
    await this.#options
      .onFlush(flush)
      .catch((error: unknown) => this.#notices.report(error, "no notes were written"));
  }

  async #attempt(live: LiveConversation, trigger: CompactionTrigger): Promise<Outcome | undefined> {
    return this.#try(() => compact(live.transcript, this.#compactOptions(trigger)));
  }

  /** What goes wrong in a compaction leaves what stood before it: that is sent. The breaker counts it, for it costs each time. */
  async #try(work: () => Promise<Outcome>): Promise<Outcome | undefined> {
    try {
      const outcome = this.#settle(await work());
      return outcome.kind === "compacted" ? outcome : undefined;
    } catch (error) {
      this.#notices.report(error);
      this.#notices.tell(this.#ledger.failed(messageOf(error)));
      return undefined;
    }
  }

  /** What was prepared ahead, if it is ready and its history is still there. Over the hard mark it is waited for. */
  async #swapIn(live: LiveConversation): Promise<Outcome | undefined> {
    const { hard } = this.#requests.marksOf(this.#policy);
    const isWaiting = this.#ahead.isWorking && this.#requests.calibrated(live.countedTokens) > hard;
    const polled = await this.#ahead.take({ isWaiting });
    if (polled.kind === "failed") this.#notices.report(polled.error, "nothing was prepared ahead");
    if (polled.kind !== "ready" || polled.outcome.kind !== "compacted") return undefined;
    const { outcome } = polled;
    const now = { transcript: live.transcript, ledger: this.#ledger.entries };
    if (!this.#ahead.fits(outcome, now, live.view)) return undefined;
    return this.#try(async () => {
      await commit(outcome, { store: this.#options.store, sessionId: this.id, spool: this.#options.spool });
      return outcome;
    });
  }

  #settle(outcome: Outcome): Outcome {
    const notice = this.#ledger.settle(outcome);
    if (outcome.kind === "compacted") {
      if (!outcome.compaction.isTransient) this.#requests.compacted(outcome.compaction);
      this.#look();
    }
    this.#notices.tell(notice);
    return outcome;
  }

  #look(): void {
    this.#live?.look(this.#ledger.seen);
  }

  /** Recorded in the background: it informs, and no context depends on it. */
  #record(entry: LedgerEntry): void {
    this.#ledger.record(entry).catch((error: unknown) => this.#notices.report(error));
  }

  #compactOptions(trigger: CompactionTrigger, focus?: string): CompactOptions {
    const { store, summarizer, fullSummarizer, workspace, spool, now } = this.#options;
    const { windowTokens, calibration } = this.#requests;
    const live = this.#live;
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
      ...defined({ calibration, summarizer, fullSummarizer, workspace, spool, focus }),
    };
  }
}
