/** An answer before it is sent: what to write, piece by piece, how slowly, and whether to hang up. And what faults do to it. */
import type { Json } from "../transcript/json.ts";
import type { Api, Headers, Made, Trouble } from "./api.ts";
import type { Fault } from "./script.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly chunks: readonly string[];
  /** Hang up after the last chunk, without an end. */
  readonly isCut?: boolean;
  readonly delayMs?: number | undefined;
  readonly chunkDelayMs?: number | undefined;
}

export function plain(status: number, body: Json): Answer {
  const chunks = body === null ? [] : [JSON.stringify(body)];
  return { status, headers: { "content-type": "application/json" }, chunks };
}

export function streamed(chunks: readonly string[], isEvents: boolean): Answer {
  const type = isEvents ? "text/event-stream; charset=utf-8" : "application/json; charset=UTF-8";
  return { status: 200, headers: { "content-type": type, "cache-control": "no-cache" }, chunks };
}

/** Faults that are an error instead of an answer, and faults that befall an answer. */
export type Refusal = Exclude<Fault, { kind: "cut" | "garbage" | "stream-error" }>;

export function isRefusal(fault: Fault): fault is Refusal {
  return fault.kind !== "cut" && fault.kind !== "garbage" && fault.kind !== "stream-error";
}

export interface Room {
  readonly tokens: number;
  readonly windowTokens: number;
}

export function refused(fault: Refusal, api: Api, room: Room): Answer {
  const { status, body } = api.refuse(troubleOf(fault, room));
  const answer = plain(status, body);
  const seconds = "retryAfterSeconds" in fault ? fault.retryAfterSeconds : undefined;
  if (seconds === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, "retry-after": `${seconds}` } };
}

function troubleOf(fault: Refusal, { tokens, windowTokens }: Room): Trouble {
  switch (fault.kind) {
    case "status":
      return { kind: "scripted", status: fault.status, message: fault.message ?? `Status ${fault.status}` };
    case "overflow": {
      const most = fault.windowTokens ?? windowTokens;
      // A prompt that fits would make a sentence nobody could believe.
      return { kind: "overflow", tokens: fault.tokens ?? Math.max(tokens, most + 1), windowTokens: most };
    }
    default:
      return { kind: fault.kind };
  }
}

export function broken(
  fault: Exclude<Fault, Refusal>,
  answer: Answer,
  { api, made, room }: { readonly api: Api; readonly made: Made; readonly room: Room },
): Answer {
  if (fault.kind === "cut") return cut(answer, fault.afterChunks);
  if (fault.kind === "garbage") return garbled(answer, made.asked.isStream);
  const error: Refusal = { kind: fault.error ?? "overloaded" };
  if (!made.asked.isStream) return refused(error, api, room);
  const before = answer.chunks.slice(0, fault.afterChunks ?? Math.ceil(answer.chunks.length / 2));
  const violation = api.refuse(troubleOf(error, room));
  return { ...answer, chunks: [...before, api.streamError(violation, made, before.length)] };
}

/** One piece of JSON has no events to count: it breaks in its middle. */
function cut(answer: Answer, afterChunks?: number): Answer {
  const [only = "", ...others] = answer.chunks;
  const chunks =
    others.length === 0 ? [only.slice(0, only.length / 2), only.slice(only.length / 2)] : answer.chunks;
  return { ...answer, chunks: chunks.slice(0, afterChunks ?? Math.ceil(chunks.length / 2)), isCut: true };
}

function garbled(answer: Answer, isStream: boolean): Answer {
  const page = "<html><body><h1>502 Bad Gateway</h1></body></html>";
  if (!isStream) return { ...answer, chunks: [page] };
  return { ...answer, chunks: [...answer.chunks.slice(0, 1), `data: {"type": "content_bl\n\n`, page] };
}
