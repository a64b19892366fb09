/** `npm run conformance [host…]`: real clients, pinned, offline, against the scripted model. See docs/conformance.md. */
import { tally } from "./drive.mjs";

const suites = {
  "claude-code": async () => (await import("./claude-code.mjs")).claudeCode(),
  codex: async () => (await import("./codex.mjs")).codex(),
  pi: async () => (await import("./pi.mjs")).pi(),
  "gemini-cli": async () => (await import("./gemini-cli.mjs")).geminiCli(),
  opencode: async () => (await import("./opencode.mjs")).opencode(),
};
const wanted = process.argv.slice(2);
for (const [name, suite] of Object.entries(suites))
  if (wanted.length === 0 || wanted.includes(name)) await suite();
const { passed, failed } = tally();
console.log(`${passed} passed, ${failed.length} failed`);
process.exit(failed.length === 0 ? 0 : 1);
