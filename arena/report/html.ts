/** The report as one page that loads nothing: plots first, then every number. */
import { policyNames } from "palimpsest";
import { type ProbeSet, SETS } from "../probes/probe.ts";
import type { FileResult } from "../run-file.ts";
import { type Interval, meanOf } from "../statistics/bootstrap.ts";
import { type Bar, barPlot, dotPlot, htmlText, linePlot } from "./plots.ts";
import { STYLE } from "./style.ts";
import type { Report, SettingReport } from "./summary.ts";
import { reportText } from "./text.ts";

const OURS = policyNames[0];

export function reportHtml(report: Report): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>palimpsest arena</title><style>${STYLE}</style></head><body><main>
<h1>Arena</h1><p class="lead-in">${htmlText(aboutText(report))}</p>
<div class="plots">${plotsOf(report).join("")}</div>
<h2>Every number</h2><pre>${htmlText(reportText(report))}</pre>
</main></body></html>
`;
}

function aboutText({ sessions, settings, files }: Report): string {
  const wires = [...new Set(files.map(({ wire }) => wire))].sort().join(", ");
  const opponents = new Set(settings.flatMap(({ rows }) => rows.map(({ opponent }) => opponent))).size;
  const what = settings.map(({ setting }) => setting).join(", ");
  return `${sessions} ${sessions === 1 ? "session" : "sessions"} (${wires}), ${opponents} opponents; ${what}. Measured without a model: facts are mined from each session and looked for in what was left. Visible is necessary for a model to use a fact, not sufficient. Every value is a mean over sessions; whiskers are 95 % intervals from resampling sessions; those of ${OURS} are drawn thicker. Summaries that would be written by a model are written by the extractor.`;
}

function plotsOf(report: Report): readonly string[] {
  const fates = SETS.filter((set) => set !== "ABSENT").map((set) =>
    section(
      `What became of ${set}`,
      `${ABOUT[set]} ${BARS} ${askedText(report, set)}`,
      fatesPlot(report, set),
    ),
  );
  const cascade = longestCascade(report)?.setting ?? "";
  return [
    section(
      "Survival over compactions",
      `${SURVIVAL} ${cascade}, ${sessionsIn(report)}.`,
      survivalPlot(report),
    ),
    section("Needed facts at the same size", BUDGETS, budgetPlot(report)),
    section("Bill against facts kept", `${FRONTIER} ${vouchText(report)}`, frontierPlot(report)),
    section("Context over a session", contextTitle(report), contextPlot(report)),
    ...fates,
  ];
}

const SURVIVAL = "Of the facts of the first quarter, the share still visible after each compaction;";
const BUDGETS =
  "Facts the agent wrote after the cut before they were shown again, visible with a word of their source on the same line, by budget in tokens (characters / 4). Only opponents that kept to every budget in some session.";
const FRONTIER =
  "Share of needed facts still in the context when they were needed, against the bill as a share of the bill without any policy. Up and to the left is better.";
const BARS = "After the longest cascade.";
const ABOUT: Readonly<Record<ProbeSet, string>> = {
  ALL: "Facts of every kind: files, errors, commands, numbers, references, names, directives, decisions, updates.",
  NEEDED: "What the agent wrote after the cut before any tool or user showed it again.",
  USER: "What the user told it to do or not to do.",
  ARTIFACT: "Files it changed.",
  UPDATE: "Values that replaced others: the latest must be seen, a stale one must not be stated.",
  ABSENT: "Mutated facts nobody ever said.",
};

function sessionsIn(report: Report): string {
  const count = longestCascade(report)?.rows[0]?.sessions ?? 0;
  return count === 1 ? "1 session" : `${count} sessions`;
}

/** How many were asked, of how many sessions. */
function askedText(report: Report, set: ProbeSet): string {
  const setting = longestCascade(report);
  const [first] = setting?.rows ?? [];
  const asked = report.files.flatMap(({ scores }) =>
    scores
      .filter((score) => score.opponent === first?.opponent && score.setting === setting?.setting)
      .map(({ tallies }) => tallies[set].probes),
  );
  const some = asked.filter((probes) => probes > 0);
  return `${some.reduce((sum, probes) => sum + probes, 0)} probes of ${some.length} sessions.`;
}

function section(title: string, text: string, plot: string): string {
  return plot === "" ? "" : `<section><h2>${htmlText(title)}</h2><p>${htmlText(text)}</p>${plot}</section>`;
}

function longestCascade({ settings }: Report): SettingReport | undefined {
  const cascades = settings.filter(({ setting }) => setting.startsWith("cascade"));
  return cascades.toSorted((a, b) => Number(b.setting.slice(8)) - Number(a.setting.slice(8)))[0];
}

function survivalPlot(report: Report): string {
  const rows = longestCascade(report)?.rows.filter(({ survival }) => survival.length > 1) ?? [];
  if (rows.length === 0) return "";
  const series = rows.map(({ opponent, survival }) => ({
    name: opponent,
    values: survival,
    isOurs: opponent === OURS,
  }));
  return linePlot(series, { x: "compactions", y: "visible", isShare: true, tick: (at) => String(at + 1) });
}

function budgetPlot({ settings }: Report): string {
  const budgets = settings.filter(({ setting }) => setting.startsWith("budget"));
  const names = [...new Set(budgets.flatMap(({ rows }) => rows.map(({ opponent }) => opponent)))];
  const series = names
    .map((name) => ({
      name,
      isOurs: name === OURS,
      spans: intervalsOf(budgets, name),
      values: intervalsOf(budgets, name).map(({ mean }) => mean),
    }))
    .filter(({ values }) => values.length === budgets.length);
  if (budgets.length < 2 || series.length === 0) return "";
  return linePlot(series, {
    x: "budget",
    y: "needed, anchored",
    isShare: true,
    tick: (at) => budgets[at]?.setting.slice(7) ?? "",
  });
}

function intervalsOf(settings: readonly SettingReport[], name: string): readonly Interval[] {
  return settings.flatMap(
    ({ rows }) => rows.find(({ opponent }) => opponent === name)?.measures["neededVisible"] ?? [],
  );
}

const KINDS: Readonly<Record<string, readonly string[]>> = {
  visible: ["visible"],
  read1: ["read1"],
  read2: ["read2"],
  read3: ["read3"],
  bare: ["bare"],
  stored: ["stored"],
  lost: ["lost"],
  wrong: ["wrong"],
};

function fatesPlot(report: Report, set: ProbeSet): string {
  const setting = longestCascade(report)?.setting;
  const names = longestCascade(report)?.rows.map(({ opponent }) => opponent) ?? [];
  const bars = names.map((name): Bar => {
    const tallies = report.files.flatMap(({ scores }) =>
      scores
        .filter((score) => score.opponent === name && score.setting === setting)
        .map(({ tallies }) => tallies[set]),
    );
    const asked = tallies.filter(({ probes }) => probes > 0);
    if (asked.length === 0) return { name, parts: [] };
    const share = (fates: readonly string[]) =>
      meanOf(
        asked.map(
          ({ fates: counts, probes }) =>
            fates.reduce((sum, fate) => sum + counts[fate as keyof typeof counts], 0) / probes,
        ),
      );
    return { name, parts: Object.entries(KINDS).map(([kind, fates]) => ({ kind, share: share(fates) })) };
  });
  const isAsked = bars.some(({ parts }) => parts.length > 0);
  return isAsked ? `${FATE_LEGEND}${barPlot(bars)}` : "";
}

const FATE_WORDS: Readonly<Record<string, string>> = {
  visible: "visible",
  read1: "found in 1 read",
  read2: "2 reads",
  read3: "3 reads",
  bare: "bare",
  stored: "stored, not found",
  lost: "lost",
  wrong: "wrong",
};

const FATE_LEGEND = `<p class="legend">${Object.entries(FATE_WORDS)
  .map(
    ([kind, word]) =>
      `<span><svg width="10" height="10"><rect class="${kind}" width="10" height="10"/></svg> ${word}</span>`,
  )
  .join(" ")}</p>`;

function vouchText({ bills }: Report): string {
  const vouched = bills.vouchedFor[0]?.sessions ?? 0;
  return vouched > 0
    ? `${vouched} sessions whose recorded cache use the replay reproduces within 10 %.`
    : "The replay can vouch for none of these sessions: a sketch.";
}

function frontierPlot({ bills }: Report): string {
  const rows = (bills.vouchedFor[0]?.sessions ?? 0) > 0 ? bills.vouchedFor : bills.all;
  const dots = rows
    .filter(({ needed }) => needed > 0)
    .map(({ policy, share, neededKept, needed }) => ({
      name: policy,
      x: share?.mean ?? 0,
      y: neededKept / needed,
      span: share,
      isOurs: policy === OURS,
    }));
  const ordered = dots.toSorted((a, b) => Number(b.isOurs) - Number(a.isOurs));
  return dots.length === 0
    ? ""
    : dotPlot(ordered, { x: "bill as a share of the bill without a policy", y: "needed facts in sight" });
}

/** The session with the most requests shows most. */
function longest({ files }: Report): FileResult | undefined {
  const requests = ({ replay }: FileResult) => replay.bills[0]?.requests ?? 0;
  return files.toSorted((a, b) => requests(b) - requests(a))[0];
}

function contextTitle(report: Report): string {
  const file = longest(report);
  return file
    ? `${file.name}: tokens of each request from the first to the last, window ${file.replay.windowTokens}.`
    : "";
}

function contextPlot(report: Report): string {
  const bills = longest(report)?.replay.bills ?? [];
  if (bills.every(({ sizes }) => sizes.length < 2)) return "";
  // Ours first, so that it has the same colour in every plot.
  const series = bills
    .map(({ policy, sizes }) => ({ name: policy, values: sizes, isOurs: policy === OURS }))
    .toSorted((a, b) => Number(b.isOurs) - Number(a.isOurs));
  return linePlot(series, { x: "requests, first to last", y: "tokens" });
}
