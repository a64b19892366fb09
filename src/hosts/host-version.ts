/** Which version of a host is installed. */
import { spawnSync } from "node:child_process";

/** Undefined where it is not on the PATH, or says nothing. */
export function versionOf(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const ran = spawnSync(program, ["--version"], { env: { ...env }, encoding: "utf8", timeout: 20_000 });
  return /\d+\.\d+\.\d+/.exec(`${ran.stdout ?? ""}${ran.stderr ?? ""}`)?.[0];
}

/** Below 0 where `a` is the older. */
export function compareVersions(a: string, b: string): number {
  const [as, bs] = [a.split(".").map(Number), b.split(".").map(Number)];
  return as.map((number, index) => number - (bs[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
