/**
 * Whether the simulation can be believed for a file: every recorded request played again with the recorded contexts and no
 * policy of ours. Where what would have been read and written is not within 10 % of what the provider reported,
 * the arena says so and keeps the file out of the bills.
 *
 * Caches also miss for no reason a file could tell: another machine answered, the host changed something unseen. Such
 * misses are taken from the record, and happen to every policy alike; how many there were is part of the verdict.
 */
import {
  type Message,
  modelNamed,
  promptTokens,
  type Request,
  refOf,
  requestsOf,
  type Session,
} from "palimpsest";
import { type CacheRules, rulesFor } from "./cache-rules.ts";
import { type Answered, type Block, PrefixCache, type Sent } from "./prefix-cache.ts";
import { Shrinking, type Weights } from "./weights.ts";

/** Index of the response in the session → how much of the prefix was still there. */
export type Misses = ReadonlyMap<number, number>;

export interface Vouching {
  readonly isVouchedFor: boolean;
  /** Why not, or how close. */
  readonly because: string;
  readonly requests: number;
  readonly read: Compared;
  readonly fresh: Compared;
  /** Requests whose prefix the provider had, by the rules, and did not read. */
  readonly misses: number;
}

interface Compared {
  readonly recorded: number;
  readonly simulated: number;
}

const TOLERANCE = 0.1;
/** More of them, and what is replayed is the record, not a simulation. */
const MOST_MISSES = 0.25;

export function vouchFor(session: Session, weights: Weights): Vouching {
  return replayed(session, weights).vouching;
}

export function missesOf(session: Session, weights: Weights): Misses {
  return replayed(session, weights).misses;
}

function replayed(session: Session, weights: Weights): { vouching: Vouching; misses: Misses } {
  const rules = rulesFor(session, modelNamed(session.whole.model));
  const cache = new PrefixCache(rules);
  const prompts = new Prompts(weights);
  shareFirst(cache, prompts.blocks);
  const totals = { requests: 0, prompt: 0, read: 0, simulatedPrompt: 0, simulatedRead: 0 };
  const misses = new Map<number, number>();
  let at = 0;
  for (const request of requestsOf(session)) {
    const { response, responseIndex } = request;
    prompts.grow(request);
    const sent = sentOf(request, at);
    at = sent.answeredMs;
    const missedAt = missOf(cache.peek(prompts.blocks, sent.sentMs), response, rules);
    if (missedAt !== undefined) {
      misses.set(responseIndex, missedAt);
      cache.evictBehind(missedAt);
    }
    const answered = cache.send(prompts.blocks, sent);
    if (!response.usage) continue;
    totals.requests += 1;
    totals.prompt += promptTokens(response.usage);
    totals.read += response.usage.cacheReadTokens;
    totals.simulatedPrompt += answered.promptTokens;
    totals.simulatedRead += answered.readTokens;
  }
  return { vouching: verdict(totals, misses.size), misses };
}

function sentOf({ response, added, restart }: Request, at: number): Sent {
  const newest = (restart?.messages ?? added).at(-1);
  const answeredMs = response.at ?? at;
  const sentMs = Math.min(answeredMs, Math.max(at, newest?.at ?? answeredMs));
  return { sentMs, answeredMs, unmarkedTokens: response.usage?.uncachedTokens ?? 0 };
}

/** The recorded prompts, one after the other, as blocks. */
class Prompts {
  readonly #weights: Weights;
  readonly #shrinking: Shrinking;
  #context: Message[] = [];
  blocks: Block[];

  constructor(weights: Weights) {
    this.#weights = weights;
    this.#shrinking = new Shrinking(weights.billed);
    this.blocks = [...standingBlocks(weights)];
  }

  grow({ responseIndex, added, restart }: Request): void {
    const shrink = this.#weights.shrinks.get(responseIndex);
    const earlier = restart ? restart.messages : this.#context;
    if (shrink) this.#shrinking.shrink(shrink);
    const isAnew = restart !== undefined || shrink !== undefined;
    if (isAnew) this.blocks = [...standingBlocks(this.#weights)];
    this.#context = [...earlier, ...added];
    for (const message of isAnew ? this.#context : added) this.blocks.push(blockOf(message, this.#shrinking));
  }
}

/** Small differences are rounding and where marks stand; a miss is more. */
const LEAST_MISS_TOKENS = 1_024;

function missOf(
  { readTokens, promptTokens: predicted }: Answered,
  { usage }: Message,
  { stepTokens }: CacheRules,
): number | undefined {
  if (!usage) return undefined;
  // Where the host sent less than the file shows, what it left out was not missed.
  const leftOut = Math.max(0, predicted - promptTokens(usage));
  const missed = readTokens - usage.cacheReadTokens - leftOut;
  if (missed <= Math.max(LEAST_MISS_TOKENS, stepTokens)) return undefined;
  return usage.cacheReadTokens + stepTokens - 1;
}

interface Totals {
  readonly requests: number;
  readonly prompt: number;
  readonly read: number;
  readonly simulatedPrompt: number;
  readonly simulatedRead: number;
}

function verdict(totals: Totals, misses: number): Vouching {
  const { requests } = totals;
  const read = { recorded: totals.read, simulated: totals.simulatedRead };
  const fresh = {
    recorded: totals.prompt - totals.read,
    simulated: totals.simulatedPrompt - totals.simulatedRead,
  };
  const facts = { requests, read, fresh, misses };
  const no = (because: string): Vouching => ({ ...facts, isVouchedFor: false, because });
  if (requests === 0) return no("the file records no usage, so there is nothing to compare with");
  const [readOff, freshOff] = [offBy(read), offBy(fresh)];
  const prompts = offBy({ recorded: totals.prompt, simulated: totals.simulatedPrompt });
  const off = `reads ${signed(readOff)}, writes ${signed(freshOff)}`;
  const missed =
    misses === 0 ? "" : `; ${misses} of ${requests} requests missed the cache for no reason the file tells`;
  if (misses > requests * MOST_MISSES) return no(`${off}${missed}: that is a record, not a simulation`);
  if (Math.abs(readOff) <= TOLERANCE && Math.abs(freshOff) <= TOLERANCE)
    return { ...facts, isVouchedFor: true, because: `${off}${missed}${missed === "" ? "" : ", replayed"}` };
  return no(
    Math.abs(prompts) > TOLERANCE / 4
      ? `${off}; prompts ${signed(prompts)}: the host sent something else than the file shows`
      : `${off}${missed}`,
  );
}

function offBy({ recorded, simulated }: Compared): number {
  if (recorded === 0) return simulated === 0 ? 0 : Number.POSITIVE_INFINITY;
  return simulated / recorded - 1;
}

function signed(share: number): string {
  return `${share >= 0 ? "+" : "−"}${(Math.abs(share) * 100).toFixed(1)} %`;
}

/** What other sessions keep warm, what the host marks in its own, and what it says before the first message. */
export function standingBlocks({ standing, system, shared }: Weights, ours = 0): readonly Block[] {
  return [
    { key: "shared", tokens: shared },
    { key: "system", tokens: system - shared + ours },
    { key: "preamble", tokens: standing - system },
  ];
}

export function shareFirst(cache: PrefixCache, [first]: readonly Block[]): void {
  if (first && first.tokens > 0) cache.share(first);
}

const keys = new WeakMap<Message, string>();

/** By what it says: a message that a compaction wrote again the same way is the same to the cache. */
export function blockOf(message: Message, weighing: Pick<Shrinking, "billed" | "factorOf">): Block {
  const key = keys.get(message) ?? message.parts.map(refOf).join(" ");
  keys.set(message, key);
  const factor = weighing.factorOf(message);
  return { key: factor === 1 ? key : `${key} ×${factor}`, tokens: weighing.billed(message) };
}
