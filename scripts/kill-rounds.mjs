/**
 * The long form of `test/store/killed.test.ts`: writers are killed in the middle of writing, 1,000 times or as many as asked
 * for, and nothing acknowledged may be lost. `node scripts/kill-rounds.mjs [kills]`, after a build.
 */
import { spawnSync } from "node:child_process";

const kills = process.argv[2] ?? "1000";
const { status } = spawnSync("npx", ["vitest", "run", "test/store/killed.test.ts"], {
  stdio: "inherit",
  env: { ...process.env, PALIMPSEST_KILLS: kills },
});
process.exitCode = status ?? 1;
