/**
 * What a tool printed long ago is rarely looked at again. How long is long, each system says differently: steps,
 * turns, results, tokens, minutes; a result is old when every limit given says so.
 */
import { editResult } from "../leave.ts";
import type { AgedResultsRule } from "../policy.ts";
import { type Answered, answeredPairs, type Proposal, type Situation } from "../situation.ts";
import { tokensIn } from "../size.ts";

export function proposeAgedResults(situation: Situation, rule: AgedResultsRule): readonly Proposal[] {
  if (rule.above && situation.totalTokens <= tokensIn(rule.above, situation.room)) return [];
  const newest = newestResults(situation, rule);
  const turnAt = turnStartKept(situation, rule.keepTurns);
  const proposals = answeredPairs(situation).flatMap((pair): readonly Proposal[] => {
    if (!isEligible(pair, situation, rule) || newest.has(pair)) return [];
    const since = agedSince(pair, situation, rule);
    if (since === undefined || pair.result.messageIndex >= turnAt || !isOverdue(pair, situation, rule))
      return [];
    const edit = editResult(situation, pair, { leave: rule.leave, why: "old" });
    return edit ? [{ edit, place: pair.result, since }] : [];
  });
  const saved = proposals.reduce((sum, { edit }) => sum + edit.tokens, 0);
  return saved >= (rule.minSavedTokens ?? 0) ? proposals : [];
}

function isEligible({ call, result }: Answered, { tokensOf }: Situation, rule: AgedResultsRule): boolean {
  const { name } = call.part;
  if (rule.tools && !rule.tools.includes(name)) return false;
  if (rule.exceptTools?.includes(name) || (rule.areErrorsKept && result.part.isError)) return false;
  return tokensOf(result.part) >= rule.minTokens;
}

/** The message that made it old; undefined while it is not. Parallel calls age together, with their step. */
function agedSince(
  { call, result }: Answered,
  { stepOf, steps }: Situation,
  rule: AgedResultsRule,
): number | undefined {
  if (rule.keepSteps === undefined) return result.messageIndex;
  const step = stepOf[call.messageIndex] ?? -1;
  return step < 0 ? undefined : steps[step + Math.max(1, rule.keepSteps)]?.start;
}

function turnStartKept({ turns, transcript }: Situation, keepTurns: number | undefined): number {
  if (keepTurns === undefined || keepTurns === 0) return transcript.messages.length;
  return turns.at(-keepTurns)?.start ?? 0;
}

function isOverdue(
  { result }: Answered,
  { transcript, at }: Situation,
  { keepMinutes }: AgedResultsRule,
): boolean {
  if (keepMinutes === undefined) return true;
  const saidAt = transcript.messages[result.messageIndex]?.at;
  return saidAt !== undefined && at - saidAt > keepMinutes * 60_000;
}

/** The newest results that stay, by number or by tokens. */
function newestResults(
  situation: Situation,
  { keepResults = 0, keepTokens = 0 }: AgedResultsRule,
): ReadonlySet<Answered> {
  const kept = new Set<Answered>();
  let tokens = 0;
  for (const pair of answeredPairs(situation).toReversed()) {
    tokens += situation.tokensOf(pair.result.part);
    if (kept.size >= keepResults && tokens > keepTokens) break;
    kept.add(pair);
  }
  return kept;
}
