/** A home nothing can be written to: one line that says so and what to do, at once, and nothing is written elsewhere. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { homeFolder, storeFile } from "../../src/home.ts";
import { makeFolder } from "../../src/store/folder.ts";
import { longBody } from "./conversation.ts";
import { run, scratchFolder } from "./run.ts";

const folder = scratchFolder();
const body = join(folder, "body.json");
const file = join(folder, "a-file");
writeFileSync(body, longBody("queue"));
writeFileSync(file, "not a folder");

const compacting = (home: string) =>
  run(["compact", body, "-o", join(folder, "out.json")], { env: { PALIMPSEST_HOME: home } });

test.each([
  // Here Node's own recursive mkdir never returns.
  ["where no folder can be made", "/proc/x", existsSync("/proc/self")],
  ["that is a file", file, true],
  ["below a file", join(file, "deeper"), true],
  ["below a device", "/dev/null/x", existsSync("/dev/null")],
])("a home %s", async (_name, home, isHere) => {
  if (!isHere) return;
  const { code, out, err } = await compacting(home);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(/^palimpsest: The store .+ cannot be opened for writing: E[A-Z]+: .+\n$/);
  expect(err).toContain(home);
  expect(err).toContain("--store");
  expect(existsSync(join(folder, "out.json"))).toBe(false);
});

test("a home that is not said is the user's, not the folder one happens to be in", () => {
  expect(homeFolder({ PALIMPSEST_HOME: "" })).toBe(homeFolder({}));
  expect(homeFolder({})).toBe(join(homedir(), ".palimpsest"));
  expect(homeFolder({ PALIMPSEST_HOME: "~/kept" })).toBe(join(homedir(), "kept"));
  expect(homeFolder({ PALIMPSEST_HOME: "~" })).toBe(homedir());
  expect(homeFolder({ PALIMPSEST_HOME: "/~/a~" })).toBe("/~/a~");
  expect(storeFile({ PALIMPSEST_HOME: "/somewhere" })).toBe(join("/somewhere", "store.db"));
});

test("folders are made with all above them, and those that are there are left alone", () => {
  const deep = join(folder, "one", "two", "three");
  makeFolder(deep, 0o700);
  makeFolder(deep, 0o700);
  mkdirSync(join(deep, "kept"));
  makeFolder(join(folder, "one"));
  expect(readdirSync(deep)).toEqual(["kept"]);
  expect(() => makeFolder(file)).toThrow("EEXIST");
});
