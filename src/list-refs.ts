/** `list_refs`: the table of what left the context, newest first, a page at a time. */
import { PalimpsestError } from "./errors.ts";
import type { RefPage, RefRow } from "./store/store.ts";
import {
  answered,
  counted,
  countField,
  type ToolAnswer,
  type ToolContext,
  ToolRefusal,
  textField,
} from "./tool-answer.ts";
import { shorten } from "./transcript/describe.ts";
import { defined, type JsonObject } from "./transcript/json.ts";
import type { Part } from "./transcript/message.ts";

const USUAL_ROWS = 20;
/** A page stays below some 4,000 tokens. */
const MOST_ROWS = 100;

const KINDS: readonly Part["type"][] = [
  "text",
  "thinking",
  "tool-call",
  "tool-result",
  "image",
  "document",
  "opaque",
];

export async function listRefs(input: JsonObject, context: ToolContext): Promise<ToolAnswer | ToolRefusal> {
  const kind = kindField(input);
  if (kind instanceof ToolRefusal) return kind;
  const contains = textField(input, "contains");
  if (contains instanceof ToolRefusal) return contains;
  const limit = countField(input, "limit");
  if (limit instanceof ToolRefusal) return limit;
  const cursor = textField(input, "cursor");
  if (cursor instanceof ToolRefusal) return cursor;
  const query = defined({ kind, contains, cursor, limit: Math.min(limit ?? USUAL_ROWS, MOST_ROWS) });
  try {
    const page = await context.store.list(context.sessionId, query);
    return answered(
      pageText(page, query),
      { ...defined({ cursor: page.cursor }), ...structuredPage(page) },
      context,
    );
  } catch (error) {
    // A cursor of some other list: the store says so, and the model can do something about it.
    if (error instanceof PalimpsestError && error.code === "usage")
      return new ToolRefusal("bad-input", error.message, { field: "cursor" });
    throw error;
  }
}

/** `tool_result` and `tool-results` are understood. */
function kindField(input: JsonObject): Part["type"] | undefined | ToolRefusal {
  const kind = textField(input, "kind");
  if (kind === undefined || kind instanceof ToolRefusal) return kind;
  const plain = kind.toLowerCase().replaceAll(/[_ ]/g, "-").replace(/s$/, "");
  const known = KINDS.find((name) => name === plain);
  return (
    known ??
    new ToolRefusal(
      "bad-input",
      `kind must be one of ${KINDS.join(", ")}, not ${JSON.stringify(kind.slice(0, 80))}.`,
      {
        field: "kind",
      },
    )
  );
}

function pageText({ rows, total, cursor }: RefPage, query: { readonly contains?: string }): string {
  if (total === 0) {
    const what = query.contains === undefined ? "" : ` with ${JSON.stringify(shorten(query.contains))}`;
    return `No original${what} has left the context.`;
  }
  const more = cursor === undefined ? "" : ` Go on with cursor: ${JSON.stringify(cursor)}.`;
  return [
    "| ref | kind | tokens | what it is |",
    "| --- | --- | --- | --- |",
    ...rows.map(
      ({ ref, kind, tokens, description }) => `| ${ref} | ${kind} | ${tokens} | ${cell(description)} |`,
    ),
    "",
    `${counted(rows.length)} of ${counted(total)}.${more} Read one with read_ref.`,
  ].join("\n");
}

function structuredPage({ rows, total }: RefPage): JsonObject {
  const row = ({ ref, kind, description, tokens, at }: RefRow): JsonObject => ({
    ref,
    kind,
    description,
    tokens,
    at,
  });
  return { refs: rows.map(row), total };
}

/** Descriptions quote what tools were given: they may not end the cell, the line or the table, nor look like a stub. */
function cell(description: string): string {
  return shorten(description.replaceAll(/[⟦⟧]/g, ""), 100).replaceAll("|", "\\|").replaceAll("`", "'");
}
