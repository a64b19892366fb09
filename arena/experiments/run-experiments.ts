/**
 * Seed 003's experiments without a model: eight sessions, every arm and variant, one to three compactions; the share of
 * recall questions that can be answered from what is in sight, or after the scripted reader has read. An upper bound
 * on what a model would answer, and blind to how a model anchors on a summary.
 */

import type { Asker } from "../model/asker.ts";
import { inParallel } from "../model/in-parallel.ts";
import { recall } from "../model/recall.ts";
import { type Seen, seenOf } from "../model/seen.ts";
import type { Arranged } from "../opponents/opponent.ts";
import { policyOpponent } from "../opponents/policies.ts";
import { judge, shareOf, type Tally } from "../probes/judge.ts";
import { Reader } from "../probes/reader.ts";
import { SessionIndex } from "../probes/session-index.ts";
import { meanOf } from "../statistics/bootstrap.ts";
import { type Fixture, fixtureOf } from "./fixtures.ts";
import { SCENARIOS } from "./scenarios.ts";
import { isArm, type Variant, variants } from "./variants.ts";

export interface ExperimentRow {
  readonly variant: string;
  readonly compactions: number;
  readonly visible: number;
  readonly answered: number;
  readonly tokensShown: number;
  readonly tokensRead: number;
  /** By a model, where one was asked. */
  readonly modelAnswered?: number;
  readonly byFixture: Readonly<Record<string, number>>;
}

const CASCADES: readonly number[] = [1, 2, 3];

export interface ExperimentOrder {
  /** These arms and their variants; all where not said. */
  readonly arms?: readonly string[] | undefined;
  readonly asker?: Asker | undefined;
  readonly replicates?: number;
}

/** With an asker, a model answers the questions too: of the arms alone, because every variant would be asked hundreds. */
export async function runExperiments({
  arms,
  asker,
  replicates = 1,
}: ExperimentOrder = {}): Promise<readonly ExperimentRow[]> {
  const fixtures = SCENARIOS.map(fixtureOf);
  const rows: ExperimentRow[] = [];
  for (const variant of variants(arms))
    for (const compactions of CASCADES) {
      const asking = asker && isArm(variant) ? { asker, replicates } : undefined;
      rows.push(await rowOf(variant, compactions, { fixtures, asking }));
    }
  return rows;
}

interface Asked {
  readonly asker: Asker;
  readonly replicates: number;
}

interface Running {
  readonly fixtures: readonly Fixture[];
  readonly asking?: Asked | undefined;
}

interface FixtureResult {
  readonly tally: Tally;
  readonly chars: number;
  readonly modelAnswered?: number;
}

async function rowOf(
  variant: Variant,
  compactions: number,
  { fixtures, asking }: Running,
): Promise<ExperimentRow> {
  const results: (FixtureResult & { readonly name: string })[] = [];
  for (const fixture of fixtures)
    results.push({ name: fixture.name, ...(await ask(variant, compactions, { fixture, asking })) });
  const byModel = results.flatMap(({ modelAnswered }) => modelAnswered ?? []);
  const answered = ({ tally }: { tally: Tally }) =>
    shareOf(tally, ["visible", "read1", "read2", "read3"]) ?? 0;
  return {
    variant: variant.name,
    compactions,
    visible: meanOf(results.map(({ tally }) => shareOf(tally, ["visible"]) ?? 0)),
    answered: meanOf(results.map(answered)),
    tokensShown: Math.round(meanOf(results.map(({ chars }) => chars / 4))),
    tokensRead: Math.round(meanOf(results.map(({ tally }) => tally.tokensRead / Math.max(1, tally.probes)))),
    ...(byModel.length === 0 ? {} : { modelAnswered: meanOf(byModel) }),
    byFixture: Object.fromEntries(results.map((one) => [one.name, answered(one)])),
  };
}

async function ask(
  { policy, tools }: Variant,
  compactions: number,
  { fixture, asking }: { readonly fixture: Fixture; readonly asking?: Asked | undefined },
): Promise<FixtureResult> {
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
  if (!asking) return { tally: ALL, chars };
  const modelAnswered = await answeredBy(asking, questions, seenOf({ shown, store }));
  return { tally: ALL, chars, modelAnswered };
}

async function answeredBy(
  { asker, replicates }: Asked,
  questions: Fixture["questions"],
  seen: Seen,
): Promise<number> {
  let right = 0;
  for (let replicate = 0; replicate < replicates; replicate += 1) {
    const answers = await inParallel(questions, (probe) => recall(probe, seen, { asker, replicate }));
    right += answers.filter(({ isRight }) => isRight).length;
  }
  return right / Math.max(1, questions.length * replicates);
}

/** Small, because the sessions are: pages and tables come out as they would in proportion. */
const WINDOW = 24_000;

export function experimentsText(rows: readonly ExperimentRow[]): string {
  const isAsked = rows.some(({ modelAnswered }) => modelAnswered !== undefined);
  const lines = rows.map(
    ({ variant, compactions, visible, answered, tokensShown, tokensRead, modelAnswered }) =>
      [
        variant.padEnd(34),
        `x${compactions}`,
        visible.toFixed(2),
        answered.toFixed(2),
        String(tokensShown).padStart(6),
        String(tokensRead).padStart(6),
        ...(isAsked ? [modelAnswered?.toFixed(2) ?? "–"] : []),
      ].join("  "),
  );
  return [
    `${"variant".padEnd(34)}  x   visible  answered  shown  read/question${isAsked ? "  by the model" : ""}`,
    ...lines,
    "",
  ].join("\n");
}
