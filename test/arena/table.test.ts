/** The tables of the documents are the report, and nothing else. */
import { expect, test } from "vitest";
import { reportOf, runArena } from "../../arena/index.ts";
// @ts-expect-error: a script, without types
import { cheapestOther, tablesOf, withTables } from "../../scripts/arena-table.mjs";
import { EXAMPLE } from "../cli/run.ts";

const order = { sessions: EXAMPLE, cascades: [1, 3], budgets: [4000], workers: 1 };
const opponents = ["palimpsest", "nucleic", "pointerize", "tail", "full"];
const report = reportOf(await runArena({ ...order, opponents }));
const tables = tablesOf(report, "abc1234");

const cellsOf = (table: string, first: string): readonly string[] =>
  (table.split("\n").find((line) => line.startsWith(`| ${first} `)) ?? "")
    .split("|")
    .map((cell) => cell.trim());

test("every opponent has its row, with the numbers of the report", () => {
  for (const opponent of opponents) {
    const row = report.settings
      .find(({ setting }) => setting === "cascade 3")
      ?.rows.find((one) => one.opponent === opponent);
    const user = row?.measures["userVisible"]?.mean.toFixed(2);
    expect(cellsOf(tables.all, opponent)[5], opponent).toBe(user);
  }
  const ours = report.bills.all.find(({ policy }) => policy === "palimpsest");
  expect(ours?.usd).toBeGreaterThan(0);
  for (const table of Object.values<string>(tables)) {
    expect(table).toContain("at commit abc1234");
    expect(table).toContain("--policies 'palimpsest,nucleic,pointerize,tail,full'");
  }
});

test("a bill is compared with the cheapest that keeps the user's words, and with one that a provider would take", () => {
  const bill = (policy: string, usd: number, overWindow: number) => ({
    policy,
    usd,
    overWindow,
    sessions: 1,
  });
  const keeps = (opponent: string, mean: number) => ({ opponent, measures: { userVisible: { mean } } });
  const told = {
    settings: [{ setting: "cascade 3", rows: [keeps("a", 1), keeps("b", 0.9), keeps("c", 0.995)] }],
    bills: { vouchedFor: [bill("a", 9, 0), bill("b", 1, 0), bill("c", 5, 3), bill("none", 2, 0)] },
  };
  expect(cheapestOther(told, { isPossible: false }).policy).toBe("c");
  expect(cheapestOther(told, { isPossible: true }).policy).toBe("a");
});

test("a table goes between its comments, again and again, and nothing else changes", () => {
  const page = "before\n<!-- arena:all -->\nold $& text\n<!-- /arena:all -->\nbehind\n";
  const once = withTables(page, tables);
  expect(once).toBe(`before\n<!-- arena:all -->\n\n${tables.all}\n\n<!-- /arena:all -->\nbehind\n`);
  expect(withTables(once, tables)).toBe(once);
});
