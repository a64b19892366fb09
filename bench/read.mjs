/** Reading a session costs at most 3 × JSON.parse of its lines. The floor has the lines already split and decoded. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openFile } from "../dist/file.js";
import { readSession } from "../dist/wire/wires.js";
import { ratio } from "./ratio.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const REAL = join(ROOT, "../shared/transcripts");

export function benchRead() {
  return sessions().map((path) => {
    const text = readFileSync(path, "utf8");
    const lines = path.endsWith(".jsonl") ? text.split("\n").filter((line) => line !== "") : [text];
    return ratio({
      name: `read ${path.split("/").slice(-2).join("/").slice(0, 60)}`,
      limit: 3,
      floor: () => lines.map((line) => JSON.parse(line)),
      work: () => readSession(openFile(path)),
    });
  });
}

function sessions() {
  const bundled = join(ROOT, "examples/sessions");
  const own = readdirSync(bundled).filter((name) => name.endsWith(".jsonl")).map((name) => join(bundled, name));
  if (!existsSync(REAL)) return own;
  const real = readdirSync(REAL, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [...own, ...real.flatMap(({ name }) => readdirSync(join(REAL, name)).map((file) => join(REAL, name, file)))];
}
