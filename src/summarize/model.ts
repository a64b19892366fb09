/**
 * Any model of the AI SDK as summarizer. The SDK and the provider's package are loaded when the first summary is asked
 * for; keys come from the options and from nowhere else. With `isLive`, the question is appended to the very request the
 * agent would send next, so that the provider reads its prefix from the cache (`model-live.ts`).
 */
import type { LanguageModel } from "ai";
import { cost } from "../measure/models.ts";
import { defined } from "../transcript/json.ts";
import type { Usage } from "../transcript/message.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { apiOf, behindPrefix, sdkRequest } from "./model-live.ts";
import { liveInstructionFor, promptFor } from "./prompt.ts";
import type { Api, Provider, SdkModel } from "./sdk-model.ts";
import { BadAnswer, type SummarizeInput, type Summarizer } from "./summarizer.ts";

export interface ModelOptions {
  /** A model of the AI SDK, or the name of one of `provider`. */
  readonly model: SdkModel;
  readonly provider?: Provider;
  readonly apiKey?: string;
  /** For OpenAI-compatible servers, such as `http://127.0.0.1:11434/v1` for Ollama. */
  readonly baseURL?: string;
  readonly timeoutMs?: number;
  /**
   * Ask on the live prefix: system, tools and messages exactly as the agent sends them, the question last. It pays where
   * the model is the agent's own, so that the prefix is cached; any other model reads it all for the first time.
   */
  readonly isLive?: boolean;
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
      ...(await requestOf(options, input)),
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

function nameOf(model: SdkModel): string {
  return typeof model === "string" ? model : model.modelId;
}

/** A smaller try comes without a live request, and is asked from the material alone. */
async function requestOf(options: ModelOptions, input: SummarizeInput) {
  const { model, provider, isLive } = options;
  const live = isLive ? input.live : undefined;
  if (typeof model !== "string" || provider === undefined)
    // By its marks it is one of the SDK's.
    return {
      model: model as LanguageModel,
      ...(live ? sdkRequest(live, input) : { prompt: promptFor(input) }),
    };
  const api = apiOf(provider, live);
  if (!live) return { model: await modelOf(options, api), prompt: promptFor(input) };
  if (live.wire === "ai-sdk") return { model: await modelOf(options, api), ...sdkRequest(live, input) };
  const settings = { ...options, fetch: behindPrefix(live, api) };
  return { model: await modelOf(settings, api), prompt: liveInstructionFor(input) };
}

/** A model by provider and name, for whoever asks it for something else than a summary. */
export function openModel(options: ModelOptions & { readonly provider: Provider }): Promise<SdkModel> {
  return modelOf(options, apiOf(options.provider, undefined));
}

interface Reach extends ModelOptions {
  readonly fetch?: typeof fetch;
}

async function modelOf(
  { model, provider, apiKey, baseURL, fetch }: Reach,
  api: Api,
): Promise<LanguageModel & SdkModel> {
  const name = nameOf(model);
  const settings = defined({ apiKey, baseURL, fetch });
  switch (api) {
    case "anthropic-messages":
      return (await import("@ai-sdk/anthropic")).createAnthropic(settings)(name);
    case "openai-responses":
      return (await import("@ai-sdk/openai")).createOpenAI(settings).responses(name);
    case "openai-chat":
      return provider === "openai"
        ? (await import("@ai-sdk/openai")).createOpenAI(settings).chat(name)
        : (await import("@ai-sdk/openai-compatible")).createOpenAICompatible({
            name: "openai-compatible",
            ...settings,
            // Without an address the request fails by itself: it must not go to somebody else's server.
            baseURL: baseURL ?? "",
          })(name);
  }
}

function endedBy(reason: string): NonNullable<Answer["ended"]> {
  if (reason === "length" || reason === "tool-calls") return reason;
  return reason === "content-filter" ? "refused" : "stop";
}

/** As much of the SDK's usage as is looked at. */
interface Reported {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly inputTokenDetails?: {
    readonly cacheReadTokens?: number | undefined;
    readonly cacheWriteTokens?: number | undefined;
  };
}

/** The SDK's usage in our words. */
export function usageOf({ inputTokens = 0, outputTokens = 0, inputTokenDetails }: Reported): Usage {
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
export function either(one: AbortSignal, other: AbortSignal): AbortSignal {
  const both = new AbortController();
  for (const signal of [one, other]) {
    if (signal.aborted) both.abort(signal.reason);
    signal.addEventListener("abort", () => both.abort(signal.reason), { once: true });
  }
  return both.signal;
}
