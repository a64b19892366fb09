import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { longBody } from "./conversation.ts";
import { run, scratchFolder } from "./run.ts";

const folder = scratchFolder();
const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith("palimpsest-demo-"));

test("npm start tells the whole story on one screen, and leaves nothing behind", async () => {
  const before = leftovers();
  const { code, out, err } = await run(["demo"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const lines = out.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(45);
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
  expect(lines.filter((line) => /^[A-Z]/.test(line))).toEqual([
    expect.stringContaining("webhook-retries.jsonl"),
    "What filled it, and what is left",
    "What survived, and why",
    expect.stringMatching(/^What became refs: [\d,]+$/),
    "One of them, read back",
    expect.stringMatching(/^Nine more compactions, in a window of [\d,]+ that keeps filling$/),
    "The session file, restored",
  ]);
  expect(out).toContain("10 compactions in all");
  expect(out).toContain("every one was read back byte for byte");
  const [was, is] = [/^ {2}was SHA-256 (\w+)/m.exec(out)?.[1], /^ {2}is {2}SHA-256 (\w+)/m.exec(out)?.[1]];
  expect(was).toMatch(/^[0-9a-f]{64}$/);
  expect(is).toBe(was);
  expect(leftovers()).toEqual(before);
  // What the README shows of it is what it says.
  const [, , , shown = ""] = readFileSync("README.md", "utf8").split("```\n");
  const numbers = shown.match(/\b\d[\d,.]*\d\b/g) ?? [];
  expect(numbers.length).toBeGreaterThan(6);
  expect(numbers.filter((number) => !out.includes(number))).toEqual([]);
});

test("npm start -- <file> does it to theirs, even where nothing is to be done", async () => {
  const path = join(folder, "theirs.json");
  writeFileSync(path, longBody("theirs"));
  const { code, out } = await run(["demo", path]);
  expect(code).toBe(0);
  expect(out).toContain("theirs.json");
  writeFileSync(path, JSON.stringify([{ role: "user", content: "hello" }]));
  expect(await run(["demo", path])).toMatchObject({
    code: 0,
    out: expect.stringContaining("nothing was done"),
  });
});

test.each(["demo", "hook"])("%s is helped, and not in the list", async (name) => {
  expect((await run([name, "--help"])).out).toContain("Examples");
  expect((await run([])).out).not.toMatch(new RegExp(`^ {2}${name}`, "m"));
});

test("a hook without its host and event says what is missing", async () => {
  const { code, err } = await run(["hook"]);
  expect([code, err]).toEqual([2, expect.stringContaining("Which host, and which event?")]);
});
