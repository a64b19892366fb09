/**
 * Rent or buy. Tokens that could be cleared cost their reading again with every request: the rent. Clearing them costs
 * once: everything behind the first edit leaves the prompt cache and is written anew, `suffix × (write − read)`: the
 * price. Buying when the rent paid reaches the price costs at most twice what knowing the future would.
 *
 * All of it is told from the conversation: how many requests were made since a part became clearable is the number of
 * responses since. So a host that forgets everything between two requests decides the same.
 */
import type { Model } from "../measure/models.ts";
import { byPlace, type Proposal, type Situation } from "./situation.ts";

export interface CacheState {
  /** The time to live has passed, or the model was switched: the next request is written anew whatever we do. */
  readonly isCold: boolean;
  /** Price of reading a token from the cache and of writing it; in any currency, only their ratio counts. */
  readonly readPrice?: number;
  readonly writePrice?: number;
  /** Rent paid elsewhere, in the same currency: by requests the conversation does not show. */
  readonly rentPaid?: number;
}

/** Anthropic's ratios, and nearly everybody's: reading a tenth of the prompt price, writing a quarter more than it. */
const READ_PRICE = 0.1;
const WRITE_PRICE = 1.25;

export interface LastRequest {
  readonly idleMs: number;
  readonly isModelSwitched: boolean;
  /** It asked for the long life: an hour for twice the price, where the short one is five minutes. */
  readonly isLong?: boolean;
}

export function cacheStateOf(
  { prices, cache }: Pick<Model, "prices" | "cache">,
  { idleMs, isModelSwitched, isLong = false }: LastRequest,
): CacheState {
  const minutes = (isLong ? cache.longTtlMinutes : undefined) ?? cache.ttlMinutes;
  const isCold = isModelSwitched || idleMs > minutes * 60_000;
  if (!prices) return { isCold };
  return {
    isCold,
    readPrice: prices.cacheRead ?? prices.input,
    writePrice: (isLong ? prices.cacheWrite1h : undefined) ?? prices.cacheWrite ?? prices.input,
  };
}

export interface Batch {
  readonly proposals: readonly Proposal[];
  readonly price: number;
  readonly rent: number;
}

/**
 * Of all batches "everything clearable from here on" the one whose rent exceeds its price by most; nothing where none
 * does. A small thing far up would make the whole batch dear, and so waits for the next.
 */
export function worthClearing(
  situation: Situation,
  proposals: readonly Proposal[],
  cache: CacheState = { isCold: false },
): Batch {
  const { readPrice = READ_PRICE, writePrice = WRITE_PRICE, rentPaid = 0 } = cache;
  const sorted = [...proposals].sort(byPlace);
  const behind = tokensBehind(situation);
  const requests = responsesSince(situation);
  let best = { from: sorted.length, price: 0, rent: 0 };
  let gain = 0;
  let rent = rentPaid;
  let saved = 0;
  for (let index = sorted.length - 1; index >= 0; index -= 1) {
    const { edit, place, since } = sorted[index] as Proposal;
    saved += edit.tokens;
    rent += edit.tokens * (requests[since] ?? 0) * readPrice;
    const suffix = Math.max(0, (behind[place.messageIndex] ?? 0) - saved);
    const price = cache.isCold ? 0 : suffix * Math.max(0, writePrice - readPrice);
    if (rent - price < gain || (rent === 0 && !cache.isCold)) continue;
    gain = rent - price;
    best = { from: index, price, rent };
  }
  return { proposals: sorted.slice(best.from), price: best.price, rent: best.rent };
}

export interface Economy {
  /** What the prompt would come to, and from which message on it would be another. */
  readonly afterTokens: number;
  readonly fromMessage: number;
}

/**
 * Of a fold in a cold cache: what it leaves is written anew whatever we do, so only what leaves the sight is paid for. Taken
 * for free, it folds for little and more is fetched back than is saved (docs/decisions/2026-11-18-smaller-and-cold.md).
 */
const COLD_SHARE_OF_PRICE = 0.3;

/**
 * Of making the prompt smaller once: its price, and the rent paid so far for what it is larger, by every request the
 * conversation shows. A cold cache has everything written anew in a moment: that is rent, too.
 */
export function rentAndPrice(
  situation: Situation,
  { afterTokens, fromMessage }: Economy,
  { isCold, readPrice = READ_PRICE, writePrice = WRITE_PRICE }: CacheState = { isCold: false },
): { readonly rent: number; readonly price: number } {
  const { transcript, totalTokens } = situation;
  const behind = tokensBehind(situation);
  const over = (tokens: number) => Math.max(0, tokens - afterTokens);
  let rent = isCold ? over(totalTokens) * writePrice : 0;
  for (const [index, { role }] of transcript.messages.entries())
    if (role === "assistant") rent += over(totalTokens - (behind[index] ?? 0)) * readPrice;
  const standing = totalTokens - (behind[fromMessage] ?? 0);
  // Where writing costs no more than reading, as without a cache, a fold is not free all the same: something leaves the sight.
  const warm = Math.max(readPrice, writePrice - readPrice);
  const perToken = isCold ? COLD_SHARE_OF_PRICE * warm : warm;
  return { rent, price: Math.max(0, afterTokens - standing) * perToken };
}

/** Tokens of each message and everything behind it. */
function tokensBehind({ transcript, tokensOf }: Situation): readonly number[] {
  const behind: number[] = [];
  let tokens = 0;
  for (const { parts } of transcript.messages.toReversed()) {
    for (const part of parts) tokens += tokensOf(part);
    behind.push(tokens);
  }
  return behind.reverse();
}

/** Requests answered behind each message. */
function responsesSince({ transcript }: Situation): readonly number[] {
  const since: number[] = [];
  let responses = 0;
  for (const { role } of transcript.messages.toReversed()) {
    since.push(responses);
    if (role === "assistant") responses += 1;
  }
  return since.reverse();
}
