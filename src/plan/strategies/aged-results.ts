/**
 * What a tool printed long ago is rarely looked at again. How long is long, each system says differently: steps,
 * turns, messages, results, tokens, minutes; a result is old when every limit given says so.
 */
import { smallest } from "../../transcript/extremes.ts";
import type { Message, ToolCallPart } from "../../transcript/message.ts";
import { toolUse } from "../../transcript/tool-use.ts";
import { editResult } from "../leave.ts";
import type { AgedResultsRule } from "../policy.ts";
import {
  type Answered,
  answeredPairs,
  byPlace,
  isPage,
  type Proposal,
  type Situation,
} from "../situation.ts";
import { tokensIn } from "../size.ts";

export function proposeAgedResults(situation: Situation, rule: AgedResultsRule): readonly Proposal[] {
  if (rule.above && situation.totalTokens <= tokensIn(rule.above, situation.room)) return [];
  const pairs = answeredPairs(situation);
  const total = pairs.reduce((sum, { result }) => sum + situation.tokensOf(result.part), 0);
  if (rule.aboveResultTokens !== undefined && total <= rule.aboveResultTokens) return [];
  const newest = newestResults(situation, rule);
  const keptFrom = firstKept(situation, rule);
  const proposals = pairs.flatMap((pair): readonly Proposal[] => {
    if (!isEligible(pair, situation, rule) || newest.has(pair)) return [];
    const since = agedSince(pair, situation, rule);
    if (since === undefined || pair.result.messageIndex >= keptFrom || !isOverdue(pair, situation, rule))
      return [];
    const edit = editResult(situation, pair, { leave: rule.leave, why: "old" });
    return edit ? [{ edit, place: pair.result, since }] : [];
  });
  const wanted = downTo(total * (rule.downToShare ?? 0), total, proposals);
  const saved = wanted.reduce((sum, { edit }) => sum + edit.tokens, 0);
  return saved >= (rule.minSavedTokens ?? 0) ? wanted : [];
}

/** The oldest, and no more of them than bring the results down to this many tokens. */
function downTo(target: number, total: number, proposals: readonly Proposal[]): readonly Proposal[] {
  let left = total;
  return [...proposals].sort(byPlace).filter(({ edit }) => {
    if (left <= target) return false;
    left -= edit.tokens;
    return true;
  });
}

function isEligible({ call, result }: Answered, { tokensOf }: Situation, rule: AgedResultsRule): boolean {
  const { name } = call.part;
  if (rule.exceptTools?.includes(name) || (rule.areErrorsKept && result.part.isError)) return false;
  return isNamed(call.part, rule) && tokensOf(result.part) >= rule.minTokens;
}

/** By what the host calls the tool, or by what it does: a policy that names neither means every tool. */
function isNamed(call: ToolCallPart, { tools, does }: AgedResultsRule): boolean {
  if (!tools && !does) return true;
  return tools?.includes(call.name) === true || does?.includes(toolUse(call).does) === true;
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

/** From this message on nothing is old: of the limits that are given the one that keeps most. */
function firstKept(situation: Situation, rule: AgedResultsRule): number {
  const { turns, transcript } = situation;
  const { messages } = transcript;
  const starts = [messages.length];
  if (rule.keepTurns) starts.push(turns.at(-rule.keepTurns)?.start ?? 0);
  if (rule.keepMessages) starts.push(messages.length - rule.keepMessages);
  if (rule.keepShareOfMessages) starts.push(Math.floor(messages.length * (1 - rule.keepShareOfMessages)));
  if (rule.keepAssistantMessages) {
    const isSaid = ({ role }: Message, index: number) => role === "assistant" && !isPage(situation, index);
    const said = messages.flatMap((message, index) => (isSaid(message, index) ? [index] : []));
    starts.push(said.at(-rule.keepAssistantMessages) ?? 0);
  }
  return smallest(starts);
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
