/**
 * What it means to be a provider here. One file each, in one order: route → read → refusals → errors → whole answer →
 * stream → the exported `Api`; the rules with their words stand beside it in `<name>-rules.ts`. Everything is a function
 * of its arguments and of the server's memory; `respond.ts` composes, `server.ts` moves the bytes.
 */
import type { Json, JsonObject } from "../transcript/json.ts";
import type { Part, Transcript, Usage } from "../transcript/message.ts";
import type { ProblemCode } from "../transcript/rules.ts";
import type { Recent } from "./recent.ts";
import type { ApiName, Ending } from "./script.ts";
import type { SealKind } from "./seal.ts";

export interface Api {
  readonly name: ApiName;
  readonly seals: SealKind;
  readonly cache: "marked" | "automatic";
  /** Most bytes of a request. */
  readonly maxBytes: number;
  /** What is asked for at this path; `undefined` where the path is another's. */
  route(path: string, query: URLSearchParams): Route | undefined;
  read(body: JsonObject, route: Route, memory: Memory): Asked;
  /** Everything the provider refuses in this request, in its own words; the first is what it answers. */
  refusals(asked: Asked, headers: Headers, memory: Memory): readonly Violation[];
  /** The same for what is not about the conversation. */
  refuse(trouble: Trouble): Violation;
  whole(made: Made): Json;
  /** The events of a stream, one string each. */
  stream(made: Made): readonly string[];
  /** The error as it ends a stream of which so many events were sent. */
  streamError(violation: Violation, made: Made, eventsBefore: number): string;
  count(tokens: number): Json;
  /** What the server must know when the answer is sent back to it. */
  remember(made: Made, memory: Memory): void;
}

export type Headers = Readonly<Record<string, string>>;

export interface Route {
  readonly asks: "answer" | "count";
  /** Gemini says these two in the path. */
  readonly model?: string;
  readonly isStream?: boolean;
  /** Gemini streams a JSON list where nobody asks for events. */
  readonly isList?: boolean;
}

export interface Asked {
  readonly route: Route;
  readonly body: JsonObject;
  readonly transcript: Transcript;
  readonly model: string;
  readonly isStream: boolean;
}

export interface Memory {
  /** Calls made after sealed thinking: while their results come back, the thinking must too. */
  readonly thoughtful: Recent<true>;
  /** Responses: items by id, conversations by response id, and the reasoning an item was made from. */
  readonly items: Recent<Json>;
  readonly conversations: Recent<readonly Json[]>;
  readonly reasonedFrom: Recent<string>;
}

export type ViolationCode =
  | ProblemCode
  | Trouble["kind"]
  | "missing-field" // a field the provider asks for
  | "bad-field" // a field with a value it does not take
  | "bad-role" // a role it does not know
  | "too-many-cache-marks"
  | "missing-signature" // Gemini: a call of this turn came back without its thought signature
  | "missing-reasoning" // Responses: an item came back without the reasoning it was made from
  | "unknown-item"; // Responses: a reference to nothing that is stored

/** What was wrong, and what the provider answers. */
export interface Violation {
  readonly code: ViolationCode;
  readonly message: string;
  readonly status: number;
  readonly body: Json;
}

export type Trouble =
  | { readonly kind: "bad-json" }
  | { readonly kind: "request-too-large"; readonly bytes: number }
  | { readonly kind: "unknown-model"; readonly model: string }
  | { readonly kind: "bad-key" }
  | { readonly kind: "overflow"; readonly tokens: number; readonly windowTokens: number }
  | { readonly kind: "overloaded" }
  | { readonly kind: "rate-limit" }
  | { readonly kind: "server-error" }
  /** Not the provider's: the script said so, or has nothing more to say. */
  | { readonly kind: "scripted"; readonly status: number; readonly message: string };

/** A reply with all that was left to the server. */
export interface Made {
  readonly asked: Asked;
  /** Unlike every other answer of this conversation; ids are made of it. */
  readonly seed: string;
  readonly parts: readonly Part[];
  readonly ends: Ending;
  readonly usage: Usage;
  /** Of the output. */
  readonly thinkingTokens: number;
  /** Seals the answer as a whole (Gemini). */
  readonly seal: string;
  readonly chunkChars: number;
  readonly at: number;
}
