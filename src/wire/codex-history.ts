/**
 * The records of a Codex file, in order, as the messages of its live thread. See `codex.ts` for what it means.
 *
 * `event_msg` mirrors the items for the screen and is not read a second time; three of them say what no item does:
 * what a request cost, that a turn was interrupted, and that turns were taken back.
 */
import {
  canonical,
  defined,
  isObject,
  type Json,
  type JsonObject,
  list,
  number,
  object,
  string,
} from "../transcript/json.ts";
import type { TextPart, Usage } from "../transcript/message.ts";
import { closeLast, type Draft, gather, type Origin, startsTurn } from "./codex-drafts.ts";
import { roleOfItem } from "./openai-items.ts";
import { recordsOf } from "./session-file.ts";
import type { Source } from "./source.ts";
import type { About, Skipped } from "./wire.ts";

/** A `compacted` record: from here on, the thread is the replacement and what follows. */
export interface Cut {
  readonly line: number;
  /** How many messages had been said. */
  readonly at: number;
  readonly message: string;
  /** Absent in early versions, which rebuilt it when they resumed. */
  readonly replacement: readonly Draft[] | undefined;
  /** Messages of the replacement that we put there: the page of a compaction. */
  readonly pages: ReadonlySet<number>;
  readonly tokensBefore: number | undefined;
  tokensAfter: number | undefined;
}

export interface History {
  drafts: Draft[];
  cuts: Cut[];
  readonly rewound: { readonly line: number; readonly drafts: readonly Draft[] }[];
  about: About;
  system: TextPart | undefined;
  model: string | undefined;
  reports: Reports;
}

/** What is known of the running `token_count` reports. */
interface Reports {
  /** The running total of the last one: the same report is sent again whenever a rate limit changes. */
  total: string | undefined;
  contextTokens: number | undefined;
  /** Early versions reported a response before they wrote down its items. */
  comeFirst: boolean;
  pending: Usage | undefined;
}

export function readHistory(source: Source, skipped: Skipped[]): History {
  const history: History = {
    drafts: [],
    cuts: [],
    rewound: [],
    about: {},
    system: undefined,
    model: undefined,
    reports: { total: undefined, contextTokens: undefined, comeFirst: false, pending: undefined },
  };
  for (const { line, value } of recordsOf(source, skipped)) readRecord(history, line, value);
  return history;
}

type Reader = (history: History, payload: JsonObject, origin: Origin) => void;

const RECORDS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["session_meta", readMeta],
  ["turn_context", readTurnContext],
  ["response_item", addItem],
  ["inter_agent_communication", addCommunication],
  ["compacted", readCompacted],
  ["event_msg", readEvent],
]);

const EVENTS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["token_count", readTokenCount],
  ["turn_aborted", abort],
  ["thread_rolled_back", rollBack],
]);

function readRecord(history: History, line: number, record: JsonObject): void {
  const origin = { line, at: timeOf(record), model: history.model };
  const reader = RECORDS.get(string(record["type"]) ?? "");
  const { payload } = record;
  // An item that is no object is none: what would be read of it could not be found there again.
  if (reader && isObject(payload)) reader(history, payload, { ...origin, path: ["payload"] });
  else readBare(history, record, { ...origin, path: [] });
}

/** Very early files have the items themselves on their lines, behind a first line about the session. */
function readBare(history: History, record: JsonObject, origin: Origin): void {
  if (record["type"] === undefined && "id" in record) readMeta(history, record, origin);
  if (isBareItem(record)) addItem(history, record, origin);
}

export function isBareItem({ type, role }: JsonObject): boolean {
  if (type === "message") return typeof role === "string";
  return (
    typeof type === "string" &&
    /^(reasoning|(function|custom_tool|local_shell|web_search)_call(_output)?)$/.test(type)
  );
}

/** A resume writes it again, a fork copies its parent's behind its own: the first is this session's. */
function readMeta(history: History, meta: JsonObject, { line, path, at }: Origin): void {
  const { about } = history;
  history.about = defined({
    ...about,
    id: about.id ?? string(meta["id"]) ?? string(meta["session_id"]),
    cwd: about.cwd ?? string(meta["cwd"]),
    startedAt: about.startedAt ?? timeOf(meta) ?? at,
  });
  const text = string(object(meta["base_instructions"])["text"]);
  if (text === undefined || history.system) return;
  history.system = { type: "text", text, native: { line, path: [...path, "base_instructions", "text"] } };
}

function readTurnContext(history: History, context: JsonObject): void {
  history.model = string(context["model"]) ?? history.model;
}

function addItem(history: History, item: JsonObject, origin: Origin): void {
  // A commit Codex took of the working tree, for undo. It was kept among the items and never sent.
  if (item["type"] === "ghost_snapshot") return;
  const { reports, drafts } = history;
  const last = drafts.at(-1);
  if (last && reports.pending && roleOfItem(item) === "assistant") last.isClosed = true;
  const draft = gather(drafts, item, origin);
  if (draft.role !== "assistant" || draft.usage) return;
  draft.usage = reports.pending;
  reports.pending = undefined;
}

/** What another agent says. It has the shape of a message without an item around it. */
function addCommunication(history: History, payload: JsonObject, origin: Origin): void {
  addItem(history, { type: "agent_message", content: payload["content"] }, origin);
}

function readCompacted(history: History, payload: JsonObject, origin: Origin): void {
  const { drafts, cuts, reports } = history;
  const { line, path } = origin;
  const items = payload["replacement_history"];
  const replacement: Draft[] = [];
  const { items: counts, pages } = object(payload["palimpsest"]);
  const starts = startsOf(list(counts));
  list(items).forEach((item, index) => {
    if (starts.has(index)) closeLast(replacement);
    gather(replacement, item, { ...origin, path: [...path, "replacement_history", index] });
  });
  closeLast(drafts);
  // The summarizer's own request, if it was reported, is no response of the thread.
  reports.pending = undefined;
  cuts.push({
    line,
    at: drafts.length,
    message: string(payload["message"]) ?? "",
    replacement: items === undefined || items === null ? undefined : replacement,
    pages: new Set(list(pages).flatMap((place) => number(place) ?? [])),
    tokensBefore: reports.contextTokens,
    tokensAfter: undefined,
  });
}

/** A replacement does not say where one response ends and the next begins; those we write do, in a note. */
function startsOf(counts: readonly Json[]): ReadonlySet<number> {
  let start = 0;
  return new Set(
    counts.map((count) => {
      start += number(count) ?? 0;
      return start;
    }),
  );
}

function readEvent(history: History, event: JsonObject, origin: Origin): void {
  EVENTS.get(string(event["type"]) ?? "")?.(history, event, origin);
}

function readTokenCount(history: History, event: JsonObject): void {
  const { reports, drafts, cuts } = history;
  const info = object(event["info"]);
  const last = object(info["last_token_usage"]);
  const windowTokens = number(info["model_context_window"]) ?? history.about.windowTokens;
  history.about = { ...history.about, ...defined({ windowTokens }) };
  const contextTokens = number(last["total_tokens"]);
  const total = canonical(info["total_token_usage"] ?? last);
  if (contextTokens === undefined) return;
  if (total === reports.total) {
    // Right behind a compaction, nothing was spent, and the total is the estimate of what is left.
    const cut = cuts.at(-1);
    if (cut?.at === drafts.length) cut.tokensAfter ??= contextTokens;
    return;
  }
  reports.total = total;
  reports.contextTokens = contextTokens;
  const usage = usageOf(last);
  if (usage) report(history, usage);
  // Emptied by an edit of ours: the response it was of is over all the same.
  else if (drafts.at(-1)?.role === "assistant") closeLast(drafts);
}

/** A report is about the last response that has none; or, in files that report first, about the next. */
function report({ drafts, reports }: History, usage: Usage): void {
  const draft = drafts.findLast(({ role }) => role === "assistant");
  if (!draft) reports.comeFirst = true;
  if (draft && !draft.usage) {
    draft.usage = usage;
    draft.isClosed = true;
  } else if (reports.comeFirst) reports.pending = usage;
}

/** `input_tokens` is the whole prompt, what was cached included. */
function usageOf(last: JsonObject): Usage | undefined {
  const prompt = number(last["input_tokens"]) ?? 0;
  const cached = Math.min(number(last["cached_input_tokens"]) ?? 0, prompt);
  const output = number(last["output_tokens"]) ?? 0;
  if (prompt === 0) return undefined;
  return {
    uncachedTokens: prompt - cached,
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    outputTokens: output,
  };
}

/** The response that was cut short: it was never reported, or its calls were never answered. */
function abort({ drafts }: History): void {
  const answered = new Set<string>();
  for (let index = drafts.length - 1; index >= 0; index -= 1) {
    const draft = drafts[index];
    if (!draft || startsTurn(draft)) return;
    for (const part of draft.parts) if (part.type === "tool-result") answered.add(part.callId);
    if (draft.role !== "assistant") continue;
    const isOpen = draft.parts.some((part) => part.type === "tool-call" && !answered.has(part.callId));
    if (!draft.usage || isOpen) draft.ended = "aborted";
    return;
  }
}

/** A compaction that happened in what is taken back is taken back with it. */
function rollBack(history: History, event: JsonObject, { line }: Origin): void {
  const start = turnsBack(history.drafts, number(event["num_turns"]) ?? 0);
  // No turns, or none there to take back.
  if (start === undefined) return;
  history.rewound.push({ line, drafts: history.drafts.splice(start) });
  history.cuts = history.cuts.filter(({ at }) => at <= start);
  closeLast(history.drafts);
}

/** Where so many turns begin, or all there are; from the end, so that it costs what is taken back. */
function turnsBack(drafts: readonly Draft[], turns: number): number | undefined {
  let start: number | undefined;
  for (let index = drafts.length - 1, found = 0; index >= 0 && found < turns; index -= 1) {
    const draft = drafts[index];
    if (!draft || !startsTurn(draft)) continue;
    start = index;
    found += 1;
  }
  return start;
}

function timeOf(record: JsonObject): number | undefined {
  const at = Date.parse(string(record["timestamp"]) ?? "");
  return Number.isNaN(at) ? undefined : at;
}
