/**
 * The three tools the model is given: `read_ref`, `list_refs`, `compact`. Their schemas stand in every prompt, so they are
 * short (a test holds them under 700 tokens together) and say when to call rather than what is inside.
 *
 * `runTool` answers the model whatever it sends. Only what the store itself cannot do throws; the edge that called decides.
 */
import { listRefs } from "./list-refs.ts";
import type { Policy } from "./plan/policy.ts";
import { readRef } from "./read-ref.ts";
import {
  answered,
  counted,
  refused,
  type ToolAnswer,
  type ToolContext,
  ToolRefusal,
  textField,
} from "./tool-answer.ts";
import { isObject, type Json, type JsonObject, parseJson } from "./transcript/json.ts";

export type { ToolAnswer, ToolContext, ToolErrorCode, ToolOutcome } from "./tool-answer.ts";

/** A type and not an interface, with lists of its own: so it is, field by field, what the SDKs ask for. */
export type RefToolSchema = {
  readonly name: string;
  readonly description: string;
  readonly input: {
    readonly type: "object";
    readonly properties: JsonObject;
    readonly required?: string[];
  };
};

export const toolSchemas: readonly RefToolSchema[] = [
  {
    name: "read_ref",
    description:
      "Read back an original that left the context (a stub or the ref table names its ref). Read before you quote, edit or rely on it; never guess what it said.",
    input: {
      type: "object",
      properties: {
        ref: { type: "string", description: "e.g. ref_0123456789ab" },
        lines: { type: "string", description: 'e.g. "120-180", "120-", "-50" for the last 50' },
        grep: { type: "string", description: "Only lines matching this regular expression" },
        max_tokens: { type: "integer", description: "Default 8000" },
      },
      required: ["ref"],
    },
  },
  {
    name: "list_refs",
    description: "List originals that left the context, newest first. Call it when you do not know the ref.",
    input: {
      type: "object",
      properties: {
        kind: {
          type: "string",
          enum: ["text", "thinking", "tool-call", "tool-result", "image", "document", "opaque"],
        },
        contains: {
          type: "string",
          description: "Words of what you look for: then best first, each with its matching line",
        },
        limit: { type: "integer", description: "Default 20, 10 when searching" },
        cursor: { type: "string", description: "From the previous answer" },
      },
    },
  },
  {
    name: "compact",
    description:
      "Shorten the context now; nothing is lost. Call it when a task is finished and the next one needs room.",
    input: {
      type: "object",
      properties: { focus: { type: "string", description: "What the next task needs kept in view" } },
    },
  },
];

/** Only in retrieval interfaces that have it (seed 003 tried four): what `list_refs` finds by `contains`, as a tool. */
const SEARCH_REFS: RefToolSchema = {
  name: "search_refs",
  description: "Find originals that left the context by words in their description or text.",
  input: {
    type: "object",
    properties: { query: { type: "string" }, limit: { type: "integer", description: "Default 20" } },
    required: ["query"],
  },
};

/** The tools a policy gives the model: ours where it says nothing; listing does not search where searching is its own tool. */
export function toolSchemasFor({ retrieval }: Pick<Policy, "retrieval">): readonly RefToolSchema[] {
  if (!retrieval) return toolSchemas;
  const given = [...toolSchemas, SEARCH_REFS].filter(
    ({ name }) => name === "compact" || retrieval.tools.some((tool) => tool === name),
  );
  return given.map((schema) => (schema.name === "list_refs" ? withoutSearch(schema) : schema));
}

function withoutSearch(schema: RefToolSchema): RefToolSchema {
  const { contains: _, ...properties } = schema.input.properties;
  return { ...schema, input: { ...schema.input, properties } };
}

export async function runTool(name: string, input: Json, context: ToolContext): Promise<ToolAnswer> {
  // Some hosts hand the arguments over as the text the model wrote.
  const given = typeof input === "string" ? parseJson(input) : input;
  const fields = isObject(given) ? given : {};
  const result = await run(name, fields, context);
  return result instanceof ToolRefusal ? refused(result, context) : result;
}

async function run(name: string, input: JsonObject, context: ToolContext): Promise<ToolAnswer | ToolRefusal> {
  // MCP hosts put the name of the server before that of the tool.
  switch (/(?:^|__|[.:/])(read_ref|list_refs|search_refs|compact)$/.exec(name)?.[1]) {
    case "read_ref":
      return readRef(input, context);
    case "list_refs":
      return listRefs(input, context);
    case "search_refs":
      return listRefs({ ...input, contains: input["query"] ?? null }, context);
    case "compact":
      return compactNow(input, context);
    default: {
      const names = toolSchemas.map((schema) => schema.name);
      return new ToolRefusal(
        "unknown-tool",
        `There is no tool ${JSON.stringify(name.slice(0, 80))} here. The tools are ${names.join(", ")}.`,
      );
    }
  }
}

async function compactNow(input: JsonObject, context: ToolContext): Promise<ToolAnswer | ToolRefusal> {
  const focus = textField(input, "focus");
  if (focus instanceof ToolRefusal) return focus;
  if (!context.compact)
    return new ToolRefusal(
      "not-offered",
      "This host compacts by itself and does not let the agent ask for it. Go on with the task.",
    );
  const outcome = await context.compact(focus);
  if (outcome?.kind !== "compacted") {
    const detail = outcome?.detail ?? "There is no conversation yet.";
    return answered(`Nothing was compacted: ${detail}`, { outcome: "unchanged", detail }, context);
  }
  const { tokensBefore, tokensAfter, edits } = outcome.compaction;
  return answered(
    `Compacted from ${counted(tokensBefore)} to ${counted(tokensAfter)} tokens; ${counted(edits.length)} parts left the context and can be read back with read_ref.`,
    { outcome: "compacted", tokensBefore, tokensAfter, parts: edits.length },
    context,
  );
}
