/**
 * Performance as ratios: the work and its floor are timed alternately in one process, and the quick quarters of both are
 * compared. Machines are noisy and differ; whatever else runs can only make a round slower, so the quick ones say most
 * about the code, and a ratio of these moves little. Short rounds, many of them: a long one is always interrupted.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export function ratio({ name, limit, floor, work, rounds = 15 }) {
  floor();
  work();
  const floors = [];
  const works = [];
  for (let round = 0; round < rounds; round += 1) {
    floors.push(time(floor));
    works.push(time(work));
  }
  return compared({ name, limit, floors, works });
}

/** The same for what is awaited. A function that answers a number has measured itself; the `warm` rounds are not counted. */
export async function ratioAwaited({ name, limit, floor, work, rounds, warm = 5 }) {
  const floors = [];
  const works = [];
  for (let round = -warm; round < rounds; round += 1) {
    const [floorMs, workMs] = [await timeAwaited(floor), await timeAwaited(work)];
    if (round >= 0) floors.push(floorMs) && works.push(workMs);
  }
  return compared({ name, limit, floors, works });
}

/**
 * Processor time of this process, its collector's and compiler's threads included: for work that waits for nothing. On a
 * busy machine a floor of 10 ms fits between two interruptions and work of 50 ms does not; this clock stands still then.
 */
export function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What the last round left behind is collected now, and what it made and keeps is moved to where it stays. */
export function settle() {
  for (let times = 0; times < 2; times += 1) collect({ type: "minor" });
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** Without a limit it is told and not judged. */
export function compared({ name, limit, floors, works }) {
  const [floorMs, workMs] = [quick(floors), quick(works)];
  const value = workMs / floorMs;
  return { name, value, limit, floorMs, workMs, isOver: limit !== undefined && value > limit };
}

function time(run) {
  const start = process.hrtime.bigint();
  run();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

export async function timeAwaited(run) {
  const start = process.hrtime.bigint();
  const own = await run();
  return typeof own === "number" ? own : Number(process.hrtime.bigint() - start) / 1e6;
}

/** Faster than three quarters of the rounds. */
function quick(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)];
}
