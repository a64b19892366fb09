/**
 * Streamable HTTP on loopback. Any web page can send requests to a port of this machine, and a name it controls can be
 * made to point here: so the Host and Origin of every request are checked before anything is read.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServerFactory,
  originValidationResponse,
} from "@modelcontextprotocol/server";

export interface HttpEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

const PATH = "/mcp";
/** More than any call of ours has. */
const MOST_BYTES = 1 << 20;

export async function serveHttp(
  factory: McpServerFactory,
  { port, onError }: { readonly port: number; readonly onError: (error: unknown) => void },
): Promise<HttpEndpoint> {
  const handler = createMcpHandler(factory, { maxRequestBodySize: MOST_BYTES, onerror: onError });
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing, handler.fetch).catch((error: unknown) => {
      if (!incoming.destroyed) onError(error);
      outgoing.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${bound}${PATH}`,
    async close() {
      await handler.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

type Fetch = (request: Request) => Promise<Response>;

async function answer(incoming: IncomingMessage, outgoing: ServerResponse, fetch: Fetch): Promise<void> {
  const request = requestOf(incoming);
  const response =
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins()) ??
    (new URL(request.url).pathname === PATH ? await fetch(request) : new Response(null, { status: 404 }));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) return void outgoing.end();
  // The two declarations of a web stream, Node's and the standard's, do not know each other.
  await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), outgoing);
}

function requestOf(incoming: IncomingMessage): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one);
  const method = incoming.method ?? "GET";
  const hasBody = method !== "GET" && method !== "HEAD";
  const init = hasBody
    ? { method, headers, body: Readable.toWeb(incoming), duplex: "half" }
    : { method, headers };
  // `duplex` is required by fetch for streamed bodies and missing in the declared type.
  return new Request(new URL(incoming.url ?? "/", "http://127.0.0.1"), init as RequestInit);
}
