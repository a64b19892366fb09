/** `palimpsest sessions`: what the store holds. */
import { existsSync } from "node:fs";
import type { SessionRow } from "../store/store.ts";
import { shorten } from "../transcript/describe.ts";
import { parseWords, usageError } from "./arguments.ts";
import { STORE_HELP, STORE_OPTION, storePath, withStore } from "./home.ts";
import { colorsFor, EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";
import { newestFirst } from "./session-argument.ts";
import { count, plural, table } from "./table.ts";

const HELP = `palimpsest sessions [--store DIR] [--json]

The sessions in the store, the one used last first: when, how many compactions and refs,
how much is kept, and what it was about.

${STORE_HELP}
  --json          the same as data

Examples
  palimpsest sessions
  palimpsest sessions --json | jq -r '.[0].id'
`;

const OPTIONS = { ...STORE_OPTION, json: { type: "boolean" } } as const;

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "sessions");
  if (positionals.length > 0) throw usageError(`"${positionals[0]}" is not understood here.`, "sessions");
  const path = storePath(io, values.store);
  const rows = existsSync(path) ? newestFirst(await withStore(path, (store) => store.sessions())) : [];
  if (values.json) io.out(`${JSON.stringify(rows, null, 2)}\n`);
  else if (rows.length === 0) io.out(`No session is kept in ${path} yet; "palimpsest compact" keeps one.\n`);
  else io.out(`${sessionLines(rows, io).join("\n")}\n`);
  return EXIT.done;
}

function sessionLines(rows: readonly SessionRow[], io: Io): readonly string[] {
  const colors = colorsFor(io);
  const cells = rows.map((row) => [
    shorten(row.id, 48),
    when(row.usedAt),
    plural(row.compactions, "compaction"),
    plural(row.refs, "ref"),
    `${count(row.bytes)} B`,
    [row.endedAt === undefined ? "" : "ended", shorten(row.title ?? row.cwd ?? "", 40)]
      .filter((word) => word !== "")
      .join(", "),
  ]);
  return table(cells, [
    { align: "left", style: colors.bold },
    { align: "left" },
    { align: "right" },
    { align: "right" },
    { align: "right" },
    { align: "left", style: colors.dim },
  ]);
}

/** To the minute, in UTC: the same store reads the same everywhere. */
function when(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}

export const sessions: Command = {
  name: "sessions",
  summary: "the sessions in the store",
  help: HELP,
  run,
};
