/** The report as one page that loads nothing: plots first, then every number. */
import { policyNames } from "palimpsest";
import { type ProbeSet, SETS } from "../probes/probe.ts";
import type { FileResult } from "../run-file.ts";
import { meanOf } from "../statistics/bootstrap.ts";
import { type Bar, barPlot, dotPlot, htmlText, linePlot } from "./plots.ts";
import type { Report, SettingReport } from "./summary.ts";
import { reportText } from "./text.ts";

const OURS = policyNames[0];

export function reportHtml(report: Report): string {
  const settings = report.settings.map(({ setting }) => htmlText(setting)).join(", ");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>palimpsest arena</title><style>${STYLE}</style></head><body><main>
<h1>Arena</h1><p>${report.sessions} sessions, ${settings}. Measured without a model; means over sessions.</p>
<div class="plots">${plotsOf(report).join("")}</div>
<h2>Every number</h2><pre>${htmlText(reportText(report))}</pre>
</main></body></html>
`;
}

function plotsOf(report: Report): readonly string[] {
  const fates = SETS.filter((set) => set !== "ABSENT").map((set) =>
    section(`What became of ${set}`, BARS, fatesPlot(report, set)),
  );
  return [
    section("Survival over compactions", SURVIVAL, survivalPlot(report)),
    section("Needed facts at the same size", BUDGETS, budgetPlot(report)),
    ...fates,
    section("Bill against facts kept", `${FRONTIER} ${vouchText(report)}`, frontierPlot(report)),
    section("Context over a session", contextTitle(report), contextPlot(report)),
  ];
}

const SURVIVAL = "Of the facts of the first quarter, the share still visible after each compaction.";
const BUDGETS =
  "Facts the agent wrote after the cut, visible with an anchor on the same line, by budget (characters / 4).";
const FRONTIER =
  "Share of needed facts still in the context when they were needed, against the bill as a share of the bill without any policy. Up and to the left is better.";
const BARS =
  "After the longest cascade: visible, found in one, two or three reads, bare, stored but not found, lost, wrong.";

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
      values: budgets.flatMap(
        ({ rows }) => rows.find(({ opponent }) => opponent === name)?.measures["neededVisible"]?.mean ?? [],
      ),
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
    const share = (fates: readonly string[]) =>
      meanOf(
        asked.map(
          ({ fates: counts, probes }) =>
            fates.reduce((sum, fate) => sum + counts[fate as keyof typeof counts], 0) / probes,
        ),
      );
    return { name, parts: Object.entries(KINDS).map(([kind, fates]) => ({ kind, share: share(fates) })) };
  });
  return bars.length === 0 ? "" : barPlot(bars);
}

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
      isOurs: policy === OURS,
    }));
  const ordered = dots.toSorted((a, b) => Number(b.isOurs) - Number(a.isOurs));
  return dots.length === 0 ? "" : dotPlot(ordered, { x: "bill, of none", y: "needed facts in sight" });
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

const STYLE = `
:root{color-scheme:light dark;--ink:#1f2328;--soft:#6b7280;--line:#e5e7eb;--paper:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--soft:#9aa3af;--line:#333a44;--paper:#14171b}}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1240px;margin:0 auto;padding:24px}h1{margin:0}h2{font-size:16px;margin:0}p{margin:4px 0 10px;color:var(--soft);font-size:13px}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(560px,1fr));gap:28px 32px;margin:20px 0}
svg{max-width:100%;height:auto}pre{overflow-x:auto;font-size:11px;line-height:1.4;border-top:1px solid var(--line);padding-top:12px}
.grid{stroke:var(--line)}.tick,.axis{fill:var(--soft);font-size:10px}.label{font-size:11px}.name{fill:var(--ink);font-size:11px}
.line{fill:none;stroke-width:1.5}.line.ours{stroke-width:3.5}
${[
  "#0b7a53",
  "#b45309",
  "#1d4ed8",
  "#be185d",
  "#6d28d9",
  "#0e7490",
  "#a16207",
  "#b91c1c",
  "#4b5563",
  "#4d7c0f",
]
  .map((color, at) => `polyline.s${at}{stroke:${color}}circle.s${at},text.s${at}{fill:${color}}`)
  .join("")}
rect.visible{fill:#0b7a53}rect.read1{fill:#3fa57c}rect.read2{fill:#7cc6a6}rect.read3{fill:#b5e0cd}rect.bare{fill:#d8c27a}rect.stored{fill:#d1d5db}rect.lost{fill:#6b7280}rect.wrong{fill:#b91c1c}
`;
