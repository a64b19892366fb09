/**
 * `Math.max(...values)` hands each value over as an argument, and an engine's stack holds about 120,000 of them: a session of
 * a hundred thousand steps ended there.
 */

/** −∞ of none, as `Math.max`. */
export function largest(values: Iterable<number>): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) if (value > most) most = value;
  return most;
}

/** ∞ of none, as `Math.min`. */
export function smallest(values: Iterable<number>): number {
  let least = Number.POSITIVE_INFINITY;
  for (const value of values) if (value < least) least = value;
  return least;
}
