/**
 * Who rejects what, as a table. `check` finds every problem there is; these lists say which of them a provider
 * answers with an error. `docs/legality.md` shows the same table with its sources.
 *
 * `strictest` is everything any hosted provider rejects, with four exceptions that are not about the conversation
 * but about its spelling. They are listed in SPARED with their reasons.
 */
import type { Spelling } from "./message.ts";

export type Provider =
  | "anthropic"
  | "openai-chat"
  | "openai-responses"
  | "gemini"
  | "chat-template"
  | "strictest";

export interface Problem {
  readonly code: ProblemCode;
  /** -1 for the system prompt. */
  readonly messageIndex: number;
  readonly partIndex?: number;
  /** For people: what is wrong, and with which value. */
  readonly why: string;
}

/** Public and pinned by a test. */
export type ProblemCode =
  | "no-messages" // nothing is said
  | "empty-message" // a message without parts
  | "empty-text" // a text without characters
  | "blank-text" // a text of white space only
  | "misplaced-call" // a tool call that is not the model's
  | "misplaced-result" // a result in a message of the model or of the system
  | "misplaced-thinking" // thinking that is not the model's
  | "misplaced-words" // words in a message of results only
  | "unanswered-call" // a call without a result, and the conversation went on
  | "open-call" // a call without a result, and the conversation ends here
  | "late-result" // a result that comes after something else was said
  | "orphan-result" // a result without a call
  | "repeated-result" // a second result for one call
  | "result-after-words" // results must come first in the message that follows the calls
  | "repeated-call-id" // two calls with one id
  | "missing-call-id" // a call or a result without an id
  | "long-call-id" // an id of more than 64 characters
  | "malformed-call-id" // an id with other characters than letters, digits, _ and -
  | "missing-name" // a call that does not say which tool
  | "input-not-object" // a call whose input is not an object
  | "starts-with-assistant" // the model speaks first
  | "ends-with-assistant" // the model is asked to answer itself
  | "system-inside" // a system message after the conversation began
  | "system-not-after-user" // such a message, and not right behind a user's
  | "roles-do-not-alternate" // two messages of one role in a row
  | "thinking-last" // a response that ends in sealed thinking
  | "thinking-edited" // sealed thinking whose text or seal is not the original's
  | "prefix-changed" // sealed thinking behind something that was changed
  | "missing-thinking" // sealed thinking taken from a response whose calls were just answered
  | "opaque-edited" // an opaque item that is not the original's
  | "foreign-opaque"; // an opaque item another provider made

/** What no provider can make sense of, and most say so. */
const EVERYONE: readonly ProblemCode[] = [
  "no-messages",
  "empty-message",
  "misplaced-call",
  "misplaced-result",
  "misplaced-thinking",
  "misplaced-words",
  "unanswered-call",
  "open-call",
  "orphan-result",
  "repeated-result",
  "missing-name",
  "opaque-edited",
  "foreign-opaque",
];

const HOSTED = {
  anthropic: [
    ...EVERYONE,
    "empty-text",
    "blank-text",
    "late-result",
    "result-after-words",
    "repeated-call-id",
    "missing-call-id",
    "malformed-call-id",
    "input-not-object",
    "starts-with-assistant",
    "ends-with-assistant",
    "system-not-after-user",
    "thinking-last",
    "thinking-edited",
    "prefix-changed",
    "missing-thinking",
  ],
  "openai-chat": [...EVERYONE, "late-result", "missing-call-id", "long-call-id"],
  // Calls and outputs are found by id wherever they stand, so a late output is no error here.
  "openai-responses": [
    ...EVERYONE,
    "repeated-call-id",
    "missing-call-id",
    "long-call-id",
    "thinking-last",
    "thinking-edited",
  ],
  // Pairs by position: as many responses as calls, right behind them. Ids are optional.
  gemini: [
    ...EVERYONE,
    "empty-text",
    "late-result",
    "input-not-object",
    "starts-with-assistant",
    "ends-with-assistant",
    "system-inside",
    "thinking-edited",
  ],
} as const satisfies Record<string, readonly ProblemCode[]>;

/** Strict Jinja templates of local servers (Mistral, Gemma on llama.cpp, vLLM, TGI). */
const CHAT_TEMPLATE: readonly ProblemCode[] = [
  ...EVERYONE,
  "late-result",
  "starts-with-assistant",
  "ends-with-assistant",
  "system-inside",
  "roles-do-not-alternate",
];

/**
 * What `strictest` lets pass. Alternation is not here because no hosted provider asks for it: two user messages in a
 * row are legal at all four, and untouched messages go out as they came.
 */
const SPARED: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  // OpenAI takes system messages anywhere, and the wires of the other two say them as the user's.
  "system-inside",
  "system-not-after-user",
  // OpenAI has tools that take free text; the other wires wrap it in an object.
  "input-not-object",
  // Every item is foreign to someone. Only a named provider can tell.
  "foreign-opaque",
]);

const REJECTED: Readonly<Record<Provider, ReadonlySet<ProblemCode>>> = {
  anthropic: new Set(HOSTED.anthropic),
  "openai-chat": new Set(HOSTED["openai-chat"]),
  "openai-responses": new Set(HOSTED["openai-responses"]),
  gemini: new Set(HOSTED.gemini),
  "chat-template": new Set(CHAT_TEMPLATE),
  strictest: new Set(
    Object.values(HOSTED)
      .flat()
      .filter((code) => !SPARED.has(code)),
  ),
};

/**
 * What may stand in a record and not in a request. A record ends where the session stands: with the model's answer,
 * or with tools still running. It keeps what harnesses leave out when they send (blank texts, responses broken off
 * while thinking), and its ids and opaque items are the harness's own affair until they are sent.
 */
const FINE_IN_A_RECORD: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "no-messages",
  "empty-message",
  "empty-text",
  "blank-text",
  "open-call",
  "ends-with-assistant",
  "thinking-last",
  "long-call-id",
  "malformed-call-id",
  "foreign-opaque",
]);

export function rejects(provider: Provider, code: ProblemCode, as: "request" | "record"): boolean {
  return REJECTED[provider].has(code) && (as === "request" || !FINE_IN_A_RECORD.has(code));
}

/** Whose opaque items are whose. Items of anyone else are a harness's own, and no body wire sends them. */
const OPAQUE_OF: Readonly<Record<Spelling, readonly Provider[]>> = {
  anthropic: ["anthropic"],
  "openai-chat": ["openai-chat", "chat-template"],
  "openai-item": ["openai-responses"],
  "openai-content": ["openai-responses"],
  gemini: ["gemini"],
};

export function isForeign(of: Spelling, provider: Provider): boolean {
  return OPAQUE_OF[of]?.includes(provider) === false;
}
