/**
 * What is needed later and stands nowhere else: the agent's own sentences that hold numbers with their labels, hashes,
 * ports, addresses; what it said is missing or left alone; and the names it keeps writing.
 */
import type { SummaryLine } from "../../plan/summary.ts";
import { lineOf, quoted, said } from "../line.ts";
import { type Said, type Story, sentencesOf } from "../story.ts";

const MAX_SENTENCES = 28;
const MAX_CHARS = 320;
const MAX_NAMES = 14;

const FACT =
  /\b[0-9a-f]{7,40}\b|https?:\/\/[^\s)>"'`]+|\b\d[\d.,]*\s?(?:%|ms|s|min|minutes|hours|KB|MB|GB|tokens|lines|tests|files|of \d+)?|`[^`\n]{2,80}`|\b[\w-]+(?:\/[\w.-]+)+\b|\bv\d+\.\d+[\w.]*/g;
const OPEN =
  /\b(?:still missing|left (?:it|that|this|them|alone)|leave (?:it|that|alone)|not (?:yet )?(?:committed|pushed|done|fixed|covered)|never did|should know|known issue|limitation|be aware|one thing to know|important|caveat|root cause|the cause|proof|turns out|found:|confirmed)\b/i;

export function contextIn(story: Story): readonly SummaryLine[] {
  const scored = story.said
    .filter(({ by }) => by === "assistant")
    .flatMap((event) =>
      passagesOf(event.text).map((sentence) => ({ event, sentence, score: scoreOf(sentence) })),
    )
    .filter(({ score }) => score >= 2);
  const best = new Set(
    [...scored.keys()].sort((a, b) => rank(scored, b) - rank(scored, a) || b - a).slice(0, MAX_SENTENCES),
  );
  const seen = new Set<string>();
  const lines = scored.flatMap(({ event, sentence }, index) => {
    const text = said(sentence.replaceAll("**", ""), MAX_CHARS);
    if (!best.has(index) || seen.has(text)) return [];
    seen.add(text);
    return [lineOf(text, [event.part])];
  });
  return [...lines, ...namesLine(story)];
}

/** A short sentence is read with the next: "The log holds 131 deliveries. 34 of them…" */
function passagesOf(text: string): readonly string[] {
  const passages: string[] = [];
  for (const sentence of sentencesOf(text)) {
    const last = passages.at(-1);
    const isOneLine = last !== undefined && last.length < 70 && text.includes(`${last} ${sentence}`);
    if (isOneLine) passages[passages.length - 1] = `${last} ${sentence}`;
    else passages.push(sentence);
  }
  return passages;
}

/** Half a point for being late: of two sentences that say as much, the later is more likely to hold still. */
function rank(scored: readonly { readonly score: number }[], index: number): number {
  return (scored[index]?.score ?? 0) + (0.5 * index) / scored.length;
}

function scoreOf(sentence: string): number {
  return sentence.length < 20 || sentence.length > 700 ? 0 : factsIn(sentence);
}

/** How much a sentence holds that could be needed again. */
export function factsIn(sentence: string): number {
  const facts = new Set(sentence.match(FACT) ?? []);
  const hasHash = [...facts].some(
    (fact) => /^`?[0-9a-f]{7,40}`?$/.test(fact) && /\d/.test(fact) && /[a-f]/.test(fact),
  );
  return Math.min(facts.size, 5) + (OPEN.test(sentence) ? 2 : 0) + (hasHash ? 3 : 0);
}

/** Names in code quotes are the ones the agent itself holds to be names. */
function namesLine(story: Story): readonly SummaryLine[] {
  const counts = new Map<string, { count: number; event: Said }>();
  for (const event of story.said) {
    if (event.by !== "assistant") continue;
    for (const [, name = ""] of event.text
      .slice(0, 20_000)
      .matchAll(/`([A-Za-z_$][\w$.]{3,40})(?:\(\))?`/g)) {
      counts.set(name, { count: (counts.get(name)?.count ?? 0) + 1, event });
    }
  }
  const names = [...counts]
    .filter(([, { count }]) => count > 1)
    .sort(([, a], [, b]) => b.count - a.count)
    .slice(0, MAX_NAMES);
  if (names.length === 0) return [];
  const parts = names.map(([, { event }]) => event.part);
  return [
    lineOf(`Names in use: ${names.map(([name]) => quoted(name)).join(", ")}`, parts, {
      about: "Names in use",
    }),
  ];
}
