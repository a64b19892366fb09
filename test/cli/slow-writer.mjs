/**
 * A process that writes a file slowly: a chunk, then a word on stdout, then a pause. Whoever started it sends it a signal.
 * Arguments: the file, and how many chunks (none: without end).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { writeOut } from "../../dist/cli/write-out.js";

const [path, most = "Infinity"] = process.argv.slice(2);

async function* chunks() {
  for (let index = 0; index < Number(most); index += 1) {
    yield Buffer.from(`new ${index}\n`);
    process.stdout.write(`${index}\n`);
    await sleep(5);
  }
}

await writeOut(path, chunks());
