/** One session file, all opponents: what each left, and what became of every probe. */
import type { Session } from "palimpsest";
import { cascadeOf, cutAtShare, futureOf, nativeCuts } from "./cases/cuts.ts";
import type { Recorded } from "./cases/files.ts";
import { sample } from "./cases/seeded.ts";
import { nativeLeft } from "./opponents/native.ts";
import type { Arranged, Left, Opponent } from "./opponents/opponent.ts";
import { judge, shareOf, type Tallies } from "./probes/judge.ts";
import { mineProbes, mineUsed } from "./probes/mine.ts";
import type { Probe } from "./probes/probe.ts";
import { HABITS, type Habit, Reader, type ReadingOptions } from "./probes/reader.ts";
import { SessionIndex } from "./probes/session-index.ts";

export interface Scoring {
  readonly opponents: readonly Opponent[];
  readonly cascades: readonly number[];
  readonly budgets: readonly number[];
  readonly windowTokens?: number | undefined;
  readonly trigger?: number | undefined;
  readonly tell?: (doing: string) => void;
}

/** One opponent in one setting of one session. */
export interface Score {
  readonly opponent: string;
  readonly kind: Opponent["kind"];
  /** `cascade 3`, `budget 4000`, `native size`. */
  readonly setting: string;
  readonly tallies: Tallies;
  readonly chars: number;
  readonly fits: boolean;
  readonly refused: number;
  /** Of facts of the first quarter, the share visible after each compaction; and of each type of them. */
  readonly survival?: readonly number[];
  readonly survivalByType?: Readonly<Record<string, readonly number[]>>;
  /** Of a sample of ALL, what readers of other habits have in sight or find in two reads. */
  readonly found?: Readonly<Record<Habit, number>>;
}

/** A session shorter than this is never compacted. */
const LEAST_MESSAGES = 12;
const BUDGET_CUTS: readonly number[] = [0.4, 0.8];
/** The unit of budgets in the literature: characters / 4. */
export const CHARS_PER_TOKEN = 4;

export async function scoreSession(recorded: Recorded, scoring: Scoring): Promise<readonly Score[]> {
  const { session } = recorded;
  if (session.whole.messages.length < LEAST_MESSAGES) return [];
  const judging = judgingOf(recorded);
  const scores: Score[] = [];
  for (const cascade of scoring.cascades) scores.push(...(await scoreCascade(cascade, scoring, judging)));
  for (const budget of scoring.budgets) scores.push(...(await scoreBudget(budget, scoring, judging)));
  scores.push(...(await scoreNative(scoring, judging)));
  return scores;
}

interface CaseJudging {
  readonly session: Session;
  readonly name: string;
  readonly index: SessionIndex;
  readonly answers: ReadingOptions["answers"];
  readonly probesAt: (cut: number) => readonly Probe[];
}

function judgingOf({ session, name }: Recorded): CaseJudging {
  const mined = new Map<number, readonly Probe[]>();
  return {
    ...{ session, name, index: new SessionIndex(), answers: new Map() },
    probesAt: (cut) => {
      const probes = mined.get(cut) ?? mineProbes(futureOf(session, cut));
      mined.set(cut, probes);
      return probes;
    },
  };
}

async function scoreCascade(
  compactions: number,
  scoring: Scoring,
  judging: CaseJudging,
): Promise<readonly Score[]> {
  const { session, name, index } = judging;
  scoring.tell?.(`cascade ${compactions}`);
  const { windowTokens, cuts } = cascadeOf(session.whole, compactions, scoring);
  const last = cuts.at(-1);
  if (last === undefined || cuts.length < compactions) return [];
  const probes = judging.probesAt(last);
  const scores: Score[] = [];
  for (const opponent of scoring.opponents) {
    const left = await opponent.run({ session, cuts, windowTokens, index, seed: name });
    const score = await scoreOf(opponent, `cascade ${compactions}`, left, { probes, judging });
    const isLongest = compactions === Math.max(...scoring.cascades);
    const found = isLongest && left.store ? { found: await foundBy(left, { probes, judging }) } : {};
    scores.push({ ...score, ...found, ...(compactions > 1 ? survivalOf(probes, left) : {}) });
  }
  return scores;
}

function survivalOf(probes: readonly Probe[], { stages }: Left): Pick<Score, "survival" | "survivalByType"> {
  const early = probes.filter(({ isEarly, type }) => isEarly && type !== "absent");
  const types = [...new Set(early.map(({ type }) => type))].sort();
  const curve = (of: readonly Probe[]) => stages.map((shown) => visibleShare(of, shown));
  return {
    survival: curve(early),
    survivalByType: Object.fromEntries(
      types.map((type) => [type, curve(early.filter((probe) => probe.type === type))]),
    ),
  };
}

/** Enough to tell habits apart; three readers of every probe would be most of the work. */
const FOUND_SAMPLE = 40;

async function foundBy(
  { shown, store }: Left,
  { probes, judging }: { readonly probes: readonly Probe[]; readonly judging: CaseJudging },
): Promise<Readonly<Record<Habit, number>>> {
  const all = probes.filter(({ sets }) => sets.includes("ALL"));
  const some = sample(all, FOUND_SAMPLE, ({ type, value }) => `${type} ${value}`);
  const shares: [Habit, number][] = [];
  for (const habit of HABITS) {
    const reader = store && new Reader({ store, shown, answers: judging.answers, habit });
    const { ALL } = await judge(some, { shown, reader });
    shares.push([habit, shareOf(ALL, ["visible", "read1", "read2"]) ?? 0]);
  }
  return Object.fromEntries(shares) as Record<Habit, number>;
}

function visibleShare(probes: readonly Probe[], shown: Left["shown"]): number {
  const visible = probes.filter((probe) => shown.find(probe) === "visible").length;
  return probes.length === 0 ? 0 : visible / probes.length;
}

/** Two cuts of a session are one unit: their probes are counted together. */
async function scoreBudget(
  budget: number,
  scoring: Scoring,
  judging: CaseJudging,
): Promise<readonly Score[]> {
  const { session, name, index } = judging;
  scoring.tell?.(`budget ${budget}`);
  const cuts = BUDGET_CUTS.map((share) => cutAtShare(session.whole, share)).filter(
    (cut) => cut !== undefined,
  );
  const budgetChars = budget * CHARS_PER_TOKEN;
  const scores: Score[] = [];
  for (const opponent of scoring.opponents) {
    const parts: Score[] = [];
    for (const cut of new Set(cuts)) {
      const arranged: Arranged = { session, cuts: [cut], windowTokens: 0, index, budgetChars, seed: name };
      const left = await opponent.run(arranged);
      const probes = judging.probesAt(cut).flatMap(withoutAll);
      parts.push(await scoreOf(opponent, `budget ${budget}`, left, { probes, judging }));
    }
    scores.push(...joined(parts));
  }
  return scores;
}

/** What everything comes to is told by the cascades; here it would only take time. */
function withoutAll(probe: Probe): readonly Probe[] {
  const sets = probe.sets.filter((set) => set !== "ALL");
  return sets.length === 0 ? [] : [{ ...probe, sets }];
}

/** Against what the harness wrote: at its size, on the facts of what it removed that the agent used again. */
async function scoreNative(scoring: Scoring, judging: CaseJudging): Promise<readonly Score[]> {
  const { session, name, index } = judging;
  const parts = new Map<string, Score[]>();
  scoring.tell?.("native size");
  for (const compaction of nativeCuts(session)) {
    const removed = compaction.removed.flatMap((at) => session.whole.messages[at] ?? []);
    const probes = mineUsed(futureOf(session, compaction.at), removed);
    if (probes.length === 0) continue;
    const native = nativeLeft(compaction);
    const add = async (opponent: Pick<Opponent, "name" | "kind">, left: Left) => {
      const score = await scoreOf(opponent, "native size", left, { probes, judging });
      parts.set(opponent.name, [...(parts.get(opponent.name) ?? []), score]);
    };
    await add({ name: `${session.wire} summary`, kind: "native" }, native);
    const arranged = {
      session,
      cuts: [compaction.at],
      windowTokens: 0,
      index,
      budgetChars: native.chars,
      seed: name,
    };
    for (const opponent of scoring.opponents) await add(opponent, await opponent.run(arranged));
  }
  return [...parts.values()].flatMap(joined);
}

async function scoreOf(
  { name, kind }: Pick<Opponent, "name" | "kind">,
  setting: string,
  left: Left,
  { probes, judging }: { readonly probes: readonly Probe[]; readonly judging: CaseJudging },
): Promise<Score> {
  const { shown, store, isStored } = left;
  const { answers } = judging;
  const reader = store && new Reader({ store, shown, answers });
  const tallies = await judge(probes, {
    shown,
    reader,
    isStored: (probe) => isStored?.(probe.value) === true,
  });
  return {
    opponent: name,
    kind,
    setting,
    tallies,
    chars: left.chars,
    fits: left.fits,
    refused: left.refused,
  };
}

/** Several cuts of one session as one score. */
function joined(scores: readonly Score[]): readonly Score[] {
  const [first, ...rest] = scores;
  if (!first) return [];
  const sum = rest.reduce((all, { tallies }) => addTallies(all, tallies), first.tallies);
  const mean = (of: (score: Score) => number) =>
    scores.reduce((total, score) => total + of(score), 0) / scores.length;
  return [
    { ...first, tallies: sum, chars: mean(({ chars }) => chars), fits: scores.every(({ fits }) => fits) },
  ];
}

function addTallies(a: Tallies, b: Tallies): Tallies {
  const entries = Object.entries(a).map(([set, tally]) => {
    const other = b[set as keyof Tallies];
    const fates = Object.entries(tally.fates).map(([fate, count]) => [
      fate,
      count + other.fates[fate as keyof typeof tally.fates],
    ]);
    return [
      set,
      {
        probes: tally.probes + other.probes,
        inSight: tally.inSight + other.inSight,
        fates: Object.fromEntries(fates),
        tokensRead: tally.tokensRead + other.tokensRead,
      },
    ];
  });
  return Object.fromEntries(entries) as Tallies;
}
