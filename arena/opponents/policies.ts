/**
 * Every registered policy as an opponent, run as it is in the product: `compact` once per cut, forced, so that each makes
 * the same number of compactions of the same conversation. Summaries are extractive, for all alike: no model is asked.
 */
import { compact, type LedgerEntry, type Policy, policyNamed, policyNames, type Session } from "palimpsest";
import { charsOf } from "../probes/lines.ts";
import { Shown } from "../probes/shown.ts";
import type { Arranged, Left, Opponent } from "./opponent.ts";
import { ScratchStore } from "./scratch-store.ts";
import { showsRefs } from "./shows-refs.ts";

export function policyOpponents(names: readonly string[] = policyNames): readonly Opponent[] {
  return names.map((name) => policyOpponent(policyNamed(name)));
}

export function policyOpponent(policy: Policy): Opponent {
  return {
    name: policy.name,
    kind: "policy",
    run: (arranged) =>
      arranged.budgetChars === undefined ? once(policy, arranged) : within(policy, arranged),
  };
}

/** A budget is met by the window: the largest one tried in which the policy comes out small enough. */
async function within(policy: Policy, arranged: Arranged): Promise<Left> {
  const budgetChars = arranged.budgetChars ?? 0;
  let bounds: Bounds = { low: LEAST_WINDOW, high: Number.POSITIVE_INFINITY };
  let windowTokens = Math.round(budgetChars / CHARS_PER_TOKEN / 0.5);
  let best: Left | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    const left = await once(policy, { ...arranged, windowTokens });
    const isUnmoved = left.chars === best?.chars && left.fits;
    if (!best || isBetter(left, best)) best = left;
    // Close enough below, or no window is small enough.
    if ((left.fits && left.chars * CLOSE > budgetChars) || (!left.fits && windowTokens <= LEAST_WINDOW))
      break;
    bounds = left.fits ? { ...bounds, low: windowTokens } : { ...bounds, high: windowTokens };
    windowTokens = nextWindow(windowTokens, isUnmoved ? LEAP : budgetChars / Math.max(1, left.chars), bounds);
    if (windowTokens <= bounds.low || windowTokens >= bounds.high) break;
  }
  return best ?? once(policy, arranged);
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

const ROUNDS = 5;
/** So much larger at once; a system with sizes of its own may need it before it does anything else. */
const LEAP = 2.5;
const CLOSE = 1.06;
const CHARS_PER_TOKEN = 4;
const LEAST_WINDOW = 1_500;

async function once(
  policy: Policy,
  { session, cuts, windowTokens, index, budgetChars }: Arranged,
): Promise<Left> {
  const store = new ScratchStore(index);
  const ledger: LedgerEntry[] = [];
  const stages: Shown[] = [];
  let refused = 0;
  let page = "";
  for (const cut of cuts) {
    const transcript = { ...session.whole, messages: session.whole.messages.slice(0, cut) };
    const at = timeAt(session, cut);
    const outcome = await compact(transcript, {
      ...{ store, sessionId: "arena", policy, trigger: "manual", at, ledger, windowTokens },
    });
    if (outcome.kind === "compacted") {
      ledger.push(outcome.compaction);
      page = outcome.compaction.page?.text ?? page;
    } else refused += 1;
    stages.push(Shown.of(outcome.transcript.messages, page));
  }
  const shown = stages.at(-1) ?? Shown.of(session.whole.messages);
  const chars = charsOf(shown.lines);
  return {
    ...{ shown, chars, refused, stages, store: showsRefs(policy) ? store : undefined },
    fits: budgetChars === undefined || chars <= budgetChars,
    isStored: (value) => store.holds(value),
  };
}

/** The clock of the session, so that rules about age see what was. */
export function timeAt({ whole }: Session, cut: number): number {
  for (let at = cut - 1; at >= 0; at -= 1) {
    const time = whole.messages[at]?.at;
    if (time !== undefined) return time;
  }
  return 0;
}
