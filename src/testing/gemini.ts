/**
 * Gemini generateContent, from the provider's side. https://ai.google.dev/api/generate-content
 *
 * Model and streaming stand in the path. The seal is no field of thinking: it stands on the first call, or on the last
 * text where nothing is called. Before Gemini 3 calls have no ids, and a seal comes only with thinking.
 */
import { type Json, type JsonObject, object, string } from "../transcript/json.ts";
import { type Part, promptTokens } from "../transcript/message.ts";
import { gemini as wire } from "../wire/gemini.ts";
import { callIn, makeParts } from "../wire/gemini-parts.ts";
import type { Api, Asked, Made, Route, Trouble, Violation, ViolationCode } from "./api.ts";
import { isGemini3, refusals } from "./gemini-rules.ts";
import { idFrom } from "./ids.ts";
import type { Ending } from "./script.ts";
import { event, slices } from "./sse.ts";

const NAME = "gemini";

function route(path: string, query: URLSearchParams): Route | undefined {
  const found =
    /^\/v1(?:beta|alpha)?\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/.exec(path);
  const [, model = "", method] = found ?? [];
  if (!found) return undefined;
  const isStream = method === "streamGenerateContent";
  return {
    asks: method === "countTokens" ? "count" : "answer",
    model: decodeURIComponent(model),
    isStream,
    isList: isStream && query.get("alt") !== "sse",
  };
}

function read(body: JsonObject, asked: Route): Asked {
  const model = asked.model ?? "";
  // A request to count may wrap the request to be counted.
  const inner = asked.asks === "count" ? object(body["generateContentRequest"] ?? body) : body;
  return {
    route: asked,
    body: inner,
    transcript: { ...wire.read(inner), model },
    model,
    isStream: asked.isStream === true,
  };
}

function refuse(trouble: Trouble): Violation {
  switch (trouble.kind) {
    case "bad-json":
      return error("bad-json", "Invalid JSON payload received. Unexpected token.");
    case "request-too-large":
      return error("request-too-large", `Request payload size exceeds the limit: ${MAX_BYTES} bytes.`);
    case "unknown-model":
      return error(
        "unknown-model",
        `models/${trouble.model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
        404,
      );
    case "bad-key":
      return error("bad-key", "API key not valid. Please pass a valid API key.");
    case "overflow":
      return error(
        "overflow",
        `The input token count (${trouble.tokens}) exceeds the maximum number of tokens allowed (${trouble.windowTokens}).`,
      );
    case "overloaded":
      return error("overloaded", "The model is overloaded. Please try again later.", 503);
    case "rate-limit":
      return error("rate-limit", "Resource has been exhausted (e.g. check quota).", 429);
    case "server-error":
      return error("server-error", "An internal error has occurred. Please retry.", 500);
    case "scripted":
      return error("scripted", trouble.message, trouble.status);
  }
}

const MAX_BYTES = 20_971_520;

const STATUSES: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

function error(code: ViolationCode, message: string, status = 400): Violation {
  const named = STATUSES[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL");
  return { code, message, status, body: { error: { code: status, message, status: named } } };
}

function whole(made: Made): Json {
  return responseOf(
    made,
    made.parts.flatMap((part) => partsFor(part, made)),
    made.ends,
  );
}

/** `ends` is missing while more is to come. */
function responseOf(made: Made, parts: readonly Json[], ends?: Ending): JsonObject {
  const content = parts.length === 0 ? { role: "model" } : { parts, role: "model" };
  return {
    candidates: [{ content, ...(ends ? { finishReason: finishReason(ends) } : {}), index: 0 }],
    usageMetadata: usageOf(made),
    modelVersion: made.asked.model,
    responseId: idFrom("", made.seed),
  };
}

function partsFor(part: Part, made: Made): readonly Json[] {
  return makeParts(part).map((value) => {
    const call = callIn(value);
    const signature = part === sealedPart(made) ? { thoughtSignature: made.seal } : {};
    if (!call || isGemini3(made.asked.model)) return { ...object(value), ...signature };
    return { functionCall: { name: call["name"], args: call["args"] }, ...signature };
  });
}

/** The first call, or else the last text. */
function sealedPart({ parts, asked }: Made): Part | undefined {
  const isSealed = isGemini3(asked.model) || parts.some((part) => part.type === "thinking");
  if (!isSealed) return undefined;
  return parts.find((part) => part.type === "tool-call") ?? parts.findLast((part) => part.type === "text");
}

function finishReason(ends: Ending): string {
  switch (ends) {
    case "done":
    case "calls":
      return "STOP";
    case "max-tokens":
    case "window-full":
      return "MAX_TOKENS";
    case "refusal":
      return "SAFETY";
  }
}

function usageOf({ usage, thinkingTokens }: Made): JsonObject {
  const prompt = promptTokens(usage);
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: usage.outputTokens - thinkingTokens,
    totalTokenCount: prompt + usage.outputTokens,
    ...(usage.cacheReadTokens > 0 ? { cachedContentTokenCount: usage.cacheReadTokens } : {}),
    ...(thinkingTokens > 0 ? { thoughtsTokenCount: thinkingTokens } : {}),
  };
}

function stream(made: Made): readonly string[] {
  const pieces = made.parts
    .flatMap((part) => partsFor(part, made))
    .flatMap((value) => split(value, made.chunkChars));
  const responses = (pieces.length === 0 ? [[]] : pieces.map((piece) => [piece])).map((parts, index, all) =>
    responseOf(made, parts, index === all.length - 1 ? made.ends : undefined),
  );
  if (!made.asked.route.isList) return responses.map((response) => event(response));
  const last = responses.length - 1;
  return responses.map(
    (response, index) =>
      `${index === 0 ? "[" : ",\r\n"}${JSON.stringify(response)}${index === last ? "]" : ""}`,
  );
}

/** Texts come in pieces, and the seal with the last of them; calls come whole. */
function split(value: Json, chars: number): readonly Json[] {
  const { text, thoughtSignature, ...fields } = object(value);
  const pieces = slices(string(text) ?? "", chars);
  if (text === undefined || pieces.length === 0) return [value];
  return pieces.map((piece, index) => ({
    text: piece,
    ...fields,
    ...(thoughtSignature !== undefined && index === pieces.length - 1 ? { thoughtSignature } : {}),
  }));
}

export const gemini: Api = {
  name: NAME,
  seals: "none",
  cache: "automatic",
  maxBytes: MAX_BYTES,
  route,
  read,
  refusals: (asked) => refusals(asked, error),
  refuse,
  whole,
  stream,
  streamError: ({ body }, { asked }) => (asked.route.isList ? `,\r\n${JSON.stringify(body)}]` : event(body)),
  count: (tokens) => ({ totalTokens: tokens }),
  remember: () => undefined,
};
