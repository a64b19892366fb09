/** `palimpsest doctor <host>`: proves that hooks fire and tools answer in the host as it is installed here. */
import { parseWords, usageError } from "./arguments.ts";
import { binPath } from "./install.ts";
import { colorsFor, EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";

const HELP = `palimpsest doctor <host> [--json]

Looks for the host, its version and our settings; then starts it for real against a scripted
model on this machine (no key, no network, a store of its own) and looks at what the model is
shown: does it see read_ref, does a giant result become a ref, can the ref be read back, is
a stub refused?

  <host>          claude-code, codex, gemini-cli, opencode, pi
  --json          { host, isGood, findings: [{ what, isGood, detail }] }

Exit code 1 where anything is wrong.

Examples
  palimpsest doctor claude-code
`;

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, { json: { type: "boolean" } }, "doctor");
  if (positionals.length !== 1) throw usageError("Name one host.", "doctor");
  const [host = ""] = positionals;
  // The command line is the door to the other edges: it opens one at a time, and only the one that was asked for.
  const { examine } = await import("../hosts/doctor.ts");
  const findings = await examine(host, { env: io.env, bin: binPath() });
  const isGood = findings.every((finding) => finding.isGood);
  const colors = colorsFor(io);
  const rows = findings.map(
    (finding) =>
      `${finding.isGood ? colors.green("ok  ") : colors.red("BAD ")}  ${finding.what}: ${finding.detail}`,
  );
  io.out(values.json ? `${JSON.stringify({ host, isGood, findings }, null, 2)}\n` : `${rows.join("\n")}\n`);
  return isGood ? EXIT.done : EXIT.failed;
}

export const doctor: Command = {
  name: "doctor",
  summary: "proves that hooks fire and tools answer in a host",
  help: HELP,
  run,
};
