/**
 * Reading a session costs at most 3 × JSON.parse of its lines. The floor is the least anyone must do to have its records:
 * read the file, split it, parse each line. Files below a quarter of a megabyte are left out: there the half millisecond it
 * takes to tell whose file it is would be all that is measured.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openFile } from "../dist/file.js";
import { readSession } from "../dist/wire/wires.js";
import { ratio } from "./ratio.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const SMALLEST_BYTES = 250_000;
const REAL = join(ROOT, "../shared/transcripts");

export function benchRead() {
  return sessions().map((path) => {
    const isLines = path.endsWith(".jsonl");
    return ratio({
      name: `read ${path.split("/").slice(-2).join("/").slice(0, 60)}`,
      limit: 3,
      floor: () => {
        const text = readFileSync(path, "utf8");
        return (isLines ? text.split("\n") : [text]).map((line) => line !== "" && JSON.parse(line));
      },
      work: () => readSession(openFile(path)),
    });
  });
}

function sessions() {
  const bundled = join(ROOT, "examples/sessions");
  const isLarge = (path) => statSync(path).size > SMALLEST_BYTES;
  const own = readdirSync(bundled)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(bundled, name));
  if (!existsSync(REAL)) return own;
  const real = readdirSync(REAL, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const files = real.flatMap(({ name }) =>
    readdirSync(join(REAL, name)).map((file) => join(REAL, name, file)),
  );
  return [...own, ...files.filter(isLarge)];
}
