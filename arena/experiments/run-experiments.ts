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
import type { ExperimentRow } from "./experiment-row.ts";
import { type Fixture, fixtureOf } from "./fixtures.ts";
import { REALISTIC, SCENARIOS } from "./scenarios.ts";
import { splitText } from "./split-text.ts";
import { isArm, splitVariants, type Variant, variants } from "./variants.ts";

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
  const long = fixtures.filter(({ name }) => REALISTIC.includes(name));
  const rows: ExperimentRow[] = [];
  const add = async (variant: Variant, running: Running) => {
    for (const compactions of CASCADES) rows.push(await rowOf(variant, compactions, running));
  };
  for (const variant of variants(arms)) {
    const asking = asker && isArm(variant) ? { asker, replicates } : undefined;
    await add(variant, { experiment: "arms", fixtures, asking });
  }
  for (const variant of splitVariants(arms)) await add(variant, { experiment: "60/40", fixtures: long });
  return rows;
}

interface Asked {
  readonly asker: Asker;
  readonly replicates: number;
}

interface Running {
  readonly experiment: ExperimentRow["experiment"];
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
  { experiment, fixtures, asking }: Running,
): Promise<ExperimentRow> {
  const results: (FixtureResult & { readonly name: string })[] = [];
  for (const fixture of fixtures)
    results.push({ name: fixture.name, ...(await ask(variant, compactions, { fixture, asking })) });
  const byModel = results.flatMap(({ modelAnswered }) => modelAnswered ?? []);
  const answered = ({ tally }: { tally: Tally }) =>
    shareOf(tally, ["visible", "read1", "read2", "read3"]) ?? 0;
  const visible = ({ tally }: { tally: Tally }) => shareOf(tally, ["visible"]) ?? 0;
  return {
    ...{ experiment, variant: variant.name, compactions },
    visible: meanOf(results.map(visible)),
    answered: meanOf(results.map(answered)),
    tokensShown: Math.round(meanOf(results.map(({ chars }) => chars / 4))),
    tokensRead: Math.round(meanOf(results.map(({ tally }) => tally.tokensRead / Math.max(1, tally.probes)))),
    ...(byModel.length === 0 ? {} : { modelAnswered: meanOf(byModel) }),
    byFixture: Object.fromEntries(results.map((one) => [one.name, answered(one)])),
    visibleByFixture: Object.fromEntries(results.map((one) => [one.name, visible(one)])),
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
  const arms = rows.filter(({ experiment }) => experiment === "arms");
  const lines = arms.map(
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
    ...splitText(rows),
    "",
  ].join("\n");
}
