/** `palimpsest restore <session> -o F`: the original session file, byte for byte, proven by its hash. */
import { createHash } from "node:crypto";
import { PalimpsestError } from "../errors.ts";
import type { Store, StoredSource } from "../store/store.ts";
import { shorten } from "../transcript/describe.ts";
import { parseWords, usageError } from "./arguments.ts";
import { STORE_HELP, STORE_OPTION, storePath, withExistingStore } from "./home.ts";
import { EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";
import { originOf, sessionMeant } from "./own-pages.ts";
import { isFileWord, oneWord } from "./session-argument.ts";
import { count } from "./table.ts";
import { writeOut } from "./write-out.ts";

const HELP = `palimpsest restore <session> -o F [--store DIR] [--json]

The original session file as it was before the first compaction, byte for byte. What is
written is hashed on the way; a file whose hash is not that of the original is not left behind.

  <session>       its name in the store ("palimpsest sessions" lists them), or a file of it,
                  such as the one "compact -o" wrote
  -o, --out F     where to write it; - is standard output
${STORE_HELP}
  --json          { session, wire, bytes, sha256, out }

Examples
  palimpsest restore 3f2c9a1e -o session.jsonl
  palimpsest restore compacted.jsonl -o original.jsonl
`;

const OPTIONS = {
  ...STORE_OPTION,
  out: { type: "string", short: "o" },
  json: { type: "boolean" },
} as const;

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "restore");
  const word = oneWord(positionals, "restore");
  const { out } = values;
  if (out === undefined) throw usageError("Where to? -o names the file.", "restore");
  return withExistingStore(storePath(io, values.store), async (store) => {
    const meant = await sessionMeant(word, store, io);
    const id = isFileWord(word) ? await originOf(meant.id, store) : meant.id;
    const source = await sourceOf(store, id);
    await writeProven(out, source, io);
    if (out === "-") return EXIT.done;
    const { wire, bytes, sha256 } = source;
    io.out(
      values.json
        ? `${JSON.stringify({ session: id, wire, bytes, sha256, out }, null, 2)}\n`
        : `${out}: ${count(bytes)} bytes, SHA-256 ${sha256}, as it was.\n`,
    );
    return EXIT.done;
  });
}

async function sourceOf(store: Store, id: string): Promise<StoredSource> {
  const source = await store.source(id);
  if (source) return source;
  throw new PalimpsestError(
    "unreadable",
    `No session file was kept for "${shorten(id)}"; "palimpsest export" gives what is there.`,
  );
}

async function writeProven(out: string, source: StoredSource, io: Io): Promise<void> {
  const hash = createHash("sha256");
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source.chunks()) {
      hash.update(chunk);
      yield chunk;
    }
  }
  const verify = () => {
    const found = hash.digest("hex");
    if (found === source.sha256) return;
    throw new PalimpsestError(
      "store",
      `The stored file is damaged: its SHA-256 is ${found}, and should be ${source.sha256}.`,
    );
  };
  if (out !== "-") return writeOut(out, hashed(), verify);
  for await (const chunk of hashed()) io.out(chunk);
  verify();
}

export const restore: Command = {
  name: "restore",
  summary: "the original session file, byte for byte, proven by its hash",
  help: HELP,
  run,
};
