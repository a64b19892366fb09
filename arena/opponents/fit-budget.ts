/** A budget is met by the window: the largest one tried in which an opponent comes out small enough. */
import type { Arranged, Left } from "./opponent.ts";

const ROUNDS = 5;
/** So much larger at once; a system with sizes of its own may need it before it does anything else. */
const LEAP = 2.5;
const CLOSE = 1.06;
const CHARS_PER_TOKEN = 4;
const LEAST_WINDOW = 1_500;

export async function fitBudget(
  arranged: Arranged,
  once: (arranged: Arranged) => Promise<Left>,
): Promise<Left> {
  const { budgetChars } = arranged;
  if (budgetChars === undefined) return once(arranged);
  let bounds: Bounds = { low: LEAST_WINDOW, high: Number.POSITIVE_INFINITY };
  let windowTokens = Math.round(budgetChars / CHARS_PER_TOKEN / 0.5);
  let best: Left | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    const left = await once({ ...arranged, windowTokens });
    const isUnmoved = left.chars === best?.chars && left.fits;
    if (!best || isBetter(left, best)) best = left;
    // Close enough below, or no window is small enough.
    if ((left.fits && left.chars * CLOSE > budgetChars) || (!left.fits && windowTokens <= LEAST_WINDOW))
      break;
    bounds = left.fits ? { ...bounds, low: windowTokens } : { ...bounds, high: windowTokens };
    const share = isUnmoved ? LEAP : budgetChars / Math.max(1, left.chars);
    windowTokens = nextWindow(windowTokens, share, bounds);
    if (windowTokens <= bounds.low || windowTokens >= bounds.high) break;
  }
  return best ?? once(arranged);
}

interface Bounds {
  readonly low: number;
  readonly high: number;
}

function isBetter(left: Left, best: Left): boolean {
  if (left.fits !== best.fits) return left.fits;
  return left.fits ? left.chars > best.chars : left.chars < best.chars;
}

/** In proportion first; once there is a window that is too large, halfway. */
function nextWindow(tokens: number, share: number, { low, high }: Bounds): number {
  if (high === Number.POSITIVE_INFINITY) return Math.round(tokens * Math.min(LEAP, Math.max(1.1, share)));
  const proportional = Math.round(tokens * Math.max(0.25, share * 0.97));
  return proportional > low && proportional < high ? proportional : Math.round((low + high) / 2);
}
