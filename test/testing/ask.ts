/** Requests to a scripted server as the providers' own clients would send them, without a client. */
import { onTestFinished } from "vitest";
import { type ModelOptions, type ModelServer, startModelServer } from "../../src/testing/index.ts";
import { type Json, object, string } from "../../src/transcript/json.ts";

/** A server for one test; it is closed when the test is over. */
export async function serverFor(
  script: ModelOptions["script"],
  options: Partial<ModelOptions> = {},
): Promise<ModelServer> {
  const server = await startModelServer({ script, ...options });
  onTestFinished(() => server.close());
  return server;
}

export const CLAUDE = "claude-sonnet-4-5";
export const GPT = "gpt-5.1";
export const GEMINI = "gemini-3-pro";

export interface Answered {
  readonly status: number;
  readonly body: Json;
  readonly text: string;
  readonly headers: Headers;
}

export async function post(
  server: ModelServer,
  path: string,
  body: unknown,
  headers = {},
): Promise<Answered> {
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: json(text), text, headers: response.headers };
}

function json(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const VERSION = { "anthropic-version": "2023-06-01" };

export function askClaude(server: ModelServer, body: object, headers: object = {}): Promise<Answered> {
  const whole = { model: CLAUDE, max_tokens: 1000, messages: [], ...body };
  return post(server, "/v1/messages", whole, { ...VERSION, ...headers });
}

export function askChat(
  server: ModelServer,
  messages: readonly object[],
  more: object = {},
): Promise<Answered> {
  return post(server, "/v1/chat/completions", { model: GPT, messages, ...more });
}

export function askResponses(server: ModelServer, input: unknown, more: object = {}): Promise<Answered> {
  return post(server, "/v1/responses", { model: GPT, input, ...more });
}

export function askGemini(
  server: ModelServer,
  contents: readonly object[],
  method = "generateContent",
): Promise<Answered> {
  return post(server, `/v1beta/models/${GEMINI}:${method}`, { contents });
}

/** `[status, type or status name, message]`: what an error comes to. */
export function errorOf({ status, body }: Answered): readonly [number, string, string] {
  const error = object(object(body)["error"]);
  const type = string(error["type"]) ?? string(error["status"]) ?? "";
  return [status, type, string(error["message"]) ?? ""];
}

/** The data of each event, in order; `[DONE]` and broken data stay strings. */
export function eventsOf({ text }: Answered): readonly Json[] {
  return text
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => {
      const data = frame.slice(frame.indexOf("data: ") + 6);
      return json(data) ?? data;
    });
}
