/** The same output twice says it once too often: the last one stays, where the model looks first. */
import { type Ref, refOf } from "../../transcript/ref.ts";
import { editResult } from "../leave.ts";
import type { Leave } from "../policy.ts";
import { type Answered, answeredPairs, type Proposal, type Situation } from "../situation.ts";

export interface RepeatedOutputsRule {
  readonly minTokens: number;
  readonly leave: Leave;
}

export function proposeRepeatedOutputs(
  situation: Situation,
  { minTokens, leave }: RepeatedOutputsRule,
): readonly Proposal[] {
  const later = new Map<Ref, Answered>();
  const proposals: Proposal[] = [];
  for (const pair of answeredPairs(situation).toReversed()) {
    if (situation.tokensOf(pair.result.part) < minTokens) continue;
    const ref = refOf(pair.result.part);
    const again = later.get(ref);
    later.set(ref, pair);
    const edit = again && editResult(situation, pair, { leave, why: "the same output came again later" });
    if (edit && again) proposals.push({ edit, place: pair.result, since: again.result.messageIndex });
  }
  return proposals.reverse();
}
