/** The same program again in a network namespace that has loopback alone. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Where that is not permitted, one line says so and it runs as it is. Returns the exit code. */
export function insideNamespace(url, words) {
  const again = [fileURLToPath(url), ...words];
  const env = { ...process.env, PALIMPSEST_OFFLINE: "1" };
  const up = 'ip link set lo up && exec "$0" "$@"';
  for (const flags of [["-n"], ["-rn"]]) {
    const isPermitted = spawnSync("unshare", [...flags, "sh", "-c", "ip link set lo up"]).status === 0;
    if (!isPermitted) continue;
    const inside = [...flags, "sh", "-c", up, process.execPath, ...again];
    return spawnSync("unshare", inside, { env, stdio: "inherit" }).status ?? 1;
  }
  console.log("unshare -n is not permitted here: the clients run with whatever network there is");
  return spawnSync(process.execPath, again, { env, stdio: "inherit" }).status ?? 1;
}
