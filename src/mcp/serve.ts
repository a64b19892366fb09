/** `palimpsest mcp`: the server, its store, and the session it speaks for. The store is opened at the first call. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { McpServerFactory } from "@modelcontextprotocol/server";
import type { Store } from "../store/store.ts";
import type { Json } from "../transcript/json.ts";
import { type McpContext, type McpOptions, mcpServer } from "./server.ts";
import { type Surroundings, whoseSession } from "./whose-session.ts";

export interface ServeOptions extends Pick<McpOptions, "version" | "onError" | "isOff"> {
  readonly storePath: string;
  readonly around: Omit<Surroundings, "home">;
}

export interface Served {
  close(): Promise<void>;
}

/** Runs until the host closes its end. */
export async function serveMcpStdio(options: ServeOptions): Promise<void> {
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  const opening = new Opening(options);
  const factory = mcpServer(mcpOptions(options, (meta) => opening.context(meta, options.around)));
  const ended = new Promise<void>((resolve) => process.stdin.once("close", resolve).once("end", resolve));
  const served = serveStdio(factory, { onerror: options.onError });
  await ended;
  await served.close();
  await opening.close();
}

export async function serveMcpHttp(
  options: ServeOptions & { readonly port: number },
): Promise<Served & { readonly url: string }> {
  const { serveHttp } = await import("./http.ts");
  const opening = new Opening(options);
  const endpoint = await serveHttp(httpFactory(options, opening), options);
  return {
    url: endpoint.url,
    async close() {
      await endpoint.close();
      await opening.close();
    },
  };
}

/** Over HTTP the server's own folder and parent say nothing about the caller: the call or a header must. */
function httpFactory(options: ServeOptions, opening: Opening): McpServerFactory {
  const { session } = options.around;
  const contextOf: McpOptions["contextOf"] = (meta, request) => {
    const named = request?.headers.get("x-palimpsest-session") ?? session;
    const around = { env: {}, cwd: "", parentPid: -1, ...(named === undefined ? {} : { session: named }) };
    return opening.context(meta, around);
  };
  return mcpServer({ ...mcpOptions(options, contextOf), namedBy: NAMED_BY });
}

const NAMED_BY =
  'If something has: over HTTP the session must be named, by the header "x-palimpsest-session" or by --session.';

function mcpOptions(
  { version, onError, isOff = false }: ServeOptions,
  contextOf: McpOptions["contextOf"],
): McpOptions {
  return { version, onError, isOff, contextOf };
}

class Opening {
  readonly #path: string;
  #store: Promise<Store> | undefined;

  constructor({ storePath }: ServeOptions) {
    this.#path = storePath;
  }

  async context(meta: Json | undefined, around: Omit<Surroundings, "home">): Promise<McpContext | undefined> {
    const store = await this.#open();
    const session = store && (await whoseSession(meta, { ...around, home: dirname(this.#path) }, store));
    return session && { store, sessionId: session.id };
  }

  /** Looking is not writing: where there is no store yet, none is made. */
  async #open(): Promise<Store | undefined> {
    if (!this.#store && !existsSync(this.#path)) return undefined;
    this.#store ??= import("../store/sqlite.ts").then(({ openSqliteStore }) =>
      openSqliteStore({ path: this.#path }),
    );
    try {
      return await this.#store;
    } catch (error) {
      this.#store = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    await (await this.#store?.catch(() => undefined))?.close();
  }
}
