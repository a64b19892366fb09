/** Ctrl-C in the middle of a write, with real processes: the target is as it was, and nothing lies beside it. */
import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { longBody } from "./conversation.ts";
import { EXAMPLE, scratchFolder } from "./run.ts";

const folder = scratchFolder();
const WRITER = join(import.meta.dirname, "slow-writer.mjs");
const CLI = join(import.meta.dirname, "../../dist/cli/bin.js");

function target(name: string): string {
  mkdirSync(join(folder, name));
  const path = join(folder, name, "target.jsonl");
  writeFileSync(path, "as it was\n");
  return path;
}

function ended(
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly signal: string | null }> {
  return new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal })));
}

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s while writing: exit code %i, nothing changed, nothing left", async (signal, code) => {
  const path = target(signal);
  const child = spawn(process.execPath, [WRITER, path]);
  child.stdout.once("data", () => child.kill(signal));
  expect(await ended(child)).toEqual({ code, signal: null });
  expect(readdirSync(join(path, ".."))).toEqual(["target.jsonl"]);
  expect(readFileSync(path, "utf8")).toBe("as it was\n");
});

test("a write nobody interrupts takes its name at the end", async () => {
  const path = target("whole");
  const child = spawn(process.execPath, [WRITER, path, "3"]);
  expect(await ended(child)).toEqual({ code: 0, signal: null });
  expect(readdirSync(join(path, ".."))).toEqual(["target.jsonl"]);
  expect(readFileSync(path, "utf8")).toBe("new 0\nnew 1\nnew 2\n");
});

test("`compact -o` interrupted at any moment leaves the old file or the new one, whole", async () => {
  const body = join(folder, "body.json");
  writeFileSync(body, longBody("interrupted"));
  const words = [CLI, "compact", body, "--window", "20000", "--store", join(folder, "store")];
  const seen = new Set<string>();
  for (const waitMs of [20, 150, 250, 350, 450, 600, 2_000]) {
    const path = target(`at-${waitMs}`);
    const child = spawn(process.execPath, [...words, "-o", path], { stdio: "ignore" });
    const timer = setTimeout(() => child.kill("SIGINT"), waitMs);
    const { code, signal } = await ended(child);
    clearTimeout(timer);
    expect([0, 130]).toContain(signal === "SIGINT" ? 130 : code);
    expect(readdirSync(join(path, ".."))).toEqual(["target.jsonl"]);
    const text = readFileSync(path, "utf8");
    if (text !== "as it was\n") expect(JSON.parse(text).messages.length).toBeGreaterThan(2);
    seen.add(text === "as it was\n" ? "old" : "new");
  }
  expect(seen).toContain("new");
});

test("`arena --html` interrupted ends with 130 at once, workers and all; the page is the old one or whole", async () => {
  const sessions = join(folder, "sessions");
  mkdirSync(sessions);
  for (const name of ["a.jsonl", "b.jsonl", "c.jsonl"]) copyFileSync(EXAMPLE, join(sessions, name));
  const words = [CLI, "arena", "--sessions", sessions, "--policies", "palimpsest,tail", "--workers", "2"];
  const path = target("arena");
  const child = spawn(process.execPath, [...words, "--html", path], { stdio: "ignore" });
  const timer = setTimeout(() => child.kill("SIGINT"), 1_000);
  const { code, signal } = await ended(child);
  clearTimeout(timer);
  expect(signal === "SIGINT" ? 130 : code).toBe(130);
  expect(readdirSync(join(path, ".."))).toEqual(["target.jsonl"]);
  expect(readFileSync(path, "utf8")).toBe("as it was\n");
});

test("a page that cannot be written is said before the work, not after", async () => {
  const words = [CLI, "arena", "--html", join(folder, "no", "such", "arena.html")];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "pipe"] });
  const said: string[] = [];
  child.stderr.on("data", (chunk) => said.push(String(chunk)));
  const { code } = await ended(child);
  expect(code).toBe(1);
  expect(said.join("")).toContain("Cannot write");
});
