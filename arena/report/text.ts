/** The report as tables for a terminal. */
import { HOW_TO_INSTALL } from "../opponents/peers.ts";
import { HABITS } from "../probes/reader.ts";
import type { Interval } from "../statistics/bootstrap.ts";
import type { BillRow } from "./bills.ts";
import type { OpponentRow, Report, SettingReport } from "./summary.ts";

export function reportText(report: Report): string {
  const { sessions, unread, settings, missing } = report;
  const skipped = unread.length === 0 ? "" : `, ${unread.length} files are no sessions`;
  return [
    `${sessions === 1 ? "1 session" : `${sessions} sessions`}${skipped}. Means over sessions ± half the 95 % interval; sets are never blended.`,
    ...(missing.length === 0
      ? []
      : [`Not installed, so not here: ${missing.join(", ")}. From a checkout: ${HOW_TO_INSTALL}.`]),
    ...settings.flatMap(settingText),
    ...survivalText(settings),
    ...billText(report),
    ...groupText(settings),
    "",
    LEGEND,
    "",
  ].join("\n");
}

const LEGEND = `needed: facts the agent wrote after the cut before they were shown again; anchored = with a word of their source on
the same line, plain = anywhere, +2 = or found by the scripted reader in two reads. all: facts of every kind.
behind: by how much the first policy is above, on the same sessions; an interval without 0 is a difference.
fits: sessions in which it kept to the budget; only those are counted. Sizes are characters / 4.`;

const HEAD = [
  "opponent",
  "fits",
  "size",
  "needed anchored",
  "plain",
  "+2",
  "all visible",
  "+1",
  "+2",
  "lost",
  "user",
  "changed",
  "update",
  "wrong",
  "absent",
  "behind",
];

function settingText({ setting, rows }: SettingReport): readonly string[] {
  const ceiling = rows.find(({ opponent }) => opponent === "full")?.neededOverall;
  const most =
    ceiling && !setting.startsWith("cascade") ? `; full context has ${plain(ceiling)} of needed` : "";
  return ["", `${TITLES(setting)}${most}`, ...aligned([HEAD, ...rows.map(cellsOf)])];
}

function TITLES(setting: string): string {
  if (setting.startsWith("cascade"))
    return `${setting}: after so many compactions, each policy at its own size`;
  if (setting.startsWith("budget")) return `${setting}: one compaction to no more than so many tokens`;
  return `${setting}: at recorded compactions, no larger than the harness's own summary; facts used later`;
}

function cellsOf(row: OpponentRow): readonly string[] {
  const { measures } = row;
  const share = (name: string) => plain(measures[name]);
  return [
    row.opponent,
    `${row.fits}/${row.sessions}`,
    String(Math.round(row.chars / 4)),
    within(measures["neededVisible"]),
    share("neededPlain"),
    share("neededRead2"),
    share("allVisible"),
    share("allRead1"),
    share("allRead2"),
    share("allLost"),
    share("userVisible"),
    share("artifactVisible"),
    share("updateVisible"),
    share("updateWrong"),
    share("absentSeen"),
    row.behindFirst ? span(row.behindFirst) : "",
  ];
}

/** Of the longest cascade: how early facts fare from compaction to compaction, and how well refs are found by other habits. */
function survivalText(settings: readonly SettingReport[]): readonly string[] {
  const longest = settings.filter(({ setting }) => setting.startsWith("cascade")).at(-1);
  const rows = longest?.rows.filter(({ survival }) => survival.length > 1) ?? [];
  const [first] = rows;
  if (!longest || !first) return [];
  const rounds = first.survival.map((_, at) => `x${at + 1}`);
  const byType = Object.entries(first.survivalByType);
  return [
    "",
    `${longest.setting}: of facts of the first quarter, the share visible after each compaction; the cliff is the first below half; found: ALL in two reads`,
    ...aligned([["opponent", ...rounds, "cliff", ...HABITS], ...rows.map(survivalCells)]),
    "",
    `${first.opponent}, the same by type of fact`,
    ...aligned([["type", ...rounds], ...byType.map(([type, curve]) => [type, ...curve.map(twoDigits)])]),
  ];
}

function survivalCells({ opponent, survival, cliff, found }: OpponentRow): readonly string[] {
  const byHabit = HABITS.map((habit) => found[habit]?.toFixed(2) ?? "–");
  return [opponent, ...survival.map(twoDigits), cliff === undefined ? "none" : String(cliff), ...byHabit];
}

function twoDigits(share: number): string {
  return share.toFixed(2);
}

const BILL_HEAD = [
  "policy",
  "bill $",
  "of none",
  "saved $",
  "summaries $",
  "cache hits",
  "of tokens",
  "missed",
  "mean",
  "peak",
  "compactions",
  "extra requests",
  "prefix lost",
  "needed kept",
  "$ per kept",
  "over window",
];

function billText({ bills, files }: Report): readonly string[] {
  const { vouchedFor, all, unvouched } = bills;
  const isVouched = (vouchedFor[0]?.sessions ?? 0) > 0;
  const title = isVouched
    ? `bill: ${vouchedFor[0]?.sessions} sessions whose recorded cache use the replay reproduces within 10 %`
    : "bill: the replay can vouch for none of these sessions; take this as a sketch";
  const rows = isVouched ? vouchedFor : all;
  if (files.length === 0) return [];
  return [
    "",
    title,
    ...aligned([BILL_HEAD, ...rows.map(billCells)]),
    ...(unvouched.length === 0 ? [] : ["", `cannot vouch for ${unvouched.length}:`]),
    ...unvouched.map(({ name, because }) => `  ${name.slice(0, 70)}: ${because}`),
  ];
}

function billCells(row: BillRow): readonly string[] {
  return [
    row.policy,
    row.usd.toFixed(2),
    within(row.share),
    row.netSavingUsd.toFixed(2),
    row.summariesUsd.toFixed(2),
    percent(row.cacheHitRate),
    percent(row.hitRateOfTokens),
    percent(row.missRateOfTokens),
    String(row.meanTokens),
    String(row.peakTokens),
    String(row.compactions),
    String(row.extraRequests),
    String(row.invalidatedTokens),
    `${row.neededKept}/${row.needed}`,
    row.usdPerNeededKept?.toFixed(4) ?? "",
    String(row.overWindow),
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Of the first setting: where a mean hides that one harness or one project is different. */
function groupText([first]: readonly SettingReport[]): readonly string[] {
  const ours = first?.rows[0];
  if (!first || !ours) return [];
  const rows = [...Object.entries(ours.byWire), ...Object.entries(ours.byRepository)].map(([name, group]) => [
    name,
    String(group.sessions),
    group.neededVisible?.toFixed(2) ?? "–",
    group.allRead2?.toFixed(2) ?? "–",
  ]);
  return [
    "",
    `${ours.opponent}, ${first.setting}, by wire and repository`,
    ...aligned([["", "sessions", "needed", "all +2"], ...rows]),
  ];
}

function plain(interval: Interval | undefined): string {
  return interval === undefined ? "–" : interval.mean.toFixed(2);
}

function within(interval: Interval | undefined): string {
  return interval === undefined
    ? "–"
    : `${interval.mean.toFixed(2)} ±${((interval.high - interval.low) / 2).toFixed(2)}`;
}

function span({ mean, low, high }: Interval): string {
  return `${signed(mean)} [${signed(low)} ${signed(high)}]`;
}

function signed(value: number): string {
  return `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}`;
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
}
