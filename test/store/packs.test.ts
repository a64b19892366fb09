/** Packs: what is kept together lies together; each original stays its own. */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { PLAIN, pack } from "../../src/store/blobs.ts";
import { type Spelling, spellings } from "../../src/store/part-bytes.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { type Connection, openConnection } from "../../src/store/sqlite-connection.ts";
import { openDatabase } from "../../src/store/sqlite-driver.ts";
import { MIGRATIONS, migrate } from "../../src/store/sqlite-schema.ts";
import type { Store } from "../../src/store/store.ts";
import type { Part } from "../../src/transcript/message.ts";
import { type Ref, refOf } from "../../src/transcript/ref.ts";
import { original, text } from "../contracts/store.ts";
import { call } from "../say.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "palimpsest-packs-"));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const freshPath = () => join(FOLDER, randomUUID(), "store.db");
const DAY = 86_400_000;
const bytesOfPart = (part: Part) => (spellings([part])[0] as Spelling).bytes();

async function opened(path: string, ...ids: readonly string[]): Promise<Store> {
  const store = await openSqliteStore({ path });
  for (const id of ids) await store.openSession({ id, at: 1 });
  return store;
}

/** What the store's tables hold, seen from outside. */
async function inside<T>(path: string, look: (connection: Connection) => T): Promise<T> {
  const connection = await openConnection(path);
  try {
    return await connection.read(() => look(connection));
  } finally {
    connection.close();
  }
}

const packsOf = (path: string) =>
  inside(path, (connection) =>
    connection.all<{ bytes: number; size: number }>(
      "SELECT bytes, length(data) AS size FROM packs ORDER BY id",
    ),
  );

async function expectFound(store: Store, id: string, parts: readonly Part[]): Promise<void> {
  for (const part of parts)
    expect(await store.recall(id, refOf(part))).toMatchObject({ kind: "found", original: { part } });
}

const output = (name: string, length = 4_000): Part =>
  text(`${name}: ${"a line of output\n".repeat(length / 17)}`);

test("what leaves together is compressed together, and each is read back alone", async () => {
  const path = freshPath();
  const store = await opened(path, "s");
  const parts = [
    ...Array.from({ length: 20 }, (_, index) => output(`output ${index}`)),
    text("→ naïve ✓ 漢字 😀"),
    text("a lone \ud800 surrogate between two that are whole"),
    text(""),
    output("the last"),
  ];
  await store.keep(
    "s",
    parts.map((part) => original(part)),
  );
  await expectFound(store, "s", parts);
  const packs = await packsOf(path);
  expect(packs).toHaveLength(1);
  expect(packs[0]?.size).toBeLessThan((packs[0]?.bytes ?? 0) / 10);
  await store.close();
});

test("a pack has a bound, and a larger original lies alone", async () => {
  const path = freshPath();
  const store = await opened(path, "s");
  const parts = [output("small", 1_000), output("huge", 2_000_000), output("small too", 1_000)];
  await store.keep(
    "s",
    parts.map((part) => original(part)),
  );
  expect((await packsOf(path)).map(({ bytes }) => bytes > 1_000_000)).toEqual([false, true, false]);
  await expectFound(store, "s", parts);
  await store.close();
});

test("what is collected leaves its pack, and its neighbours stay", async () => {
  const path = freshPath();
  const store = await opened(path, "gone", "live");
  const [first, shared, last] = [output("first"), output("shared"), output("last")];
  await store.keep(
    "gone",
    [first, shared, last].map((part) => original(part)),
  );
  await store.keep("live", [original(shared)]);
  expect(await packsOf(path)).toHaveLength(1);
  await store.endSession("gone", 1);
  const collected = await store.collect({ now: 9 * DAY, graceMs: DAY, isDryRun: false });
  expect(collected).toMatchObject({ sessions: ["gone"], blobs: 2 });
  await expectFound(store, "live", [shared]);
  expect((await packsOf(path)).map(({ bytes }) => bytes)).toEqual([bytesOfPart(shared).length]);
  await store.endSession("live", 10 * DAY);
  await store.collect({ now: 20 * DAY, graceMs: DAY, isDryRun: false });
  expect(await packsOf(path)).toEqual([]);
  await store.close();
});

test("the same original twice in one call is kept once, in its place", async () => {
  const store = await opened(freshPath(), "s");
  const [a, b] = [output("a"), output("b")];
  await store.keep(
    "s",
    [a, b, a].map((part) => original(part)),
  );
  const { rows, total } = await store.list("s", {});
  expect([rows.map(({ ref }) => ref), total]).toEqual([[refOf(b), refOf(a)], 2]);
  await store.close();
});

test("two originals under one ref in one call are refused, and neither is kept", async () => {
  const store = await opened(freshPath(), "s");
  const [a, b] = [original(output("a")), original(output("b"))];
  await expect(store.keep("s", [a, { ...b, ref: a.ref }])).rejects.toMatchObject({ code: "store" });
  expect((await store.list("s", {})).total).toBe(0);
  await store.close();
});

test("one who keeps some while another keeps all: everything is there once", async () => {
  const path = freshPath();
  const [one, two] = [await opened(path, "s"), await opened(path)];
  const parts = Array.from({ length: 10 }, (_, index) => output(`output ${index}`));
  const originals = parts.map((part) => original(part));
  await Promise.all([one.keep("s", originals.slice(0, 3)), two.keep("s", originals)]);
  await expectFound(one, "s", parts);
  expect((await one.list("s", {})).total).toBe(10);
  await one.close();
  await two.close();
});

test("what another session had, and was collected while this one kept it, is kept all the same", async () => {
  const path = freshPath();
  const [one, two] = [await opened(path, "ended", "live"), await opened(path)];
  const [shared, fresh] = [output("shared"), output("fresh")];
  await one.keep("ended", [original(shared)]);
  await one.endSession("ended", 1);
  // The store is looked into at once; packing the new one takes until after the collection.
  const keeping = one.keep("live", [original(shared), original(fresh)]);
  const collected = await two.collect({ now: 9 * DAY, graceMs: DAY, isDryRun: false });
  await keeping;
  expect(collected.sessions).toEqual(["ended"]);
  await expectFound(two, "live", [shared, fresh]);
  await one.close();
  await two.close();
});

test("two processes that keep the same at once both have it", async () => {
  const path = freshPath();
  const [one, two] = [await opened(path, "s", "t"), await opened(path)];
  const parts = Array.from({ length: 10 }, (_, index) => output(`output ${index}`));
  const originals = parts.map((part) => original(part));
  await Promise.all([one.keep("s", originals), two.keep("s", originals), two.keep("t", originals)]);
  await expectFound(one, "s", parts);
  await expectFound(one, "t", parts);
  expect((await one.list("s", {})).total).toBe(10);
  expect(await packsOf(path)).toHaveLength(1);
  await one.close();
  await two.close();
});

test("the same twice at once, through one door, is kept once", async () => {
  const path = freshPath();
  const store = await opened(path, "s", "t");
  const originals = [output("a"), output("b")].map((part) => original(part));
  await Promise.all(["s", "s", "t"].map((id) => store.keep(id, originals)));
  expect([(await store.list("s", {})).total, (await store.list("t", {})).total]).toEqual([2, 2]);
  expect(await packsOf(path)).toHaveLength(1);
  await store.close();
});

test("many that are kept at once, one after the other, each keep their own", async () => {
  const store = await opened(freshPath(), "s");
  for (let round = 0; round < 3; round += 1) {
    const batches = [0, 1, 2].map((batch) =>
      Array.from({ length: batch === 1 ? 1 : 5 }, (_, index) =>
        output(`round ${round} batch ${batch} output ${index}`, index * 100),
      ),
    );
    await Promise.all(
      batches.map((parts) =>
        store.keep(
          "s",
          parts.map((part) => original(part)),
        ),
      ),
    );
    for (const parts of batches) await expectFound(store, "s", parts);
  }
  await store.close();
});

test("refs that begin alike are told apart, in one session and between two", async () => {
  const store = await opened(freshPath(), "s", "t");
  const [a, b] = [original(text("a")), original(text("b"))];
  const alike = ["ref_aaaaa0000000", "ref_aaaaa1111111"] as const;
  // Refs made by hand: to find two of content would take thousands of tries.
  await store.keep("s", [{ ...a, ref: alike[0] as Ref }]);
  await store.keep("t", [{ ...b, ref: alike[1] as Ref }]);
  await store.keep("s", [{ ...b, ref: alike[1] as Ref }]);
  expect(await store.recall("s", alike[0])).toMatchObject({ kind: "found", original: { part: a.part } });
  expect(await store.recall("s", alike[1])).toMatchObject({ kind: "found", original: { part: b.part } });
  expect(await store.recall("t", alike[0])).toEqual({ kind: "foreign" });
  expect((await store.recall("t", "ref_aaaaa2222222")).kind).toBe("unknown");
  await store.close();
});

test("what takes several packs is read back whole, in the order it was kept", async () => {
  const path = freshPath();
  const store = await opened(path, "s");
  const parts = Array.from({ length: 40 }, (_, index) => output(`output ${index}`, 50_000));
  await store.keep(
    "s",
    parts.map((part) => original(part)),
  );
  const packs = await packsOf(path);
  expect(packs.map(({ bytes, size }) => bytes <= 640 * 1024 && size < bytes / 10)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  await expectFound(store, "s", parts);
  const { rows } = await store.list("s", { limit: 100 });
  expect(rows.map(({ ref }) => ref)).toEqual(parts.map(refOf).reverse());
  await store.close();
});

test("what an older version kept is not kept twice, neither for its session nor for another", async () => {
  const path = freshPath();
  const parts = [output("kept by an older version"), text("short"), call("c", "Read", { path: "a.ts" })];
  await writeFirstVersion(path, parts);
  const store = await opened(path, "t");
  for (const id of ["s", "t"]) {
    await store.keep(
      id,
      parts.map((part) => original(part)),
    );
    await expectFound(store, id, parts.slice(0, 2));
    expect((await store.list(id, {})).total).toBe(3);
  }
  expect(await packsOf(path)).toHaveLength(3);
  await store.close();
});

test("a store of the first version is read, searched and collected as before", async () => {
  const path = freshPath();
  const parts = [output("kept by an older version"), text("short")];
  await writeFirstVersion(path, parts);
  const store = await opened(path);
  await expectFound(store, "s", parts);
  expect((await store.list("s", { contains: "older" })).total).toBe(1);
  expect((await store.session("s"))?.bytes).toBeGreaterThan(0);
  await store.keep("s", [original(output("new"))]);
  await expectFound(store, "s", [...parts, output("new")]);
  await store.endSession("s", 1);
  expect(await store.collect({ now: 9 * DAY, graceMs: DAY, isDryRun: false })).toMatchObject({ blobs: 3 });
  await store.close();
});

/** As the first version laid originals: each a blob of its own. */
async function writeFirstVersion(path: string, parts: readonly Part[]): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const database = await openDatabase(path);
  migrate(database, path, MIGRATIONS.slice(0, 1));
  database.exec("INSERT INTO sessions(id, facts, started_at, used_at) VALUES ('s', '{}', 1, 1)");
  for (const part of parts) {
    const { sha256, codec, bytes, data } = pack(bytesOfPart(part));
    database
      .prepare("INSERT INTO blobs(sha256, codec, bytes, data) VALUES (?, ?, ?, ?)")
      .run(sha256, codec, bytes, data);
    database
      .prepare(
        "INSERT INTO refs(session, ref, kind, blob, description, tokens, at) VALUES (1, ?, 'text', last_insert_rowid(), '\"Text\"', 1, 1)",
      )
      .run(refOf(part));
  }
  database.close();
}

test("what does not get smaller is kept as it is", async () => {
  const path = freshPath();
  const store = await opened(path, "s");
  await store.keepSource("s", "pi", [randomBytes(5_000)]);
  const rows = await inside(path, (connection) =>
    connection.all<{ codec: number; size: number }>("SELECT codec, length(data) AS size FROM blobs"),
  );
  expect(rows).toEqual([{ codec: PLAIN, size: 5_000 }]);
  await store.close();
});

test("a file whose keeping was cut short goes after a day, with its pieces", async () => {
  const path = freshPath();
  const store = await opened(path, "s");
  const connection = await openConnection(path);
  await connection.write(() => {
    connection.run("INSERT INTO sources(key, session, wire, bytes, begun_at) VALUES (7, 1, 'pi', 0, ?)", DAY);
    connection.run("INSERT INTO blobs(id, sha256, codec, bytes, data) VALUES (9, x'00', 0, 3, x'010203')");
    connection.run("INSERT INTO chunks(source, position, blob) VALUES (7, 0, 9)");
  });
  connection.close();
  const options = { graceMs: DAY, isDryRun: false };
  expect(await store.collect({ ...options, now: 2 * DAY })).toEqual({ sessions: [], blobs: 0, bytes: 0 });
  expect(await store.collect({ ...options, now: 2 * DAY + 1 })).toEqual({ sessions: [], blobs: 1, bytes: 3 });
  await store.close();
});
