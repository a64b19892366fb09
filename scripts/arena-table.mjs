/**
 * The tables of docs/arena.md and README.md, from a report of the arena:
 *
 *   node dist/cli/bin.js arena --sessions '../shared/transcripts/**' --cascade 1,3,10 --json > report.json
 *   node scripts/arena-table.mjs report.json --write
 *
 * `--commit C` says which code was measured (else the one checked out), `--only targets,all,readme` which tables are meant. Under
 * each stands what was run. Without `--write` it prints them. Each stands between two comments, `<!-- arena:NAME -->` and `<!-- /arena:NAME -->`. Nothing is
 * measured here and nothing is remembered: every number is one of the report.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const PAGES = ["../docs/arena.md", "../README.md"];
const OURS = "palimpsest";
/** Who keeps fewer of the user's words saves at the user's cost, and is no measure of a bill. */
const USER_KEPT = 0.99;
const IN_README = [
  "claude-code",
  "opencode-v2",
  "codex-local",
  "pi",
  "anthropic-clear-tools",
  "tail",
  "full",
];

/** The tables by their name in the comments. */
export function tablesOf(report, commit) {
  const measured = measuredLine(report, commit);
  const tables = { targets: targetTable(report), all: opponentTable(report), readme: readmeTable(report) };
  return Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, `${table}\n\n${measured}`]));
}

function measuredLine({ order, sessions, missing }, commit) {
  const { opponents, cascades } = order;
  const only = opponents === undefined ? "" : ` --policies '${opponents.join(",")}'`;
  const without = missing.length === 0 ? "" : `; not installed: ${missing.join(", ")}`;
  return `\`palimpsest arena --sessions '${order.sessions}' --cascade ${cascades.join(",")}${only}\`, ${sessions} sessions, at commit ${commit}${without}.`;
}

/** The page with every table it has a place for. */
export function withTables(page, tables) {
  return Object.entries(tables).reduce((text, [name, table]) => {
    const place = new RegExp(`(<!-- arena:${name} -->\n)[^]*?(<!-- /arena:${name} -->)`);
    return text.replace(place, (_, start, end) => `${start}\n${table}\n\n${end}`);
  }, page);
}

/** The cheapest other policy that keeps the user's words; where `isPossible`, only such as kept to the window. */
export function cheapestOther(report, { isPossible }) {
  const kept = new Set(
    rowsOf(report, userSetting(report))
      .filter(({ measures }) => (measures.userVisible?.mean ?? 0) >= USER_KEPT)
      .map(({ opponent }) => opponent),
  );
  return report.bills.vouchedFor
    .filter(({ policy }) => policy !== OURS && policy !== "none" && kept.has(policy))
    .filter(({ overWindow, sessions }) => sessions > 0 && (!isPossible || overWindow === 0))
    .sort((a, b) => a.usd - b.usd)[0];
}

/** Bills are made at the window of three compactions. */
function userSetting({ settings }) {
  const cascades = settings.map(({ setting }) => setting).filter((setting) => setting.startsWith("cascade"));
  return cascades.includes("cascade 3") ? "cascade 3" : cascades.at(-1);
}

function targetTable(report) {
  return aligned([
    ["target", "wanted", "measured"],
    ["---", "---:", "---"],
    ["WRONG; ABSENT", "0; 0", worst(report, ["updateWrong", "absentSeen"], Math.max)],
    [
      "USER visible; files changed visible",
      "100 %; 100 %",
      worst(report, ["userVisible", "artifactVisible"], Math.min),
    ],
    [`ALL found in two reads, k = ${cascadesOf(report)}`, "≥ 0.99", cascaded(report, OURS, "allRead2", 3)],
    ["NEEDED anchored at 4k", "≥ 0.62", budgeted(report, 4_000)],
    ["NEEDED anchored at 16k", "≥ 0.80", budgeted(report, 16_000)],
    ["later-used facts at native size, plain; anchored", "≥ 0.80; ≥ 0.65", nativeCell(report)],
    ["bill, of the cheapest other that keeps USER ≥ 99 %", "≤ 0.8", billCell(report)],
    ["cache hit rate", "≥ 95 %", cacheCell(report)],
  ]);
}

/** Over all settings the worst. Sizes below what fits are told by their own rows. */
function worst(report, names, pick) {
  return names
    .map((name) => {
      const means = report.settings
        .filter(({ setting }) => setting.startsWith("cascade"))
        .flatMap(({ setting }) => rowOf(report, setting, OURS)?.measures[name]?.mean ?? []);
      return means.length === 0 ? "–" : short(pick(...means));
    })
    .join("; ");
}

function budgeted(report, budget) {
  const setting = `budget ${budget}`;
  const cell = (opponent) => `${opponent} ${fitted(rowOf(report, setting, opponent), "neededVisible")}`;
  const ceiling = rowOf(report, setting, "full")?.neededOverall?.mean;
  return [
    fitted(rowOf(report, setting, OURS), "neededVisible"),
    cell("tail"),
    `full context at these cuts ${share(ceiling)}`,
  ].join("; ");
}

function nativeCell(report) {
  const both = (row) =>
    `${share(row?.measures.neededPlain?.mean)}; ${share(row?.measures.neededVisible?.mean)}`;
  const rows = rowsOf(report, "native size");
  const ours = rows.find(({ opponent }) => opponent === OURS);
  const native = rows.filter(({ kind }) => kind === "native");
  const others = native.map((row) => `${row.opponent} ${both(row)}`);
  return [`${both(ours)} (fits ${ours?.fits ?? 0} of ${ours?.sessions ?? 0})`, ...others].join(" · ");
}

function billCell(report) {
  const bills = report.bills.vouchedFor;
  const ours = bills.find(({ policy }) => policy === OURS);
  const none = bills.find(({ policy }) => policy === "none");
  const against = (other) =>
    other && `${share(ours.usd / other.usd, 3)} × \`${other.policy}\` (${usd(other)})`;
  if (!ours || ours.sessions === 0) return "–";
  const [any, possible] = [false, true].map((isPossible) => cheapestOther(report, { isPossible }));
  const refused =
    any && any.overWindow > 0 ? `, ${any.overWindow} of whose requests are larger than the window` : "";
  const rest = possible && possible !== any ? `; ${against(possible)}, the cheapest that kept to it` : "";
  const saved = none ? `; ${share(ours.usd / none.usd)} of \`none\`` : "";
  return `${against(any) ?? "–"}${refused}${rest}${saved}. Ours ${usd(ours)}, ${ours.sessions} vouched sessions`;
}

function cacheCell({ bills: { vouchedFor } }) {
  const cell = (name) => {
    const row = vouchedFor.find(({ policy }) => policy === name);
    return row
      ? `${percent(row.hitRateOfTokens)} of all tokens, ${percent(row.cacheHitRate)} as a mean over sessions`
      : "–";
  };
  return `${cell(OURS)} (\`none\`: ${cell("none")})`;
}

function opponentTable(report) {
  const budgets = settingsOf(report, "budget");
  const natives = settingsOf(report, "native");
  const last = settingsOf(report, "cascade").at(-1);
  const names = [...new Set(report.settings.flatMap(({ rows }) => rows.map(({ opponent }) => opponent)))];
  const head = [
    "opponent",
    ...budgets.map((setting) => `NEEDED at ${Number(setting.split(" ")[1]) / 1_000}k`),
    `NEEDED, k = ${cascadesOf(report)}`,
    `ALL in two reads, k = ${cascadesOf(report)}`,
    ...["USER", "files changed", "wrong / absent"],
    ...natives.map(() => "native size, plain / anchored"),
    ...["bill of none", "bill $", "over window", "cache hits"],
  ];
  const cells = (name) => {
    const at = (measure) => rowOf(report, last, name)?.measures[measure]?.mean;
    const bill = report.bills.vouchedFor.find(({ policy, sessions }) => policy === name && sessions > 0);
    return [
      name,
      ...budgets.map((setting) => fitted(rowOf(report, setting, name), "neededVisible")),
      cascaded(report, name, "neededVisible"),
      cascaded(report, name, "allRead2"),
      ...[share(at("userVisible")), share(at("artifactVisible"))],
      `${share(at("updateWrong"))} / ${share(at("absentSeen"))}`,
      ...natives.map((setting) => nativeOf(rowOf(report, setting, name))),
      ...(bill
        ? [within(bill.share), bill.usd.toFixed(2), String(bill.overWindow), percent(bill.hitRateOfTokens)]
        : ["–", "–", "–", "–"]),
    ];
  };
  return aligned([head, head.map((_, column) => (column === 0 ? "---" : "---:")), ...names.map(cells)]);
}

function readmeTable(report) {
  const last = settingsOf(report, "cascade").at(-1);
  const head = [
    ...["opponent", "needed facts in sight at 4k", "at 16k"],
    `all facts found in two reads after ${cascadesOf(report)} compactions`,
    `the user's instructions in sight after ${last?.split(" ")[1] ?? "0"}`,
    "bill, of none",
  ];
  const cells = (name) => [
    name,
    ...[4_000, 16_000].map((budget) => fitted(rowOf(report, `budget ${budget}`, name), "neededVisible")),
    cascaded(report, name, "allRead2"),
    share(rowOf(report, last, name)?.measures.userVisible?.mean),
    within(report.bills.vouchedFor.find(({ policy, sessions }) => policy === name && sessions > 0)?.share),
  ];
  const names = [OURS, ...IN_README].filter((name) => rowOf(report, last, name));
  return aligned([head, head.map((_, column) => (column === 0 ? "---" : "---:")), ...names.map(cells)]);
}

function settingsOf({ settings }, kind) {
  return settings.map(({ setting }) => setting).filter((setting) => setting.startsWith(kind));
}

function rowsOf({ settings }, wanted) {
  return settings.find(({ setting }) => setting === wanted)?.rows ?? [];
}

function rowOf(report, setting, wanted) {
  return rowsOf(report, setting).find(({ opponent }) => opponent === wanted);
}

function cascadesOf(report) {
  return settingsOf(report, "cascade")
    .map((setting) => setting.split(" ")[1])
    .join(" / ");
}

function cascaded(report, name, measure, digits = 2) {
  return settingsOf(report, "cascade")
    .map((setting) => share(rowOf(report, setting, name)?.measures[measure]?.mean, digits))
    .join(" / ");
}

function fitted(row, measure) {
  return row ? `${share(row.measures[measure]?.mean)} (${row.fits} of ${row.sessions})` : "–";
}

function nativeOf(row) {
  if (!row) return "–";
  const { neededPlain, neededVisible } = row.measures;
  return `${share(neededPlain?.mean)} / ${share(neededVisible?.mean)} (${row.fits} of ${row.sessions})`;
}

/** Never better than it is: 0.9996 is not 1. */
function short(value) {
  return value === 0 || value === 1 ? String(value) : value.toFixed(4);
}

function share(value, digits = 2) {
  return value === undefined ? "–" : value.toFixed(digits);
}

function within(interval) {
  if (!interval) return "–";
  return `${share(interval.mean)} ± ${share((interval.high - interval.low) / 2)}`;
}

function percent(value) {
  return `${(value * 100).toFixed(1)} %`;
}

function usd({ usd: value }) {
  return `$${value.toFixed(2)}`;
}

/** As the formatter would: columns as wide as their widest cell. */
function aligned(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const isRight = rows[1].map((cell) => cell.endsWith(":"));
  const cell = (text, column) => {
    if (text === "---") return "-".repeat(widths[column]);
    if (text === "---:") return `${"-".repeat(widths[column] - 1)}:`;
    return isRight[column] ? text.padStart(widths[column]) : text.padEnd(widths[column]);
  };
  return rows.map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");
}

function main(words) {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: { write: { type: "boolean" }, only: { type: "string" }, commit: { type: "string" } },
  });
  const [file] = positionals;
  if (file === undefined)
    throw new Error("Usage: node scripts/arena-table.mjs report.json [--write] [--only NAMES] [--commit C]");
  const head = () => execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const made = tablesOf(JSON.parse(readFileSync(file, "utf8")), values.commit ?? head());
  const names = values.only?.split(",") ?? Object.keys(made);
  const tables = Object.fromEntries(names.map((name) => [name, made[name]]));
  if (values.write !== true) return process.stdout.write(`${Object.values(tables).join("\n\n")}\n`);
  for (const page of PAGES.map((path) => resolve(import.meta.dirname, path)))
    writeFileSync(page, withTables(readFileSync(page, "utf8"), tables));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main(process.argv.slice(2));
