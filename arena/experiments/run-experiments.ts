/**
 * Seed 003's experiments without a model: eight sessions, every arm and variant, one to three compactions; the share of
 * recall questions that can be answered from what is in sight, or after the scripted reader has read. An upper bound
 * on what a model would answer, and blind to how a model anchors on a summary.
 */
import type { Arranged } from "../opponents/opponent.ts";
import { policyOpponent } from "../opponents/policies.ts";
import { judge, shareOf, type Tally } from "../probes/judge.ts";
import { Reader } from "../probes/reader.ts";
import { SessionIndex } from "../probes/session-index.ts";
import { meanOf } from "../statistics/bootstrap.ts";
import { type Fixture, fixtureOf } from "./fixtures.ts";
import { SCENARIOS } from "./scenarios.ts";
import { type Variant, variants } from "./variants.ts";

export interface ExperimentRow {
  readonly variant: string;
  readonly compactions: number;
  readonly visible: number;
  readonly answered: number;
  readonly tokensShown: number;
  readonly tokensRead: number;
  readonly byFixture: Readonly<Record<string, number>>;
}

const CASCADES: readonly number[] = [1, 2, 3];

export async function runExperiments(): Promise<readonly ExperimentRow[]> {
  const fixtures = SCENARIOS.map(fixtureOf);
  const rows: ExperimentRow[] = [];
  for (const variant of variants())
    for (const compactions of CASCADES) rows.push(await rowOf(variant, compactions, fixtures));
  return rows;
}

async function rowOf(
  variant: Variant,
  compactions: number,
  fixtures: readonly Fixture[],
): Promise<ExperimentRow> {
  const results: { name: string; tally: Tally; chars: number }[] = [];
  for (const fixture of fixtures)
    results.push({ name: fixture.name, ...(await ask(variant, compactions, fixture)) });
  const answered = ({ tally }: { tally: Tally }) =>
    shareOf(tally, ["visible", "read1", "read2", "read3"]) ?? 0;
  return {
    variant: variant.name,
    compactions,
    visible: meanOf(results.map(({ tally }) => shareOf(tally, ["visible"]) ?? 0)),
    answered: meanOf(results.map(answered)),
    tokensShown: Math.round(meanOf(results.map(({ chars }) => chars / 4))),
    tokensRead: Math.round(meanOf(results.map(({ tally }) => tally.tokensRead / Math.max(1, tally.probes)))),
    byFixture: Object.fromEntries(results.map((one) => [one.name, answered(one)])),
  };
}

async function ask(
  { policy, tools }: Variant,
  compactions: number,
  fixture: Fixture,
): Promise<{ tally: Tally; chars: number }> {
  const { session, from, questions } = fixture;
  const index = new SessionIndex();
  // Steps are pairs of messages behind the first; a cascade compacts after equal shares of them.
  const steps = (from - 1) / 2;
  const cuts = Array.from(
    { length: compactions },
    (_, at) => 1 + 2 * Math.ceil((steps * (at + 1)) / compactions),
  );
  const arranged: Arranged = {
    session,
    cuts: [...new Set(cuts)],
    windowTokens: WINDOW,
    index,
    seed: fixture.name,
  };
  const { shown, chars, store } = await policyOpponent(policy).run(arranged);
  const reader = store && new Reader({ store, shown, answers: new Map(), tools });
  const { ALL } = await judge(questions, { shown, reader });
  return { tally: ALL, chars };
}

/** Small, because the sessions are: pages and tables come out as they would in proportion. */
const WINDOW = 24_000;

export function experimentsText(rows: readonly ExperimentRow[]): string {
  const lines = rows.map(({ variant, compactions, visible, answered, tokensShown, tokensRead }) =>
    [
      variant.padEnd(34),
      `x${compactions}`,
      visible.toFixed(2),
      answered.toFixed(2),
      String(tokensShown).padStart(6),
      String(tokensRead).padStart(6),
    ].join("  "),
  );
  return [`${"variant".padEnd(34)}  x   visible  answered  shown  read/question`, ...lines, ""].join("\n");
}
