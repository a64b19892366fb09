/**
 * The tools and the originals, as an MCP server. One server is made for each connection (stdio) or request (HTTP); all of
 * them share the store.
 *
 * Text and structured content say the same, because hosts show the model one or the other. Where an original has images,
 * there is no structured content: hosts that have it drop the rest.
 */
import {
  type CallToolResult,
  type ContentBlock,
  type McpServerFactory,
  Server,
} from "@modelcontextprotocol/server";
import { PalimpsestError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import { runToolWithin } from "../tool-within.ts";
import { type ToolAnswer, type ToolContext, toolSchemas } from "../tools.ts";
import { isList, isObject, type Json, type JsonObject } from "../transcript/json.ts";
import { listResources, readResource, TEMPLATES } from "./resources.ts";

export interface McpOptions {
  readonly version: string;
  /** The store and the session of a call; undefined where nothing was ever kept for it. */
  readonly contextOf: (
    meta: Json | undefined,
    request: Request | undefined,
  ) => Promise<McpContext | undefined>;
  readonly onError: (error: unknown) => void;
  /** What else a call of no session is told: how to name one. */
  readonly namedBy?: string;
  /** Switched off (`PALIMPSEST_OFF=1`): there, and without a tool or a word. */
  readonly isOff?: boolean;
}

export interface McpContext {
  readonly store: Store;
  readonly sessionId: string;
  readonly compact?: NonNullable<ToolContext["compact"]>;
}

/** Short, because it stands in every prompt; prescriptive, because a model that merely may look does not. */
export const INSTRUCTIONS: string = [
  "Parts of this conversation left the context and are kept: a stub ⟦ref_…⟧ or a ref table names them.",
  "Before you quote, edit or rely on one, call read_ref; if you do not know the ref, call list_refs. Never guess what it said.",
  "Never write a stub into a file.",
].join(" ");

export function mcpServer(
  options: McpOptions,
  { offersCompact = false }: { readonly offersCompact?: boolean } = {},
): McpServerFactory {
  return ({ requestInfo }) => {
    const { version, isOff = false } = options;
    const said = isOff ? {} : { instructions: INSTRUCTIONS };
    const capabilities = { tools: {}, resources: {} };
    const server = new Server({ name: "palimpsest", version }, { capabilities, ...said });
    const contextFor = (meta: unknown) => options.contextOf(meta as Json | undefined, requestInfo);
    server.setRequestHandler("tools/list", () => ({ tools: isOff ? [] : toolsOffered(offersCompact) }));
    server.setRequestHandler("tools/call", ({ params }) =>
      callTool(params.name, (params.arguments ?? {}) as Json, {
        context: () => contextFor(params._meta),
        options,
      }),
    );
    server.setRequestHandler("resources/list", async ({ params }) =>
      listResources(await contextFor(params?._meta), params?.cursor),
    );
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: TEMPLATES }));
    server.setRequestHandler("resources/read", async ({ params }) =>
      readResource(await contextFor(params._meta), params.uri),
    );
    return server;
  };
}

/** `compact` only where the host can: a tool that always refuses would cost its schema in every prompt. */
export function toolsOffered(offersCompact: boolean): ToolListing[] {
  return toolSchemas
    .filter(({ name }) => offersCompact || name !== "compact")
    .map(({ name, description = "", input }) => ({
      name,
      description,
      inputSchema: objectSchema(input),
      annotations: { readOnlyHint: name !== "compact", destructiveHint: false, openWorldHint: false },
      // Claude Code hides the tools of servers behind a search; these two must be in sight when a stub is.
      _meta: { "anthropic/alwaysLoad": true },
    }));
}

/** The schema is ours and says "object"; its type only says JSON. */
function objectSchema(input: JsonObject): ToolListing["inputSchema"] {
  return { ...input, type: "object" };
}

interface ToolListing {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: "object" };
  readonly annotations: Readonly<Record<string, boolean>>;
  readonly _meta: JsonObject;
}

interface Calling {
  readonly context: () => Promise<McpContext | undefined>;
  readonly options: McpOptions;
}

/** The outermost function of a call: whatever goes wrong, the model gets an answer it can act on. */
async function callTool(name: string, input: Json, { context, options }: Calling): Promise<CallToolResult> {
  try {
    const found = await context();
    if (!found) return said([NOTHING_KEPT, ...(options.namedBy ? [options.namedBy] : [])].join(" "));
    return resultOf(await runWithin(name, input, { context: found, options }));
  } catch (error) {
    options.onError(error);
    const why = error instanceof PalimpsestError ? error.message : "something went wrong that should not";
    return said(`The store could not be read: ${why} Go on without it, and say that you did.`);
  }
}

async function runWithin(
  name: string,
  input: Json,
  { context, options }: { readonly context: McpContext; readonly options: McpOptions },
): Promise<ToolAnswer> {
  const { answer, recalled } = await runToolWithin(name, input, context);
  if (recalled)
    context.store
      .append(context.sessionId, [{ kind: "recalled", at: Date.now(), ...recalled }])
      .catch(options.onError);
  return answer;
}

const NOTHING_KEPT = "Nothing has left this conversation's context yet, so there is nothing to read back.";

function resultOf({ text, structured, isError }: ToolAnswer): CallToolResult {
  const media = mediaIn(structured);
  const content: ContentBlock[] = [{ type: "text", text }, ...media];
  return { content, isError, ...(media.length === 0 ? { structuredContent: { ...structured } } : {}) };
}

function said(message: string): CallToolResult {
  return {
    content: [{ type: "text", text: message }],
    structuredContent: { error: { code: "nothing-kept", message } },
    isError: true,
  };
}

function mediaIn({ content }: JsonObject): ContentBlock[] {
  if (!isList(content)) return [];
  return content.flatMap((item): ContentBlock[] => {
    if (!isObject(item) || item["type"] !== "image" || !isObject(item["source"])) return [];
    const { kind, mediaType, base64 } = item["source"];
    return kind === "data" && typeof mediaType === "string" && typeof base64 === "string"
      ? [{ type: "image", mimeType: mediaType, data: base64 }]
      : [];
  });
}
