/**
 * The refs someone may have meant: models and people drop a letter, swap two, or read `0` as `o`. Distance is counted
 * over the twelve characters; more than three wrong is a guess, and a wrong guess reads the wrong original.
 */
import { smallest } from "../transcript/extremes.ts";

const FARTHEST = 3;
const MOST = 3;

export function nearestRefs(asked: string, refs: Iterable<string>): readonly string[] {
  const wanted = lettersOf(asked);
  // Longer than any ref can be when three characters too many: not a mistyped ref at all.
  if (wanted.length < 12 - FARTHEST || wanted.length > 12 + FARTHEST) return [];
  const near: { readonly ref: string; readonly distance: number }[] = [];
  for (const ref of refs) {
    const distance = distanceOf(wanted, ref.slice(PREFIX.length));
    if (distance <= FARTHEST) near.push({ ref, distance });
  }
  return near
    .sort((a, b) => a.distance - b.distance || (a.ref < b.ref ? -1 : 1))
    .slice(0, MOST)
    .map(({ ref }) => ref);
}

const PREFIX = "ref_";

/** As Crockford reads them: `o` is `0`, `i` and `l` are `1`, case does not matter. */
function lettersOf(asked: string): string {
  return asked
    .slice(0, 64)
    .toLowerCase()
    .trim()
    .replace(/^[^a-z0-9]*(ref[_-]?)?/, "")
    .replace(/[^a-z0-9]+$/, "")
    .replaceAll("o", "0")
    .replaceAll(/[il]/g, "1");
}

/** Edit distance with swaps of neighbours as one. Twelve by twelve cells: ten thousand refs take a few milliseconds. */
function distanceOf(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const step = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
      );
      current.push(isSwap && row > 1 && column > 1 ? Math.min(step, at(before, column - 2) + 1) : step);
    }
    if (smallest(current) > FARTHEST + 1) return smallest(current);
    before = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
