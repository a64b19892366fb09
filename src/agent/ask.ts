/**
 * One request to the model, streamed: what goes in is what `prepare` gave, what comes out is one assistant message in the AI
 * SDK's words. The SDK runs no tool here and makes no second step; the loop does.
 */
import type { LanguageModel, ModelMessage, SystemModelMessage, ToolSet } from "ai";
import { usageOf } from "../summarize/model.ts";
import type { SdkTools } from "../summarize/sdk-model.ts";
import { isObject, type Json, type JsonObject, list, object, string } from "../transcript/json.ts";
import type { Usage } from "../transcript/message.ts";
import type { AgentModel } from "./models.ts";
import { providerOptionsOf } from "./models.ts";

export interface Request {
  readonly model: AgentModel;
  readonly system: string;
  readonly messages: readonly Json[];
  readonly tools: SdkTools;
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
  readonly onText?: (type: "text" | "thinking", text: string) => void;
}

export interface Answer {
  /** Undefined where the model said nothing at all. */
  readonly message: JsonObject | undefined;
  readonly text: string;
  readonly usage: Usage;
  readonly stopReason: string;
}

/** The request was interrupted; what had been said until then. */
export class Interrupted extends Error {
  readonly text: string;

  constructor(text: string) {
    super("interrupted");
    this.text = text;
  }
}

export async function ask(request: Request): Promise<Answer> {
  const { streamText } = await import("ai");
  const { model, signal, tools, maxOutputTokens } = request;
  const result = streamText({
    // Ours are the SDK's, by their marks (`sdk-model.ts`).
    model: model.model as LanguageModel,
    system: systemOf(request),
    messages: sendable(request),
    tools: tools as ToolSet,
    maxOutputTokens,
    maxRetries: 2,
    abortSignal: signal,
    providerOptions: providerOptionsOf(model),
    // It comes through the stream as well, and is thrown below.
    onError: () => {},
  });
  const heard = await listen(result.fullStream, request);
  const { messages } = await result.response;
  // Undefined fields and classes of the SDK do not survive the journal; without it they shall not either.
  const [message] = JSON.parse(JSON.stringify(messages)) as Json[];
  return { ...heard, message: tidied(message) };
}

type Stream = ReturnType<typeof import("ai").streamText>["fullStream"];

async function listen(stream: Stream, { signal, onText }: Request): Promise<Omit<Answer, "message">> {
  let text = "";
  let heard = { usage: usageOf({} as Parameters<typeof usageOf>[0]), stopReason: "" };
  try {
    for await (const part of stream) {
      if (part.type === "error") throw part.error;
      if (part.type === "abort") throw new Interrupted(text);
      if (part.type === "text-delta") text += part.text;
      if (part.type === "text-delta") onText?.("text", part.text);
      if (part.type === "reasoning-delta") onText?.("thinking", part.text);
      if (part.type === "finish-step")
        heard = { usage: usageOf(part.usage), stopReason: part.rawFinishReason ?? part.finishReason };
    }
  } catch (error) {
    throw signal.aborted && !(error instanceof Interrupted) ? new Interrupted(text) : error;
  }
  return { text, ...heard };
}

const CACHED = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } } as const;

function systemOf({ system }: Request): SystemModelMessage {
  return { role: "system", content: system, ...CACHED };
}

/** Anthropic caches up to where it is told: behind the system prompt, and behind the newest message. Others ignore it. */
function sendable({ messages }: Request): ModelMessage[] {
  const marked = messages.map((message, index) =>
    index === messages.length - 1 ? { ...object(message), ...CACHED } : message,
  );
  // Written by the SDK or by the wire for it: the SDK checks them again.
  return marked as unknown as ModelMessage[];
}

/** Arguments that are no object would be refused when they are sent back; they are kept as text, and the call is answered. */
function tidied(message: Json | undefined): JsonObject | undefined {
  const { content, ...fields } = object(message);
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : list(content).map(object);
  const said = parts
    .filter((part) => part["type"] !== "text" || string(part["text"])?.trim() !== "")
    .map(
      (part): JsonObject =>
        part["type"] === "tool-call" && !isObject(part["input"])
          ? { ...part, input: { [UNREADABLE]: part["input"] ?? null } }
          : part,
    );
  const isSomething = said.some((part) => part["type"] !== "reasoning");
  return isSomething ? { ...fields, role: "assistant", content: said } : undefined;
}

/** The field that holds arguments nobody could read. */
export const UNREADABLE = "unreadable_arguments";
