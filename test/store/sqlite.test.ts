/** The contract, and what is SQLite's own: permissions, durability settings, versions, damage. */
import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { openConnection } from "../../src/store/sqlite-connection.ts";
import { openDatabase } from "../../src/store/sqlite-driver.ts";
import { MIGRATIONS, migrate } from "../../src/store/sqlite-schema.ts";
import type { Store } from "../../src/store/store.ts";
import type { Part } from "../../src/transcript/message.ts";
import { refOf } from "../../src/transcript/ref.ts";
import { bytesOf, original, stubbing, testStore, text } from "../contracts/store.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "palimpsest-store-"));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const freshPath = () => join(FOLDER, randomUUID(), "store.db");
const openedAt = async (path: string): Promise<Store> => {
  const store = await openSqliteStore({ path });
  await store.openSession({ id: "s", at: 1 });
  return store;
};

testStore("sqlite", () => openSqliteStore({ path: freshPath() }));

describe("the file", () => {
  test("is the owner's alone, with its folder and its write-ahead files", async () => {
    const path = freshPath();
    const store = await openedAt(path);
    const mode = (file: string) => statSync(file).mode & 0o777;
    expect(mode(join(path, ".."))).toBe(0o700);
    expect([path, `${path}-wal`, `${path}-shm`].map(mode)).toEqual([0o600, 0o600, 0o600]);
    await store.close();
    chmodSync(path, 0o644);
    await (await openedAt(path)).close();
    expect(mode(path)).toBe(0o600);
  });

  test("is written ahead and synced at every commit", async () => {
    const connection = await openConnection(freshPath());
    expect(connection.get("PRAGMA journal_mode")).toEqual({ journal_mode: "wal" });
    expect(connection.get("PRAGMA synchronous")).toEqual({ synchronous: 2 });
    expect(connection.get("PRAGMA foreign_keys")).toEqual({ foreign_keys: 1 });
    connection.close();
  });

  test("gives the disk its space back when sessions are collected", async () => {
    const path = freshPath();
    const store = await openedAt(path);
    const noise = Buffer.concat(Array.from({ length: 200_000 }, () => Buffer.from(randomUUID())));
    await store.keepSource("s", "pi", [noise]);
    await store.endSession("s", 1);
    await store.collect({ now: 2, graceMs: 0, isDryRun: false });
    expect(statSync(path).size).toBeLessThan(noise.length / 4);
    await store.close();
  });

  test("closing twice is no error, and a closed store says so", async () => {
    const store = await openedAt(freshPath());
    await store.close();
    await store.close();
    await expect(store.sessions()).rejects.toMatchObject({
      code: "store",
      message: expect.stringContaining("is closed"),
    });
  });
});

describe("versions", () => {
  test("a newer store is refused, and left as it is", async () => {
    const path = freshPath();
    await (await openedAt(path)).close();
    const database = await openDatabase(path);
    database.exec("PRAGMA user_version = 99");
    database.close();
    const before = readFileSync(path);
    await expect(openSqliteStore({ path })).rejects.toMatchObject({
      code: "store",
      message: expect.stringMatching(/newer Palimpsest \(store version 99/),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("another program's database is refused, and left as it is", async () => {
    const path = join(FOLDER, `${randomUUID()}.db`);
    const database = await openDatabase(path);
    database.exec("CREATE TABLE bookmarks(url)");
    database.close();
    chmodSync(path, 0o644);
    const before = readFileSync(path);
    await expect(openSqliteStore({ path })).rejects.toMatchObject({
      code: "store",
      message: expect.stringContaining("another program"),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });

  test("an older store gets the steps it lacks, all or none", async () => {
    const path = freshPath();
    await (await openedAt(path)).close();
    const database = await openDatabase(path);
    const broken = [...MIGRATIONS, "CREATE TABLE later(x)", "NOT SQL"];
    expect(() => migrate(database, path, broken)).toThrow();
    migrate(database, path, [...MIGRATIONS, "CREATE TABLE later(x)"]);
    expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: MIGRATIONS.length + 1 });
    expect(database.prepare("SELECT id FROM sessions").all()).toEqual([{ id: "s" }]);
    database.close();
  });
});

describe("damage", () => {
  test("one flipped bit of any blob is an error that names the ref, never a wrong answer", async () => {
    for (const words of ["short", "long enough to be compressed ".repeat(100)]) {
      const path = freshPath();
      const store = await openedAt(path);
      await store.keep("s", [original(text(words))]);
      await store.append("s", [stubbing(refOf(text(words)))]);
      await store.keepSource("s", "pi", [Buffer.from(words)]);
      const source = await store.source("s");
      await flipEveryBlob(path);
      const damaged = { code: "store", message: expect.stringContaining("damaged") };
      await expect(store.recall("s", refOf(text(words)))).rejects.toMatchObject(damaged);
      await expect(store.ledger("s")).rejects.toMatchObject(damaged);
      await expect(source && bytesOf(source.chunks())).rejects.toMatchObject(damaged);
      await store.close();
    }
  });

  test("a file that lost a piece is not restored as if it were whole", async () => {
    const path = freshPath();
    const store = await openedAt(path);
    await store.keepSource("s", "pi", [Buffer.alloc(600_000, "x")]);
    const database = await openDatabase(path);
    database.exec("DELETE FROM chunks WHERE position = 2");
    database.close();
    const source = await store.source("s");
    await expect(source && bytesOf(source.chunks())).rejects.toMatchObject({
      message: expect.stringContaining("not whole"),
    });
    await store.close();
  });

  test.each([
    [
      "not a database",
      (path: string) => writeFileSync(path, "notes to self\n".repeat(1_000)),
      "is not a database",
    ],
    ["a damaged one", damagePages, "is damaged"],
  ])("%s is one clear error", async (_, damage, message) => {
    const path = freshPath();
    const store = await openedAt(path);
    await store.keep(
      "s",
      Array.from({ length: 200 }, (_unused, index) => original(text(`part ${index}`.repeat(50)))),
    );
    await store.close();
    damage(path);
    const use = async () => (await openSqliteStore({ path })).list("s", { limit: 1_000, contains: "part" });
    await expect(use()).rejects.toMatchObject({ code: "store", message: expect.stringContaining(message) });
  });

  test("a full disk is one clear error, and what was there stays", async () => {
    const path = freshPath();
    const store = await openedAt(path);
    await store.keep("s", [original(text("before"))]);
    await store.close();
    const connection = await openConnection(path);
    connection.get("PRAGMA max_page_count = 40");
    const insert = () =>
      connection.run("INSERT INTO packs(codec, bytes, data) VALUES (0, 0, zeroblob(1000000))");
    await expect(connection.write(insert)).rejects.toMatchObject({
      code: "store",
      message: expect.stringContaining("disk is full"),
    });
    connection.close();
    const again = await openedAt(path);
    expect(await again.recall("s", refOf(text("before")))).toMatchObject({ kind: "found" });
    await again.close();
  });

  test("a place that cannot be written is one clear error", async () => {
    const file = join(FOLDER, randomUUID());
    writeFileSync(file, "");
    await expect(openSqliteStore({ path: join(file, "store.db") })).rejects.toMatchObject({ code: "store" });
    await expect(openSqliteStore({ path: FOLDER })).rejects.toMatchObject({ code: "store" });
  });
});

test("a blob that someone needs cannot be deleted, not even by a mistake of ours", async () => {
  const path = freshPath();
  const store = await openedAt(path);
  await store.keep("s", [original(text("needed"))]);
  await store.close();
  const connection = await openConnection(path);
  await expect(connection.write(() => connection.run("DELETE FROM packs"))).rejects.toMatchObject({
    code: "store",
  });
  connection.close();
});

test("two ways into one file see the same", async () => {
  const path = freshPath();
  const [one, two] = [await openedAt(path), await openedAt(path)];
  const parts: readonly Part[] = [text("from one"), text("from two")];
  await Promise.all([
    one.keep("s", [original(parts[0] as Part)]),
    two.keep("s", [original(parts[1] as Part)]),
  ]);
  expect((await one.list("s", { contains: "from" })).total).toBe(2);
  expect((await two.list("s", { contains: "from" })).total).toBe(2);
  await one.close();
  await two.close();
});

async function flipEveryBlob(path: string): Promise<void> {
  const database = await openDatabase(path);
  for (const table of ["packs", "blobs", "ledger"]) {
    // All three have the column.
    const rows = database.prepare(`SELECT rowid AS id, data FROM ${table}`).all() as {
      id: number;
      data: Uint8Array;
    }[];
    for (const { id, data } of rows) {
      const middle = data.length >> 1;
      data[middle] = (data[middle] ?? 0) ^ 1;
      database.prepare(`UPDATE ${table} SET data = ? WHERE rowid = ?`).run(data, id);
    }
  }
  database.close();
}

/** Leaves the header and the schema, so that it opens. */
function damagePages(path: string): void {
  const bytes = readFileSync(path);
  bytes.fill(0xa5, 4096 * 3);
  writeFileSync(path, bytes);
}
