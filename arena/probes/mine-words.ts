/** What the user told the agent to do or not to do, and what the agent decided and then did. */
import { hasUserWords, type Message, type Part, toolUse } from "palimpsest";
import { sample } from "../cases/seeded.ts";
import { proseWords } from "./atoms.ts";
import { normal, type ProbeType, type SentenceProbe } from "./probe.ts";

const MOST_DIRECTIVES = 80;
const MOST_DECISIONS = 30;
const CHARS = { least: 8, most: 400 } as const;

const TELLING =
  /\b(must|never|always|only|don['’]?t|do not|should(n['’]?t)?|prefer|avoid|ensure|make sure|instead|keep|please|need to|want|without)\b/i;
const ORDER =
  /^(?:[-*•]\s+|\d+[.)]\s+)?(?:(?:now|then|also|and|ok|okay|so)[,:]?\s+)?(?:add|build|change|check|commit|create|delete|document|explain|fix|implement|list|look|make|move|read|refactor|remove|rename|replace|review|revert|rewrite|run|set|show|test|try|update|use|verify|write|continue|find|let['’]?s)\b/i;
const DECIDING =
  /\b(decided|because|instead of|rather than|chose|choosing|root cause|the (issue|problem|bug) (is|was)|turns out|the fix is|so (i|we)['’]?(ll| will))\b/i;

export function mineDirectives(messages: readonly Message[]): readonly SentenceProbe[] {
  const found = messages.flatMap((message, at) =>
    hasUserWords(message)
      ? message.parts.flatMap((part) =>
          part.type === "text" && part.synthetic !== true
            ? sentencesOf(part.text)
                .filter((sentence) => TELLING.test(sentence) || ORDER.test(sentence))
                .map((sentence) =>
                  probeOf("directive", sentence, { part, isEarly: at < messages.length / 4 }),
                )
            : [],
        )
      : [],
  );
  return sample(unique(found), MOST_DIRECTIVES, ({ value }) => value);
}

/** Kept only where an edit follows: what was weighed and not acted on decided nothing. */
export function mineDecisions(messages: readonly Message[]): readonly SentenceProbe[] {
  const lastEdit = messages.findLastIndex(({ parts }) => parts.some(isEdit));
  const found = messages.slice(0, lastEdit + 1).flatMap((message, at) =>
    message.role === "assistant"
      ? message.parts.flatMap((part) =>
          part.type === "text" || part.type === "thinking"
            ? sentencesOf(part.text)
                .filter((sentence) => DECIDING.test(sentence) && proseWords(sentence).length >= 4)
                .map((sentence) => probeOf("decision", sentence, { part, isEarly: at < messages.length / 4 }))
            : [],
        )
      : [],
  );
  return sample(unique(found), MOST_DECISIONS, ({ value }) => value);
}

function isEdit(part: Part): boolean {
  return part.type === "tool-call" && ["edit", "write"].includes(toolUse(part).does);
}

function probeOf(
  type: Extract<ProbeType, "directive" | "decision">,
  sentence: string,
  { part, isEarly }: { readonly part: Part; readonly isEarly: boolean },
): SentenceProbe {
  const words = proseWords(sentence);
  return {
    type,
    sets: type === "directive" ? ["ALL", "USER"] : ["ALL"],
    match: "sentence",
    value: sentence,
    // Half of the words: whoever asks knows what it was about, not how it was put.
    anchors: words.slice(0, Math.ceil(words.length / 2)),
    source: part,
    isEarly,
  };
}

function unique(probes: readonly SentenceProbe[]): readonly SentenceProbe[] {
  return [...new Map(probes.map((probe) => [probe.value, probe])).values()];
}

/** Fenced code and quotes are not the speaker's own words. */
export function sentencesOf(text: string): readonly string[] {
  const spoken = text.replaceAll(/```[\s\S]*?(```|$)/g, "\n").replaceAll(/^\s*[>|].*$/gm, "");
  return spoken
    .split(/\n|(?<=[.!?])\s+/)
    .map(normal)
    .filter((sentence) => sentence.length >= CHARS.least && sentence.length <= CHARS.most);
}
