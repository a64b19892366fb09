/** Originals as resources, `palimpsest://ref/ref_…`: for people who attach one, and hosts that show them. */
import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import type { Original, RefRow } from "../store/store.ts";
import { textIn } from "../transcript/part-text.ts";
import type { McpContext } from "./server.ts";

const SCHEME = "palimpsest://ref/";
const PAGE_ROWS = 100;

export const TEMPLATES: ResourceTemplateType[] = [
  {
    name: "original",
    uriTemplate: `${SCHEME}{ref}`,
    description: "An original that left the context, whole",
    mimeType: "text/plain",
  },
];

export async function listResources(
  context: McpContext | undefined,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  if (!context) return { resources: [] };
  const page = await context.store.list(context.sessionId, {
    limit: PAGE_ROWS,
    ...(cursor === undefined ? {} : { cursor }),
  });
  return {
    resources: page.rows.map(listed),
    ...(page.cursor === undefined ? {} : { nextCursor: page.cursor }),
  };
}

function listed({ ref, description }: RefRow): ListResourcesResult["resources"][number] {
  return { uri: `${SCHEME}${ref}`, name: ref, title: description, mimeType: "text/plain" };
}

export async function readResource(
  context: McpContext | undefined,
  uri: string,
): Promise<ReadResourceResult> {
  const ref = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : "";
  const recall = context && ref !== "" ? await context.store.recall(context.sessionId, ref) : undefined;
  if (recall?.kind === "found") return { contents: [contentsOf(recall.original, uri)] };
  // A foreign ref is as absent as an unknown one: a resource list is no place to learn of other sessions.
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no original ${uri.slice(0, 100)} here.`);
}

function contentsOf({ part }: Original, uri: string): ReadResourceResult["contents"][number] {
  if (part.type === "image" && part.source.kind === "data")
    return { uri, mimeType: part.source.mediaType, blob: part.source.base64 };
  return { uri, mimeType: "text/plain", text: textIn(part) };
}
