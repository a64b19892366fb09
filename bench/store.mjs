/**
 * Keeping originals against two floors, in a database with the same settings: inserting bytes that are already there (the
 * limit we owe, 1 / 0.7), and spelling the same parts as JSON first, which whoever has parts must do. Ours hashes,
 * looks for what is there already, compresses, and writes four indexes besides. Batches as a compaction makes them.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSqliteStore } from "../dist/store/sqlite.js";
import { openConnection } from "../dist/store/sqlite-connection.js";
import { refOf } from "../dist/transcript/ref.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const BATCHES = 12;
const BATCH = 50;
const ROUNDS = 11;
const LIMIT = 1 / 0.7;

export async function benchStore() {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
  try {
    const raw = await openConnection(join(folder, "raw.db"));
    await raw.write(() => raw.run("CREATE TABLE raw(id INTEGER PRIMARY KEY, data BLOB NOT NULL)"));
    const store = await openSqliteStore({ path: join(folder, "store.db") });
    await store.openSession({ id: "bench", at: 1 });
    const times = { bytes: [], json: [], keep: [] };
    for (let round = 0; round <= ROUNDS; round += 1) {
      const batches = Array.from({ length: BATCHES }, (_, batch) => originals(round * BATCHES + batch));
      const spelled = batches.map((batch) => batch.map(spell));
      const bytes = await time(() => insertAll(raw, spelled, (data) => data));
      const json = await time(() => insertAll(raw, batches, spell));
      const keep = await time(async () => {
        for (const batch of batches) await store.keep("bench", batch);
      });
      // The first round warms all three.
      if (round > 0) times.bytes.push(bytes) && times.json.push(json) && times.keep.push(keep);
    }
    raw.close();
    await store.close();
    return [
      row("keep originals of 2–20 KB against raw inserts of the same bytes", times.bytes, times.keep),
      row("keep originals of 2–20 KB against raw inserts of the parts as JSON", times.json, times.keep),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function row(name, floors, works) {
  const [floorMs, workMs] = [median(floors), median(works)];
  const value = workMs / floorMs;
  return { name, value, limit: Number(LIMIT.toFixed(2)), floorMs, workMs, isOver: value > LIMIT };
}

async function insertAll(raw, batches, bytesOf) {
  for (const batch of batches)
    await raw.write(() => {
      for (const one of batch) raw.run("INSERT INTO raw(data) VALUES (?)", bytesOf(one));
    });
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
    const part = { type: "tool-result", callId: "c", output: [{ type: "text", text }], isError: false };
    return { ref: refOf(part), part, description: `Command: number ${index}`, tokens: chars >> 2, at: batch };
  });
}

async function time(run) {
  const start = process.hrtime.bigint();
  await run();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
