/** What the user wants: each request in the user's own words, the first at length, the last as the task in hand. */
import type { SummaryLine } from "../../plan/summary.ts";
import { lineOf, said } from "../line.ts";
import { type Said, type Story, sentencesOf } from "../story.ts";

const FIRST_CHARS = 500;
const LATER_CHARS = 160;
const LAST_CHARS = 600;

export function intentIn(story: Story): readonly SummaryLine[] {
  const [first, ...later] = story.said.filter(isRequest);
  if (!first) return [];
  const requests = later.filter(({ text }) => text.length > 12);
  return [
    lineOf(said(first.text, FIRST_CHARS), [first.part]),
    ...requests.map((request) => lineOf(said(requestOf(request.text), LATER_CHARS), [request.part])),
  ];
}

export function currentTaskIn(story: Story): readonly SummaryLine[] {
  const last = story.said.findLast(isRequest);
  const spoken = lastSpoken(story);
  return [
    ...(last ? [lineOf(`Request: ${said(last.text, LAST_CHARS)}`, [last.part], { about: "Request" })] : []),
    ...(spoken
      ? [lineOf(`Last said: ${said(lastWords(spoken.text), 300)}`, [spoken.part], { about: "Last said" })]
      : []),
  ];
}

export function lastSpoken(story: Story): Said | undefined {
  return story.said.findLast(({ by, text }) => by === "assistant" && text.trim().length > 12);
}

/** Greetings and thanks ask for nothing. "Yes" and "go on" do: they stay. */
const PLEASANTRY =
  /^(?:(?:hi|hello|hey|good (?:morning|evening)|thanks?(?: you)?|thx|cheers|great|nice|perfect|awesome|lovely|well done|so much|a lot|bye|there)\b[\s!.,:;)]*)+$/i;

function isRequest({ by, text }: Said): boolean {
  return by === "user" && !PLEASANTRY.test(text.trim());
}

/** Pleasantries and answers come first; the request is the first sentence that asks for something. */
function requestOf(text: string): string {
  const sentences = sentencesOf(text, 4000);
  return sentences.find((sentence) => sentence.length > 24) ?? sentences[0] ?? text;
}

function lastWords(text: string): string {
  return sentencesOf(text).at(-1) ?? text;
}
