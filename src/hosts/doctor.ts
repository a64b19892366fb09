/**
 * Whether a host really runs our hooks and really shows our tools, in the version that is installed here. Settings that look
 * right prove nothing: hooks may be untrusted, too new for the host, or its tools out of the model's sight. So the host is
 * started for real, against a scripted model on this machine: no key, no network, nothing of the user's is sent anywhere.
 */
import { PalimpsestError } from "../errors.ts";
import { driveHost } from "./drive-host.ts";
import { type Host, hostNamed, hosts } from "./host.ts";
import { compareVersions, versionOf } from "./host-version.ts";
import { filesOf, isAbout, placeFor } from "./install.ts";
import { putting } from "./settings-file.ts";

export interface Finding {
  readonly what: string;
  readonly isGood: boolean;
  /** What was seen; where it is bad, what to do. */
  readonly detail: string;
}

export interface Examining {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly bin: string;
}

export async function examine(name: string, examining: Examining): Promise<readonly Finding[]> {
  const host = hostNamed(name);
  if (!host)
    throw new PalimpsestError("usage", `Which host? One of ${hosts.map((known) => known.name).join(", ")}.`);
  const version = versionFinding(host, examining.env);
  const installed = installedFinding(host, examining);
  if (!version.isGood || !installed.isGood) return [version, installed];
  const driven = await driveHost(host, { ...examining, scope: installed.scope });
  if (host.name !== "claude-code") return [version, installed, ...driven];
  const place = placeFor(host, { ...examining, scope: installed.scope });
  const { examineClaudeCode } = await import("./claude-code/doctor.ts");
  return [version, installed, ...driven, ...(await examineClaudeCode(place))];
}

function versionFinding({ title, program, atLeast, seen }: Host, env: Examining["env"]): Finding {
  const what = `${title} is here`;
  const version = versionOf(program, env);
  if (version === undefined)
    return { what, isGood: false, detail: `"${program} --version" gave no version; is it on the PATH?` };
  const isGood = compareVersions(version, atLeast) >= 0;
  const old = `version ${version} is too old: ${atLeast} is the first that has what we need`;
  return { what, isGood, detail: isGood ? `version ${version} (tried with ${seen})` : old };
}

interface Installed extends Finding {
  readonly scope: "user" | "project";
}

function installedFinding(host: Host, { env, bin }: Examining): Installed {
  const what = "palimpsest is in its settings";
  const scopes = host.scopes.map((scope) => ({
    scope,
    changes: filesOf[host.name](placeFor(host, { scope, env, bin })).map(putting).filter(isAbout),
  }));
  const there = scopes.find(({ changes }) => changes.every(({ kind }) => kind === "none"));
  if (there)
    return {
      what,
      isGood: true,
      scope: there.scope,
      detail: there.changes.map(({ path }) => path).join(", "),
    };
  const missing = scopes[0]?.changes.filter(({ kind }) => kind !== "none").map(({ path }) => path) ?? [];
  const detail = `not (or not as it should be) in ${missing.join(", ")}: run "palimpsest install ${host.name}"`;
  return { what, isGood: false, scope: "user", detail };
}
