/**
 * Whether a host really runs our hooks and really shows our tools, in the version that is installed here. Settings that look
 * right prove nothing: hooks may be untrusted, too new for the host, or its tools out of the model's sight. So the host is
 * started for real, against a scripted model on this machine: no key, no network, nothing of the user's is sent anywhere.
 */
import { PalimpsestError } from "../errors.ts";
import { storeFile } from "../home.ts";
import { driveHost } from "./drive-host.ts";
import { type Host, hostNamed, hosts } from "./host.ts";
import { askVersion, compareVersions } from "./host-version.ts";
import { filesOf, isAbout, placeFor } from "./install.ts";
import { oneLine } from "./one-line.ts";
import { putting, taking } from "./settings-file.ts";
import { openHostStore } from "./store-of.ts";

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
  const here = [version, installed, await storeFinding(examining.env), ...offFindings(examining.env)];
  if (here.some(({ isGood }) => !isGood)) return here;
  const driven = await driveHost(host, { ...examining, scope: installed.scope });
  if (host.name !== "claude-code") return [...here, ...driven];
  const place = placeFor(host, { ...examining, scope: installed.scope });
  const { examineClaudeCode } = await import("./claude-code/doctor.ts");
  return [...here, ...driven, ...(await examineClaudeCode(place))];
}

function versionFinding({ title, program, atLeast, seen }: Host, env: Examining["env"]): Finding {
  const what = `${title} is here`;
  const asked = askVersion(program, env);
  if (!asked)
    return {
      what,
      isGood: false,
      detail: `there is no "${program}" on the PATH: install it, or add its folder`,
    };
  const { version, said } = asked;
  if (version === undefined) {
    const detail = `"${program} --version" names no version, and mending that comes first; it says: ${oneLine(said)}`;
    return { what, isGood: false, detail };
  }
  const isGood = compareVersions(version, atLeast) >= 0;
  const old = `version ${version} is too old: ${atLeast} is the first that has what we need; update it`;
  return { what, isGood, detail: isGood ? `version ${version} (tried with ${seen})` : old };
}

interface Installed extends Finding {
  readonly scope: "user" | "project";
}

function installedFinding(host: Host, { env, bin }: Examining): Installed {
  const what = "palimpsest is in its settings";
  const scopes = host.scopes.map((scope) => {
    const files = filesOf[host.name](placeFor(host, { scope, env, bin }));
    const changes = files.map(putting).filter(isAbout);
    return { scope, changes, traces: files.map(taking).filter(({ kind }) => kind !== "none") };
  });
  const there = scopes.find(({ changes }) => changes.every(({ kind }) => kind === "none"));
  if (!there) {
    const missing = scopes[0]?.changes.filter(({ kind }) => kind !== "none").map(({ path }) => path) ?? [];
    const detail = `not (or not as it should be) in ${missing.join(", ")}: run "palimpsest install ${host.name}"`;
    return { what, isGood: false, scope: "user", detail };
  }
  const paths = [...new Set(there.traces.map(({ path, folder }) => folder ?? path))];
  const twice = scopes
    .filter(({ scope }) => scope !== there.scope)
    .flatMap(({ traces }) => traces.map(({ path, folder }) => folder ?? path))
    // In the home folder a project's file is the user's.
    .filter((path) => !paths.includes(path));
  if (twice.length === 0) return { what, isGood: true, scope: there.scope, detail: paths.join(", ") };
  const detail = `twice, for the user and for this project (${[...new Set(twice)].join(", ")}): each would do everything again; run "palimpsest uninstall ${host.name} --project" here`;
  return { what, isGood: false, scope: there.scope, detail };
}

/** Doctor starts the host with a store of its own; this is the one that hooks will use. */
async function storeFinding(env: Examining["env"]): Promise<Finding> {
  const what = "the store can be written";
  const path = storeFile(env);
  try {
    await (await openHostStore(path)).close();
    return { what, isGood: true, detail: path };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { what, isGood: false, detail: `no, so nothing could be kept. ${why}` };
  }
}

function offFindings(env: Examining["env"]): readonly Finding[] {
  if (env["PALIMPSEST_OFF"] !== "1") return [];
  const detail = "PALIMPSEST_OFF=1 is set here, and nothing of ours runs while it is: unset it";
  return [{ what: "it is switched on", isGood: false, detail }];
}
