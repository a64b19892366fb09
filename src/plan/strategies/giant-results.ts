/**
 * One giant result can fill the window by itself. On arrival it is shortened before it was ever sent: it was in no
 * cache, and no thinking stands behind it. Only the step in progress is looked at, unless the context is full.
 */

import { isRecall } from "../../transcript/own-tools.ts";
import { editResult } from "../leave.ts";
import type { GiantResultsRule, Leave } from "../policy.ts";
import { answeredPairs, type Proposal, type Situation } from "../situation.ts";

export function proposeGiantResults(
  situation: Situation,
  rule: GiantResultsRule,
  { fromMessage }: { readonly fromMessage: number },
): readonly Proposal[] {
  const minTokens = giantTokens(rule, situation.room.windowTokens);
  const leave = fitting(rule.leave, minTokens);
  const inProgress = stepInProgress(situation);
  return answeredPairs(situation).flatMap((pair) => {
    const { call, result } = pair;
    if (result.messageIndex < fromMessage || situation.tokensOf(result.part) <= minTokens) return [];
    // What the model has just asked back, it is shown; a preview of it would be asked back again.
    if (result.messageIndex >= inProgress && isRecall(call.part.name)) return [];
    const edit = editResult(situation, pair, { leave, why: "too large to show whole" });
    return edit ? [{ edit, place: result, since: result.messageIndex }] : [];
  });
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
