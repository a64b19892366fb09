/** Which version of a host is installed. */
import { spawnSync } from "node:child_process";

type Env = Readonly<Record<string, string | undefined>>;

/** What it answered; undefined where there is no such program on the PATH. */
export interface Asked {
  readonly version: string | undefined;
  readonly said: string;
}

export function askVersion(program: string, env: Env): Asked | undefined {
  const ran = spawnSync(program, ["--version"], { env: { ...env }, encoding: "utf8", timeout: 20_000 });
  if (ran.error && "code" in ran.error && ran.error.code === "ENOENT") return undefined;
  const said = `${ran.stdout ?? ""}${ran.stderr ?? ""}`.trim();
  return {
    version: /\d+\.\d+\.\d+/.exec(ran.stdout ?? "")?.[0],
    said: said || String(ran.error ?? "nothing"),
  };
}

export function versionOf(program: string, env: Env): string | undefined {
  return askVersion(program, env)?.version;
}

/** Below 0 where `a` is the older. */
export function compareVersions(a: string, b: string): number {
  const [as, bs] = [a.split(".").map(Number), b.split(".").map(Number)];
  return as.map((number, index) => number - (bs[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
