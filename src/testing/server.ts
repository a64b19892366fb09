/**
 * The socket: reads a request, asks `Model`, writes the answer. On 127.0.0.1 alone, at any free port. Bodies are read
 * only as far as a provider would; closing ends open streams at once and leaves nothing running.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "./answer.ts";
import type { Violation } from "./api.ts";
import type { RecordedRequest } from "./records.ts";
import { type Incoming, Model, type ModelOptions } from "./respond.ts";

export interface ModelServer {
  /** `http://127.0.0.1:<port>`. SDKs want `/v1` behind it (Gemini: `/v1beta`), Claude Code wants it as it is. */
  readonly url: string;
  /** Oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Of all requests together: an agent that obeys the provider has none. */
  readonly violations: readonly Violation[];
  close(): Promise<void>;
}

const MOST_BYTES = 32 * 1024 * 1024;

export async function startModelServer(options: ModelOptions): Promise<ModelServer> {
  const model = new Model(options);
  const closing = new AbortController();
  const server = createServer((request, response) => {
    serve(model, { request, response, signal: closing.signal }).catch((error) => giveUp(response, error));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return model.records.requests;
    },
    get violations() {
      return model.records.requests.flatMap(({ violations }) => violations);
    },
    async close() {
      closing.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

async function serve(model: Model, { request, response, signal }: Exchange): Promise<void> {
  const answer = await model.answer(await readIncoming(request));
  if (answer.delayMs) await sleep(answer.delayMs, undefined, { signal });
  // Headers go out with the first chunk, so that a connection can be cut before anything was said.
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  await pipeline(Readable.from(chunksOf(answer, signal), { objectMode: true }), response);
}

/** A mistake of ours must not look like a cut connection. */
function giveUp(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.writeHead(500, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { type: "api_error", message: `palimpsest/testing: ${error}` } }));
}

async function* chunksOf(answer: Answer, signal: AbortSignal): AsyncGenerator<string> {
  for (const [index, chunk] of answer.chunks.entries()) {
    if (index > 0 && answer.chunkDelayMs) await sleep(answer.chunkDelayMs, undefined, { signal });
    yield chunk;
  }
  // A thrown error makes `pipeline` destroy the socket. What was written must have left before.
  if (answer.isCut) {
    await sleep(20, undefined, { signal });
    throw new Error("cut by the script");
  }
}

/** Bytes beyond what a provider takes are counted and dropped. */
async function readIncoming(request: IncomingMessage): Promise<Incoming> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MOST_BYTES) kept.push(chunk);
  }
  return {
    method: request.method ?? "GET",
    url: request.url ?? "/",
    headers: headersOf(request),
    body: bytes <= MOST_BYTES ? Buffer.concat(kept).toString("utf8") : "",
    bytes,
  };
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}
