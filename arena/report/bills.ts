/** Bills over sessions. Each is paired with what the same session would have cost without any policy. */
import type { Bill } from "../replay/replay-session.ts";
import type { FileResult } from "../run-file.ts";
import { type Interval, intervalOf, meanOf } from "../statistics/bootstrap.ts";

export interface BillRow {
  readonly policy: string;
  readonly sessions: number;
  readonly usd: number;
  readonly summariesUsd: number;
  /** Bill over the bill without any policy, session by session. */
  readonly share?: Interval | undefined;
  /** Against no policy on the same sessions, everything paid for; below zero it lost money. */
  readonly netSavingUsd: number;
  /** Mean over sessions; and of all their tokens. */
  readonly cacheHitRate: number;
  readonly hitRateOfTokens: number;
  /** Of all their tokens: sent the time before, unchanged, and not read. */
  readonly missRateOfTokens: number;
  readonly peakTokens: number;
  readonly meanTokens: number;
  readonly compactions: number;
  readonly extraRequests: number;
  readonly invalidatedTokens: number;
  readonly neededKept: number;
  readonly needed: number;
  readonly usdPerNeededKept?: number;
  /** Requests larger than the window, which a provider would have refused. */
  readonly overWindow: number;
}

export function billRows(files: readonly FileResult[]): readonly BillRow[] {
  const names = [...new Set(files.flatMap(({ replay }) => replay.bills.map(({ policy }) => policy)))];
  return names.map((policy) => rowOf(policy, files));
}

function rowOf(policy: string, files: readonly FileResult[]): BillRow {
  const bills = files.flatMap(({ replay }) => replay.bills.filter((bill) => bill.policy === policy));
  const total = (of: (bill: Bill) => number) => bills.reduce((sum, bill) => sum + of(bill), 0);
  const usd = total((bill) => bill.usd);
  const promptTokens = total((bill) => bill.promptTokens);
  const neededKept = total((bill) => bill.neededKept);
  const shares = files.flatMap(({ replay }) => {
    const [none] = replay.bills;
    const own = replay.bills.find((bill) => bill.policy === policy);
    return none && own && none.usd > 0 ? [own.usd / none.usd] : [];
  });
  return {
    ...{ policy, sessions: bills.length, usd, neededKept },
    summariesUsd: total((bill) => bill.summariesUsd),
    netSavingUsd: files.reduce((sum, { replay }) => sum + (replay.bills[0]?.usd ?? 0), 0) - usd,
    share: intervalOf(shares, `bill ${policy}`),
    cacheHitRate: meanOf(bills.map((bill) => bill.cacheHitRate)),
    hitRateOfTokens: total((bill) => bill.readTokens) / Math.max(1, promptTokens),
    missRateOfTokens: total((bill) => bill.missedTokens) / Math.max(1, promptTokens),
    overWindow: total((bill) => bill.overWindow),
    peakTokens: Math.round(meanOf(bills.map((bill) => bill.peakTokens))),
    meanTokens: Math.round(meanOf(bills.map((bill) => bill.meanTokens))),
    compactions: total((bill) => bill.compactions),
    extraRequests: total((bill) => bill.extraRequests),
    invalidatedTokens: total((bill) => bill.invalidatedTokens),
    needed: total((bill) => bill.needed),
    ...(neededKept > 0 ? { usdPerNeededKept: usd / neededKept } : {}),
  };
}
