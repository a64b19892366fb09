/**
 * What the examples in `examples/loops` run on: other people's frameworks, 200 MB of them. They are no dependency of the
 * package nor of whoever builds it, so only the tests that run them install them, once, beside the examples. Without a
 * registry those tests skip with a message.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "..", "examples", "loops");
const MODULES = join(FOLDER, "node_modules");
const STAMP = join(MODULES, ".installed");
const lock = readFileSync(join(FOLDER, "package-lock.json"), "utf8");

if (!existsSync(STAMP) || readFileSync(STAMP, "utf8") !== lock) {
  console.log("Installing what the examples in examples/loops run on (once, about 20 seconds) …");
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", args, { cwd: FOLDER, stdio: ["ignore", "ignore", "inherit"] });
  if (status === 0) {
    symlinkSync("../../..", join(MODULES, "palimpsest"));
    writeFileSync(STAMP, lock);
  } else console.log("The registry did not give them: the tests that run the examples will skip.");
}
