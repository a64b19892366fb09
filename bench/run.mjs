/** `npm run bench`: every ratio with its limit; exits 1 when one is over. */
import { benchCompact } from "./compact.mjs";
import { benchHosts } from "./hosts.mjs";
import { benchMeasure } from "./measure.mjs";
import { benchRead } from "./read.mjs";
import { benchStore } from "./store.mjs";

const rows = [
  ...benchRead(),
  ...benchMeasure(),
  ...(await benchStore()),
  ...(await benchCompact()),
  ...(await benchHosts()),
];
for (const { name, value, limit, floorMs, workMs, isOver } of rows) {
  const mark = isOver ? "OVER" : "ok  ";
  console.log(
    `${mark}  ${value.toFixed(2).padStart(5)} × (≤ ${limit})  ${name}  [${floorMs.toFixed(2)} → ${workMs.toFixed(2)} ms]`,
  );
}
process.exitCode = rows.some(({ isOver }) => isOver) ? 1 : 0;
