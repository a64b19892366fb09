/**
 * `palimpsest demo [file]`: the whole story on one screen, which is what `npm start` runs. Compacts a session once and
 * then nine times more, reads everything that ever left back, restores the file, and shows the proof. Works in a store
 * of its own that is gone afterwards; the file is only read.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PalimpsestError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import { extractive } from "../summarize/extractive.ts";
import { refOf } from "../transcript/ref.ts";
import { parseWords, usageError } from "./arguments.ts";
import { partsThatLeft } from "./compact-rows.ts";
import { compactSession, type Done } from "./compact-session.ts";
import { type Demonstration, demoText } from "./demo-text.ts";
import { withStore } from "./home.ts";
import { EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";
import { policyOption } from "./policy-option.ts";
import { stageProgress } from "./progress.ts";
import { type Given, hashOf, readGivenFile } from "./session-argument.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/sessions/webhook-retries.jsonl", import.meta.url));
const MORE_TIMES = 9;

const HELP = `palimpsest demo [file] [--json]

The whole story on one screen, with the default policy and no model: what filled a session,
what compacting it leaves and why, the refs, one of them read back, nine more compactions,
and the file restored and proven by its hash. Works in a temporary store; the file is only read.

  [file]      a session file of any agent (default: the bundled one)
  --json      the numbers as data

Examples
  npm start
  npm start -- ~/.claude/projects/-home-me-app/3f2c….jsonl
`;

const OPTIONS = { json: { type: "boolean" } } as const;

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "demo");
  const [path = EXAMPLE, ...rest] = positionals;
  if (rest.length > 0) throw usageError(`One session at a time; "${rest[0]}" is one too many.`, "demo");
  const given = readGivenFile(path, io, undefined);
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-demo-"));
  // Ctrl-C ends the process where it stands; the folder goes all the same.
  const clear = () => rmSync(folder, { recursive: true, force: true });
  const interrupt = () => {
    clear();
    process.exit(130);
  };
  process.once("SIGINT", interrupt);
  try {
    const shown = await withStore(join(folder, "store.db"), (store) => demonstrate(given, store, io));
    io.out(values.json ? `${JSON.stringify(numbersOf(shown), null, 2)}\n` : demoText(shown, io));
    return EXIT.done;
  } finally {
    process.off("SIGINT", interrupt);
    clear();
  }
}

async function demonstrate(given: Given, store: Store, io: Io): Promise<Demonstration> {
  const order = { policy: policyOption(undefined, io), summarizer: extractive, cascade: 1, isDryRun: false };
  const once = await compactSession(given, order, store);
  const read = await readBack(once, store);
  const again = await compactSession(
    { ...given, id: `${given.id}, again` },
    {
      ...order,
      cascade: MORE_TIMES,
      // So small that it is full again and again.
      windowTokens: Math.round(once.tokensBefore / 3),
      onStage: stageProgress(MORE_TIMES, io),
    },
    store,
  );
  return {
    once,
    again,
    read,
    readBackOnce: await countReadBack(once, store),
    readBackAgain: await countReadBack(again, store),
    restored: await restoredProof(given, store),
  };
}

/** The largest thing a command said, or the largest part. */
async function readBack({ given, originals }: Done, store: Store): Promise<Demonstration["read"]> {
  const bySize = originals.toSorted((a, b) => b.tokens - a.tokens);
  const original = bySize.find(({ description }) => description.startsWith("Command: ")) ?? bySize[0];
  if (!original) return undefined;
  const recall = await store.recall(given.id, original.ref);
  if (recall.kind !== "found") throw lost(original.ref);
  return { original, part: recall.original.part };
}

/** A ref is made from the content alone: what is read back has the same ref only if it is the same. */
async function countReadBack(done: Done, store: Store): Promise<number> {
  for (const part of partsThatLeft(done)) {
    const ref = refOf(part);
    const recall = await store.recall(done.given.id, ref);
    if (recall.kind !== "found" || refOf(recall.original.part) !== ref) throw lost(ref);
  }
  return partsThatLeft(done).length;
}

async function restoredProof(given: Given, store: Store): Promise<Demonstration["restored"]> {
  const hash = createHash("sha256");
  const source = await store.source(given.id);
  let bytes = 0;
  for await (const chunk of source?.chunks() ?? []) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex"), original: hashOf(given.source) };
}

function lost(ref: string): PalimpsestError {
  return new PalimpsestError("store", `${ref} left the context and cannot be read back as it was.`);
}

function numbersOf({ once, again, readBackOnce, readBackAgain, restored }: Demonstration): object {
  return {
    tokensBefore: once.tokensBefore,
    tokensAfter: once.tokensAfter,
    tokensAfterAgain: again.tokensAfter,
    compactions: once.compactions.length + again.compactions.length,
    readBack: readBackOnce + readBackAgain,
    restored,
  };
}

export const demo: Command = {
  name: "demo",
  summary: "the whole story on one screen",
  help: HELP,
  run,
};
