/**
 * A session for people who write agents: one call before each model request, one after it.
 *
 * `prepare` never fails the agent: whatever goes wrong inside, the original messages go through and the error is
 * reported (law 6). What it returns was made durable first. Work can be prepared ahead and is swapped in only if the
 * history it was computed from is still there.
 */
import { randomUUID } from "node:crypto";
import { standingCompactions, viewOf } from "./apply/view.ts";
import { type CompactOptions, compact, type Outcome } from "./compact.ts";
import { type Around, LiveConversation } from "./live.ts";
import {
  type Calibration,
  edited,
  isCalibrated,
  observe,
  predict,
  UNCALIBRATED,
} from "./measure/calibrate.ts";
import { modelNamed } from "./measure/models.ts";
import { isOverflow } from "./overflow.ts";
import { isBound } from "./plan/bound.ts";
import type { Compaction, CompactionTrigger, LedgerEntry } from "./plan/ledger.ts";
import { policyNamed } from "./plan/policies.ts";
import type { Policy } from "./plan/policy.ts";
import { arrivalTokens, isPassing } from "./plan/prune.ts";
import { cacheStateOf } from "./plan/rent.ts";
import { marksOf, roomIn } from "./plan/size.ts";
import { netSavings, type Savings } from "./savings.ts";
import type { CompactRequest, Prepared, SessionOptions } from "./session-options.ts";
import { memoryStore } from "./store/memory.ts";
import type { RefPage, RefQuery } from "./store/store.ts";
import { runTool, type ToolAnswer, toolSchemas } from "./tools.ts";
import type { Json } from "./transcript/json.ts";
import type { Message, Usage } from "./transcript/message.ts";
import { bodyWireFor } from "./wire/wires.ts";

/** Between two looks at what could be cleared, the context grows by this share of the window. */
const LOOK_AGAIN_SHARE = 0.05;

export async function openSession(options: SessionOptions = {}): Promise<AgentSession> {
  const { store = memoryStore(), id = randomUUID(), now = Date.now } = options;
  await store.openSession({
    id,
    at: now(),
    ...(options.parent === undefined ? {} : { parent: options.parent }),
    ...(options.model === undefined ? {} : { model: options.model }),
  });
  return new AgentSession(await store.ledger(id), { ...options, store, id, now });
}

type Settled = SessionOptions & Required<Pick<SessionOptions, "store" | "id" | "now">>;

export class AgentSession {
  readonly id: string;
  readonly #options: Settled;
  readonly #policy: Policy;
  #ledger: readonly LedgerEntry[];
  #live: LiveConversation | undefined;
  #calibration: Calibration = UNCALIBRATED;
  #failures = 0;
  #ahead: { readonly outcome: Promise<Outcome> } | undefined;
  /** Before the first request nothing is cached: as good as idle for ever. */
  #lastRequestAt: number = Number.NEGATIVE_INFINITY;
  #lookedAtTokens = 0;
  /** What was shortened for the last request alone. */
  #passing: readonly Compaction[] = [];

  constructor(ledger: readonly LedgerEntry[], options: Settled) {
    this.id = options.id;
    this.#options = options;
    this.#policy =
      typeof options.policy === "object" ? options.policy : policyNamed(options.policy ?? "palimpsest");
    this.#ledger = ledger;
  }

  /** Before each request: the messages to send, in the spelling they came in. */
  async prepare(messages: readonly Json[], around: Around = {}): Promise<Prepared> {
    try {
      const live = this.#conversation(messages);
      const added = live.update(messages, { ...around, model: around.model ?? this.#options.model });
      this.#beginAnew(live);
      const outcome =
        (await this.#swapIn(live)) ?? (await this.#onArrival(live, added)) ?? (await this.#whenDue(live));
      // What is recorded and what is shortened for this request alone are two plans.
      if (outcome?.kind === "compacted" && !outcome.compaction.isTransient && isPassing(this.#policy))
        await this.#attempt(live, "auto");
      return { messages: live.written, ...(outcome ? { outcome } : {}) };
    } catch (error) {
      this.#report(error);
      return { messages };
    }
  }

  /** After each response: what the provider reported. Corrects the counts, and goes into the net savings. */
  observe(usage: Usage, ended: Message["ended"] = "done"): void {
    const live = this.#live;
    if (!live) return;
    this.#calibration = observe(this.#calibration, { counted: live.countedTokens, usage, ended });
    this.#lastRequestAt = this.#options.now();
    const tokensWithoutUs = this.#calibrated(live.countedWithoutUs);
    this.#record({
      kind: "requested",
      at: this.#options.now(),
      usage,
      tokensWithoutUs,
      ...(this.#options.model === undefined ? {} : { model: this.#options.model }),
    });
  }

  /** On demand: by the user (`/compact focus`), by the agent at a task boundary, when idle. */
  async compact({ focus, trigger = "manual" }: CompactRequest = {}): Promise<Outcome | undefined> {
    const live = this.#live;
    if (!live) return undefined;
    return this.#settle(await compact(live.transcript, this.#compactOptions(trigger, focus)));
  }

  /** The provider said the prompt is too long: compact and send again, once. Undefined where it said something else. */
  async recover(error: unknown): Promise<Prepared | undefined> {
    if (!this.#live || !isOverflow(error)) return undefined;
    const outcome = await this.compact({ trigger: "overflow" });
    return outcome?.kind === "compacted" ? { messages: this.#live.written, outcome } : undefined;
  }

  /** Starts the next compaction while the model or the user is busy; `prepare` swaps it in if it still fits. */
  prepareAhead({ focus, trigger = "idle" }: CompactRequest = {}): void {
    const live = this.#live;
    if (!live || this.#ahead) return;
    const options = this.#compactOptions(trigger, focus);
    const outcome = compact(live.transcript, { ...options, isDryRun: true });
    // Reported where it is awaited; without this a failure before that would end the process.
    outcome.catch(() => undefined);
    this.#ahead = { outcome };
  }

  /** Takes the last compaction back. Nothing was lost, so nothing has to be found. */
  async undo(): Promise<boolean> {
    const last = standingCompactions(this.#ledger).at(-1);
    if (!last) return false;
    const entry: LedgerEntry = { kind: "undo", at: this.#options.now(), of: last.id };
    await this.#options.store.append(this.id, [entry]);
    this.#see([...this.#ledger, entry]);
    return true;
  }

  refs(query: RefQuery = {}): Promise<RefPage> {
    return this.#options.store.list(this.id, query);
  }

  /** Tools to give the model, and how to run them. */
  get tools(): {
    readonly schemas: typeof toolSchemas;
    readonly run: (name: string, input: Json) => Promise<ToolAnswer>;
  } {
    return {
      schemas: toolSchemas,
      run: (name, input) =>
        runTool(name, input, {
          store: this.#options.store,
          sessionId: this.id,
          compact: async (focus) =>
            (await this.compact({ trigger: "agent", ...(focus === undefined ? {} : { focus }) })) ??
            undefined,
          onRecalled: ({ ref, tokens }) =>
            this.#record({ kind: "recalled", at: this.#options.now(), ref, tokens }),
        }),
    };
  }

  savings(): Savings {
    return netSavings(this.#ledger, { model: this.#options.model });
  }

  /** Ends the session: its grace period begins. */
  async end(): Promise<void> {
    await this.#options.store.endSession(this.id, this.#options.now());
  }

  #conversation(messages: readonly Json[]): LiveConversation {
    if (this.#live) return this.#live;
    const wire = bodyWireFor(messages, this.#options.wire);
    this.#live = new LiveConversation(wire, this.#options.model);
    this.#live.look(this.#ledger);
    return this.#live;
  }

  /** Each request begins from the whole; but while the model waits for results, it must see what it thought about. */
  #beginAnew(live: LiveConversation): void {
    if (this.#passing.length === 0 || isBound(live.transcript)) return;
    this.#passing = [];
    this.#see(this.#ledger);
  }

  /** A giant result is shortened before it was ever sent: it was in no cache, so this costs nothing. */
  async #onArrival(live: LiveConversation, added: readonly Message[]): Promise<Outcome | undefined> {
    const limit = arrivalTokens(this.#policy, this.#windowTokens()) ?? Number.POSITIVE_INFINITY;
    const isGiant = (message: Message) =>
      message.parts.some((part) => part.type === "tool-result" && live.tokensOf(part) >= limit);
    if (!added.some(isGiant)) return undefined;
    return this.#attempt(live, "arrival");
  }

  /** Over the mark a fold is due. Below it, now and then, clearing may pay: looking each time would cost the history. */
  async #whenDue(live: LiveConversation): Promise<Outcome | undefined> {
    const isGrowth = this.#policy.trigger.scope === "growth";
    const tokens = this.#calibrated(isGrowth ? live.grownTokens : live.countedTokens);
    const model = modelNamed(this.#options.model);
    const room = roomIn(this.#windowTokens(), model);
    const isFull = tokens > marksOf(this.#policy, room, this.#options.model).full;
    const hasGrown = tokens - this.#lookedAtTokens > room.windowTokens * LOOK_AGAIN_SHARE;
    const isDue = isFull || hasGrown || isPassing(this.#policy);
    if (this.#failures >= this.#policy.safety.maxFailures || !isDue) return undefined;
    this.#lookedAtTokens = tokens;
    return this.#attempt(live, "auto");
  }

  async #attempt(live: LiveConversation, trigger: CompactionTrigger): Promise<Outcome | undefined> {
    const outcome = await compact(live.transcript, this.#compactOptions(trigger));
    const settled = this.#settle(outcome);
    return settled.kind === "compacted" ? settled : undefined;
  }

  /** What was prepared ahead, if it is ready to be judged and its history is still there. */
  async #swapIn(live: LiveConversation): Promise<Outcome | undefined> {
    if (!this.#ahead) return undefined;
    const outcome = await this.#ahead.outcome;
    this.#ahead = undefined;
    if (outcome.kind !== "compacted" || outcome.compaction.isTransient) return undefined;
    const shown = viewOf(live.transcript, [...this.#ledger, outcome.compaction]);
    if (!shown.applied.includes(outcome.compaction)) return undefined;
    await this.#options.store.keep(this.id, outcome.originals);
    await this.#options.store.append(this.id, [outcome.compaction]);
    return this.#settle(outcome);
  }

  #settle(outcome: Outcome): Outcome {
    if (outcome.kind === "unchanged") {
      this.#failures += outcome.because === "nothing-to-do" ? 0 : 1;
      if (this.#failures === this.#policy.safety.maxFailures)
        this.#options.onNotice?.(
          `Compaction did not help ${this.#failures} times in a row (${outcome.detail}); it is off until the next one asked for.`,
        );
      return outcome;
    }
    if (outcome.compaction.isTransient) {
      this.#passing = [...this.#passing, outcome.compaction];
      this.#see(this.#ledger);
      return outcome;
    }
    this.#failures = 0;
    const isFold = outcome.compaction.summary !== undefined;
    if (isFold) this.#passing = [];
    this.#calibration = isCalibrated(this.#calibration)
      ? edited(this.#calibration, isFold ? "summary" : "clear")
      : this.#calibration;
    this.#see([...this.#ledger, outcome.compaction]);
    const { tokensBefore, tokensAfter } = outcome.compaction;
    this.#options.onNotice?.(
      `Compacted: ${tokensBefore} → ${tokensAfter} tokens; ${outcome.originals.length} originals can be read back.`,
    );
    return outcome;
  }

  #see(ledger: readonly LedgerEntry[]): void {
    this.#ledger = ledger;
    this.#live?.look([...ledger, ...this.#passing]);
  }

  /** Recorded in the background: it informs, and no context depends on it. */
  #record(entry: LedgerEntry): void {
    this.#ledger = [...this.#ledger, entry];
    this.#options.store.append(this.id, [entry]).catch((error: unknown) => this.#report(error));
  }

  #compactOptions(trigger: CompactionTrigger, focus?: string): CompactOptions {
    const { store, summarizer, now } = this.#options;
    return {
      store,
      sessionId: this.id,
      policy: this.#policy,
      trigger,
      at: now(),
      ledger: this.#ledger,
      windowTokens: this.#windowTokens(),
      cache: cacheStateOf(modelNamed(this.#options.model), {
        idleMs: now() - this.#lastRequestAt,
        isModelSwitched: false,
      }),
      ...(isCalibrated(this.#calibration) ? { calibration: this.#calibration } : {}),
      ...(summarizer ? { summarizer } : {}),
      ...(focus === undefined ? {} : { focus }),
    };
  }

  #windowTokens(): number {
    return this.#options.windowTokens ?? modelNamed(this.#options.model).windowTokens;
  }

  #calibrated(counted: number): number {
    return isCalibrated(this.#calibration) ? predict(this.#calibration, counted) : counted;
  }

  #report(error: unknown): void {
    if (this.#options.onError) {
      this.#options.onError(error);
      return;
    }
    console.error(
      `palimpsest: the messages go out as they are: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
