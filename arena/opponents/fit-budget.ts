/** A budget is met by the window: the largest one tried in which an opponent comes out small enough. */
import type { Arranged, Left } from "./opponent.ts";

const ROUNDS = 7;
/** So much larger at once; a system with sizes of its own may need it before it does anything else. */
const LEAP = 2.5;
const CLOSE = 1.04;
const CHARS_PER_TOKEN = 4;
const LEAST_WINDOW = 1_500;

export async function fitBudget(
  arranged: Arranged,
  once: (arranged: Arranged) => Promise<Left>,
): Promise<Left> {
  const { budgetChars } = arranged;
  if (budgetChars === undefined) return once(arranged);
  let bounds: Bounds = {};
  let windowTokens = Math.round(budgetChars / CHARS_PER_TOKEN / 0.5);
  let best: Left | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    const left = await once({ ...arranged, windowTokens });
    const isUnmoved = left.chars === best?.chars && left.fits;
    if (!best || isBetter(left, best)) best = left;
    // Close enough below, or no window is small enough.
    if ((left.fits && left.chars * CLOSE > budgetChars) || (!left.fits && windowTokens <= LEAST_WINDOW))
      break;
    const tried = { windowTokens, chars: left.chars };
    bounds = left.fits ? { ...bounds, low: tried } : { ...bounds, high: tried };
    const share = isUnmoved ? LEAP : budgetChars / Math.max(1, left.chars);
    windowTokens = nextWindow(windowTokens, share, { ...bounds, budgetChars });
    const { low = { windowTokens: LEAST_WINDOW }, high } = bounds;
    if (windowTokens <= low.windowTokens || (high && windowTokens >= high.windowTokens)) break;
  }
  return best ?? once(arranged);
}

interface Tried {
  readonly windowTokens: number;
  readonly chars: number;
}

/** The largest window that came out small enough, and the smallest that did not. */
interface Bounds {
  readonly low?: Tried;
  readonly high?: Tried;
}

function isBetter(left: Left, best: Left): boolean {
  if (left.fits !== best.fits) return left.fits;
  return left.fits ? left.chars > best.chars : left.chars < best.chars;
}

/** In proportion, until there is a window on either side; then where the line between the two meets the budget. */
function nextWindow(
  tokens: number,
  share: number,
  { low, high, budgetChars }: Bounds & { readonly budgetChars: number },
): number {
  if (!high) return Math.round(tokens * Math.min(LEAP, Math.max(1.1, share)));
  if (!low) return Math.max(LEAST_WINDOW, Math.round(tokens * Math.max(0.25, share * 0.97)));
  const at = (budgetChars * 0.98 - low.chars) / Math.max(1, high.chars - low.chars);
  // What comes out may jump: a tenth from either end, so that the two come together in any case.
  const within = Math.min(0.9, Math.max(0.1, at));
  return Math.round(low.windowTokens + within * (high.windowTokens - low.windowTokens));
}
