/**
 * One giant result can fill the window by itself. On arrival it is shortened before it was ever sent: it was in no
 * cache, and no thinking stands behind it. Only the step in progress is looked at, unless the context is full.
 */

import { toolUse } from "../../transcript/tool-use.ts";
import { editResult } from "../leave.ts";
import type { GiantResultsRule, Leave } from "../policy.ts";
import { type Answered, answeredPairs, type Proposal, type Situation } from "../situation.ts";

export function proposeGiantResults(
  situation: Situation,
  rule: GiantResultsRule,
  { fromMessage }: { readonly fromMessage: number },
): readonly Proposal[] {
  const minTokens = giantTokens(rule, situation.room.windowTokens);
  const leave = fitting(rule.leave, minTokens);
  return answeredPairs(situation).flatMap((pair) => {
    const { result } = pair;
    if (result.messageIndex < fromMessage || situation.tokensOf(result.part) <= minTokens) return [];
    if (isJustRecalled(situation, pair)) return [];
    const edit = editResult(situation, pair, { leave, why: "too large to show whole" });
    return edit ? [{ edit, place: result, since: result.messageIndex }] : [];
  });
}

/** What the model just asked to read back is shown: as a preview it would be asked for again, and never seen. */
function isJustRecalled(situation: Situation, { call, result }: Answered): boolean {
  return result.messageIndex >= stepInProgress(situation) && toolUse(call.part).does === "recall";
}

export function giantTokens({ minTokens, orShareOfWindow }: GiantResultsRule, windowTokens: number): number {
  return orShareOfWindow === undefined ? minTokens : Math.min(minTokens, orShareOfWindow * windowTokens);
}

function fitting(leave: Leave, minTokens: number): Leave {
  return leave.kind === "preview" ? { ...leave, maxTokens: Math.min(leave.maxTokens, minTokens / 4) } : leave;
}

/** Where the step in progress begins; behind the end where none is. */
export function stepInProgress({ steps, transcript }: Situation): number {
  const last = steps.at(-1);
  return last?.end === transcript.messages.length ? last.start : transcript.messages.length;
}
