/**
 * The last step of the build: each entry point becomes one file and what the entries share. Loading some 200 modules one by
 * one costs Node more than two of its own starts; a few files cost a half. The modules stay beside them in `dist/` for what
 * looks inside (bench, scripts); a module and an entry are then two copies, so nobody outside may mix them: `exports` sees to it.
 *
 * The three small libraries that every start needs are taken in, only what is used of them, and their licences written
 * beside; what one path needs (models, SQLite, the tokenizer) stays outside and is loaded by that path.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const DIST = join(ROOT, "dist");
const ENTRIES = [
  "index",
  "agent/index",
  "testing/index",
  "cli/bin",
  "loops/ai-sdk",
  "loops/langchain",
  "loops/openai-agents",
];
const TAKEN_IN = ["partial-json", "shell-quote", "valibot"];

/**
 * What the library needs at once is two files, and not one for each way entries share modules (47): Node takes a third of a
 * millisecond for each. `base` is what a hook needs that has something to keep; it does not load the rest.
 */
const HOOK = ["hosts/answer-hook", "hosts/born-result", "store/sqlite"];
const base = reachedFrom(HOOK);
const library = reachedFrom(["index"]);
const groups = [
  { name: "base", test: (id) => base.has(id) && library.has(id) },
  { name: "library", test: (id) => library.has(id) && !id.endsWith("dist/index.js") },
];

const bundle = await rolldown({
  input: Object.fromEntries(ENTRIES.map((entry) => [entry, join(DIST, `${entry}.js`)])),
  platform: "node",
  external: (id) => /^[^./]/.test(id) && !TAKEN_IN.includes(id),
});
// Those of an earlier build are nobody's.
rmSync(join(DIST, "chunks"), { recursive: true, force: true });
await bundle.write({
  dir: DIST,
  format: "esm",
  // As deep as the modules they are made of: some find files of the package by their own place.
  chunkFileNames: "chunks/[name].js",
  // Names and lines stay for whoever reads a stack trace; comments are in `src/`, and scanning them takes time.
  comments: false,
  codeSplitting: { groups },
});
await bundle.close();
writeFileSync(join(DIST, "LICENSES.txt"), TAKEN_IN.map(licence).join("\n\n"));

/** Files of `dist/` that are loaded with these: what they import, and what that imports, but not what is loaded when needed. */
function reachedFrom(modules) {
  const reached = new Set(modules.map((name) => join(DIST, `${name}.js`)));
  for (const path of reached)
    for (const [, from] of readFileSync(path, "utf8").matchAll(/^(?:import|export)[^;]*?"(\.[^"]+)";$/gm))
      reached.add(join(dirname(path), from));
  return reached;
}

function licence(name) {
  const folder = join(ROOT, "node_modules", name);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} has no licence file: it cannot be taken into the bundle.`);
  return `${name}\n\n${readFileSync(join(folder, file), "utf8")}`;
}
