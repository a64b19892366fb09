/**
 * Any model of the AI SDK as summarizer. The SDK and the provider's package are loaded when the first summary is asked
 * for; keys come from the options and from nowhere else. With `live`, the instruction is appended to the very request the
 * agent would send next, so that the provider reads its prefix from the cache.
 */
import type { LanguageModel, LanguageModelUsage, ModelMessage, ToolSet } from "ai";
import { cost } from "../measure/models.ts";
import type { Usage } from "../transcript/message.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { instructionFor, promptFor } from "./prompt.ts";
import { BadAnswer, type SummarizeInput, type Summarizer } from "./summarizer.ts";

export interface ModelOptions {
  /** A model of the AI SDK, or the name of one of `provider`. */
  readonly model: LanguageModel;
  readonly provider?: "anthropic" | "openai" | "openai-compatible";
  readonly apiKey?: string;
  /** For OpenAI-compatible servers, such as `http://127.0.0.1:11434/v1` for Ollama. */
  readonly baseURL?: string;
  readonly timeoutMs?: number;
  /** The live request: system, tools and messages exactly as the agent sends them. */
  readonly live?: LiveRequest;
}

export interface LiveRequest {
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  readonly tools?: ToolSet;
}

const TIMEOUT_MS = 180_000;
/** Reasoning is paid from the same output budget as the answer. */
const OUTPUT_FACTOR = 3;

export function modelSummarizer(options: ModelOptions): Summarizer {
  const name = nameOf(options.model);
  return {
    name,
    async write(input, { signal } = {}) {
      const answer = await ask(options, input, signal);
      const spent = {
        ...(answer.usage ? { usage: answer.usage } : {}),
        ...(answer.costUsd === undefined ? {} : { costUsd: answer.costUsd }),
      };
      return { summary: readAnswer(answer, input), by: name, ...spent, notes: [] };
    },
  };
}

async function ask(
  options: ModelOptions,
  input: SummarizeInput,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const { generateText } = await import("ai");
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const name = nameOf(options.model);
  try {
    const { text, finishReason, usage } = await generateText({
      model: await languageModel(options),
      ...requestOf(options.live, input),
      maxOutputTokens: input.maxTokens * OUTPUT_FACTOR,
      maxRetries: 1,
      abortSignal: signal ? either(signal, timeout) : timeout,
    });
    const spent = usageOf(usage);
    const { usd } = cost(spent, name);
    return {
      text,
      ended: endedBy(finishReason),
      usage: spent,
      ...(usd === undefined ? {} : { costUsd: usd }),
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BadAnswer("failed", `${name} gave no summary: ${why}`);
  }
}

function nameOf(model: LanguageModel): string {
  return typeof model === "string" ? model : model.modelId;
}

/** On the live prefix nothing but the last message is new; tools stay, because leaving them out would change the prefix. */
function requestOf(live: LiveRequest | undefined, input: SummarizeInput) {
  if (!live) return { prompt: promptFor(input) };
  const last: ModelMessage = { role: "user", content: instructionFor(input) };
  return {
    messages: [...live.messages, last],
    ...(live.system === undefined ? {} : { system: live.system }),
    ...(live.tools === undefined ? {} : { tools: live.tools }),
  };
}

async function languageModel({ model, provider, apiKey, baseURL }: ModelOptions): Promise<LanguageModel> {
  if (typeof model !== "string" || provider === undefined) return model;
  const settings = {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseURL === undefined ? {} : { baseURL }),
  };
  switch (provider) {
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic(settings)(model);
    case "openai":
      return (await import("@ai-sdk/openai")).createOpenAI(settings)(model);
    case "openai-compatible":
      return (await import("@ai-sdk/openai-compatible")).createOpenAICompatible({
        name: provider,
        baseURL: baseURL ?? "",
        ...settings,
      })(model);
  }
}

function endedBy(reason: string): NonNullable<Answer["ended"]> {
  if (reason === "length" || reason === "tool-calls") return reason;
  return reason === "content-filter" ? "refused" : "stop";
}

function usageOf({ inputTokens = 0, outputTokens = 0, inputTokenDetails }: LanguageModelUsage): Usage {
  const cacheReadTokens = inputTokenDetails?.cacheReadTokens ?? 0;
  const cacheWriteTokens = inputTokenDetails?.cacheWriteTokens ?? 0;
  return {
    uncachedTokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens,
  };
}

/** `AbortSignal.any` came with Node 20.3; the oldest we run on is 20.0. */
function either(one: AbortSignal, other: AbortSignal): AbortSignal {
  const both = new AbortController();
  for (const signal of [one, other]) {
    if (signal.aborted) both.abort(signal.reason);
    signal.addEventListener("abort", () => both.abort(signal.reason), { once: true });
  }
  return both.signal;
}
