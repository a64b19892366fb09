/** OpenCode's 60/40 as the seed's table has it: a row for each long session, arms beside each other. */
import type { ExperimentRow } from "./experiment-row.ts";

export function splitText(all: readonly ExperimentRow[]): readonly string[] {
  const rows = all.filter(({ experiment }) => experiment === "60/40");
  const [first] = rows;
  if (!first) return [];
  const width = Math.max(...Object.keys(first.byFixture).map(({ length }) => length)) + 2;
  const columns = [...new Set(rows.map(({ compactions }) => compactions))];
  const variants = [...new Set(rows.map(({ variant }) => variant))];
  const cell = (variant: string, compactions: number, fixture: string) => {
    const row = rows.find((one) => one.variant === variant && one.compactions === compactions);
    return `${share(row?.visibleByFixture[fixture])} → ${share(row?.byFixture[fixture])}`;
  };
  const lines = Object.keys(first.byFixture).flatMap((fixture) =>
    variants.map((variant, at) =>
      [
        (at === 0 ? fixture : "").padEnd(width),
        variant.padEnd(24),
        ...columns.map((compactions) => cell(variant, compactions, fixture)),
      ].join("  "),
    ),
  );
  const heads = ["session".padEnd(width), "arm".padEnd(24), ...columns.map((at) => `x${at}`.padEnd(11))];
  return ["", TITLE, heads.join("  ").trimEnd(), ...lines];
}

const TITLE =
  "OpenCode's 60/40, the four long sessions: the oldest 60 % compacted, the recent 40 % preserved, or nothing; in sight → answered";

function share(value: number | undefined): string {
  return value?.toFixed(2) ?? "–";
}
