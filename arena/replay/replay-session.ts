/** One session's requests played again under every policy, and what each would have cost. */
import { cost, modelNamed, policyNamed, type Usage } from "palimpsest";
import { cascadeOf } from "../cases/cuts.ts";
import type { Recorded } from "../cases/files.ts";
import type { Opponent } from "../opponents/opponent.ts";
import { type Played, playPolicy } from "./play-policy.ts";
import { usesLongLife, type Vouching, vouchFor } from "./vouch.ts";
import { weightsOf } from "./weights.ts";

export interface Bill {
  readonly policy: string;
  readonly usd: number;
  /** Of it, what writing summaries would have cost where the policy asks a model for them. */
  readonly summariesUsd: number;
  readonly requests: number;
  /** Requests made only to get something back. */
  readonly extraRequests: number;
  readonly cacheHitRate: number;
  readonly peakTokens: number;
  readonly meanTokens: number;
  readonly compactions: number;
  /** Of the cached prefix, what compactions made worthless. */
  readonly invalidatedTokens: number;
  /** Facts the agent needed after a fold, and how many of them were still in the context. */
  readonly needed: number;
  readonly neededKept: number;
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
  readonly tell?: (doing: string) => void;
}

export async function replaySession(
  { session }: Recorded,
  { opponents, prices, tell }: Replaying,
): Promise<Replayed> {
  const own = session.whole.model;
  const model = prices ?? (modelNamed(own).prices ? (own ?? USUAL_PRICES) : USUAL_PRICES);
  const weights = weightsOf(session);
  const { windowTokens } = cascadeOf(session.whole, COMPACTIONS);
  const names = [
    "none",
    ...opponents.flatMap(({ name, kind }) => (kind === "policy" && name !== "none" ? [name] : [])),
  ];
  const bills: Bill[] = [];
  for (const name of names) {
    tell?.(`bill under ${name}`);
    const played = await playPolicy(policyNamed(name), { session, weights, windowTokens, model });
    bills.push(billOf(name, played, { model, isLong: usesLongLife(session) }));
  }
  return { vouching: vouchFor(session, weights), windowTokens, model, bills };
}

function billOf(
  policy: string,
  played: Played,
  { model, isLong }: { readonly model: string; readonly isLong: boolean },
): Bill {
  const { requests, summaries, ...counts } = played;
  const isWriting = modelNamed(model).cache.kind === "marked";
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
  const prompts = requests.map(({ promptTokens }) => promptTokens);
  return {
    ...{ policy, usd: sum(usd) + summariesUsd, summariesUsd, requests: requests.length, ...counts },
    cacheHitRate: sum(requests.map(({ readTokens }) => readTokens)) / Math.max(1, sum(prompts)),
    peakTokens: Math.max(0, ...prompts),
    meanTokens: Math.round(sum(prompts) / Math.max(1, prompts.length)),
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
