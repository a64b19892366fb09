/**
 * A process that keeps and records without end, and says on stdout what was acknowledged, one line each, written at
 * once. Whoever started it kills it. Arguments: the store, the session, and how many to write (none: until killed).
 */
import { writeSync } from "node:fs";
import { openSqliteStore } from "../../dist/store/sqlite.js";
import { refOf } from "../../dist/transcript/ref.js";

const [path, session, most = "Infinity"] = process.argv.slice(2);
const store = await openSqliteStore({ path });
await store.openSession({ id: session, at: 1 });
for (let index = 0; index < Number(most); index += 1) {
  const texts = Array.from({ length: 1 + (index % 5) }, (_, part) => wordsOf(index, part));
  const originals = texts.map((text) => {
    const part = { type: "text", text };
    return { ref: refOf(part), part, description: `Text: ${index}`, tokens: 10, at: index };
  });
  await store.keep(session, originals);
  for (const { ref } of originals) acknowledge({ ref });
  await store.append(session, [{ kind: "undo", at: index, of: `${session} ${index}` }]);
  acknowledge({ entry: `${session} ${index}` });
  if (index % 7 !== 3) continue;
  const { sha256 } = await store.keepSource(session, "pi", [Buffer.from(wordsOf(index, 0).repeat(300))]);
  acknowledge({ sha256 });
}
await store.close();

/** Synchronous: once it is out, the other side has it, whatever happens to us next. */
function acknowledge(what) {
  writeSync(1, `${JSON.stringify(what)}\n`);
}

function wordsOf(index, part) {
  return `${session} says ${index}.${part} `.repeat(1 + ((index * 31) % 400));
}
