/**
 * A session under one policy, request by request: when it would have compacted, what was then sent, what of it the cache
 * had. The agent does what it did; where it needed a fact that the policy had taken from its sight, it first gets it back
 * by an extra request: by ref where the context shows one, else by running the tool again.
 */
import {
  arrivalTokens,
  type CompactOptions,
  compact,
  hasUserWords,
  isDueAt,
  isWorthALook,
  type LedgerEntry,
  type Message,
  modelNamed,
  type Outcome,
  type Policy,
  roomIn,
  type Session,
  toolSchemas,
  type Usage,
} from "palimpsest";
import { ScratchStore } from "../opponents/scratch-store.ts";
import { showsRefs } from "../opponents/shows-refs.ts";
import { SessionIndex } from "../probes/session-index.ts";
import type { CacheRules } from "./cache-rules.ts";
import { Memory } from "./memory.ts";
import { type Block, PrefixCache, type Sent, STANDING_BLOCKS } from "./prefix-cache.ts";
import { summaryCall } from "./summary-call.ts";
import { blockOf, type Misses, shareFirst, standingBlocks } from "./vouch.ts";
import { Shrinking, type Weights } from "./weights.ts";

export interface Playing {
  readonly session: Session;
  readonly weights: Weights;
  readonly windowTokens: number;
  readonly model: string;
  readonly rules: CacheRules;
  /** Whether the host asked for the long life. */
  readonly isLong: boolean;
  /** What the record shows the cache to have forgotten, and when. */
  readonly misses: Misses;
}

export interface PlayedRequest {
  readonly promptTokens: number;
  readonly readTokens: number;
  readonly missedTokens: number;
  readonly outputTokens: number;
}

export interface Played {
  readonly requests: readonly PlayedRequest[];
  readonly summaries: readonly { readonly usage: Usage; readonly model: string }[];
  readonly extraRequests: number;
  readonly compactions: number;
  readonly invalidatedTokens: number;
  readonly needed: number;
  readonly neededKept: number;
  /** Requests whose conversation was larger than the window: a provider would have refused them. */
  readonly overWindow: number;
}

/** What a call to read something back takes to write. */
const CALL_TOKENS = 100;

export async function playPolicy(policy: Policy, playing: Playing): Promise<Played> {
  const player = new Player(policy, playing);
  const { messages } = playing.session.whole;
  for (const [index, message] of messages.entries()) {
    if (message.ended === "failed") continue;
    if (message.role === "assistant") await player.request(index, message);
    player.add(message);
  }
  return player.played;
}

class Player {
  readonly #policy: Policy;
  readonly #playing: Playing;
  readonly #cache: PrefixCache;
  readonly #store: ScratchStore = new ScratchStore(new SessionIndex());
  readonly #memory: Memory;
  readonly #requests: PlayedRequest[] = [];
  readonly #summaries: { usage: Usage; model: string }[] = [];
  readonly #counts = {
    ...{ extraRequests: 0, compactions: 0, invalidatedTokens: 0 },
    ...{ needed: 0, neededKept: 0, overWindow: 0 },
  };
  /** Tokens of tool schemas in front of everything. */
  readonly #ours: number;
  readonly #shrinking: Shrinking;
  #ledger: readonly LedgerEntry[] = [];
  #shown: Message[] = [];
  #blocks: Block[];
  #added: Message[] = [];
  /** Behind so many of the messages shown. */
  #fetched: { readonly behind: number; readonly block: Block }[] = [];
  #sentBlocks = 0;
  #counted = 0;
  #lookedAt = 0;
  #failures = 0;
  #at = 0;

  constructor(policy: Policy, playing: Playing) {
    const { session, weights, rules } = playing;
    this.#policy = policy;
    this.#playing = playing;
    this.#cache = new PrefixCache(rules);
    this.#memory = new Memory(session.whole.messages);
    this.#shrinking = new Shrinking(weights.billed);
    this.#ours = showsRefs(policy) ? SCHEMA_TOKENS : 0;
    this.#blocks = [...standingBlocks(weights, this.#ours)];
    shareFirst(this.#cache, this.#blocks);
  }

  get played(): Played {
    return { requests: this.#requests, summaries: this.#summaries, ...this.#counts };
  }

  add(message: Message): void {
    const { weights } = this.#playing;
    this.#shown.push(message);
    this.#blocks.push(blockOf(message, this.#shrinking));
    this.#added.push(message);
    this.#counted += weights.counted(message);
    this.#memory.see(message);
  }

  async request(index: number, response: Message): Promise<void> {
    const sentMs = Math.max(this.#at, this.#added.at(-1)?.at ?? this.#at);
    await this.#compactWhenDue(index, sentMs);
    this.#shrink(index);
    this.#added = [];
    const missedAt = this.#playing.misses.get(index);
    if (missedAt !== undefined) this.#cache.evictBehind(missedAt + this.#ours);
    this.#recall(index, response, sentMs);
    const answeredMs = Math.max(sentMs, response.at ?? sentMs);
    this.#send(
      { sentMs, answeredMs, unmarkedTokens: response.usage?.uncachedTokens ?? 0 },
      response.usage?.outputTokens ?? this.#playing.weights.counted(response),
    );
    this.#at = answeredMs;
  }

  /** The host leaves out what it left out: of what is still there, whoever compacted. */
  #shrink(index: number): void {
    const shrink = this.#playing.weights.shrinks.get(index);
    if (!shrink) return;
    this.#shrinking.shrink(shrink);
    this.#rebuild();
  }

  /** What was fetched back stays where it was fetched. */
  #rebuild(): void {
    const standing = this.#blocks.slice(0, STANDING_BLOCKS);
    const said = this.#shown.flatMap((message, at) => [
      blockOf(message, this.#shrinking),
      ...this.#fetched.flatMap(({ behind, block }) => (behind === at + 1 ? [block] : [])),
    ]);
    this.#blocks = [...standing, ...said];
  }

  #send(sent: Sent, outputTokens: number): void {
    this.#requests.push({ ...this.#cache.send(this.#blocks, sent), outputTokens });
    this.#sentBlocks = this.#blocks.length;
    if (this.#counted > this.#playing.windowTokens) this.#counts.overWindow += 1;
  }

  /** What the agent is about to write and can no longer see, it gets back first. */
  #recall(index: number, response: Message, sentMs: number): void {
    const { kept, gone } = this.#memory.needs(index, response);
    this.#counts.needed += kept + gone.facts;
    this.#counts.neededKept += kept;
    for (const { key, tokens } of gone.sources) {
      const isRead = showsRefs(this.#policy);
      this.#send({ sentMs, answeredMs: sentMs }, CALL_TOKENS);
      this.#counts.extraRequests += 1;
      const back = isRead ? Math.min(tokens, PAGE_TOKENS) : tokens;
      this.#fetch({ key: `back ${key}`, tokens: back + CALL_TOKENS });
    }
  }

  #fetch(block: Block): void {
    this.#blocks.push(block);
    this.#fetched.push({ behind: this.#shown.length, block });
  }

  /** Behind the first change all is written anew: what was fetched there has been used, and goes with it. */
  #forget(after: readonly Message[]): void {
    const keyOf = (message: Message | undefined) => message && blockOf(message, this.#shrinking).key;
    const changed = this.#shown.findIndex((message, at) => keyOf(message) !== keyOf(after[at]));
    if (changed >= 0) this.#fetched = this.#fetched.filter(({ behind }) => behind <= changed);
  }

  async #compactWhenDue(index: number, sentMs: number): Promise<void> {
    const cache = this.#cacheNow(sentMs);
    const trigger = this.#triggerNow(cache.isCold);
    if (trigger === undefined) return;
    if (trigger === "auto") this.#lookedAt = this.#counted;
    const { session, windowTokens } = this.#playing;
    const transcript = { ...session.whole, messages: session.whole.messages.slice(0, index) };
    const outcome = await compact(transcript, {
      ...{ store: this.#store, sessionId: "arena", policy: this.#policy, trigger, at: sentMs, windowTokens },
      ledger: this.#ledger,
      cache,
    });
    if (outcome.kind === "compacted") this.#swapIn(index, outcome);
    else if (outcome.because !== "nothing-to-do") this.#failures += 1;
  }

  /** As `openSession` does. */
  #triggerNow(isCold: boolean): "arrival" | "auto" | undefined {
    const { windowTokens, session, weights } = this.#playing;
    const policy = this.#policy;
    const giant = arrivalTokens(policy, windowTokens) ?? Number.POSITIVE_INFINITY;
    if (this.#added.some((message) => message.role !== "assistant" && weights.counted(message) >= giant))
      return "arrival";
    const room = roomIn(windowTokens, modelNamed(session.whole.model));
    const due = { totalTokens: this.#counted, messages: this.#shown.length, ...room };
    const isFull = isDueAt(
      policy,
      session.whole.model === undefined ? due : { ...due, model: session.whole.model },
    );
    const last = this.#shown.at(-1);
    const isLooked = isWorthALook(policy, room, {
      ...{ tokens: this.#counted, lookedAtTokens: this.#lookedAt, isCold },
      isBoundary: last !== undefined && hasUserWords(last),
    });
    return this.#failures < policy.safety.maxFailures && (isFull || isLooked) ? "auto" : undefined;
  }

  #cacheNow(sentMs: number): NonNullable<CompactOptions["cache"]> {
    const { model, rules, isLong } = this.#playing;
    const { prices } = modelNamed(model);
    const isCold = sentMs - this.#at > rules.ttlMs;
    if (!prices) return { isCold };
    if (rules.kind === "none") return { isCold, readPrice: prices.input, writePrice: prices.input };
    const long = isLong ? prices.cacheWrite1h : undefined;
    return {
      isCold,
      readPrice: prices.cacheRead ?? prices.input,
      writePrice: long ?? prices.cacheWrite ?? prices.input,
    };
  }

  #swapIn(index: number, outcome: Extract<Outcome, { kind: "compacted" }>): void {
    const { weights, model, session } = this.#playing;
    const before = this.#blocks;
    this.#failures = 0;
    this.#ledger = [...this.#ledger, outcome.compaction];
    this.#forget(outcome.transcript.messages);
    this.#shown = [...outcome.transcript.messages];
    this.#rebuild();
    this.#counted = this.#shown.reduce((sum, message) => sum + weights.counted(message), 0);
    this.#lookedAt = this.#counted;
    this.#counts.compactions += 1;
    // What was never sent was in no cache: shortened on arrival, it costs nothing.
    this.#counts.invalidatedTokens += behindTheChange(before.slice(0, this.#sentBlocks), this.#blocks);
    this.#memory.fold(index, this.#shown);
    const page = outcome.compaction.page?.text;
    const { by } = this.#policy.summary;
    // Where a policy takes whoever is configured, nobody is: the extractor wrote it, and asked for nothing.
    if (page === undefined || (by !== "fast-model" && by !== "same-model")) return;
    const isFast = by === "fast-model";
    this.#summaries.push(
      summaryCall(before, page.length / 4, { isFast, model: model ?? session.whole.model ?? "" }),
    );
  }
}

/** The page read_ref shows at most. */
const PAGE_TOKENS = 8_000;
/** Of the three tools together, in every prompt of a policy that shows refs. */
const SCHEMA_TOKENS: number = Math.round(JSON.stringify(toolSchemas).length / 4);

function behindTheChange(before: readonly Block[], after: readonly Block[]): number {
  const same = before.findIndex(({ key }, at) => after[at]?.key !== key);
  return same < 0 ? 0 : before.slice(same).reduce((sum, { tokens }) => sum + tokens, 0);
}
