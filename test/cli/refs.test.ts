import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CompactReport } from "../../src/cli/compact-report.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { longBody } from "./conversation.ts";
import { EXAMPLE, run, scratchFolder } from "./run.ts";

const folder = scratchFolder();
const store = join(folder, "store");
const WINDOW = ["--window", "20000"];

async function compacted(
  name: string,
  content = longBody(name),
): Promise<CompactReport & { session: string }> {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, content);
  const { out } = await run(["compact", path, ...WINDOW, "--store", store, "--json"]);
  const report: CompactReport = JSON.parse(out);
  return { ...report, session: report.outcome.kind === "compacted" ? report.outcome.session : "" };
}

function inStore(...words: readonly string[]) {
  return run([...words, "--store", store]);
}

const far = await compacted("a-workspace-with-a-long-name");
const mine = await compacted("mine");
const other = await compacted("other");
const resultOf = (report: CompactReport, word: string) =>
  report.refs.find(({ kind, description }) => kind === "tool-result" && description.includes(word))?.ref ??
  "";

describe("palimpsest refs", () => {
  test("lists what left the session used last, with what it was", async () => {
    const { code, out } = await inStore("refs");
    expect(code).toBe(0);
    expect(out).toContain(other.session);
    expect(out).toMatch(/ref_\w{12} {2}tool-result +[\d,]+ {2}File: \S*part-18\.ts/);
  });

  test("on a terminal a line fits and keeps its end; in a pipe it is whole", async () => {
    const words = ["refs", "--session", far.session, "--kind", "tool-result", "--store", store];
    const narrow = (await run(words, { isTerminal: true, columns: 64 })).out.split("\n");
    const piped = (await run(words, { columns: 64 })).out.split("\n");
    const row = (lines: readonly string[]) => lines.find((line) => line.includes("part-18.ts")) ?? "";
    expect(row(narrow)).toContain("…");
    expect(row(piped)).not.toContain("…");
    expect(row(piped).length).toBeGreaterThan(row(narrow).length);
  });

  test("--session, --kind and --limit narrow it", async () => {
    const { out } = await inStore(
      "refs",
      "--session",
      mine.session,
      "--kind",
      "tool-result",
      "--limit",
      "3",
      "--json",
    );
    const json = JSON.parse(out);
    expect(json.session).toBe(mine.session);
    expect(json.rows).toHaveLength(3);
    expect(json.total).toBeGreaterThan(3);
    expect(new Set(json.rows.map(({ kind }: { kind: string }) => kind))).toEqual(new Set(["tool-result"]));
  });

  test("words find what a ref says, not only what it is called", async () => {
    const { out } = await inStore("refs", "poisoned", "--session", mine.session, "--json");
    expect(JSON.parse(out).rows.map(({ ref }: { ref: string }) => ref)).toEqual([
      resultOf(mine, "part-3.ts"),
    ]);
    expect((await inStore("refs", "no such words anywhere")).out).toContain("0 refs");
  });

  test("a session is also known by a file of it", async () => {
    const { out } = await inStore("refs", "--session", join(folder, "mine.json"), "--json");
    expect(JSON.parse(out).session).toBe(mine.session);
    const ref = resultOf(mine, "part-3.ts");
    const read = await inStore("ref", ref, "--session", join(folder, "mine.json"), "--json");
    expect(JSON.parse(read.out)).toMatchObject({ session: mine.session, ref });
  });

  test("a kind that does not exist is a usage error", async () => {
    expect(await inStore("refs", "--kind", "smell")).toMatchObject({
      code: 2,
      err: expect.stringContaining("Known: text"),
    });
  });
});

describe("palimpsest ref", () => {
  test("gives the original back to the byte", async () => {
    const { code, out } = await inStore("ref", resultOf(mine, "part-3.ts"), "--session", mine.session);
    const body = JSON.parse(longBody("mine"));
    const original = body.messages
      .flatMap(({ content }: { content: unknown }) => (Array.isArray(content) ? content : []))
      .find(({ tool_use_id }: { tool_use_id?: string }) => tool_use_id === "toolu_mine_3").content;
    expect(code).toBe(0);
    expect(out).toBe(original);
  });

  test("finds whose it is when no session is named", async () => {
    const { code, out } = await inStore("ref", resultOf(mine, "part-3.ts"));
    expect(code).toBe(0);
    expect(out).toContain("quarantine the poisoned jobs");
  });

  test("--lines and --grep give a part of it, with line numbers", async () => {
    const ref = resultOf(mine, "part-3.ts");
    const lines = (await inStore("ref", ref, "--lines", "80-81")).out;
    expect(lines).toContain("81");
    expect(lines).toContain("quarantine the poisoned jobs");
    expect(lines).not.toContain("mine_3_10 ");
    expect(lines.endsWith("\n")).toBe(true);
    const last = await inStore("ref", ref, "--lines", "-2");
    expect(last).toEqual(await inStore("ref", ref, "--lines=-2"));
    expect([last.code, last.out.trimEnd().split("\n").length]).toEqual([0, 2]);
    const nothing = await inStore("ref", ref, "--grep", "zzzzzz");
    expect([nothing.code, nothing.out, nothing.err]).toEqual([0, "", "No line matches zzzzzz.\n"]);
    const found = (await inStore("ref", ref, "--grep", "poison\\w+ jobs")).out;
    expect(found).toContain("quarantine the poisoned jobs");
    expect(found).not.toContain("mine_3_10 ");
  });

  test("--json has the original as data", async () => {
    const ref = resultOf(mine, "part-3.ts");
    const json = JSON.parse((await inStore("ref", ref, "--json")).out);
    expect(json).toMatchObject({ ref, session: mine.session, kind: "tool-result" });
    expect(json.text).toContain("quarantine the poisoned jobs");
  });

  test("a mistyped ref is answered with the nearest, a foreign one with whose it is not", async () => {
    const ref = resultOf(mine, "part-3.ts");
    const typo = `${ref.slice(0, -1)}${ref.endsWith("0") ? "1" : "0"}`;
    const mistyped = await inStore("ref", typo, "--session", mine.session);
    expect(mistyped).toMatchObject({ code: 1, out: "" });
    expect(mistyped.err).toContain(ref);
    const foreign = await inStore("ref", ref, "--session", other.session);
    expect(foreign).toMatchObject({ code: 1, out: "" });
    expect(foreign.err).toContain("session");
    expect(foreign.err).not.toBe(mistyped.err);
    expect(foreign.err.trim().split("\n")).toHaveLength(1);
  });

  test("what a tool printed does not act on the terminal, and is whole in a pipe", async () => {
    const hostile = "\u001b[2J\u001b]0;owned\u0007 gone";
    const content = longBody("hostile").replace(
      "// quarantine the poisoned jobs",
      `// ${JSON.stringify(hostile).slice(1, -1)}`,
    );
    const report = await compacted("hostile", content);
    const ref = resultOf(report, "part-3.ts");
    expect((await inStore("ref", ref)).out).toContain(hostile);
    const onTerminal = await run(["ref", ref, "--store", store], {
      isTerminal: true,
      env: { NO_COLOR: "1" },
    });
    expect(onTerminal.out).toContain("gone");
    expect(onTerminal.out).not.toContain("\u001b");
  });
});

describe("palimpsest restore", () => {
  test("gives the file back byte for byte, by name and from the file that took its place", async () => {
    const shorter = join(folder, "shorter.jsonl");
    await inStore("compact", EXAMPLE, "-o", shorter);
    const { out } = await inStore("restore", shorter, "-o", join(folder, "restored.jsonl"));
    expect(readFileSync(join(folder, "restored.jsonl")).equals(readFileSync(EXAMPLE))).toBe(true);
    expect(out).toContain(createHash("sha256").update(readFileSync(EXAMPLE)).digest("hex"));
  });

  test("from a file that has another name, or none: a request body of it, by the refs it names", async () => {
    const body = join(folder, "body.json");
    await inStore("compact", join(folder, "mine.json"), ...WINDOW, "--to", "openai-chat", "-o", body);
    const back = join(folder, "of-body.json");
    expect(await inStore("restore", body, "-o", back)).toMatchObject({ code: 0 });
    expect(readFileSync(back).equals(readFileSync(join(folder, "mine.json")))).toBe(true);
    const stranger = join(folder, "stranger.json");
    writeFileSync(stranger, JSON.stringify({ messages: [{ role: "user", content: "ref_000000000000" }] }));
    expect(await inStore("restore", stranger, "-o", back)).toMatchObject({
      code: 1,
      err: expect.stringContaining("Nothing in stranger.json says of which session"),
    });
  });

  test("compacting in place, and again, never costs the original", async () => {
    const path = join(folder, "in-place.jsonl");
    writeFileSync(path, readFileSync(EXAMPLE));
    await inStore("compact", path, "-o", path);
    const once = readFileSync(path);
    await inStore("compact", path, "-o", path, "--target", "9000");
    await inStore("restore", path, "-o", join(folder, "first.jsonl"));
    expect(readFileSync(join(folder, "first.jsonl")).equals(readFileSync(EXAMPLE))).toBe(true);
    const beside = JSON.parse((await inStore("sessions", "--json")).out).find(({ id }: { id: string }) =>
      id.includes("@"),
    );
    await inStore("restore", beside.id, "-o", join(folder, "second.jsonl"));
    expect(readFileSync(join(folder, "second.jsonl")).equals(once)).toBe(true);
  });

  test("says what is missing", async () => {
    expect(await inStore("restore", mine.session)).toMatchObject({
      code: 2,
      err: expect.stringContaining("-o"),
    });
    expect(await inStore("restore", "nobody", "-o", "x")).toMatchObject({
      code: 1,
      err: expect.stringContaining('no stored session "nobody"'),
    });
    expect(await inStore("restore", mine.session, "-o", join(folder, "no", "such", "place"))).toMatchObject({
      code: 1,
      err: expect.stringContaining("Cannot write"),
    });
  });
});

describe("palimpsest sessions, export and gc", () => {
  test("sessions are listed, the one used last first", async () => {
    const { out } = await inStore("sessions");
    expect(out).toContain(mine.session);
    expect(out).toMatch(/1 compaction +\d+ refs/);
    const rows = JSON.parse((await inStore("sessions", "--json")).out);
    const used = rows.map(({ usedAt }: { usedAt: number }) => usedAt);
    expect(used).toEqual(used.toSorted((a: number, b: number) => b - a));
  });

  test("export gives every original as JSON lines", async () => {
    const path = join(folder, "export.jsonl");
    expect((await inStore("export", mine.session, "-o", path)).code).toBe(0);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    expect(lines.every((line) => typeof JSON.parse(line) === "object")).toBe(true);
    for (const { ref } of mine.refs) expect(lines.some((line) => line.includes(ref))).toBe(true);
    expect((await inStore("export", mine.session)).out.trimEnd().split("\n")).toEqual(lines);
  });

  test("gc takes nothing of a session that has not ended", async () => {
    const { out } = await inStore("gc", "--grace", "0", "--max-bytes", "0", "--json");
    expect(JSON.parse(out)).toMatchObject({ sessions: [], isDryRun: false });
    expect((await inStore("gc", "--dry-run")).out).toContain("Nothing may go");
    expect((await inStore("refs", "--session", mine.session)).code).toBe(0);
  });

  test("a session made by compact is ended by name or by disuse, and then gc may take it", async () => {
    const path = join(folder, "short-lived.json");
    writeFileSync(path, longBody("shortlived"));
    const other = join(folder, "another-store");
    const there = (...words: readonly string[]) => run([...words, "--store", other]);
    const made = async () => {
      await there("compact", path, "--json");
      const [row] = JSON.parse((await there("sessions", "--json")).out);
      return row.id as string;
    };
    const id = await made();
    expect((await there("gc", "--grace", "0")).out).toContain("Nothing may go");
    expect(JSON.parse((await there("gc", "--grace", "0", "--unused", "1", "--json")).out).sessions).toEqual(
      [],
    );
    expect(JSON.parse((await there("gc", "--grace", "0", "--unused", "0", "--json")).out).sessions).toEqual([
      id,
    ]);
    expect((await there("refs", "--session", id)).code).toBe(1);

    const again = await made();
    const { code, out } = await there("sessions", "--end", again.slice(0, 12), "--json");
    expect([code, JSON.parse(out)]).toEqual([
      0,
      [expect.objectContaining({ id: again, endedAt: expect.any(Number) })],
    ]);
    expect((await there("gc")).out).toContain("Nothing may go");
    expect((await there("gc", "--grace", "0")).out).toContain(`1 session, `);
    const unknown = await there("sessions", "--end", "nobody");
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('no stored session "nobody"')]);
  });

  test("the grace period is in days, thirty where nothing is said", async () => {
    const place = join(folder, "old-store");
    const DAY = 86_400_000;
    const past = Date.now() - 29.5 * DAY;
    const opened = await openSqliteStore({ path: join(place, "store.db") });
    await opened.openSession({ id: "ended", at: past });
    await opened.endSession("ended", past);
    await opened.close();
    const gone = async (...words: readonly string[]) =>
      JSON.parse((await run(["gc", "--dry-run", "--json", "--store", place, ...words])).out).sessions;
    expect([await gone(), await gone("--grace", "30"), await gone("--grace", "29")]).toEqual([
      [],
      [],
      ["ended"],
    ]);
    expect((await run(["gc", "--help"])).out).toContain("(default: 30)");
  });

  test("the store is for its owner alone", () => {
    for (const name of readdirSync(store)) expect(statSync(join(store, name)).mode & 0o077).toBe(0);
  });

  test("PALIMPSEST_HOME says where the store is", async () => {
    const { out } = await run(["sessions", "--json"], { env: { PALIMPSEST_HOME: store } });
    expect(JSON.parse(out).length).toBeGreaterThan(1);
    expect((await run(["refs"], { env: { PALIMPSEST_HOME: join(folder, "elsewhere") } })).err).toContain(
      "There is no store",
    );
  });
});

test("every command is helped, with examples", async () => {
  for (const name of ["compact", "refs", "ref", "restore", "sessions", "export", "gc", "policies"]) {
    expect((await run([name, "--help"])).out, name).toContain("Examples");
    expect((await run([])).out).toContain(name);
  }
});
