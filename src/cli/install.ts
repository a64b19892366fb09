/** `palimpsest install | uninstall <host>`: puts us into a host, shows what it changes, and takes it out again. */
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseWords, usageError } from "./arguments.ts";
import { colorsFor, EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";

const HELP = (verb: string, does: string) => `palimpsest ${verb} <host> [--project] [--dry-run] [--json]

${does}

  <host>          claude-code, codex, gemini-cli, opencode, pi
  --project       for the project in this folder; otherwise for the user, everywhere
  --dry-run       say what would change, and leave it
  --json          { host, scope, isDryRun, changes: [{ path, kind, what }] }

Examples
  palimpsest ${verb} claude-code --dry-run
  palimpsest ${verb} codex
`;

const OPTIONS = {
  project: { type: "boolean" },
  "dry-run": { type: "boolean" },
  json: { type: "boolean" },
} as const;

type Verb = "install" | "uninstall";

async function run(verb: Verb, argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, verb);
  if (positionals.length !== 1) throw usageError("Name one host.", verb);
  // The command line is the door to the other edges: it opens one at a time, and only the one that was asked for.
  const { arrange } = await import("../hosts/install.ts");
  const isDryRun = values["dry-run"] === true;
  const scope = values.project === true ? "project" : "user";
  const arranged = arrange(verb, positionals[0] ?? "", { scope, isDryRun, env: io.env, bin: binPath() });
  const changes = arranged.changes.map(({ path, kind, what }) => ({ path, kind, what }));
  const data = { host: arranged.host.name, scope, isDryRun, changes };
  io.out(values.json ? `${JSON.stringify(data, null, 2)}\n` : said(verb, { ...arranged, isDryRun }, io));
  return EXIT.done;
}

/** Our own command as built, wherever this runs from: hosts start it by this path. */
export function binPath(): string {
  return realpathSync(fileURLToPath(new URL("../../dist/cli/bin.js", import.meta.url)));
}

type Arranged = ReturnType<typeof import("../hosts/install.ts")["arrange"]>;

function said(verb: Verb, arranged: Arranged & { readonly isDryRun: boolean }, io: Io): string {
  const colors = colorsFor(io);
  const rows = arranged.changes.map(
    ({ path, kind, what }) => `  ${kind.padEnd(6)}  ${path}  ${colors.dim(what)}`,
  );
  return [colors.bold(arranged.host.title), ...rows, outcomeOf(verb, arranged), ""].join("\n");
}

function outcomeOf(
  verb: Verb,
  { host, changes, isDryRun }: Arranged & { readonly isDryRun: boolean },
): string {
  const isInstall = verb === "install";
  if (changes.every(({ kind }) => kind === "none"))
    return isInstall ? "Already there; nothing to change." : "Nothing of ours was there.";
  if (isDryRun) return "Nothing was changed (--dry-run).";
  return isInstall
    ? `${host.afterwards} "palimpsest doctor ${host.name}" proves that it works.`
    : "Taken out. What was kept stays in the store.";
}

export const install: Command = {
  name: "install",
  summary: "puts palimpsest into Claude Code, Codex, Gemini CLI, OpenCode or pi",
  help: HELP("install", "Puts hooks and tools into the host's own settings; what others wrote there stays."),
  run: (argv, io) => run("install", argv, io),
};

export const uninstall: Command = {
  name: "uninstall",
  summary: "takes it out again",
  help: HELP("uninstall", "Takes out what install put there, and nothing else. The store stays."),
  run: (argv, io) => run("uninstall", argv, io),
};
