/** `palimpsest sessions`: what the store holds, and ending one. */
import { existsSync } from "node:fs";
import type { SessionRow } from "../store/store.ts";
import { shorten } from "../transcript/describe.ts";
import { parseWords, usageError } from "./arguments.ts";
import { STORE_HELP, STORE_OPTION, storePath, withExistingStore, withStore } from "./home.ts";
import { colorsFor, EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";
import { newestFirst, sessionNamed } from "./session-argument.ts";
import { count, plural, table } from "./table.ts";

const HELP = `palimpsest sessions [--end ID] [--store DIR] [--json]

The sessions in the store, the one used last first: when, how many compactions and refs,
how much is kept, and what it was about.

  --end ID        end this session: its grace period begins, after which "palimpsest gc"
                  may remove it. Used again, it lives again.
${STORE_HELP}
  --json          the same as data

Examples
  palimpsest sessions
  palimpsest sessions --json | jq -r '.[0].id'
  palimpsest sessions --end 3f2a91
`;

const OPTIONS = { ...STORE_OPTION, end: { type: "string" }, json: { type: "boolean" } } as const;

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "sessions");
  if (positionals.length > 0) throw usageError(`"${positionals[0]}" is not understood here.`, "sessions");
  const path = storePath(io, values.store);
  if (values.end !== undefined) return endOne(path, values.end, { io, isJson: values.json === true });
  const rows = existsSync(path) ? newestFirst(await withStore(path, (store) => store.sessions())) : [];
  if (values.json) io.out(`${JSON.stringify(rows, null, 2)}\n`);
  else if (rows.length === 0) io.out(`No session is kept in ${path} yet; "palimpsest compact" keeps one.\n`);
  else io.out(`${sessionLines(rows, io).join("\n")}\n`);
  return EXIT.done;
}

async function endOne(
  path: string,
  name: string,
  { io, isJson }: { readonly io: Io; readonly isJson: boolean },
): Promise<number> {
  const row = await withExistingStore(path, async (store) => {
    const { id } = await sessionNamed(store, name);
    await store.endSession(id, Date.now());
    return sessionNamed(store, id);
  });
  const said = `${shorten(row.id)} ended: its grace period begins, and "palimpsest gc" may remove it after that.`;
  io.out(isJson ? `${JSON.stringify([row], null, 2)}\n` : `${said}\n`);
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
