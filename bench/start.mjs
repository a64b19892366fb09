/**
 * What a process of its own costs: Node's start alone against Node's start, the library, one session and one request prepared.
 * Hooks pay this at every turn. Started alternately, the quick quarters compared; the script is what a user would write.
 */
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compared } from "./ratio.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const ROUNDS = 31;
const LIMIT = 2;

/** The package's own name, resolved by its `exports`, as from outside. */
const SCRIPT = `
import { openSession } from "palimpsest";
const session = await openSession({ model: "claude-opus-4-5" });
const turn = (index) => [
  { role: "user", content: "Run test number " + index + "." },
  { role: "assistant", content: [{ type: "tool_use", id: "toolu_" + index, name: "Bash", input: { command: "npm test" } }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_" + index, content: "12 passed, 0 failed" }] },
  { role: "assistant", content: [{ type: "text", text: "All 12 pass." }] },
];
const { messages } = await session.prepare([1, 2, 3, 4, 5].flatMap(turn));
if (messages.length !== 20) throw new Error("20 messages went in, " + messages.length + " came out");
`;

export function benchStart() {
  const [floors, works] = [[], []];
  // The first round warms the disk's cache.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [floor, work] = [started(["-e", "0"]), started(["--input-type=module", "-e", SCRIPT])];
    if (round > 0) floors.push(floor) && works.push(work);
  }
  const name = "start, open the library and prepare 20 messages against node -e 0";
  return [compared({ name, limit: LIMIT, floors, works })];
}

function started(args) {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT });
  if (status !== 0) throw new Error(`node ended with ${status}: ${stderr}`);
  return performance.now() - start;
}
