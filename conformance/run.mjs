/**
 * `npm run conformance [host…] [--control]`: real clients, pinned, with nothing to reach but this machine, against the
 * scripted model. See docs/conformance.md.
 */
import { existsSync, readFileSync } from "node:fs";
import { client, IS_CONTROL, skip, tally } from "./drive.mjs";
import { insideNamespace } from "./offline.mjs";

/** Which client of the cache each suite drives. */
const suites = {
  opencode: {
    needs: ["opencode"],
    run: async () => (await import("./opencode.mjs")).opencode(),
  },
  "gemini-cli": {
    needs: ["gemini"],
    run: async () => (await import("./gemini-cli.mjs")).geminiCli(),
  },
  "claude-code": {
    needs: ["claude"],
    run: async () => (await import("./claude-code.mjs")).claudeCode(),
  },
  "claude-code-classic": {
    needs: ["claude-classic/claude"],
    run: async () => (await import("./claude-code-classic.mjs")).claudeCodeClassic(),
  },
  codex: {
    needs: ["codex"],
    run: async () => (await import("./codex.mjs")).codex(),
  },
  across: {
    needs: ["claude", "codex"],
    run: async () => (await import("./across.mjs")).across(),
  },
  pi: {
    needs: ["pi"],
    run: async () => (await import("./pi.mjs")).pi(),
  },
};

const words = process.argv.slice(2);
if (words.includes("--control")) process.env.CONTROL = "1";
if (process.env.PALIMPSEST_OFFLINE === undefined) process.exit(insideNamespace(import.meta.url, words));

const isAlone = readFileSync("/proc/net/dev", "utf8").trim().split("\n").length === 3;
console.log(isAlone ? "offline: there is only loopback here" : "NOT offline: a network is in reach");
const wanted = words.filter((word) => !word.startsWith("--"));
const waiting = Object.entries(suites).filter(([name]) => wanted.length === 0 || wanted.includes(name));
// Three at a time: clients wait a good deal, and two cores is what CI has.
await Promise.all([drain(), drain(), drain()]);
const { passed, failed, skipped } = tally();
if (IS_CONTROL) console.log("control: our replies were off, and a check passes here where it failed");
console.log(`${passed} passed, ${failed.length} failed${skipped ? `, ${skipped} skipped` : ""}`);
process.exit(failed.length === 0 ? 0 : 1);

async function drain() {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [name, { needs, run }] = next;
    const missing = needs.find((need) => {
      const [folder, program = folder] = need.split("/");
      return !existsSync(client(folder, program));
    });
    if (missing) skip(name, `${missing} could not be installed here`);
    else await run();
  }
}
