/** What was decided, with its because. A choice without a reason is only kept where it is called a decision. */
import type { SummaryLine } from "../../plan/summary.ts";
import { lineOf, said } from "../line.ts";
import { type Said, type Story, sentencesOf } from "../story.ts";
import { rulesOf } from "./constraints.ts";

const CALLED = /\b(?:decision|decided|the decision is|root cause)\b/i;
const CHOICE =
  /\b(?:going with|go with|chose|choose|chosen|settled? on|opted?|I['’]ll use|I will use|I use|will use|we(?:'ll)? use|using|instead of|instead\b|rather than|the fix is|the cause|stays?\b|keep(?:ing)?\b|left\b|leave|prefer)/i;
const BECAUSE = /\b(?:because|since|so that|due to|as it|otherwise|in order to|that way|only then)\b/i;
/** Of the user's sentences with a because, those that lay something down. */
const ORDER = /\b(?:never|don['’]t|do not|must|always|only|keep|leave|want|should|prefer)\b/i;
const MAX_CHARS = 420;
/** Decisions spoken aloud count; of those only thought, the last ones. */
const MAX_THOUGHT = 6;
const MAX_SPOKEN = 24;

export function decisionsIn(story: Story): readonly SummaryLine[] {
  const spoken: SummaryLine[] = [];
  const thought: SummaryLine[] = [];
  for (const event of story.said) {
    if (event.by === "harness") continue;
    const found = decisionsOf(event).map((sentence) => lineOf(wordsOf(event, sentence), [event.part]));
    (event.by === "thinking" ? thought : spoken).push(...found);
  }
  return [...thought.slice(-MAX_THOUGHT), ...spoken.slice(-MAX_SPOKEN)];
}

function decisionsOf({ by, text }: Said): readonly string[] {
  if (by === "user") return rulesOf(text).filter((rule) => /\bbecause\b/i.test(rule) && ORDER.test(rule));
  if (!CALLED.test(text) && !BECAUSE.test(text)) return [];
  return sentencesOf(text).filter((sentence) => {
    const isCalled = CALLED.test(sentence) && by === "assistant";
    const isReasoned =
      BECAUSE.test(sentence) && (CHOICE.test(sentence) || (by === "assistant" && CALLED.test(sentence)));
    return sentence.length <= MAX_CHARS * 2 && (isCalled || isReasoned);
  });
}

function wordsOf({ by }: Said, sentence: string): string {
  const words = said(sentence.replaceAll("**", ""), MAX_CHARS);
  return by === "user" ? `The user: ${words}` : words;
}
