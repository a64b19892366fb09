/**
 * Where the target is smaller than what stays, the largest results that stay are shortened, all of them to the same
 * size: what was printed last is what the model works with, and half of each says more than one whole.
 */
import { editResult } from "../leave.ts";
import { answeredPairs, type Proposal, placeKey, type Situation } from "../situation.ts";

/** What a stub takes; below this a preview shows nothing. */
const STUB_TOKENS = 50;
const LEAST_TOKENS = 60;

export function proposeShorterResults(
  situation: Situation,
  done: readonly Proposal[],
  overTokens: number,
): readonly Proposal[] {
  const taken = new Set(done.map(({ place }) => placeKey(place)));
  const pairs = answeredPairs(situation).filter(({ result }) => !taken.has(placeKey(result)));
  const sizes = pairs.map(({ result }) => situation.tokensOf(result.part));
  const cap = capFor(sizes, overTokens);
  const maxTokens = cap - STUB_TOKENS;
  const leave =
    maxTokens >= LEAST_TOKENS ? ({ kind: "preview", maxTokens } as const) : ({ kind: "stub" } as const);
  return pairs.flatMap((pair, index): readonly Proposal[] => {
    if ((sizes[index] ?? 0) <= Math.max(cap, STUB_TOKENS)) return [];
    const edit = editResult(situation, pair, { leave, why: "more than there is room for" });
    return edit ? [{ edit, place: pair.result, since: pair.result.messageIndex }] : [];
  });
}

/** The size to which all larger ones must come down so that together they save enough. */
function capFor(sizes: readonly number[], overTokens: number): number {
  const largest = sizes.toSorted((a, b) => b - a);
  let total = 0;
  for (const [index, size] of largest.entries()) {
    total += size;
    const cap = (total - overTokens) / (index + 1);
    if (cap >= (largest[index + 1] ?? 0)) return Math.max(0, cap);
  }
  return 0;
}
