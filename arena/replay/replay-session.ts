/** One session's requests played again under every policy, and what each would have cost. */
import { cost, modelNamed, policyNamed, type Session, type Usage } from "palimpsest";
import { cascadeOf } from "../cases/cuts.ts";
import type { Recorded } from "../cases/files.ts";
import type { Opponent } from "../opponents/opponent.ts";
import { type CacheRules, cacheRulesNamed, rulesFor, usesLongLife } from "./cache-rules.ts";
import { type Played, playPolicy } from "./play-policy.ts";
import { type Misses, missesOf, type Vouching, vouchFor } from "./vouch.ts";
import { type Weights, weightsOf } from "./weights.ts";

export interface Bill {
  readonly policy: string;
  readonly usd: number;
  /** Of it, what writing summaries would have cost where the policy asks a model for them. */
  readonly summariesUsd: number;
  readonly requests: number;
  /** Requests made only to get something back. */
  readonly extraRequests: number;
  readonly cacheHitRate: number;
  readonly promptTokens: number;
  readonly readTokens: number;
  /** Sent the time before, unchanged, and not read: no policy can help that. */
  readonly missedTokens: number;
  readonly peakTokens: number;
  readonly meanTokens: number;
  readonly compactions: number;
  /** Of the cached prefix, what compactions made worthless. */
  readonly invalidatedTokens: number;
  /** Facts the agent needed after a fold, and how many of them were still in the context. */
  readonly needed: number;
  readonly neededKept: number;
  /** Requests a provider would have refused. */
  readonly overWindow: number;
  /** The context at some fifty requests of the session, for the plot. */
  readonly sizes: readonly number[];
}

export interface Replayed {
  readonly vouching: Vouching;
  readonly windowTokens: number;
  /** Whose prices. */
  readonly model: string;
  readonly bills: readonly Bill[];
}

/** Where a session's own model has no published price. */
const USUAL_PRICES = "claude-sonnet-4-5";
const COMPACTIONS = 3;

export interface Replaying {
  readonly opponents: readonly Opponent[];
  readonly prices?: string | undefined;
  /** A row of the cache table in place of the session's own. */
  readonly cache?: string | undefined;
  readonly tell?: (doing: string) => void;
}

export async function replaySession(
  { session }: Recorded,
  { opponents, prices, cache, tell }: Replaying,
): Promise<Replayed> {
  const own = session.whole.model;
  const model = prices ?? (modelNamed(own).prices ? (own ?? USUAL_PRICES) : USUAL_PRICES);
  const weights = weightsOf(session);
  const { windowTokens } = cascadeOf(session.whole, COMPACTIONS);
  const caching = cachingOf(session, { weights, model, cache });
  const names = [
    "none",
    ...opponents.flatMap(({ name, kind }) => (kind === "policy" && name !== "none" ? [name] : [])),
  ];
  const bills: Bill[] = [];
  for (const name of names) {
    tell?.(`bill under ${name}`);
    const played = await playPolicy(policyNamed(name), { session, weights, windowTokens, model, ...caching });
    bills.push(billOf(name, played, { model, ...caching }));
  }
  return { vouching: vouchFor(session, weights), windowTokens, model, bills };
}

interface Caching {
  readonly rules: CacheRules;
  readonly misses: Misses;
  readonly isLong: boolean;
}

/** As it was, with the misses that were recorded; or as it would be elsewhere, where they did not happen. */
function cachingOf(
  session: Session,
  { weights, model, cache }: Pick<Replaying, "cache"> & { readonly weights: Weights; readonly model: string },
): Caching {
  if (cache !== undefined)
    return { rules: cacheRulesNamed(cache), misses: new Map(), isLong: cache === "anthropic-1h" };
  return {
    rules: rulesFor(session, modelNamed(model)),
    misses: missesOf(session, weights),
    isLong: usesLongLife(session),
  };
}

function billOf(
  policy: string,
  played: Played,
  { model, isLong, rules }: Caching & { readonly model: string },
): Bill {
  const { requests, summaries, ...counts } = played;
  const isWriting = rules.kind === "marked";
  const usd = requests.map(({ promptTokens, readTokens, outputTokens }) => {
    const fresh = promptTokens - readTokens;
    const usage: Usage = {
      ...{ uncachedTokens: isWriting ? 0 : fresh, cacheReadTokens: readTokens, outputTokens },
      cacheWriteTokens: isWriting ? fresh : 0,
      ...(isLong && isWriting ? { cacheWrite1hTokens: fresh } : {}),
    };
    return cost(usage, model).usd ?? 0;
  });
  const summariesUsd = sum(
    summaries.map(({ usage, model: by }) => cost(usage, by).usd ?? cost(usage, model).usd ?? 0),
  );
  return {
    ...{ policy, usd: sum(usd) + summariesUsd, summariesUsd, requests: requests.length, ...counts },
    ...tokensOf(requests),
  };
}

type Tokens = Pick<
  Bill,
  "promptTokens" | "readTokens" | "missedTokens" | "cacheHitRate" | "peakTokens" | "meanTokens" | "sizes"
>;

function tokensOf(requests: Played["requests"]): Tokens {
  const prompts = requests.map((request) => request.promptTokens);
  const promptTokens = sum(prompts);
  const readTokens = sum(requests.map((request) => request.readTokens));
  return {
    ...{ promptTokens, readTokens, cacheHitRate: readTokens / Math.max(1, promptTokens) },
    missedTokens: sum(requests.map((request) => request.missedTokens)),
    peakTokens: Math.max(0, ...prompts),
    meanTokens: Math.round(promptTokens / Math.max(1, prompts.length)),
    sizes: thinned(prompts),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const PLOTTED = 60;

function thinned(values: readonly number[]): readonly number[] {
  if (values.length <= PLOTTED) return values;
  return Array.from(
    { length: PLOTTED },
    (_, at) => values[Math.floor((at * (values.length - 1)) / (PLOTTED - 1))] ?? 0,
  );
}
