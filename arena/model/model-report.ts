/** What the model did with what each opponent left: means over sessions, with intervals. */
import { type Interval, intervalOf, meanOf } from "../statistics/bootstrap.ts";
import { type ModelRun, type ModelScore, NO_CONTEXT } from "./run-model.ts";

export interface ModelReport {
  readonly model: string;
  readonly order: ModelRun["order"];
  readonly rows: readonly ModelRow[];
}

export interface ModelRow {
  readonly opponent: string;
  readonly setting: string;
  readonly sessions: number;
  readonly measures: Readonly<Record<string, Interval | undefined>>;
  readonly questions: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

type Of = (score: ModelScore) => number | undefined;

function share(hits: number, of: number): number | undefined {
  return of === 0 ? undefined : hits / of;
}

function recalled(isVisible?: boolean): Of {
  return ({ recalls }) => {
    const own = recalls.filter((one) => isVisible === undefined || one.isVisible === isVisible);
    return share(own.filter(({ isRight }) => isRight).length, own.length);
  };
}

const sumOf = <T>(items: readonly T[], of: (item: T) => number) =>
  items.reduce((sum, item) => sum + of(item), 0);

const MEASURES: Readonly<Record<string, Of>> = {
  recall: recalled(),
  recallOfVisible: recalled(true),
  recallOfHidden: recalled(false),
  readsPerQuestion: ({ recalls }) =>
    recalls.length === 0 ? undefined : meanOf(recalls.map(({ reads }) => reads)),
  grounded: ({ groundings }) =>
    share(
      sumOf(groundings, ({ supported }) => supported),
      sumOf(groundings, ({ claims }) => claims),
    ),
  contradictionsPer1k: ({ groundings }) => {
    const tokens = sumOf(groundings, ({ answerTokens }) => answerTokens);
    return tokens === 0 ? undefined : (1000 * sumOf(groundings, ({ contradicted }) => contradicted)) / tokens;
  },
  compliance: ({ compliance }) => share(compliance.filter(Boolean).length, compliance.length),
  nextTool: ({ nextCalls }) =>
    share(nextCalls.filter(({ isSameTool }) => isSameTool).length, nextCalls.length),
  nextTarget: ({ nextCalls }) =>
    share(nextCalls.filter(({ isSameTarget }) => isSameTarget).length, nextCalls.length),
};

export function modelReportOf({ model, order, scores }: ModelRun): ModelReport {
  const keys = [...new Set(scores.map(({ setting, opponent }) => `${setting}\u0000${opponent}`))];
  const rows = keys.map((key) => {
    const [setting = "", opponent = ""] = key.split("\u0000");
    return rowOf(opponent, setting, scores);
  });
  return { model, order, rows };
}

function rowOf(opponent: string, setting: string, scores: readonly ModelScore[]): ModelRow {
  const own = scores.filter((score) => score.opponent === opponent && score.setting === setting);
  const measured = Object.entries(MEASURES).map(([name, of]) => [
    name,
    intervalOf(
      own.flatMap((score) => of(score) ?? []),
      `model ${setting} ${opponent} ${name}`,
    ),
  ]);
  const retention = effectRetention(own, scores);
  return {
    ...{ opponent, setting, sessions: own.length },
    measures: { ...Object.fromEntries(measured), effectRetention: retention },
    questions: sumOf(own, ({ recalls }) => recalls.length),
    inputTokens: sumOf(own, ({ inputTokens }) => inputTokens),
    outputTokens: sumOf(own, ({ outputTokens }) => outputTokens),
  };
}

/** What is left of the effect instructions have with everything in sight, beyond what is guessed without any context. */
function effectRetention(own: readonly ModelScore[], all: readonly ModelScore[]): Interval | undefined {
  const complianceOf = MEASURES["compliance"] ?? (() => undefined);
  const shares = own.flatMap((score) => {
    const same = (opponent: string) =>
      all.find(
        (one) => one.opponent === opponent && one.session === score.session && one.setting === score.setting,
      );
    const [none, full] = [same(NO_CONTEXT), same("full")].map((one) => one && complianceOf(one));
    const value = complianceOf(score);
    if (value === undefined || none === undefined || full === undefined || full <= none) return [];
    return [(value - none) / (full - none)];
  });
  return intervalOf(shares, `effect ${own[0]?.opponent ?? ""}`);
}

const COLUMNS: readonly (readonly [string, string])[] = [
  ["recall", "recall"],
  ["recallOfVisible", "if visible"],
  ["recallOfHidden", "if not"],
  ["readsPerQuestion", "reads"],
  ["grounded", "grounded"],
  ["contradictionsPer1k", "contrad./1k"],
  ["compliance", "complies"],
  ["effectRetention", "effect kept"],
  ["nextTool", "next tool"],
  ["nextTarget", "next target"],
];

export function modelReportText({ model, order, rows }: ModelReport): string {
  const table = [
    ["opponent", "setting", "n", ...COLUMNS.map(([, title]) => title), "tokens"],
    ...rows.map((row) => [
      row.opponent,
      row.setting,
      String(row.sessions),
      ...COLUMNS.map(([name]) => cell(row.measures[name])),
      String(row.inputTokens + row.outputTokens),
    ]),
  ];
  const widths = (table[0] ?? []).map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  return [
    `${model}: ${order.questions} questions a session, ${order.replicates} replicates. Means over sessions ± half the 95 % interval.`,
    ...table.map((row) =>
      row
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    ),
    "",
    LEGEND,
    "",
  ].join("\n");
}

const LEGEND = `recall: probe questions answered right; if visible / if not: of those the offline probe says are in sight, or are not. grounded: claims
supported by a quote from the session; contrad./1k: claims it contradicts, per 1,000 tokens of answer. complies: instruction told from its opposite
in both orders; effect kept: of the difference between full context and none. next: same tool, same target as the agent's own next call.`;

function cell(interval: Interval | undefined): string {
  if (!interval) return "–";
  return `${interval.mean.toFixed(2)} ±${((interval.high - interval.low) / 2).toFixed(2)}`;
}
