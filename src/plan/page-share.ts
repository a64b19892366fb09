/** What a page may come to, and how its tokens are shared out among narrative, table, exact lines and latest results. */
import type { Plan } from "./deciding.ts";
import type { Policy } from "./policy.ts";
import { type Room, tokensIn } from "./size.ts";

/** The heading, how to read back, and the names of the sections. */
export const FRAME_TOKENS = 200;

export interface PageShares {
  readonly summaryTokens: number;
  readonly tableTokens: number;
  /** Exact lines of what folded; 0 where the policy quotes none. */
  readonly lineTokens: number;
  /** Results the model was waiting for, where their step folded. */
  readonly latestTokens: number;
}

/** Of the window; enough for a test run's end or a file's outline. */
const LATEST = { share: 0.05, atMostTokens: 4_000 };

/** Without an allocation each part has its own limit, whatever the others take. */
export function pageShares(
  policy: Policy,
  room: Room,
  { pageTokens: page, carried }: Pick<Plan, "pageTokens" | "carried">,
): PageShares {
  const { maxTokens, table } = policy.summary;
  const { allocation } = policy;
  const own = { summary: tokensIn(maxTokens, room), table: table ? tokensIn(table, room) : 0 };
  const latest = tokensIn(LATEST, room);
  if (!allocation || page === undefined)
    return { summaryTokens: own.summary, tableTokens: own.table, lineTokens: 0, latestTokens: latest };
  const latestTokens = carried.length > 0 ? Math.min(latest, LATEST_OF_PAGE * page) : 0;
  const open = Math.max(0, page - FRAME_TOKENS - latestTokens);
  const tableTokens = tableOf(Math.floor(Math.min(own.table, allocation.tableShare * open)));
  const narrative = Math.max(allocation.narrativeShare * open, Math.min(SHORT_NARRATIVE, open * 0.3));
  // Past what lines may take, a large page is the narrative's: no error has to leave it for room that stays empty.
  const spare = open - tableTokens - allocation.maxLineTokens;
  const summaryTokens = Math.floor(Math.min(own.summary, Math.max(narrative, spare)));
  return { summaryTokens, tableTokens, lineTokens: Math.max(0, open - tableTokens), latestTokens };
}

/** Fewer than a handful of rows help nobody choose: then one line says what there is, and the lines of the page name their refs. */
function tableOf(tokens: number): number {
  return tokens < LEAST_TABLE ? GROUP_LINE : tokens;
}

const LEAST_TABLE = 200;
const GROUP_LINE = 40;

/** Twelve headings and a few lines: a small page is mostly these. */
const SHORT_NARRATIVE = 400;
const LATEST_OF_PAGE = 0.15;

/** The largest page a policy makes. */
export function pageCap(policy: Policy, room: Room): number {
  const { maxTokens, table } = policy.summary;
  const lines = policy.allocation ? policy.allocation.maxLineTokens + FRAME_TOKENS : 0;
  return tokensIn(maxTokens, room) + (table ? tokensIn(table, room) : 0) + lines;
}
