/** Rounds of killing writers: what they said was acknowledged must be there, whole, when the store is opened again. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Store } from "../../src/store/store.ts";
import { bytesOf } from "../contracts/store.ts";

const WRITER = join(import.meta.dirname, "writer.mjs");

export interface Acknowledged {
  readonly session: string;
  readonly refs: readonly string[];
  readonly entries: readonly string[];
  /** Of the last file that was kept; one more may have been kept without word of it. */
  readonly sha256?: string;
}

/** Starts a writer, and kills it after a while where one is given. */
export async function write(
  path: string,
  session: string,
  { killAfterMs, most }: { readonly killAfterMs?: number; readonly most?: number },
): Promise<Acknowledged> {
  const child = spawn(process.execPath, [
    WRITER,
    path,
    session,
    ...(most === undefined ? [] : [String(most)]),
  ]);
  const [lines, errors] = [collected(child, "stdout"), collected(child, "stderr")];
  let isKilled = false;
  if (killAfterMs !== undefined)
    // From the first word on: starting Node takes longer than any of this, and nothing is written meanwhile.
    child.stdout.once("data", () =>
      setTimeout(() => {
        isKilled = true;
        child.kill("SIGKILL");
      }, killAfterMs),
    );
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (!isKilled && code !== 0) throw new Error(`the writer failed: ${errors()}`);
  return acknowledgedIn(session, lines());
}

/** What is missing or wrong, in words; nothing where all is well. */
export async function lost(
  store: Store,
  { session, refs, entries, sha256 }: Acknowledged,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const ref of refs) {
    const recalled = await store.recall(session, ref);
    if (recalled.kind !== "found") wrong.push(`${ref} is ${recalled.kind}`);
  }
  const ledger = (await store.ledger(session)).map((entry) => (entry.kind === "undo" ? entry.of : ""));
  if (ledger.length > entries.length + 1 || entries.some((entry, index) => ledger[index] !== entry))
    wrong.push(`the ledger has ${ledger.length} entries, ${entries.length} were acknowledged`);
  const source = await store.source(session);
  if (sha256 !== undefined && !source) wrong.push("the file is gone");
  if (!source) return wrong;
  const restored = createHash("sha256")
    .update(await bytesOf(source.chunks()))
    .digest("hex");
  if (restored !== source.sha256) wrong.push("the file is not what it was");
  return wrong;
}

function collected(child: ChildProcess, stream: "stdout" | "stderr"): () => string {
  const chunks: Buffer[] = [];
  child[stream]?.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}

function acknowledgedIn(session: string, lines: string): Acknowledged {
  // A line the kill cut short was not acknowledged.
  const whole = lines
    .slice(0, lines.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "");
  const said = whole.map((line) => JSON.parse(line) as { ref?: string; entry?: string; sha256?: string });
  const of = (key: "ref" | "entry" | "sha256") => said.flatMap((one) => one[key] ?? []);
  const sha256 = of("sha256").at(-1);
  return { session, refs: of("ref"), entries: of("entry"), ...(sha256 === undefined ? {} : { sha256 }) };
}
