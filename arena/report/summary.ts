/** A run as a report: means over sessions with intervals, opponents compared in pairs, by wire and by repository. */
import { policyNames } from "palimpsest";
import { HABITS } from "../probes/reader.ts";
import type { ArenaRun } from "../run.ts";
import type { FileResult } from "../run-file.ts";
import type { Score } from "../score.ts";
import { type Interval, intervalOf, meanOf, pairedInterval } from "../statistics/bootstrap.ts";
import { type BillRow, billRows } from "./bills.ts";
import { MEASURES, TOKENS_READ } from "./measures.ts";

export interface Report {
  readonly order: ArenaRun["order"];
  readonly sessions: number;
  readonly unread: readonly string[];
  readonly missing: readonly string[];
  readonly settings: readonly SettingReport[];
  readonly bills: {
    readonly vouchedFor: readonly BillRow[];
    readonly all: readonly BillRow[];
    /** Files the replay cannot vouch for, and why. */
    readonly unvouched: readonly { readonly name: string; readonly because: string }[];
  };
  readonly files: readonly FileResult[];
}

export interface SettingReport {
  readonly setting: string;
  readonly rows: readonly OpponentRow[];
}

export interface OpponentRow {
  readonly opponent: string;
  readonly kind: Score["kind"];
  /** Sessions it ran in, and in how many it kept to the budget; only those are in the means. */
  readonly sessions: number;
  readonly fits: number;
  readonly chars: number;
  readonly refused: number;
  readonly tokensPerProbe: number;
  readonly measures: Readonly<Record<string, Interval>>;
  /** NEEDED visible in all sessions, whether or not it kept to the size: of full context, the ceiling. */
  readonly neededOverall?: Interval | undefined;
  /** Of NEEDED visible: how far the first policy is above this one, session by session. */
  readonly behindFirst?: Interval | undefined;
  readonly byWire: Readonly<Record<string, Group>>;
  readonly byRepository: Readonly<Record<string, Group>>;
  /** Mean share of early facts visible after each compaction. */
  readonly survival: readonly number[];
  readonly survivalByType: Readonly<Record<string, readonly number[]>>;
  /** The first compaction after which less than half of the early facts is visible; absent where it never happens. */
  readonly cliff?: number;
  /** Of ALL, in sight or found in two reads, by readers of different habits. */
  readonly found: Readonly<Record<string, number>>;
}

export interface Group {
  readonly sessions: number;
  readonly neededVisible?: number;
  readonly allRead2?: number;
}

interface Placed {
  readonly file: FileResult;
  readonly score: Score;
}

export function reportOf(run: ArenaRun): Report {
  const { files } = run;
  const placed = files.flatMap((file) => file.scores.map((score) => ({ file, score })));
  const settings = [...new Set(placed.map(({ score }) => score.setting))].sort(bySetting);
  const vouched = files.filter(({ replay }) => replay.vouching.isVouchedFor);
  return {
    order: run.order,
    sessions: files.length,
    unread: run.unread,
    missing: run.missing,
    settings: settings.map((setting) => settingOf(setting, placed)),
    bills: {
      vouchedFor: billRows(vouched),
      all: billRows(files),
      unvouched: files
        .filter(({ replay }) => !replay.vouching.isVouchedFor)
        .map(({ name, replay }) => ({ name, because: replay.vouching.because })),
    },
    files,
  };
}

/** Cascades, budgets, native size; each from small to large. */
function bySetting(a: string, b: string): number {
  const [kindA = "", sizeA = "0"] = a.split(" ");
  const [kindB = "", sizeB = "0"] = b.split(" ");
  return KINDS.indexOf(kindA) - KINDS.indexOf(kindB) || Number(sizeA) - Number(sizeB);
}

const KINDS: readonly string[] = ["cascade", "budget", "native"];

function settingOf(setting: string, all: readonly Placed[]): SettingReport {
  const placed = all.filter(({ score }) => score.setting === setting);
  const names = [...new Set(placed.map(({ score }) => score.opponent))];
  const first = needsOf(placed.filter(({ score }) => score.opponent === policyNames[0]));
  return { setting, rows: names.map((name) => rowOf(name, setting, { placed, first })) };
}

function rowOf(
  opponent: string,
  setting: string,
  { placed, first }: { readonly placed: readonly Placed[]; readonly first: ReadonlyMap<string, number> },
): OpponentRow {
  const own = placed.filter(({ score }) => score.opponent === opponent);
  const fitting = own.filter(({ score }) => score.fits);
  const seed = `${setting} ${opponent}`;
  return {
    opponent,
    kind: own[0]?.score.kind ?? "policy",
    sessions: own.length,
    fits: fitting.length,
    chars: Math.round(meanOf(fitting.map(({ score }) => score.chars))),
    refused: own.reduce((sum, { score }) => sum + score.refused, 0),
    tokensPerProbe: Math.round(meanOf(fitting.flatMap(({ score }) => TOKENS_READ.of(score) ?? []))),
    measures: measuresOf(fitting, seed),
    neededOverall: intervalOf(
      own.flatMap(({ score }) => MEASURES[0]?.of(score) ?? []),
      `${seed} overall`,
    ),
    behindFirst: pairedInterval(first, needsOf(fitting), `${seed} paired`),
    byWire: groupsOf(fitting, ({ wire }) => wire),
    byRepository: groupsOf(fitting, ({ repository }) => repository),
    ...survivalOf(own),
    found: foundIn(own),
  };
}

function measuresOf(fitting: readonly Placed[], seed: string): Readonly<Record<string, Interval>> {
  const measured = MEASURES.flatMap(({ name, of }) => {
    const interval = intervalOf(
      fitting.flatMap(({ score }) => of(score) ?? []),
      `${seed} ${name}`,
    );
    return interval ? [[name, interval] as const] : [];
  });
  return Object.fromEntries(measured);
}

function needsOf(placed: readonly Placed[]): ReadonlyMap<string, number> {
  const [needed] = MEASURES;
  return new Map(
    placed.flatMap(({ file, score }) => {
      const value = score.fits ? needed?.of(score) : undefined;
      return value === undefined ? [] : [[file.name, value] as const];
    }),
  );
}

function groupsOf(
  placed: readonly Placed[],
  keyOf: (file: FileResult) => string,
): Readonly<Record<string, Group>> {
  const groups = groupedBy(placed, keyOf);
  return Object.fromEntries(
    [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, own]) => [key, groupOf(own)]),
  );
}

/** `Map.groupBy` is newer than the oldest Node we run on. */
function groupedBy(placed: readonly Placed[], keyOf: (file: FileResult) => string): Map<string, Placed[]> {
  const groups = new Map<string, Placed[]>();
  for (const one of placed) groups.set(keyOf(one.file), [...(groups.get(keyOf(one.file)) ?? []), one]);
  return groups;
}

function groupOf(own: readonly Placed[]): Group {
  const mean = (name: string) => {
    const of = MEASURES.find((measure) => measure.name === name)?.of;
    const values = own.flatMap(({ score }) => of?.(score) ?? []);
    return values.length === 0 ? undefined : meanOf(values);
  };
  const [neededVisible, allRead2] = [mean("neededVisible"), mean("allRead2")];
  return {
    sessions: own.length,
    ...(neededVisible === undefined ? {} : { neededVisible }),
    ...(allRead2 === undefined ? {} : { allRead2 }),
  };
}

function survivalOf(own: readonly Placed[]): Pick<OpponentRow, "survival" | "survivalByType" | "cliff"> {
  const survival = meanCurve(own.flatMap(({ score }) => (score.survival ? [score.survival] : [])));
  return { survival, ...cliffOf(survival), survivalByType: survivalByType(own) };
}

function meanCurve(curves: readonly (readonly number[])[]): readonly number[] {
  const longest = Math.max(0, ...curves.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => meanOf(curves.flatMap((curve) => curve[at] ?? [])));
}

function survivalByType(own: readonly Placed[]): Readonly<Record<string, readonly number[]>> {
  const curves = own.flatMap(({ score }) => Object.entries(score.survivalByType ?? {}));
  const types = [...new Set(curves.map(([type]) => type))].sort();
  return Object.fromEntries(
    types.map((type) => [type, meanCurve(curves.filter(([of]) => of === type).map(([, curve]) => curve))]),
  );
}

const CLIFF = 0.5;

function cliffOf(survival: readonly number[]): { readonly cliff?: number } {
  const at = survival.findIndex((share) => share < CLIFF);
  return at < 0 ? {} : { cliff: at + 1 };
}

function foundIn(own: readonly Placed[]): Readonly<Record<string, number>> {
  const found = own.flatMap(({ score }) => (score.found ? [score.found] : []));
  if (found.length === 0) return {};
  return Object.fromEntries(HABITS.map((habit) => [habit, meanOf(found.map((shares) => shares[habit]))]));
}
