/**
 * What the model will say, written by whoever tests an agent: a list of replies, or a function of the request. A reply
 * is in neutral words; each provider's file spells it. What is not said is computed: ids, seals, usage, how it ended.
 */
import type { Json } from "../transcript/json.ts";
import type { Part, Transcript, Usage } from "../transcript/message.ts";

/** A list is used up in order, one reply for each request that was legal; what the rules refuse uses up none. */
export type Script =
  | readonly (Reply | string)[]
  | ((request: ModelRequest, turn: number) => Reply | string | Promise<Reply | string>);

export type ApiName = "anthropic" | "openai-chat" | "openai-responses" | "gemini";

/** A request as the provider understood it. */
export interface ModelRequest {
  readonly api: ApiName;
  readonly method: string;
  /** Path and query, without keys. */
  readonly path: string;
  /** Without keys and cookies. */
  readonly headers: Readonly<Record<string, string>>;
  readonly hasKey: boolean;
  readonly body: Json;
  /** What the body says; references to what the server keeps (Responses) are already looked up. */
  readonly transcript: Transcript;
  readonly model: string;
  readonly isStream: boolean;
  /** The prompt, as usage and the window count it. */
  readonly promptTokens: number;
}

export interface Reply {
  readonly thinking?: string;
  readonly text?: string;
  /** More than one is a parallel call. */
  readonly calls?: readonly Call[];
  /** In place of the three above, where their order matters. Thinking is sealed by the server; an empty `callId` is filled. */
  readonly parts?: readonly Part[];
  /** How it ended, where it is not plain from what was said. */
  readonly ends?: Ending;
  /** What is given here is reported; the rest is counted, with a prompt cache that behaves like the provider's. */
  readonly usage?: Partial<Usage>;
  readonly fault?: Fault | Exclude<Fault["kind"], "status">;
  /** Before the first byte. */
  readonly delayMs?: number;
  /** Between two events of a stream. */
  readonly chunkDelayMs?: number;
  /** How much text one event of a stream holds. */
  readonly chunkChars?: number;
}

export interface Call {
  readonly name: string;
  /** A string for a tool that takes free text. */
  readonly input?: Json;
  readonly id?: string;
}

export type Ending = "done" | "calls" | "max-tokens" | "refusal" | "window-full";

export type Fault =
  | { readonly kind: "overloaded"; readonly retryAfterSeconds?: number }
  | { readonly kind: "rate-limit"; readonly retryAfterSeconds?: number }
  | { readonly kind: "server-error" }
  /** The provider's own words for a prompt that does not fit; the numbers are the request's where not given. */
  | { readonly kind: "overflow"; readonly tokens?: number; readonly windowTokens?: number }
  | { readonly kind: "status"; readonly status: number; readonly message?: string }
  /** The connection is destroyed: after so many events, or in the middle of the answer. 0 is before the first byte. */
  | { readonly kind: "cut"; readonly afterChunks?: number }
  /** Status 200, and what follows is not what was promised. */
  | { readonly kind: "garbage" }
  /** A stream that begins well and ends in the provider's error event. */
  | {
      readonly kind: "stream-error";
      readonly afterChunks?: number;
      readonly error?: "overloaded" | "overflow" | "server-error";
    };

/** The reply for this turn, or `undefined` where a list has run out. */
export async function nextReply(
  script: Script,
  request: ModelRequest,
  turn: number,
): Promise<Reply | undefined> {
  const reply = typeof script === "function" ? await script(request, turn) : script[turn];
  return typeof reply === "string" ? { text: reply } : reply;
}

export function partsOf(reply: Reply): readonly Part[] {
  if (reply.parts) return reply.parts;
  const { thinking, text, calls = [] } = reply;
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking" as const, text: thinking }]),
    ...(text === undefined || text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls.map(({ id = "", name, input = {} }) => ({
      type: "tool-call" as const,
      callId: id,
      name,
      input,
    })),
  ];
}

export function endingOf(reply: Reply): Ending {
  if (reply.ends) return reply.ends;
  return partsOf(reply).some((part) => part.type === "tool-call") ? "calls" : "done";
}

export function faultOf({ fault }: Reply): Fault | undefined {
  return typeof fault === "string" ? { kind: fault } : fault;
}
