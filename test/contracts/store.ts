/**
 * What every store is held to. A new store is done when its test file calls this with a way to open an empty one, and
 * adds only what is its own.
 */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import type { Compaction, LedgerEntry } from "../../src/plan/ledger.ts";
import type { Original, Store } from "../../src/store/store.ts";
import type { Part } from "../../src/transcript/message.ts";
import { type Ref, refOf } from "../../src/transcript/ref.ts";
import { call, result, thinks } from "../say.ts";

const DAY = 86_400_000;

export const text = (words: string): Part => ({ type: "text", text: words });
export const original = (part: Part, description = "Text: something", at = 1_000): Original => ({
  ref: refOf(part),
  part,
  description,
  tokens: 10,
  at,
});

/** A compaction that stubs these refs. */
export const stubbing = (...refs: readonly Ref[]): Compaction => ({
  kind: "compaction",
  id: "c1",
  at: 2_000,
  policy: "palimpsest",
  trigger: "manual",
  edits: refs.map((ref) => ({
    kind: "stub",
    at: { ref, occurrence: 0 },
    why: "old",
    tokens: 5,
    text: `[${ref}]`,
  })),
  tokensBefore: 100,
  tokensAfter: 50,
});

export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

export async function linesOf(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

export function testStore(name: string, open: () => Promise<Store>): void {
  let opened: Store[] = [];
  const started = async (...ids: readonly string[]): Promise<Store> => {
    const store = await open();
    opened.push(store);
    for (const id of ids) await store.openSession({ id, at: 1_000 });
    return store;
  };
  afterEach(async () => {
    for (const store of opened) await store.close();
    opened = [];
  });

  describe(`${name}, a store like any other`, () => {
    testOriginals(started);
    testScopes(started);
    testLists(started);
    testLedger(started);
    testSources(started);
    testExport(started);
    testCollecting(started);
  });
}

type Started = (...ids: readonly string[]) => Promise<Store>;

function testOriginals(started: Started): void {
  const EVERY_KIND: readonly Part[] = [
    text("plain \u0000 words, \ud83d half a pair, \u{1f600} a whole one"),
    { type: "text", text: "harness", synthetic: true },
    thinks("hm", "seal"),
    { type: "thinking", text: "", encrypted: "x".repeat(5_000) },
    call("call-1", "Bash", { z: 1, command: "ls", a: [null, true, 1.5, "\udc00"] }),
    call("call-\ud800", "apply_patch", "*** Begin Patch"),
    result("call-1", "line\n".repeat(10_000), true),
    result("call-3", "huge\n".repeat(100_000)),
    {
      type: "tool-result",
      callId: "call-2",
      isError: false,
      output: [
        text("seen"),
        { type: "image", source: { kind: "data", mediaType: "image/png", base64: "iVBORw0=" } },
      ] as never,
    },
    { type: "document", title: "a.pdf", source: { kind: "url", url: "https://example.com/a.pdf" } },
    { type: "opaque", of: "anthropic-messages", value: { type: "server_tool_use", deep: [{ a: [] }] } },
    text(""),
  ];

  test("every kind of part comes back as it was, without its native", async () => {
    const store = await started("s");
    await store.keep(
      "s",
      EVERY_KIND.map((part) => original({ ...part, native: { spelled: "so" } } as Part, "D \ud800 \u0000")),
    );
    for (const part of EVERY_KIND) {
      const recalled = await store.recall("s", refOf(part));
      expect(recalled).toEqual({ kind: "found", original: original(part, "D \ud800 \u0000") });
      if (recalled.kind === "found") expect(refOf(recalled.original.part)).toBe(refOf(part));
    }
  });

  test("any text at all comes back byte for byte", async () => {
    const store = await started("s");
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "binary", maxLength: 3_000 }),
        fc.boolean(),
        async (words, isError) => {
          // Sixteen-bit units, so that halves of pairs are among them.
          const part = result("c", words + String.fromCharCode(0xd800 + (words.length % 0x800)), isError);
          await store.keep("s", [original(part)]);
          const recalled = await store.recall("s", refOf(part));
          expect(recalled.kind === "found" && JSON.stringify(recalled.original.part)).toBe(
            JSON.stringify({ ...(recalled.kind === "found" ? recalled.original.part : {}), ...part }),
          );
          expect(recalled.kind === "found" && recalled.original.part).toEqual(part);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("keeping the same again changes nothing, whatever id the host gives the call now", async () => {
    const store = await started("s", "t");
    await store.keep("s", [original(result("call-1", "same".repeat(2_000)))]);
    const before = await store.session("s");
    await store.keep("s", [original(result("call-9", "same".repeat(2_000)), "another description")]);
    expect(await store.session("s")).toEqual(before);
    expect((await store.list("s", {})).total).toBe(1);
  });

  test("the same twice in one batch is one", async () => {
    const store = await started("s");
    await store.keep("s", [original(text("twice")), original(text("twice"))]);
    expect((await store.list("s", {})).total).toBe(1);
  });

  test("two contents under one ref are refused, not confused", async () => {
    const store = await started("s");
    await store.keep("s", [original(text("first"))]);
    const forged = { ...original(text("second")), ref: refOf(text("first")) };
    await expect(store.keep("s", [forged])).rejects.toMatchObject({ code: "store" });
    expect(await store.recall("s", forged.ref)).toMatchObject({ original: { part: text("first") } });
  });

  test("a batch is kept whole or not at all", async () => {
    const store = await started("s");
    await store.keep("s", [original(text("first"))]);
    const forged = { ...original(text("second")), ref: refOf(text("first")) };
    await expect(store.keep("s", [original(text("third")), forged])).rejects.toMatchObject({ code: "store" });
    expect(await store.recall("s", refOf(text("third")))).toMatchObject({ kind: "unknown" });
  });

  test("a session that was never opened is an error that says so", async () => {
    const store = await started();
    const error = { code: "store", message: expect.stringMatching(/"nobody".*openSession/) };
    await expect(store.keep("nobody", [original(text("x"))])).rejects.toMatchObject(error);
    await expect(store.append("nobody", [])).rejects.toMatchObject(error);
    await expect(store.keepSource("nobody", "pi", [])).rejects.toMatchObject(error);
    await expect(store.endSession("nobody", 1)).rejects.toMatchObject(error);
    expect(await store.session("nobody")).toBeUndefined();
    expect(await store.source("nobody")).toBeUndefined();
    expect(await store.ledger("nobody")).toEqual([]);
  });
}

function testScopes(started: Started): void {
  test("a session is refreshed by opening it again, and lives on", async () => {
    const store = await started();
    await store.openSession({ id: "s", title: "first", cwd: "/a", at: 1 });
    await store.endSession("s", 5);
    expect(await store.session("s")).toMatchObject({ endedAt: 5 });
    await store.openSession({ id: "s", title: "second", at: 9 });
    expect(await store.sessions()).toEqual([
      { id: "s", title: "second", cwd: "/a", startedAt: 1, usedAt: 9, refs: 0, compactions: 0, bytes: 0 },
    ]);
  });

  test("a session counts its refs, compactions and bytes, and when it was last used", async () => {
    const store = await started("s");
    await store.keep("s", [original(text("a".repeat(500)), "A", 7_000), original(text("b"))]);
    await store.append("s", [stubbing(refOf(text("b"))), { kind: "undo", at: 8_000, of: "c1" }]);
    const row = await store.session("s");
    expect(row).toMatchObject({ refs: 2, compactions: 1, usedAt: 8_000 });
    expect(row?.bytes).toBeGreaterThan(500);
  });

  test("parents and children read each other, strangers and siblings do not", async () => {
    const store = await started("parent", "stranger");
    await store.openSession({ id: "child", parent: "parent", at: 1 });
    await store.openSession({ id: "sibling", parent: "parent", at: 1 });
    await store.keep("parent", [original(text("of parent"))]);
    await store.keep("child", [original(text("of child"))]);
    const kinds = async (session: string) =>
      Promise.all(
        ["of parent", "of child"].map(
          async (words) => (await store.recall(session, refOf(text(words)))).kind,
        ),
      );
    expect(await kinds("parent")).toEqual(["found", "found"]);
    expect(await kinds("child")).toEqual(["found", "found"]);
    expect(await kinds("sibling")).toEqual(["found", "foreign"]);
    expect(await kinds("stranger")).toEqual(["foreign", "foreign"]);
    expect((await store.list("parent", {})).rows.map(({ ref }) => ref)).toEqual([refOf(text("of parent"))]);
  });

  test("a mistyped ref gets the nearest ones, a made-up one gets none", async () => {
    const store = await started("s", "other");
    const [one, two] = [refOf(text("one")), refOf(text("two"))];
    await store.keep("s", [original(text("one")), original(text("two"))]);
    await store.keep("other", [original(text("three"))]);
    const nearest = async (asked: string) => {
      const recalled = await store.recall("s", asked);
      return recalled.kind === "unknown" ? recalled.nearest : recalled.kind;
    };
    const swapped = `${one.slice(0, 6)}${one[7]}${one[6]}${one.slice(8)}`;
    expect(await nearest(swapped)).toEqual([one]);
    expect(await nearest(one.slice(0, -1))).toEqual([one]);
    expect(await nearest(two.toUpperCase())).toEqual([two]);
    expect(await nearest(`[${two.slice(4)}]`)).toEqual([two]);
    expect(await nearest(`${refOf(text("three")).slice(0, -1)}x`)).toEqual([]);
    expect(await nearest("ref_")).toEqual([]);
    expect(await nearest("'; DROP TABLE refs; --".repeat(1_000))).toEqual([]);
  });
}

function testLists(started: Started): void {
  test("pages run from the newest to the oldest, and what comes in meanwhile does not move them", async () => {
    const store = await started("s");
    const parts = Array.from({ length: 25 }, (_, index) => text(`part ${index}`));
    for (const part of parts) await store.keep("s", [original(part)]);
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await store.list("s", { limit: 10, ...(cursor === undefined ? {} : { cursor }) });
      expect(page.total).toBe(25 + pages);
      seen.push(...page.rows.map(({ ref }) => ref));
      cursor = page.cursor;
      pages += 1;
      await store.keep("s", [original(text(`late ${pages}`))]);
    } while (cursor !== undefined);
    expect(seen).toEqual(parts.map(refOf).reverse());
    expect(pages).toBe(3);
  });

  test("a full last page has no cursor, and a made-up cursor is an error", async () => {
    const store = await started("s");
    await store.keep("s", [original(text("a")), original(text("b"))]);
    expect(await store.list("s", { limit: 2 })).not.toHaveProperty("cursor");
    expect((await store.list("s", { limit: 0 })).rows).toHaveLength(1);
    for (const cursor of ["", "-1", "x", "1; DROP TABLE refs", "9".repeat(30)])
      await expect(store.list("s", { cursor })).rejects.toMatchObject({ code: "usage" });
  });

  test("rows say what they are, and can be asked for by kind", async () => {
    const store = await started("s");
    await store.keep("s", [
      original(text("words"), "Text: words"),
      original(call("1", "Read"), "Call: Read"),
    ]);
    expect((await store.list("s", { kind: "tool-call" })).rows).toEqual([
      { ref: refOf(call("1", "Read")), kind: "tool-call", description: "Call: Read", tokens: 10, at: 1_000 },
    ]);
    expect(await store.list("s", { kind: "image" })).toEqual({ rows: [], total: 0 });
  });

  test("contains finds words in descriptions and contents, from the start of a word or hump", async () => {
    const store = await started("s", "other");
    await store.keep("s", [
      original(
        result("1", "TypeError: loadConfigFile is not a function\n at src/config.ts:42"),
        "Command: npm test",
      ),
      original(call("2", "Read", { path: "src/server.ts" }), "File: src/server.ts"),
      original(text("設定ファイルを読む, sha256 naïve ÜBER"), "Text"),
    ]);
    await store.keep("other", [original(text("config of another session"))]);
    const found = async (contains: string) => {
      const { rows, total } = await store.list("s", { contains });
      expect(rows).toHaveLength(total);
      return rows.map(({ description }) => description).reverse();
    };
    expect(await found("config")).toEqual(["Command: npm test"]);
    expect(await found("configfile")).toEqual(["Command: npm test"]);
    expect(await found("ConfigFile NOT npm")).toEqual(["Command: npm test"]);
    expect(await found("src/")).toEqual(["Command: npm test", "File: src/server.ts"]);
    expect(await found("src/config.ts:42")).toEqual(["Command: npm test"]);
    expect(await found("src/config.ts:43")).toEqual([]);
    expect(await found("ファイル")).toEqual(["Text"]);
    expect(await found("sha256 naïve über")).toEqual(["Text"]);
    expect(await found("onfig")).toEqual([]);
    expect(await found("   ")).toHaveLength(3);
    await store.keep("s", [original(text("a config that came later"), "Later")]);
    expect(await found("config")).toEqual(["Command: npm test", "Later"]);
  });

  test("a search is best first: close together, then rare words, then its name, then the newest", async () => {
    const store = await started("s");
    const far = `${"x\n".repeat(500)}`;
    await store.keep("s", [
      original(result("1", `the database${far}of a migration`), "scattered"),
      original(result("2", "migration of the database"), "close, older"),
      original(result("3", "the database, before migration"), "close, newer"),
      original(call("4", "Bash", { command: "database migration" }), "a call"),
      original(result("5", "nothing here"), "migration database"),
      ...Array.from({ length: 20 }, (_, index) => original(text(`the database number ${index}`), "common")),
    ]);
    const found = async (contains: string, match?: "most") => {
      const { rows, whole } = await store.list("s", { contains, ...(match ? { match } : {}) });
      return { names: rows.map(({ description }) => description), whole };
    };
    const all = ["migration database", "close, newer", "close, older", "a call", "scattered"];
    expect(await found("migration database")).toEqual({ names: all, whole: 5 });
    // The common word alone is less than half of what was asked for; the rare one alone is more.
    await store.keep("s", [original(text("migration"), "rare alone")]);
    expect(await found("migration database", "most")).toEqual({ names: [...all, "rare alone"], whole: 5 });
    expect((await found("migration database submarine")).names).toEqual([]);
  });

  test("a search says on which line, and in a line that is too long from which character", async () => {
    const store = await started("s");
    await store.keep("s", [
      original(result("1", `one\ntwo\nthree lighthouse keepers\nfour`), "lines"),
      original(result("2", `first\n${"x ".repeat(5_000)}a lighthouse there`), "one long line"),
      original(result("3", "nothing"), "lighthouse"),
    ]);
    const { rows } = await store.list("s", { contains: "lighthouse" });
    const byName = Object.fromEntries(rows.map(({ description, found }) => [description, found]));
    expect(byName).toEqual({
      lines: { line: 3, text: "three lighthouse keepers four" },
      "one long line": { line: 2, char: 9_963, text: expect.stringMatching(/^x .* a lighthouse there$/) },
      lighthouse: undefined,
    });
  });

  test("pages of a search keep their order, whatever comes in meanwhile", async () => {
    const store = await started("s");
    const parts = Array.from({ length: 25 }, (_, index) => text(`lighthouse ${"by ".repeat(index)}sea`));
    await store.keep(
      "s",
      parts.map((part) => original(part)),
    );
    const whole = (await store.list("s", { contains: "lighthouse sea", limit: 100 })).rows;
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { contains: "lighthouse sea", limit: 10, ...(cursor === undefined ? {} : { cursor }) };
      const page = await store.list("s", query);
      seen.push(...page.rows.map(({ ref }) => ref));
      cursor = page.cursor;
      await store.keep("s", [original(text(`lighthouse sea ${cursor}`)), original(text(`sea ${cursor}`))]);
    } while (cursor !== undefined);
    expect(seen).toEqual(whole.map(({ ref }) => ref));
    expect(new Set(seen).size).toBe(25);
    for (const wrong of ["7", "1+", "x"])
      await expect(store.list("s", { contains: "sea", cursor: wrong })).rejects.toMatchObject({
        code: "usage",
      });
  });

  test("contains is plain text: quotes, operators and broken characters are only themselves", async () => {
    const store = await started("s");
    await store.keep("s", [original(text('say "hi" OR (NOT x) NEAR* col:val -- \ud800 % _'), "Odd")]);
    const total = async (contains: string) => (await store.list("s", { contains })).total;
    expect(await total('"hi"')).toBe(1);
    expect(await total("col:val")).toBe(1);
    expect(await total("\ud800 % _")).toBe(1);
    for (const hostile of [
      '"',
      '""',
      "hi OR nothing",
      "say NOT absent",
      "say*x",
      "words : say",
      "^say",
      "hi\u0000",
      "-hi",
      "'",
    ])
      expect(await total(hostile), hostile).toBe(hostile === '"' ? 1 : 0);
    expect(await total("word ".repeat(5_000))).toBe(0);
    expect(await total("x".repeat(100_000))).toBe(0);
  });

  test("a huge output is found by its start and its end", async () => {
    const store = await started("s");
    const huge = `first words ${"abc defg ".repeat(200_000)} middlemost ${"hij klm ".repeat(200_000)} last words`;
    await store.keep("s", [original(result("1", huge))]);
    expect((await store.list("s", { contains: "first last" })).total).toBe(1);
    expect((await store.list("s", { contains: "middlemost" })).total).toBe(0);
  });
}

function testLedger(started: Started): void {
  test("the ledger comes back in order, entry for entry", async () => {
    const store = await started("s", "t");
    const entries: readonly LedgerEntry[] = [
      {
        ...stubbing(refOf(text("a"))),
        focus: "half \ud800 a pair",
        page: { role: "user", text: "x".repeat(9_000) },
      },
      { kind: "recalled", at: 3, ref: refOf(text("a")), tokens: 12.5 },
      { kind: "undo", at: 4, of: "c1" },
    ];
    await store.append("s", entries.slice(0, 1));
    await store.append("t", [{ kind: "undo", at: 1, of: "other" }]);
    await store.append("s", entries.slice(1));
    expect(await store.ledger("s")).toEqual(entries);
  });
}

function testSources(started: Started): void {
  const file = (bytes: number) =>
    Buffer.from(Array.from({ length: bytes }, (_, index) => (index * 7919) >> 3));
  const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

  test("a file comes back byte for byte, whatever the pieces it came in", async () => {
    const store = await started("s");
    for (const [size, step] of [
      [0, 1],
      [1, 1],
      [300_000, 999],
      [262_144, 262_144],
      [1_000_003, 700_000],
    ] as const) {
      const bytes = file(size);
      // One buffer, filled again and again, as reading a file does it.
      const reused = Buffer.alloc(step);
      const pieces = function* () {
        for (let at = 0; at < size; at += step)
          yield reused.subarray(0, bytes.copy(reused, 0, at, at + step));
      };
      const facts = await store.keepSource("s", "pi", pieces());
      expect(facts).toEqual({ wire: "pi", sha256: sha256(bytes), bytes: size });
      const source = await store.source("s");
      expect(source).toMatchObject(facts);
      expect(source && (await bytesOf(source.chunks())).equals(bytes)).toBe(true);
    }
  });

  test("a file that grew shares what it had, and the file before is gone", async () => {
    const store = await started("s", "fork");
    const noise = Buffer.concat(
      Array.from({ length: 40_000 }, (_, index) => createHash("sha256").update(`${index}`).digest()),
    );
    await store.keepSource("s", "pi", [noise.subarray(0, 1_200_000)]);
    await store.keepSource("s", "pi", [noise]);
    await store.keepSource("fork", "pi", [noise]);
    await store.endSession("s", 1);
    await store.endSession("fork", 1);
    const { bytes } = await store.collect({ now: 9 * DAY, graceMs: 0, isDryRun: true });
    expect(bytes).toBeLessThan(noise.length * 1.01);
    expect((await store.session("s"))?.bytes).toBeLessThan(noise.length * 1.01);
  });

  test("a file whose reading fails leaves the one before", async () => {
    const store = await started("s");
    await store.keepSource("s", "pi", [file(10)]);
    const failing = function* () {
      yield file(600_000);
      throw new Error("the disk went away");
    };
    await expect(store.keepSource("s", "pi", failing())).rejects.toThrow("the disk went away");
    expect(await store.source("s")).toMatchObject({ bytes: 10 });
  });
}

function testExport(started: Started): void {
  test("an export holds everything, in JSON anyone can read", async () => {
    const store = await started("s", "other");
    const parts = Array.from({ length: 40 }, (_, index) => result(`call-${index}`, `output ${index} \ud800`));
    const ledger = [stubbing(refOf(parts[0] as Part))];
    const file = Buffer.concat([Buffer.from("é".repeat(300_000)), Buffer.from([0xff, 0xfe])]);
    await store.keep(
      "s",
      parts.map((part) => original(part)),
    );
    await store.keep("other", [original(text("not mine"))]);
    await store.append("s", ledger);
    await store.keepSource("s", "pi", [file]);
    const records = (await linesOf(store.exportSession("s"))).map((line) => {
      expect(line).not.toContain("\n");
      return JSON.parse(line);
    });
    const of = (type: string) => records.filter((record) => record.type === type);
    expect(of("session")).toEqual([{ type: "session", version: 1, ...(await store.session("s")) }]);
    expect(of("ledger").map(({ entry }) => entry)).toEqual(ledger);
    expect(of("original").map(({ type: _, ...rest }) => rest)).toEqual(parts.map((part) => original(part)));
    const pieces = of("source-piece").map((piece) =>
      Buffer.from(piece.text ?? piece.base64, "text" in piece ? "utf8" : "base64"),
    );
    expect(Buffer.concat(pieces).equals(file)).toBe(true);
    expect(of("source")).toEqual([
      {
        type: "source",
        wire: "pi",
        bytes: file.length,
        sha256: createHash("sha256").update(file).digest("hex"),
      },
    ]);
    await expect(linesOf(store.exportSession("nobody"))).rejects.toMatchObject({ code: "store" });
  });
}

function testCollecting(started: Started): void {
  const shared = text("shared ".repeat(500));
  const state = async (store: Store, ...ids: readonly string[]) => [
    await store.sessions(),
    ...(await Promise.all(
      ids.map(async (id) => (await store.session(id)) && (await linesOf(store.exportSession(id)))),
    )),
  ];

  test("ended sessions go after the grace period, live ones and shared blobs stay", async () => {
    const store = await started("old", "recent", "live");
    for (const id of ["old", "recent", "live"])
      await store.keep(id, [original(shared), original(text(`only ${id} `.repeat(300)))]);
    await store.keepSource("old", "pi", [Buffer.from("a file")]);
    await store.endSession("old", 1 * DAY);
    await store.endSession("recent", 9 * DAY);
    const options = { now: 10 * DAY, graceMs: 5 * DAY };
    const before = await state(store, "old", "recent", "live");
    const rehearsed = await store.collect({ ...options, isDryRun: true });
    expect(await state(store, "old", "recent", "live")).toEqual(before);
    const collected = await store.collect({ ...options, isDryRun: false });
    expect(collected).toEqual(rehearsed);
    expect(collected).toMatchObject({ sessions: ["old"], blobs: 2 });
    expect(collected.bytes).toBeGreaterThan(0);
    expect((await store.sessions()).map(({ id }) => id).sort()).toEqual(["live", "recent"]);
    expect(await store.recall("live", refOf(shared))).toMatchObject({ kind: "found" });
    expect(await store.collect({ ...options, isDryRun: false })).toEqual({
      sessions: [],
      blobs: 0,
      bytes: 0,
    });
  });

  test("an expired ref says so, to its session, its parent and its children", async () => {
    const store = await started("parent", "stranger");
    await store.openSession({ id: "child", parent: "parent", at: 1 });
    await store.keep("child", [original(text("gone"))]);
    await store.endSession("child", 1);
    await store.endSession("parent", 1);
    await store.collect({ now: 10 * DAY, graceMs: DAY, isDryRun: false });
    await store.openSession({ id: "parent", at: 11 * DAY });
    await store.openSession({ id: "child", parent: "parent", at: 11 * DAY });
    const expired = { kind: "expired", at: 10 * DAY };
    expect(await store.recall("child", refOf(text("gone")))).toEqual(expired);
    expect(await store.recall("parent", refOf(text("gone")))).toEqual(expired);
    expect(await store.recall("stranger", refOf(text("gone")))).toEqual({ kind: "unknown", nearest: [] });
    await store.keep("child", [original(text("gone"))]);
    expect(await store.recall("child", refOf(text("gone")))).toMatchObject({ kind: "found" });
  });

  test("what a live ledger names stays, and the family of a live session", async () => {
    const store = await started("parent", "fork", "named", "unnamed");
    await store.openSession({ id: "child", parent: "parent", at: 1 });
    await store.openSession({ id: "grandparent", at: 1 });
    await store.openSession({ id: "parent", parent: "grandparent", at: 1 });
    for (const id of ["named", "unnamed", "child", "grandparent"]) await store.keep(id, [original(text(id))]);
    await store.append("fork", [stubbing(refOf(text("named")))]);
    for (const id of ["named", "unnamed", "child", "grandparent"]) await store.endSession(id, 1);
    const options = { now: 10 * DAY, graceMs: DAY, maxBytes: 0, isDryRun: false };
    expect((await store.collect(options)).sessions).toEqual(["unnamed"]);
    expect(await store.recall("parent", refOf(text("child")))).toMatchObject({ kind: "found" });
    await store.endSession("fork", 1);
    expect([...(await store.collect({ ...options, now: 20 * DAY })).sessions].sort()).toEqual([
      "fork",
      "named",
    ]);
  });

  test("where it is asked for, a session nobody used for long counts as ended at its last use; what a live one names stays", async () => {
    const store = await started("unused", "named");
    await store.openSession({ id: "used", at: 9 * DAY });
    for (const id of ["unused", "named", "used"]) await store.keep(id, [original(text(id))]);
    await store.append("used", [{ ...stubbing(refOf(text("named"))), at: 9 * DAY }]);
    const options = { now: 10 * DAY, graceMs: 2 * DAY };
    expect((await store.collect({ ...options, isDryRun: false })).sessions).toEqual([]);
    const unusedMs = 5 * DAY;
    const early = { ...options, unusedMs, now: 5 * DAY, isDryRun: false };
    expect((await store.collect(early)).sessions).toEqual([]);
    // The grace period runs from the last use: here it is the longer of the two.
    expect(
      (await store.collect({ ...options, unusedMs, graceMs: 11 * DAY, isDryRun: false })).sessions,
    ).toEqual([]);
    const rehearsed = await store.collect({ ...options, unusedMs, isDryRun: true });
    expect(rehearsed.sessions).toEqual(["unused"]);
    expect((await store.sessions()).every(({ endedAt }) => endedAt === undefined)).toBe(true);
    expect(await store.collect({ ...options, unusedMs, isDryRun: false })).toEqual(rehearsed);
    expect(await store.recall("named", refOf(text("named")))).toMatchObject({ kind: "found" });
  });

  test("over the cap ended sessions go from the oldest on, and no further than needed", async () => {
    const store = await started("a", "b", "c", "live");
    const noise = (id: string) => createHash("sha512").update(id).digest("hex").repeat(4).slice(0, 500);
    for (const id of ["a", "b", "c", "live"]) await store.keep(id, [original(text(noise(id)))]);
    for (const [index, id] of ["b", "a", "c"].entries()) await store.endSession(id, 5_000 + index);
    const options = { now: 6_000, graceMs: DAY };
    expect((await store.collect({ ...options, maxBytes: 1e9, isDryRun: false })).sessions).toEqual([]);
    const rehearsed = await store.collect({ ...options, maxBytes: 1_200, isDryRun: true });
    expect(rehearsed).toMatchObject({ sessions: ["b", "a"], blobs: 2 });
    expect(await store.collect({ ...options, maxBytes: 1_200, isDryRun: false })).toEqual(rehearsed);
    expect((await store.collect({ ...options, maxBytes: 0, isDryRun: false })).sessions).toEqual(["c"]);
    expect(await store.recall("live", refOf(text(noise("live"))))).toMatchObject({ kind: "found" });
  });
}
