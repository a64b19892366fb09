/** `npm run bench`: every ratio with its limit; exits 1 when one is over. */
import { benchAgent } from "./agent.mjs";
import { benchCompact } from "./compact.mjs";
import { benchHosts } from "./hosts.mjs";
import { benchMeasure } from "./measure.mjs";
import { benchPlan } from "./plan.mjs";
import { benchRead } from "./read.mjs";
import { benchStart } from "./start.mjs";
import { benchStore } from "./store.mjs";

/** `npm run bench -- store compact`: only these. */
const BENCHES = {
  read: benchRead,
  measure: benchMeasure,
  store: benchStore,
  compact: benchCompact,
  plan: benchPlan,
  start: benchStart,
  hosts: benchHosts,
  agent: benchAgent,
};
const asked = process.argv.slice(2);
const names = Object.keys(BENCHES).filter((name) => asked.length === 0 || asked.includes(name));
const rows = [];
for (const name of names) rows.push(...(await BENCHES[name]()));
for (const { name, value, limit, floorMs, workMs, isOver } of rows) {
  const mark = isOver ? "OVER" : limit === undefined ? "    " : "ok  ";
  const allowed = limit === undefined ? "" : `(≤ ${limit})`;
  console.log(
    `${mark}  ${value.toFixed(2).padStart(5)} × ${allowed.padEnd(8)}  ${name}  [${floorMs.toFixed(2)} → ${workMs.toFixed(2)} ms]`,
  );
}
process.exitCode = rows.some(({ isOver }) => isOver) ? 1 : 0;
