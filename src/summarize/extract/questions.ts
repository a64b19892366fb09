/** What is still open at the end: questions nobody has answered, and the steps the agent said come next. */
import type { SummaryLine } from "../../plan/summary.ts";
import { lineOf, said } from "../line.ts";
import { type Said, type Story, sentencesOf } from "../story.ts";
import { lastSpoken } from "./intent.ts";

const MAX_QUESTIONS = 6;
const MAX_STEPS = 8;
const MAX_CHARS = 300;

/** The agent's, since the user last spoke; the user's, where the agent has not said anything since. */
export function questionsIn(story: Story): readonly SummaryLine[] {
  const spoken = story.said.filter(({ by }) => by === "user" || by === "assistant");
  const lastUser = spoken.findLastIndex(({ by }) => by === "user");
  const after = spoken.slice(lastUser + 1);
  const asking = after.length > 0 ? after : spoken.slice(Math.max(lastUser, 0), lastUser + 1);
  return asking
    .flatMap((event) =>
      questionsOf(event, event === asking.at(-1)).map((question) =>
        lineOf(said(question.replaceAll("**", ""), MAX_CHARS), [event.part]),
      ),
    )
    .slice(-MAX_QUESTIONS);
}

/** In the middle of its work an agent asks itself; only its last words, and what it calls a question, ask the user. */
function questionsOf({ text }: Said, isLast: boolean): readonly string[] {
  return sentencesOf(text).filter(
    (sentence) =>
      (isLast && /\?["')*]*$/.test(sentence)) ||
      /\b(?:open question|cannot decide|need your|let me know|please confirm)\b/i.test(sentence),
  );
}

export function nextStepsIn(story: Story): readonly SummaryLine[] {
  const last = lastSpoken(story);
  if (!last) return [];
  const listed = listAfterNext(last.text);
  const steps = listed.length > 0 ? listed : sentencesOf(last.text).filter(isNext).slice(-2);
  return steps.slice(0, MAX_STEPS).map((step) => lineOf(said(step, MAX_CHARS), [last.part]));
}

function isNext(sentence: string): boolean {
  return (
    /\b(?:next|then I|I['’]ll|I will|I go on|let me|now I|now let|remaining|still (?:to|need)|left to do|to do)\b/i.test(
      sentence,
    ) && !sentence.endsWith("?")
  );
}

/** The list under "Next steps:", in whatever markup. */
function listAfterNext(text: string): readonly string[] {
  const heading = /^[#*\s]*(?:next steps?|remaining|to ?do|what(?:'s| is) next|still open)\b[^\n]*$/im.exec(
    text,
  );
  if (!heading) return [];
  const steps: string[] = [];
  for (const line of text
    .slice(heading.index + heading[0].length)
    .split("\n")
    .slice(0, 40)) {
    const item = /^\s*(?:[-*•]|\d+[.)])\s+(.+)$/.exec(line)?.[1];
    if (item !== undefined) steps.push(item);
    else if (steps.length > 0 && line.trim() !== "") break;
  }
  return steps;
}
