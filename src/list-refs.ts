/**
 * `list_refs`: the table of what left the context, a page at a time: newest first, or with `contains` best first, each row
 * with the line that has most of it. So the next read can be of those lines, and often need not be made.
 */
import { PalimpsestError } from "./errors.ts";
import type { RefFound, RefPage, RefRow } from "./store/store.ts";
import {
  answered,
  counted,
  countField,
  type ToolAnswer,
  type ToolContext,
  ToolRefusal,
  textField,
} from "./tool-answer.ts";
import { shorten, shortenMiddle } from "./transcript/describe.ts";
import { defined, type JsonObject } from "./transcript/json.ts";
import type { Part } from "./transcript/message.ts";

const USUAL_ROWS = 20;
/** Best first, what is not among these is hardly it; and each has a second cell. */
const USUAL_FOUND = 10;
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
  const usual = contains === undefined ? USUAL_ROWS : USUAL_FOUND;
  const query = defined({ kind, contains, cursor, limit: Math.min(limit ?? usual, MOST_ROWS) });
  try {
    const page = await context.store.list(context.sessionId, { ...query, match: "most" });
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

function pageText(page: RefPage, query: { readonly contains?: string }): string {
  const { rows, total, cursor } = page;
  if (total === 0) {
    const what = query.contains === undefined ? "" : ` with ${JSON.stringify(shorten(query.contains))}`;
    return `No original${what} has left the context.`;
  }
  const more = cursor === undefined ? "" : ` Go on with cursor: ${JSON.stringify(cursor)}.`;
  return [
    ...(query.contains === undefined ? plainTable(rows) : foundTable(rows)),
    "",
    `${counted(rows.length)} of ${counted(total)}${havingAll(page)}.${more} Read one with read_ref.`,
  ].join("\n");
}

function plainTable(rows: readonly RefRow[]): readonly string[] {
  return [
    "| ref | kind | tokens | what it is |",
    "| --- | --- | --- | --- |",
    ...rows.map(
      ({ ref, kind, tokens, description }) => `| ${ref} | ${kind} | ${tokens} | ${cell(description, 100)} |`,
    ),
  ];
}

function foundTable(rows: readonly RefRow[]): readonly string[] {
  return [
    "| ref | kind | tokens | what it is | line: what it says there |",
    "| --- | --- | --- | --- | --- |",
    ...rows.map(({ ref, kind, tokens, description, found }) => {
      const where = found ? `${placeOf(found)}: ${cell(found.text, found.text.length)}` : "";
      return `| ${ref} | ${kind} | ${tokens} | ${cell(description, 100)} | ${where} |`;
    }),
  ];
}

/** As `lines` takes it. */
function placeOf({ line, char }: RefFound): string {
  return char === undefined ? String(line) : `${line}:${char}`;
}

/** Best first: where some lack a word, the reader should know that these are guesses. */
function havingAll({ whole, total }: RefPage): string {
  if (whole === undefined || whole === total) return whole === undefined ? "" : ", best first";
  return `, best first; ${whole === 0 ? "none has" : `${counted(whole)} ${whole === 1 ? "has" : "have"}`} every word`;
}

function structuredPage({ rows, total }: RefPage): JsonObject {
  const row = ({ ref, kind, description, tokens, at, found }: RefRow): JsonObject => ({
    ...{ ref, kind, description, tokens, at },
    ...(found ? { found: { lines: placeOf(found), text: found.text } } : {}),
  });
  return { refs: rows.map(row), total };
}

/** Cells quote what tools were given and printed: they may not end the cell, the line or the table, nor look like a stub. */
function cell(text: string, chars: number): string {
  return shortenMiddle(text.replaceAll(/[⟦⟧]/g, ""), chars).replaceAll("|", "\\|").replaceAll("`", "'");
}
