/** `palimpsest arena --model`: who answers, with keys and addresses from the environment, and only here. */
import { openModel } from "../summarize/model.ts";
import { usageError, wholeNumber } from "./arguments.ts";
import type { Io } from "./io.ts";
import { reachOf } from "./summarizer-option.ts";

export const MODEL_OPTIONS = {
  model: { type: "string" },
  record: { type: "string" },
  replay: { type: "string" },
  questions: { type: "string" },
  replicates: { type: "string" },
} as const;

export interface ModelWords {
  readonly model?: string | undefined;
  readonly record?: string | undefined;
  readonly replay?: string | undefined;
  readonly questions?: string | undefined;
  readonly replicates?: string | undefined;
}

export interface AskerChoice {
  readonly model?: unknown;
  readonly command?: string | undefined;
  readonly record?: string | undefined;
  readonly replay?: string | undefined;
}

/** Undefined where no model was asked for. */
export async function askerChoice(words: ModelWords, io: Io): Promise<AskerChoice | undefined> {
  const { model: word, record, replay } = words;
  if (replay !== undefined) return { replay };
  if (word === undefined) {
    if (record !== undefined)
      throw usageError("--record writes down what a --model answers; none is named.", "arena");
    return undefined;
  }
  if (word.startsWith("command:")) return { command: word.slice("command:".length), record };
  const [provider = "", ...rest] = word.split("/");
  const model = rest.join("/");
  const { provider: known, ...reach } = reachOf(provider, io);
  if (model === "" || known === undefined)
    throw usageError(`--model is <provider>/<model> or command:<program>; "${word}" is neither.`, "arena");
  return { model: await openModel({ model, provider: known, ...reach }), record };
}

export function howManyAsked({ questions, replicates }: ModelWords): {
  readonly questions: number;
  readonly replicates: number;
} {
  const number = (text: string | undefined, option: string, usual: number) =>
    text === undefined ? usual : wholeNumber(text, option, "arena");
  return {
    questions: number(questions, "--questions", QUESTIONS),
    replicates: number(replicates, "--replicates", REPLICATES),
  };
}

const QUESTIONS = 20;
/** Single runs are worthless: replicates of one cell have been seen to differ fourteenfold. */
const REPLICATES = 5;
