/**
 * Whether the simulation can be believed for a file: every recorded request played again with the recorded contexts and no
 * policy of ours. Where what would have been read and written is not within 10 % of what the provider reported,
 * the arena says so and keeps the file out of the bills.
 */
import { type Message, type Model, modelNamed, refOf, requestsOf, type Session } from "palimpsest";
import { type Block, type CacheRules, PrefixCache } from "./prefix-cache.ts";
import type { Weights } from "./weights.ts";

export interface Vouching {
  readonly isVouchedFor: boolean;
  /** Why not, or how close. */
  readonly because: string;
  readonly requests: number;
  readonly read: Compared;
  readonly fresh: Compared;
}

interface Compared {
  readonly recorded: number;
  readonly simulated: number;
}

const TOLERANCE = 0.1;

export function vouchFor(session: Session, weights: Weights): Vouching {
  const cache = new PrefixCache(rulesFor(session, modelNamed(session.whole.model)));
  const blocks = [...standingBlocks(weights)];
  shareFirst(cache, blocks);
  const totals = { requests: 0, read: 0, fresh: 0, simulatedRead: 0, simulatedFresh: 0 };
  let at = 0;
  for (const { response, added, restart } of requestsOf(session)) {
    if (restart) blocks.length = STANDING_BLOCKS;
    for (const message of restart?.messages ?? added) blocks.push(blockOf(message, weights));
    const newest = (restart?.messages ?? added).at(-1);
    const answeredMs = response.at ?? at;
    const { promptTokens, readTokens } = cache.send(blocks, {
      sentMs: Math.min(answeredMs, Math.max(at, newest?.at ?? answeredMs)),
      answeredMs,
    });
    at = answeredMs;
    if (!response.usage) continue;
    totals.requests += 1;
    totals.read += response.usage.cacheReadTokens;
    totals.fresh += response.usage.cacheWriteTokens + response.usage.uncachedTokens;
    totals.simulatedRead += readTokens;
    totals.simulatedFresh += promptTokens - readTokens;
  }
  return verdict(totals);
}

function verdict(totals: {
  readonly requests: number;
  readonly read: number;
  readonly fresh: number;
  readonly simulatedRead: number;
  readonly simulatedFresh: number;
}): Vouching {
  const read = { recorded: totals.read, simulated: totals.simulatedRead };
  const fresh = { recorded: totals.fresh, simulated: totals.simulatedFresh };
  const facts = { requests: totals.requests, read, fresh };
  if (totals.requests === 0) return { ...facts, isVouchedFor: false, because: "no usage is recorded" };
  if (totals.read === 0) return { ...facts, isVouchedFor: false, because: "nothing was read from a cache" };
  const [readOff, freshOff] = [offBy(read), offBy(fresh)];
  const isVouchedFor = Math.abs(readOff) <= TOLERANCE && Math.abs(freshOff) <= TOLERANCE;
  return { ...facts, isVouchedFor, because: `reads ${signed(readOff)}, writes ${signed(freshOff)}` };
}

function offBy({ recorded, simulated }: Compared): number {
  return recorded === 0 ? Number.POSITIVE_INFINITY : simulated / recorded - 1;
}

function signed(share: number): string {
  return `${share >= 0 ? "+" : ""}${(share * 100).toFixed(1)} %`;
}

/**
 * The long life where the host asked for it. Automatic caches promise minutes and keep what is used for up to an hour; they
 * also miss at random, which no rule foretells.
 */
export function rulesFor(session: Session, { cache }: Model): CacheRules {
  const marked = usesLongLife(session) ? (cache.longTtlMinutes ?? cache.ttlMinutes) : cache.ttlMinutes;
  const minutes = cache.kind === "automatic" ? AUTOMATIC_MINUTES : marked;
  return { kind: cache.kind, ttlMs: minutes * 60_000, minimumTokens: cache.minimumTokens };
}

const AUTOMATIC_MINUTES = 60;

export function usesLongLife({ whole }: Session): boolean {
  return whole.messages.some(({ usage }) => (usage?.cacheWrite1hTokens ?? 0) > 0);
}

const STANDING_BLOCKS = 2;

export function standingBlocks({ standing, shared }: Weights, ours = 0): readonly Block[] {
  return [
    { key: "shared", tokens: shared },
    { key: "standing", tokens: standing - shared + ours },
  ];
}

export function shareFirst(cache: PrefixCache, [first]: readonly Block[]): void {
  if (first && first.tokens > 0) cache.share(first);
}

const keys = new WeakMap<Message, string>();

/** By what it says: a message that a compaction wrote again the same way is the same to the cache. */
export function blockOf(message: Message, { billed }: Pick<Weights, "billed">): Block {
  const key = keys.get(message) ?? message.parts.map(refOf).join(" ");
  keys.set(message, key);
  return { key, tokens: billed(message) };
}
