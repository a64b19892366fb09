/** Probe questions, one per prompt: graded by exact match first, by a strict judge only where free text was asked for. */

import { linesOf } from "../probes/lines.ts";
import { exitCodeIn } from "../probes/mine-results.ts";
import type { Probe } from "../probes/probe.ts";
import { Shown } from "../probes/shown.ts";
import type { Answer, Asker, Question } from "./asker.ts";
import type { Seen } from "./seen.ts";

export interface Recalled {
  readonly isRight: boolean;
  readonly answer: Answer;
}

const SYSTEM = `You are a coding agent. Below is your context after it was compacted. Answer the question from it, and from what you
read back with your tools where you have some. Answer with the exact value or words, nothing else. If you cannot find it, answer: I don't recall.`;

export async function recall(probe: Probe, seen: Seen, asking: Asking): Promise<Recalled> {
  const question = questionFor(probe);
  const answer = await asking.asker.ask({
    ...{ about: `recall ${probe.type}`, system: SYSTEM, replicate: asking.replicate, store: seen.store },
    prompt: `<context>\n${seen.text}\n</context>\n\n${question}`,
  });
  return { isRight: await isRight(probe, { question, answer: answer.text, asking }), answer };
}

export interface Asking {
  readonly asker: Asker;
  readonly replicate: number;
}

export function questionFor(probe: Probe): string {
  const words = (probe.asked ?? probe.anchors).slice(0, 8).join(", ");
  switch (probe.match) {
    case "atom":
      return `Earlier, on a line with these words, a ${NOUNS[probe.type] ?? "value"} was given: ${words}. Which one exactly?`;
    case "line":
      return `An error was met in connection with: ${words}. Quote the error line exactly.`;
    case "pair":
      return `The command \`${probe.command}\` was run. With which exit code did it end last? Give the number.`;
    case "update":
      return `A line of output said something about: ${words}. It was seen several times with different numbers. What was the latest number?`;
    case "sentence":
      return probe.type === "directive"
        ? `What did the user ask for, or rule out, in connection with: ${words}? Quote the user.`
        : `What was decided in connection with: ${words}, and why?`;
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  artifact: "file name",
  "read-file": "file name",
  number: "number",
  reference: "hash, url or issue",
  identifier: "name in the code",
};

const UNKNOWN =
  /\b(i (don'?t|do not|cannot|can'?t) (recall|know|find|remember)|not (available|in the context))/i;

interface Given {
  readonly question: string;
  readonly answer: string;
  readonly asking: Asking;
}

/** Not to recall is never a hit, whatever else is said. */
async function isRight(probe: Probe, { question, answer, asking }: Given): Promise<boolean> {
  if (UNKNOWN.test(answer) || answer.trim() === "") return false;
  const lines = linesOf(answer);
  const said = new Shown(lines, lines);
  switch (probe.match) {
    case "atom":
      return said.linesWith(probe.value).length > 0 || answer.trim() === probe.value;
    case "update":
      return numbersIn(answer).at(-1) === probe.value;
    case "pair":
      return numbersIn(answer)[0] === probe.value || exitCodeIn(answer) === probe.value;
    case "line":
      return said.find(probe) === "visible";
    case "sentence":
      return said.find(probe) === "visible" || isJudgedRight(probe.value, { question, answer, asking });
  }
}

function numbersIn(text: string): readonly string[] {
  return (text.match(/-?\d[\d.,]*/g) ?? []).map((number) => number.replace(/[.,]+$/, ""));
}

const JUDGE = `You grade an answer against the truth. Answer YES only if the answer states the same fact as the truth, in any words.
An answer that is vague, partial, hedged, or says that it is not known is NO. Answer with one word: YES or NO.`;

async function isJudgedRight(truth: string, { question, answer, asking }: Given): Promise<boolean> {
  const asked: Question = {
    ...{ about: "judge", system: JUDGE, replicate: asking.replicate },
    prompt: `Question: ${question}\n\nTruth: ${truth}\n\nAnswer: ${answer}`,
  };
  return /^\W*yes\b/i.test((await asking.asker.ask(asked)).text);
}
