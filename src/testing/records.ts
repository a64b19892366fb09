/**
 * What was asked, for a test to look at. Keys and cookies are not kept, and neither is more than a test can read: the
 * oldest requests go when there are too many of them, or too many bytes.
 */
import type { Json } from "../transcript/json.ts";
import type { Usage } from "../transcript/message.ts";
import type { Asked, Headers, Violation } from "./api.ts";
import type { Incoming } from "./respond.ts";
import type { ApiName, ModelRequest } from "./script.ts";

export interface RecordedRequest extends ModelRequest {
  /** What was wrong with it, in the provider's words; the first one was the answer, unless it was lenient. */
  readonly violations: readonly Violation[];
  /** What it was answered with; `undefined` while the answer is being made. */
  readonly status: number | undefined;
  /** What was reported, where there was an answer. */
  readonly usage: Usage | undefined;
}

export interface Kept extends RecordedRequest {
  readonly violations: Violation[];
  status: number | undefined;
  usage: Usage | undefined;
}

const MOST_REQUESTS = 1_000;
const MOST_BYTES = 256 * 1024 * 1024;
const SECRET_HEADERS = [
  "authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "proxy-authorization",
  "cookie",
];

export class Records {
  readonly #kept: { readonly request: Kept; readonly bytes: number }[] = [];
  #bytes = 0;

  get requests(): readonly RecordedRequest[] {
    return this.#kept.map(({ request }) => request);
  }

  add(
    incoming: Incoming,
    {
      api,
      asked,
      body,
      promptTokens,
    }: { api: ApiName; asked: Asked; body: Json | undefined; promptTokens: number },
  ): Kept {
    const request: Kept = {
      api,
      method: incoming.method,
      path: withoutKey(incoming.url),
      headers: withoutSecrets(incoming.headers),
      hasKey: this.keyOf(incoming) !== undefined,
      body: body ?? null,
      transcript: asked.transcript,
      model: asked.model,
      isStream: asked.isStream,
      promptTokens,
      violations: [],
      status: undefined,
      usage: undefined,
    };
    this.#kept.push({ request, bytes: incoming.bytes });
    this.#bytes += incoming.bytes;
    while (this.#kept.length > MOST_REQUESTS || (this.#bytes > MOST_BYTES && this.#kept.length > 1))
      this.#bytes -= this.#kept.shift()?.bytes ?? 0;
    return request;
  }

  keyOf({ headers, url }: Incoming): string | undefined {
    const bearer = headers["authorization"]?.replace(/^Bearer /i, "");
    const query = new URL(url, "http://127.0.0.1").searchParams.get("key");
    return (
      headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers["api-key"] ?? bearer ?? query ?? undefined
    );
  }
}

function withoutSecrets(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !SECRET_HEADERS.includes(name)));
}

function withoutKey(url: string): string {
  return url.replace(/([?&])key=[^&]*&?/, "$1").replace(/[?&]$/, "");
}
