/** `palimpsest gc`: removes what may go. Nothing a live ledger names ever may. */
import { existsSync } from "node:fs";
import type { Collected } from "../store/store.ts";
import { shorten } from "../transcript/describe.ts";
import { parseWords, usageError, wholeNumber } from "./arguments.ts";
import { STORE_HELP, STORE_OPTION, storePath, withStore } from "./home.ts";
import { EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";
import { count, plural } from "./table.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const GRACE_DAYS = 30;

const HELP = `palimpsest gc [--dry-run] [--grace DAYS] [--unused DAYS] [--max-bytes N] [--store DIR] [--json]

Removes sessions that ended longer ago than the grace period, and the originals only they
had. A session that has not ended loses nothing, whatever its age or size. Hosts end their
sessions; one made by "palimpsest compact" is ended with "palimpsest sessions --end ID", or
counts as ended once it was not used for as long as --unused says.

  --dry-run       say what would go, and leave it
  --grace DAYS    days after the end of a session (default: ${GRACE_DAYS})
  --unused DAYS   a session nobody used for so many days counts as ended at its last use
  --max-bytes N   ended sessions go too, the oldest first, until no more than N bytes are kept
${STORE_HELP}
  --json          { sessions, blobs, bytes, isDryRun }

Examples
  palimpsest gc --dry-run
  palimpsest gc --grace 7 --max-bytes 500m
  palimpsest gc --unused 90 --dry-run
`;

const OPTIONS = {
  ...STORE_OPTION,
  "dry-run": { type: "boolean" },
  grace: { type: "string" },
  unused: { type: "string" },
  "max-bytes": { type: "string" },
  json: { type: "boolean" },
} as const;

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "gc");
  if (positionals.length > 0) throw usageError(`"${positionals[0]}" is not understood here.`, "gc");
  const isDryRun = values["dry-run"] === true;
  const days = values.grace === undefined ? GRACE_DAYS : wholeNumber(values.grace, "--grace", "gc");
  const { unused } = values;
  const maxBytes = values["max-bytes"];
  const options = {
    now: Date.now(),
    graceMs: days * DAY_MS,
    ...(unused === undefined ? {} : { unusedMs: wholeNumber(unused, "--unused", "gc") * DAY_MS }),
    isDryRun,
    ...(maxBytes === undefined ? {} : { maxBytes: wholeNumber(maxBytes, "--max-bytes", "gc") }),
  };
  const path = storePath(io, values.store);
  const nothing: Collected = { sessions: [], blobs: 0, bytes: 0 };
  const gone = existsSync(path) ? await withStore(path, (store) => store.collect(options)) : nothing;
  io.out(values.json ? `${JSON.stringify({ ...gone, isDryRun }, null, 2)}\n` : said(gone, isDryRun));
  return EXIT.done;
}

function said({ sessions, blobs, bytes }: Collected, isDryRun: boolean): string {
  if (sessions.length === 0 && blobs === 0)
    return "Nothing may go: no session ended longer ago than the grace period.\n";
  const verb = isDryRun ? "would go" : "gone";
  const what = `${plural(sessions.length, "session")}, ${plural(blobs, "original")}, ${count(bytes)} bytes`;
  return [`${what} ${verb}.`, ...sessions.map((id) => `  ${shorten(id)}`), ""].join("\n");
}

export const gc: Command = {
  name: "gc",
  summary: "removes ended sessions after their grace period",
  help: HELP,
  run,
};
