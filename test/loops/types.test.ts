/** That the adapters fit the frameworks' own types, which they do not import, is for the compiler to say. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const FOLDER = fileURLToPath(new URL("../../examples/loops/", import.meta.url));
const compiler = join(
  dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin",
  "tsc",
);

test.skipIf(!existsSync(`${FOLDER}node_modules/.installed`))("examples/loops/types.ts compiles", () => {
  const said = () => execFileSync(process.execPath, [compiler, "-p", FOLDER], { encoding: "utf8" });
  expect(said()).toBe("");
});
