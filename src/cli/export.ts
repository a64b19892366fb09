/** `palimpsest export <session>`: everything the store has of one session, as JSON lines. */
import { shorten } from "../transcript/describe.ts";
import { parseWords } from "./arguments.ts";
import { STORE_HELP, STORE_OPTION, storePath, withExistingStore } from "./home.ts";
import { EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";
import { sessionMeant } from "./own-pages.ts";
import { oneWord } from "./session-argument.ts";
import { plural } from "./table.ts";
import { writeOut } from "./write-out.ts";

const HELP = `palimpsest export <session> [-o F] [--store DIR] [--json]

Everything the store has of one session: its facts, its ledger and every original, as plain
JSON lines that can be read without us.

  <session>       its name in the store, or a file of it
  -o, --out F     where to write it; standard output otherwise
${STORE_HELP}
  --json          with -o: { session, lines, out }; without it the lines are JSON anyway

Examples
  palimpsest export 3f2c9a1e -o session.jsonl
  palimpsest export 3f2c9a1e | jq -r .kind | sort | uniq -c
`;

const OPTIONS = {
  ...STORE_OPTION,
  out: { type: "string", short: "o" },
  json: { type: "boolean" },
} as const;

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "export");
  const word = oneWord(positionals, "export");
  const { out } = values;
  return withExistingStore(storePath(io, values.store), async (store) => {
    const { id } = await sessionMeant(word, store, io);
    if (out === undefined || out === "-") {
      for await (const line of store.exportSession(id)) io.out(ended(line));
      return EXIT.done;
    }
    const lines = await writeLines(out, store.exportSession(id));
    const said = `${out}: ${plural(lines, "line")} of session ${shorten(id)}.\n`;
    io.out(values.json ? `${JSON.stringify({ session: id, lines, out }, null, 2)}\n` : said);
    return EXIT.done;
  });
}

async function writeLines(out: string, lines: AsyncIterable<string>): Promise<number> {
  let count = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const line of lines) {
      count += 1;
      yield Buffer.from(ended(line));
    }
  }
  await writeOut(out, chunks());
  return count;
}

function ended(line: string): string {
  return line.endsWith("\n") ? line : `${line}\n`;
}

export const exportCommand: Command = {
  name: "export",
  summary: "everything the store has of one session, as JSON lines",
  help: HELP,
  run,
};
