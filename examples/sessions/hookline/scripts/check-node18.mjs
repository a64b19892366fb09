// Refuses APIs that are newer than the oldest Node we support. A list, not a parser: it has caught all of them so far.
import { readdirSync, readFileSync } from "node:fs";

const NEWER = [
  [/AbortSignal\.any\b/, "AbortSignal.any", "20.3.0"],
  [/\.toSorted\(/, "Array.prototype.toSorted", "20.0.0"],
  [/\.toReversed\(/, "Array.prototype.toReversed", "20.0.0"],
  [/Object\.groupBy\b/, "Object.groupBy", "21.0.0"],
  [/Promise\.withResolvers\b/, "Promise.withResolvers", "22.0.0"],
  [/import\.meta\.(dirname|filename)\b/, "import.meta.dirname", "20.11.0"],
  [/mock\.timers\b/, "mock.timers", "20.4.0"],
  [/Array\.fromAsync\b/, "Array.fromAsync", "22.0.0"],
];

const found = [];
const files = ["src", "scripts", "test", "testing"].flatMap(filesIn).filter((file) => !file.endsWith("check-node18.mjs"));
for (const file of files) {
  readFileSync(file, "utf8").split("\n").forEach((line, index) => {
    for (const [pattern, name, since] of NEWER) {
      if (pattern.test(line)) found.push(`${file}:${index + 1}: ${name} needs Node ${since}, package.json says >=18`);
    }
  });
}
for (const line of found) console.error(line);
console.log(found.length === 0 ? `node18: ${files.length} files, nothing newer` : `node18: ${found.length} found`);
process.exit(found.length === 0 ? 0 : 1);

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(path);
    return /\.m?js$/.test(entry.name) ? [path] : [];
  });
}
