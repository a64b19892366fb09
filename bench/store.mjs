/**
 * Keeping originals against inserting the same texts raw, in a database with the same settings (the limit we owe, 1 / 0.7):
 * both begin with strings. Beside it, for what it tells, two other floors: bytes that somebody else has made already, and the
 * parts as JSON. Ours spells, looks for what is there already, compresses, and writes three indexes besides. A batch is what
 * a compaction makes; its originals have their refs, and with them the digest of their text, as in every compaction.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSqliteStore } from "../dist/store/sqlite.js";
import { openConnection } from "../dist/store/sqlite-connection.js";
import { refOf } from "../dist/transcript/ref.js";
import { compared, timeAwaited } from "./ratio.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const BATCH = 50;
const ROUNDS = 120;
const LIMIT = Number((1 / 0.7).toFixed(2));

export async function benchStore() {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
  try {
    const raw = await openConnection(join(folder, "raw.db"));
    await raw.write(() => raw.run("CREATE TABLE raw(id INTEGER PRIMARY KEY, data BLOB NOT NULL)"));
    const store = await openSqliteStore({ path: join(folder, "store.db") });
    await store.openSession({ id: "bench", at: 1 });
    const times = { texts: [], bytes: [], json: [], keep: [] };
    // The first rounds warm all four.
    for (let round = -12; round < ROUNDS; round += 1) {
      const batch = originals(round);
      const spelled = batch.map(spell);
      const texts = await timeAwaited(() => insertAll(raw, batch, textOf));
      const bytes = await timeAwaited(() => insertAll(raw, spelled, (data) => data));
      const json = await timeAwaited(() => insertAll(raw, batch, spell));
      const keep = await timeAwaited(() => store.keep("bench", batch));
      if (round < 0) continue;
      for (const [name, taken] of Object.entries({ texts, bytes, json, keep })) times[name].push(taken);
    }
    raw.close();
    await store.close();
    return [
      row("raw inserts of the same texts", LIMIT, times.texts, times.keep),
      row("raw inserts of bytes made before", undefined, times.bytes, times.keep),
      row("raw inserts of the parts as JSON", undefined, times.json, times.keep),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function row(floor, limit, floors, works) {
  return compared({ name: `keep originals of 2–20 KB against ${floor}`, limit, floors, works });
}

function insertAll(raw, batch, bytesOf) {
  return raw.write(() => {
    for (const one of batch) raw.run("INSERT INTO raw(data) VALUES (?)", bytesOf(one));
  });
}

function textOf({ part }) {
  return part.output[0].text;
}

function spell({ part }) {
  return Buffer.from(JSON.stringify(part));
}

const TEXT = readFileSync(join(ROOT, "examples/sessions/webhook-retries.jsonl"), "utf8");

/** Pieces of a real session, each different: a repeat would cost nothing and measure nothing. */
function originals(batch) {
  return Array.from({ length: BATCH }, (_, index) => {
    const seed = createHash("sha256").update(`${batch}/${index}`).digest();
    const chars = 2_000 + (seed.readUInt32LE(0) % 18_000);
    const start = seed.readUInt32LE(4) % Math.max(1, TEXT.length - chars);
    const text = `${seed.toString("hex")} ${TEXT.slice(start, start + chars)}`;
    const made = { type: "tool-result", callId: "c", output: [{ type: "text", text }], isError: false };
    // As a reader gives it: a slice of a text with one arrow in it is kept in two bytes a letter, a parsed one is not.
    const part = JSON.parse(JSON.stringify(made));
    return { ref: refOf(part), part, description: `Command: number ${index}`, tokens: chars >> 2, at: batch };
  });
}
