/**
 * The unit is the session: facts of one session are alike, so counting them apart would make any difference look certain.
 * Means over sessions, with intervals from resampling sessions; two opponents are compared on the sessions both have.
 */
import { hashOf, randomFrom } from "../cases/seeded.ts";

export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Sessions it rests on. */
  readonly sessions: number;
}

const RESAMPLES = 2_000;
const TAIL = 0.025;

export function intervalOf(values: readonly number[], seed: string): Interval | undefined {
  if (values.length === 0) return undefined;
  const random = randomFrom(hashOf(seed));
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn += 1)
      sum += values[Math.floor(random() * values.length)] ?? 0;
    return sum / values.length;
  }).sort((a, b) => a - b);
  return {
    mean: meanOf(values),
    low: means[Math.floor(RESAMPLES * TAIL)] ?? 0,
    high: means[Math.ceil(RESAMPLES * (1 - TAIL)) - 1] ?? 0,
    sessions: values.length,
  };
}

/** By how much `ours` is above `theirs`, on the sessions in which both have a value. */
export function pairedInterval(
  ours: ReadonlyMap<string, number>,
  theirs: ReadonlyMap<string, number>,
  seed: string,
): Interval | undefined {
  const differences = [...ours].flatMap(([session, value]) => {
    const other = theirs.get(session);
    return other === undefined ? [] : [value - other];
  });
  return intervalOf(differences, seed);
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
