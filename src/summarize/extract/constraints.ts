/**
 * What the user laid down, in whole sentences and in the user's own words: rules, denials, corrections. A correction
 * takes the place of what it corrects only where it says so itself ("8 attempts, not 5"); otherwise both stand.
 */
import type { SummaryLine } from "../../plan/summary.ts";
import { describeCall } from "../../transcript/describe.ts";
import { lineOf, quoted, said } from "../line.ts";
import { type Story, sentencesOf } from "../story.ts";
import { supersede } from "../supersede.ts";

const RULE =
  /\b(never|don['’]?t|do not|does not|doesn['’]t|always|must(?:n['’]t)?|only|should(?:n['’]t)?|avoid|prefer|keep|leave|^stop|instead|no longer|make sure|ensure|without|at most|at least|no more than|up to|exactly|correction|remember|from now on|rather than|cannot|can['’]t|forbidden|required?|has to|have to|needs? to|not (?:yet|just|in|on|to)|final|remove|ignore)\b|\bno\b|\buse\b.*\bnot\b|, not /i;
const ABROAD =
  /\b(nie|niemals|nicht|kein\w*|immer|muss|müssen|nur|stattdessen|jamais|toujours|ne pas|doit|uniquement|nunca|siempre|no uses|debe|solo|não|sempre|deve)\b|必须|不要|禁止|总是|只能|しないで|必ず|禁止/i;
/** Past these a message is a paste, and its sentences are not orders of this session. */
const MAX_SENTENCE_CHARS = 420;
const MAX_PER_MESSAGE = 14;

export function constraintsIn(story: Story): readonly SummaryLine[] {
  const lines: SummaryLine[] = [];
  for (const event of story.events) {
    if (event.kind === "said" && event.by === "user")
      lines.push(...rulesOf(event.text).map((rule) => lineOf(said(rule, MAX_SENTENCE_CHARS), [event.part])));
    if (event.kind === "deed" && event.outcome.userSaid !== undefined)
      lines.push(
        lineOf(
          `${said(event.outcome.userSaid, MAX_SENTENCE_CHARS)} (denying ${quoted(describeCall(event.call))})`,
          [event.result, event.call],
        ),
      );
  }
  return supersede(lines);
}

export function rulesOf(text: string): readonly string[] {
  if (!RULE.test(text) && !ABROAD.test(text)) return [];
  return sentencesOf(text)
    .filter((sentence) => sentence.length > 6 && sentence.length <= MAX_SENTENCE_CHARS && isRule(sentence))
    .slice(0, MAX_PER_MESSAGE);
}

function isRule(sentence: string): boolean {
  if (sentence.endsWith("?")) return /\b(never|don['’]t|do not|must)\b/i.test(sentence);
  return RULE.test(sentence) || ABROAD.test(sentence);
}
