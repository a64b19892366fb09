/**
 * Another extension that compacts. pi takes the answer of the last that gives one, shows none of them what the others
 * answered, and loads those of the command line before ours: ours would overrule what the user started pi with. So where
 * another extension's files name the event, ours stands back. That costs reading them once, when pi first compacts.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

export interface Loaded {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Files pi says its tools and commands are from: of packages, those are the only trace. */
  readonly named: readonly string[];
}

const EVENT = "session_before_compact";
const CODE = /\.[cm]?[jt]sx?$/;
/** Larger files are bundles; an extension is small. */
const MOST_BYTES = 2_000_000;
/** A folder of extensions, an extension's folder, and one below. */
const DEPTH = 3;

/** The file that names the event; ours does not, it only points to where we are. */
export function otherCompactor({ argv, cwd, env, named }: Loaded): string | undefined {
  const agent = env["PI_CODING_AGENT_DIR"] ?? join(env["HOME"] ?? homedir(), ".pi", "agent");
  const given = argv.flatMap((word, index) =>
    argv[index - 1] === "-e" || argv[index - 1] === "--extension" ? [resolve(cwd, word)] : [],
  );
  const folders = argv.includes("--no-extensions")
    ? []
    : [join(cwd, ".pi/extensions"), join(agent, "extensions")];
  const files = [...given, ...named, ...folders].flatMap((path) => codeIn(path, DEPTH));
  return files.find(namesTheEvent);
}

function codeIn(path: string, depth: number): readonly string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return CODE.test(path) ? [path] : [];
  if (depth === 0) return [];
  const inside = readdirSync(path).filter((name) => name !== "node_modules" && !name.startsWith("."));
  return inside.flatMap((name) => codeIn(join(path, name), depth - 1));
}

function namesTheEvent(path: string): boolean {
  return statSync(path).size <= MOST_BYTES && readFileSync(path, "utf8").includes(EVENT);
}
