/** Where `-o` points may be there already: a link, a pipe, a file only its owner may read. It stays that. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { longBody } from "./conversation.ts";
import { EXAMPLE, run, scratchFolder } from "./run.ts";

const folder = scratchFolder();
const WINDOW = ["--window", "20000"];

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test("what is there keeps being what it is: a link, and who may read a file", async () => {
  const body = file("kept.json", longBody("kept"));
  const words = ["compact", body, ...WINDOW, "--store", join(folder, "store"), "-o"];
  const secret = file("secret.json", "as it was");
  chmodSync(secret, 0o600);
  const link = join(folder, "link.json");
  symlinkSync(secret, link);
  expect((await run([...words, link])).code).toBe(0);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(statSync(secret).mode & 0o777).toBe(0o600);
  expect(readFileSync(secret, "utf8")).toContain("messages");
});

test("a pipe is read, and written to", async () => {
  const [from, to] = [join(folder, "from.pipe"), join(folder, "to.pipe")];
  for (const pipe of [from, to]) execFileSync("mkfifo", [pipe]);
  const writing = spawn("sh", ["-c", 'cat "$0" > "$1"', file("piped.json", longBody("piped")), from]);
  const reading = spawn("sh", ["-c", 'cat "$0"', to]);
  let text = "";
  reading.stdout.on("data", (chunk) => {
    text += chunk;
  });
  const [code] = await Promise.all([
    run(["compact", from, ...WINDOW, "--store", join(folder, "store"), "-o", to]).then((ran) => ran.code),
    once(reading, "close"),
    once(writing, "close"),
  ]);
  expect(code).toBe(0);
  expect(lstatSync(to).isFIFO()).toBe(true);
  expect(JSON.parse(text).messages.length).toBeGreaterThan(2);
});

test("a folder to write to is said by name, and no file of ours is", async () => {
  const words = ["compact", EXAMPLE, "--store", join(folder, "store"), "-o"];
  expect(await run([...words, folder])).toEqual({
    code: 1,
    out: "",
    err: `palimpsest: Cannot write ${folder}: it is a folder.\n`,
  });
  const { err } = await run([...words, join(folder, "none", "x.jsonl")]);
  expect(err).toBe(`palimpsest: Cannot write ${join(folder, "none", "x.jsonl")}: there is no such folder.\n`);
});
