/** Puts us into a host and takes us out: decided as data first, so that a dry run is the absence of the last step. */
import { homedir } from "node:os";
import { PalimpsestError } from "../errors.ts";
import { defined } from "../transcript/json.ts";
import { claudeCodeFiles } from "./claude-code/install.ts";
import { codexFiles } from "./codex/install.ts";
import { geminiCliFiles } from "./gemini-cli/install.ts";
import { type Host, type HostName, hostNamed, hosts } from "./host.ts";
import { versionOf } from "./host-version.ts";
import { opencodeFiles } from "./opencode/install.ts";
import { piFiles } from "./pi/install.ts";
import {
  type Change,
  carryOut,
  type Place,
  putting,
  refuseUnwritable,
  type SettingsFile,
  taking,
} from "./settings-file.ts";

export const filesOf: Readonly<Record<HostName, (place: Place) => readonly SettingsFile[]>> = {
  "claude-code": claudeCodeFiles,
  codex: codexFiles,
  "gemini-cli": geminiCliFiles,
  opencode: opencodeFiles,
  pi: piFiles,
};

export interface Arranging {
  readonly scope: Place["scope"];
  readonly isDryRun: boolean;
  readonly env: Place["env"];
  /** Our own command, absolute. */
  readonly bin: string;
}

export interface Arranged {
  readonly host: Host;
  readonly changes: readonly Change[];
}

export function arrange(verb: "install" | "uninstall", name: string, arranging: Arranging): Arranged {
  const host = hostNamed(name);
  if (!host)
    throw new PalimpsestError("usage", `Which host? One of ${hosts.map((known) => known.name).join(", ")}.`);
  if (!host.scopes.includes(arranging.scope))
    throw new PalimpsestError("usage", `${host.title} takes us for the user only; leave --project out.`);
  const changes = filesOf[host.name](placeFor(host, arranging))
    .map(verb === "install" ? putting : taking)
    .filter(isAbout);
  if (!arranging.isDryRun) {
    refuseUnwritable(changes);
    for (const change of changes) carryOut(change);
  }
  return { host, changes };
}

/** A file that is not there, and should not be, is no news. */
export function isAbout({ kind, after }: Change): boolean {
  return kind !== "none" || after !== undefined;
}

export function placeFor(
  { name, program }: Host,
  { scope, env, bin }: Pick<Arranging, "scope" | "env" | "bin">,
): Place {
  const home = env["HOME"] ?? homedir();
  // Only here does it decide what is put there; asking takes a start of the host.
  const version = name === "claude-code" ? versionOf(program, env) : undefined;
  const place = { scope, home, project: process.cwd(), env, node: process.execPath, bin };
  return { ...place, ...defined({ version }) };
}
