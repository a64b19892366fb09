/**
 * What `palimpsest inspect` knows about a session, as data: the contents of the whole conversation, the context as it
 * is now, what was recorded as used and paid, and what the harness's own compactions removed.
 */

import { type Calibration, isCalibrated } from "./measure/calibrate.ts";
import { contentsOf, type TokensOf } from "./measure/contents.ts";
import { estimatorFor } from "./measure/count.ts";
import { type Basis, measure } from "./measure/measure.ts";
import { cost, modelNamed } from "./measure/models.ts";
import { calibrationOf } from "./measure/recorded.ts";
import type { Contents } from "./measure/rows.ts";
import { largest } from "./transcript/extremes.ts";
import { defined } from "./transcript/json.ts";
import {
  type Message,
  promptTokens,
  type ToolSchema,
  type Transcript,
  type Usage,
} from "./transcript/message.ts";
import { stepsOf, turnsOf } from "./transcript/turns.ts";
import type { NativeCompaction, Session, Skipped } from "./wire/wire.ts";

export interface Inspection extends Contents {
  readonly wire: string;
  readonly model?: string;
  readonly messages: number;
  readonly turns: number;
  readonly steps: number;
  readonly toolCalls: number;
  /** Of everything that was said; `context` has what of it is sent now. */
  readonly tokens: number;
  readonly basis: Basis;
  readonly basisNote: string;
  readonly context: ContextNow;
  readonly usage?: UsageTotals;
  /** The recorded size of each prompt, in order: how the window filled and emptied. */
  readonly prompts: readonly { readonly messageIndex: number; readonly tokens: number }[];
  readonly compactions: readonly InspectedCompaction[];
  readonly asides: readonly {
    readonly kind: string;
    readonly name: string;
    readonly messages: number;
    readonly tokens: number;
  }[];
  readonly skipped: readonly Skipped[];
}

export interface ContextNow {
  readonly messages: number;
  readonly tokens: number;
  /** Of them, what the host sends besides the messages and the file does not show; known only from usage. */
  readonly overheadTokens: number;
  readonly windowTokens: number;
  /** Where the window is a guess: why. */
  readonly windowNote?: string;
  readonly share: number;
}

export interface UsageTotals extends Usage {
  readonly requests: number;
  readonly peakPromptTokens: number;
  readonly costNote: string;
  readonly outputNote?: string;
}

export interface InspectedCompaction {
  readonly kind: NativeCompaction["kind"];
  readonly at: number;
  readonly trigger?: "auto" | "manual";
  readonly removedMessages: number;
  readonly removedTokens: number;
  readonly summaryTokens?: number;
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}

export function inspectSession(session: Session): Inspection {
  const { whole } = session;
  const { tokensOf, toolTokens, calibration, basis, basisNote } = countingOf(session);
  const contents = contentsOf(whole, { tokensOf, toolTokens, cwd: session.about.cwd });
  const usage = usageOf(whole, tokensOf);
  return {
    wire: session.wire,
    ...(whole.model === undefined ? {} : { model: whole.model }),
    messages: whole.messages.length,
    turns: turnsOf(whole).length,
    steps: stepsOf(whole).length,
    toolCalls: contents.byTool.reduce((sum, { calls }) => sum + calls, 0),
    tokens: contents.byKind.reduce((sum, { tokens }) => sum + tokens, 0),
    basis,
    basisNote,
    context: contextNow(session, calibration),
    ...contents,
    ...(usage ? { usage } : {}),
    prompts: promptsOf(whole),
    compactions: session.compactions.map((compaction) => inspectCompaction(compaction, whole, tokensOf)),
    asides: session.asides.map(({ kind, name, transcript }) => ({
      kind,
      name,
      messages: transcript.messages.length,
      tokens: tokensIn(transcript.messages, tokensOf),
    })),
    skipped: session.skipped,
  };
}

interface Counting {
  readonly tokensOf: TokensOf;
  readonly toolTokens: (tool: ToolSchema) => number;
  readonly calibration: Calibration | undefined;
  readonly basis: Basis;
  readonly basisNote: string;
}

/** Estimated, and where the file has recorded usage, corrected by it. */
function countingOf(session: Session): Counting {
  const counter = estimatorFor(session.whole.model);
  const calibration = calibrationOf(session, counter);
  const scale = isCalibrated(calibration) ? calibration.scale : 1;
  const note = `estimated, corrected by the recorded usage of ${calibration.requests} requests`;
  return {
    tokensOf: (part) => Math.round(counter.part(part) * scale),
    toolTokens: (tool) => Math.round(counter.tool(tool) * scale),
    calibration: isCalibrated(calibration) ? calibration : undefined,
    basis: isCalibrated(calibration) ? "usage" : counter.basis,
    basisNote: isCalibrated(calibration) ? note : whyEstimated(session.whole),
  };
}

function whyEstimated({ messages }: Transcript): string {
  return messages.some(({ usage }) => usage !== undefined)
    ? "estimated; the usage the file records is not of what it holds"
    : "estimated; the file records no usage";
}

/** The context as it would be sent now, with what the host adds and the file does not show, where usage tells it. */
function contextNow({ seen, about }: Session, calibration: Calibration | undefined): ContextNow {
  const { total, overhead } = measure(seen, calibration ? { calibration } : {});
  const model = modelNamed(seen.model);
  const windowTokens = about.windowTokens ?? model.windowTokens;
  const isGuess = about.windowTokens === undefined && model.isFallback;
  return {
    messages: seen.messages.length,
    tokens: total,
    overheadTokens: overhead,
    windowTokens,
    ...(isGuess ? { windowNote: model.reason ?? "a guess" } : {}),
    share: total / windowTokens,
  };
}

function usageOf(whole: Transcript, tokensOf: TokensOf): UsageTotals | undefined {
  const answered = whole.messages.filter((message) => message.usage !== undefined);
  const usages = answered.flatMap(({ usage }) => usage ?? []);
  if (usages.length === 0) return undefined;
  const sum = (key: (usage: Usage) => number) => usages.reduce((total, usage) => total + key(usage), 0);
  return {
    requests: usages.length,
    peakPromptTokens: largest(usages.map(promptTokens)),
    uncachedTokens: sum((usage) => usage.uncachedTokens),
    cacheReadTokens: sum((usage) => usage.cacheReadTokens),
    cacheWriteTokens: sum((usage) => usage.cacheWriteTokens),
    outputTokens: sum((usage) => usage.outputTokens),
    ...costOf(answered, whole.model),
    ...outputNote(
      sum((usage) => usage.outputTokens),
      tokensIn(answered, tokensOf),
    ),
  };
}

/** Claude Code logs the output of a response while it is still being written, so the sum is far too low. */
function outputNote(recorded: number, written: number): { readonly outputNote?: string } {
  if (recorded * 2 > written) return {};
  return {
    outputNote: `the responses hold about ${written.toLocaleString("en-US")} tokens: output is logged too low here, and so is the cost`,
  };
}

/** What the host says it cost; else what the price list says, if it knows the model of every request. */
function costOf(
  answered: readonly Message[],
  model: string | undefined,
): { costUsd?: number; costNote: string } {
  const said = answered.map(({ usage }) => usage?.costUsd);
  if (said.every((usd) => usd !== undefined))
    return { costUsd: said.reduce((a, b) => a + b, 0), costNote: "as the host recorded it" };
  const costs = answered.map((message) =>
    message.usage ? cost(message.usage, message.model ?? model) : { usd: 0 },
  );
  const unknown = costs.find(({ usd }) => usd === undefined);
  if (unknown?.because !== undefined) return { costNote: unknown.because };
  return {
    costUsd: costs.reduce((total, { usd }) => total + (usd ?? 0), 0),
    costNote: `at list prices of ${modelNamed(model).asOf}`,
  };
}

function promptsOf(whole: Transcript): Inspection["prompts"] {
  return whole.messages.flatMap(({ usage }, messageIndex) =>
    usage ? [{ messageIndex, tokens: promptTokens(usage) }] : [],
  );
}

function inspectCompaction(
  compaction: NativeCompaction,
  whole: Transcript,
  tokensOf: TokensOf,
): InspectedCompaction {
  const { kind, at, trigger, removed, summary, tokensBefore, tokensAfter } = compaction;
  const left = removed.flatMap((index) => whole.messages[index] ?? []);
  return {
    kind,
    at,
    removedMessages: left.length,
    removedTokens: tokensIn(left, tokensOf),
    ...defined({
      trigger,
      tokensBefore,
      tokensAfter,
      summaryTokens: summary && tokensIn([summary], tokensOf),
    }),
  };
}

function tokensIn(messages: readonly Message[], tokensOf: TokensOf): number {
  return messages.reduce(
    (total, { parts }) => total + parts.reduce((sum, part) => sum + tokensOf(part), 0),
    0,
  );
}
