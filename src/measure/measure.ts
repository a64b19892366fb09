/**
 * What fills the context: tokens of every part and in all, and how we know. `measure` looks at a whole transcript;
 * `Meter` keeps the sum of one that grows, so that a new message costs what that message costs and not the history.
 */
import type { Message, Transcript } from "../transcript/message.ts";
import { type Calibration, isCalibrated, predict } from "./calibrate.ts";
import { type Counter, estimatorFor, messageTokens } from "./count.ts";

/** `usage`: corrected by what the provider reported; `tokenizer`: counted exactly; `estimate`: neither. */
export type Basis = "usage" | "tokenizer" | "estimate";

export interface Measurement {
  readonly total: number;
  readonly basis: Basis;
  /** What the host sends besides, and no file shows; known only from usage. */
  readonly overhead: number;
  readonly system: number;
  readonly tools: number;
  /** In the order of the messages. */
  readonly messages: readonly MessageMeasurement[];
}

export interface MessageMeasurement {
  readonly tokens: number;
  /** In the order of the parts. They sum up to a little less than `tokens`: a message has a wrapping of its own. */
  readonly parts: readonly number[];
}

export interface MeasureOptions {
  /** Default: the estimator for the model of the transcript. */
  readonly counter?: Counter;
  /** Where usage has been reported, it corrects the count. */
  readonly calibration?: Calibration;
}

export function measure(transcript: Transcript, options: MeasureOptions = {}): Measurement {
  const counter = options.counter ?? estimatorFor(transcript.model);
  const calibration =
    options.calibration && isCalibrated(options.calibration) ? options.calibration : undefined;
  const scale = calibration?.scale ?? 1;
  const system = systemTokens(transcript, counter);
  const tools = toolTokens(transcript, counter);
  let counted = system + tools;
  const messages = transcript.messages.map((message) => {
    const tokens = messageTokens(message, counter);
    counted += tokens;
    const parts = message.parts.map((part) => Math.round(counter.part(part) * scale));
    return { tokens: Math.round(tokens * scale), parts };
  });
  const total = calibration ? predict(calibration, counted) : counted;
  return {
    total,
    basis: calibration ? "usage" : counter.basis,
    overhead: Math.max(0, total - Math.round(scale * counted)),
    system: Math.round(system * scale),
    tools: Math.round(tools * scale),
    messages,
  };
}

/** The total alone, which is asked of every transcript that could be sent. */
export function totalTokens(transcript: Transcript, options: MeasureOptions = {}): number {
  const counter = options.counter ?? estimatorFor(transcript.model);
  const { calibration } = options;
  let counted = systemTokens(transcript, counter) + toolTokens(transcript, counter);
  for (const message of transcript.messages) counted += messageTokens(message, counter);
  return calibration && isCalibrated(calibration) ? predict(calibration, counted) : counted;
}

/** The question of seed 001: is the context over this share of the budget? Strictly over: at the mark it is not. */
export function isOver(measurement: { readonly total: number }, maxTokens: number, threshold = 0.8): boolean {
  return measurement.total > maxTokens * threshold;
}

/** The running sum of a transcript that grows. Adding costs the same at the hundredth and the hundred-thousandth message. */
export class Meter {
  readonly basis: Counter["basis"];
  readonly #counter: Counter;
  readonly #standing: number;
  #messages = 0;

  /** Starts with what stands before the messages: system prompt and tools. */
  constructor(transcript: Transcript = { messages: [] }, counter: Counter = estimatorFor(transcript.model)) {
    this.#counter = counter;
    this.basis = counter.basis;
    this.#standing = systemTokens(transcript, counter) + toolTokens(transcript, counter);
    for (const message of transcript.messages) this.add(message);
  }

  /** In tokens of the counter; what they come to in the provider's, `predict(calibration, meter.total)` says. */
  get total(): number {
    return this.#standing + this.#messages;
  }

  add(message: Message): number {
    this.#messages += messageTokens(message, this.#counter);
    return this.total;
  }

  /** After a compaction: the system prompt stays, the messages are others. */
  restart(messages: readonly Message[]): number {
    this.#messages = 0;
    for (const message of messages) this.add(message);
    return this.total;
  }
}

function systemTokens(transcript: Transcript, counter: Counter): number {
  return (transcript.system ?? []).reduce((sum, part) => sum + counter.part(part), 0);
}

function toolTokens(transcript: Transcript, counter: Counter): number {
  return (transcript.tools ?? []).reduce((sum, tool) => sum + counter.tool(tool), 0);
}
