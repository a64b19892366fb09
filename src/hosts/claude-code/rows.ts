/**
 * The conversation as Claude Code hands it to a function hook, in two forms that complete each other: the rows being
 * compacted (what was said, without what the engine puts beside it, each with a handle) and the request the engine would
 * build from them (thinking and images, but reminders among the words). Read together they are the conversation alone:
 * the engine injects its reminders anew after a compaction, and nothing it injected may pass for the user's words.
 */
import { isList, isObject, type Json, type JsonObject, list, object, string } from "../../transcript/json.ts";
import type { Message, Part, ResultPart, TextPart, Transcript } from "../../transcript/message.ts";
import { readBlock, readContent } from "../../wire/anthropic-blocks.ts";
import { isHarnessText } from "../../wire/claude-code.ts";

/** Who spelled the natives: their value is the row's handle. */
export const ROW = "claude-code-row";

export interface Row {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly calls: readonly string[];
  readonly results: readonly { readonly callId: string; readonly text: string }[];
  readonly handle: string | undefined;
  /** As it came, for a row that no request shows. */
  readonly raw: JsonObject;
}

export function rowsIn(given: Json | undefined): readonly Row[] {
  return list(given)
    .filter(isObject)
    .map((raw) => ({
      role: raw["role"] === "assistant" ? "assistant" : "user",
      text: string(raw["text"]) ?? "",
      calls: list(raw["toolUses"]).flatMap((use) => string(object(use)["tool_use_id"]) ?? []),
      results: list(raw["toolResults"]).flatMap((result) => {
        const { tool_use_id: id, text } = object(result);
        return typeof id === "string" ? [{ callId: id, text: string(text) ?? "" }] : [];
      }),
      handle: string(raw["handle"]),
      raw,
    }));
}

/** `request` is the engine's own spelling of the same rows; where it does not hold them all, the rows alone are read. */
export function conversationIn(rows: readonly Row[], request: Json | undefined): Transcript {
  const messages = isList(request) && holdsAll(rows, request) ? together(rows, request) : alone(rows);
  return { messages: messages.filter(({ parts }) => parts.length > 0) };
}

function holdsAll(rows: readonly Row[], request: readonly Json[]): boolean {
  const blocks = request.flatMap((message) => list(object(message)["content"])).map(object);
  const ids = new Set(blocks.flatMap((block) => string(block["id"]) ?? string(block["tool_use_id"]) ?? []));
  return rows.every(
    ({ calls, results }) =>
      calls.every((id) => ids.has(id)) && results.every(({ callId }) => ids.has(callId)),
  );
}

function together(rows: readonly Row[], request: readonly Json[]): readonly Message[] {
  const texts = new Map(rows.flatMap(({ results }) => results.map(({ callId, text }) => [callId, text])));
  const said = rows.filter(({ role, results }) => role === "user" && results.length === 0);
  const words = new Words(said);
  return request.flatMap((message) => {
    const { role, content } = object(message);
    const parts = readContent(content).map(readBlock);
    if (role === "assistant") return [{ role: "assistant" as const, parts: parts.filter(isSaid) }];
    const results = parts.flatMap((part) => (part.type === "tool-result" ? [part] : []));
    const clean = results.map((part) => ({ ...part, output: cleaned(part.output, texts.get(part.callId)) }));
    const others = parts.filter(({ type }) => type !== "tool-result");
    return [
      ...(clean.length > 0 ? [{ role: "user" as const, parts: clean }] : []),
      ...words.messagesOf(others),
    ];
  });
}

/** The engine appends reminders to results as it sends them; the row has the result as it was. */
function cleaned(output: readonly ResultPart[], text: string | undefined): readonly ResultPart[] {
  if (text === undefined) return output;
  const media = output.filter(({ type }) => type !== "text");
  return [...(text === "" && media.length > 0 ? [] : [{ type: "text" as const, text }]), ...media];
}

/** Rows in a row that no request shows (commands typed, notices). Looking further would cost the history for each reminder. */
const MOST_UNSENT = 64;

/** Finds for each block of a user's message the row it belongs to. What belongs to none is a reminder, and is left out. */
class Words {
  readonly #rows: readonly Row[];
  #next = 0;

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
  }

  messagesOf(parts: readonly Part[]): readonly Message[] {
    const groups: { row: Row; parts: Part[] }[] = [];
    let media: Part[] = [];
    for (const part of parts) {
      if (part.type !== "text") {
        media.push(part);
        continue;
      }
      const row = this.#rowOf(part, groups.at(-1)?.row);
      if (!row) continue;
      const group = groups.at(-1)?.row === row ? groups.at(-1) : undefined;
      if (group) group.parts.push(...media, textOf(part, row));
      else groups.push({ row, parts: [...media, textOf(part, row)] });
      media = [];
    }
    groups.at(-1)?.parts.push(...media);
    return groups.map(({ row, parts: own }) => ({ role: "user", parts: own, ...nativeOf(row) }));
  }

  /** The same row goes on with a second block; otherwise rows come in their order. */
  #rowOf({ text }: TextPart, current: Row | undefined): Row | undefined {
    const words = text.trim();
    if (words === "") return undefined;
    const ahead = this.#rows.slice(this.#next, this.#next + MOST_UNSENT);
    const index = ahead.findIndex((row) => row.text.includes(words));
    if (index >= 0) {
      this.#next += index + 1;
      return ahead[index];
    }
    return current?.text.includes(words) ? current : undefined;
  }
}

/** The request ends a row's text with a newline where another follows; the row has it as it was said. */
function textOf({ text }: TextPart, row: Row): TextPart {
  const words = row.text.trim() === text.trim() ? row.text : text;
  return { type: "text", text: words, ...(isNobodys(words) ? { synthetic: true as const } : {}) };
}

function alone(rows: readonly Row[]): readonly Message[] {
  const messages: { role: Row["role"]; parts: Part[]; row: Row }[] = [];
  for (const row of rows) {
    const before = messages.at(-1);
    const isSame = before?.role === row.role && (row.role === "assistant" || areResults(before.row, row));
    if (before && isSame) before.parts.push(...partsOf(row));
    else messages.push({ role: row.role, parts: partsOf(row), row });
  }
  return messages.map(({ role, parts, row }) => ({
    role,
    parts,
    ...(role === "user" && row.results.length === 0 ? nativeOf(row) : {}),
  }));
}

function areResults(a: Row, b: Row): boolean {
  return a.results.length > 0 && b.results.length > 0;
}

function partsOf({ role, text, raw }: Row): Part[] {
  const synthetic = role === "user" && isNobodys(text) ? { synthetic: true as const } : {};
  return [
    ...list(raw["toolResults"]).map((given): Part => {
      const { tool_use_id: id, text: said, isError } = object(given);
      const output = [{ type: "text" as const, text: string(said) ?? "" }];
      return { type: "tool-result", callId: string(id) ?? "", output, isError: isError === true };
    }),
    ...(text === "" ? [] : [{ type: "text" as const, text, ...synthetic }]),
    ...list(raw["toolUses"]).map((given): Part => {
      const { tool_use_id: id, tool, input } = object(given);
      return { type: "tool-call", callId: string(id) ?? "", name: string(tool) ?? "", input: input ?? {} };
    }),
  ];
}

function nativeOf({ handle }: Row): Pick<Message, "native"> {
  return handle === undefined ? {} : { native: { of: ROW, value: handle } };
}

function isSaid(part: Part): boolean {
  return part.type !== "text" || part.text.trim() !== "";
}

/** Tags the harness uses, what a skill says, and the summary Claude Code writes when a compaction is its own. */
function isNobodys(text: string): boolean {
  return (
    isHarnessText(text) ||
    /^\s*(?:Base directory for this skill:|This session is being continued from a previous conversation)/.test(
      text,
    )
  );
}
