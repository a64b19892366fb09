/**
 * Every registered policy as an opponent, run as it is in the product: `compact` once per cut, forced, so that each makes
 * the same number of compactions of the same conversation. Summaries are extractive, for all alike: no model is asked.
 */
import {
  compact,
  type LedgerEntry,
  type Message,
  type Policy,
  policyNamed,
  policyNames,
  type Session,
} from "palimpsest";
import { charsOf, linesOfMessages } from "../probes/lines.ts";
import { Shown } from "../probes/shown.ts";
import { fitBudget } from "./fit-budget.ts";
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
    run: (arranged) => fitBudget(arranged, (tried) => once(policy, tried)),
  };
}

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
  const chars = charsOf(shown.lines) - charsOf(linesOfMessages(systemOf(session, cuts)));
  return {
    ...{ shown, chars, refused, stages, store: showsRefs(policy) ? store : undefined },
    fits: budgetChars === undefined || chars <= budgetChars,
    isStored: (value) => store.holds(value),
  };
}

/** The system prompt is no part of a budget, wherever a wire keeps it: it is the same for all, and nobody may cut it. */
function systemOf({ whole }: Session, cuts: readonly number[]): readonly Message[] {
  return whole.messages.slice(0, cuts.at(-1) ?? 0).filter(({ role }) => role === "system");
}

/** The clock of the session, so that rules about age see what was. */
export function timeAt({ whole }: Session, cut: number): number {
  for (let at = cut - 1; at >= 0; at -= 1) {
    const time = whole.messages[at]?.at;
    if (time !== undefined) return time;
  }
  return 0;
}
