/** Real processes on one file: many at once, and killed in the middle of writing. `scripts/kill-rounds.mjs` does it for long. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { lost, write } from "./killed.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "palimpsest-killed-"));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** Four writers to a round. */
const ROUNDS = Math.ceil(Number(process.env["PALIMPSEST_KILLS"] ?? 50) / 4);

test("four processes write at once, and each finds all of its own", async () => {
  const path = join(FOLDER, "four.db");
  const sessions = ["one", "two", "three", "four"];
  const written = await Promise.all(sessions.map((session) => write(path, session, { most: 40 })));
  const store = await openSqliteStore({ path });
  for (const acknowledged of written) {
    expect(acknowledged.entries).toHaveLength(40);
    expect(await lost(store, acknowledged)).toEqual([]);
    expect(await store.session(acknowledged.session)).toMatchObject({ refs: acknowledged.refs.length });
  }
  await store.close();
});

test("four processes write to one session, and nothing is lost or doubled", async () => {
  const path = join(FOLDER, "same.db");
  await Promise.all([1, 2, 3, 4].map(() => write(path, "same", { most: 15 })));
  const store = await openSqliteStore({ path });
  expect(await store.ledger("same")).toHaveLength(60);
  const { refs } = (await store.session("same")) ?? { refs: 0 };
  expect((await store.list("same", { contains: "says" })).total).toBe(refs);
  expect(refs).toBe(45);
  await store.close();
});

test(
  "killed at any moment, the store opens and has everything that was acknowledged",
  async () => {
    const path = join(FOLDER, "killed.db");
    for (let round = 0; round < ROUNDS; round += 1) {
      const sessions = [0, 1, 2, 3].map((writer) => `round ${round} writer ${writer}`);
      const written = await Promise.all(
        sessions.map((session, index) =>
          write(path, session, { killAfterMs: ((round * 37 + index * 53) % 120) + 1 }),
        ),
      );
      const store = await openSqliteStore({ path });
      for (const acknowledged of written) {
        expect(acknowledged.refs.length).toBeGreaterThan(0);
        expect(await lost(store, acknowledged), acknowledged.session).toEqual([]);
      }
      await store.close();
    }
  },
  60_000 + ROUNDS * 10_000,
);
