/**
 * Whoever answers: a model of the AI SDK, or a program. One question per call, nothing carried over. Every call can be
 * recorded to a file and answered from it again, without a key and with the same bytes.
 */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { PalimpsestError, type Store } from "palimpsest";

export interface Question {
  /** What kind of question, for people who read the record. */
  readonly about: string;
  readonly system: string;
  readonly prompt: string;
  /** Which of the replicates. */
  readonly replicate: number;
  /** What can be read back while answering. */
  readonly store?: Store | undefined;
}

export interface Answer {
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How often something was read or listed. */
  readonly reads: number;
}

export interface Asker {
  readonly name: string;
  ask(question: Question): Promise<Answer>;
}

interface Call extends Answer {
  readonly key: string;
  readonly about: string;
  readonly model: string;
}

/** Asks, and writes down every answer as it comes. */
export function recording(asker: Asker, file: string): Asker {
  return {
    name: asker.name,
    async ask(question) {
      const answer = await asker.ask(question);
      const call: Call = {
        key: keyOf(asker.name, question),
        about: question.about,
        model: asker.name,
        ...answer,
      };
      appendFileSync(file, `${JSON.stringify(call)}\n`);
      return answer;
    },
  };
}

/** Answers what was recorded, and nothing else. */
export function replaying(file: string): Asker {
  if (!existsSync(file)) throw new PalimpsestError("unreadable", `There is no record of calls at ${file}.`);
  const calls = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    // Written by `recording` above.
    .map((line) => JSON.parse(line) as Call);
  const name = calls[0]?.model ?? "nobody";
  const answers = new Map(calls.map((call) => [call.key, call]));
  return {
    name,
    async ask(question) {
      const known = answers.get(keyOf(name, question));
      if (!known)
        throw new PalimpsestError(
          "unreadable",
          `${file} has no answer to this question about ${question.about}: it was recorded with other sessions, policies or numbers.`,
        );
      const { text, inputTokens, outputTokens, reads } = known;
      return { text, inputTokens, outputTokens, reads };
    },
  };
}

function keyOf(model: string, { system, prompt, replicate, store }: Question): string {
  const asked = JSON.stringify([model, system, prompt, replicate, store !== undefined]);
  return createHash("sha256").update(asked).digest("hex").slice(0, 32);
}
