/**
 * A compaction of Claude Code, made by us: no model is asked, the user's words and the newest steps stay as they are, and
 * what leaves is in the store before the shorter conversation is handed back.
 *
 * How it is handed back decides whether it survives `--resume` (seen in 2.1.326). A message with the engine's handle stands
 * as the engine has it, with the reminders behind it; but of a tool result the file then says that it follows the original
 * call, so a resumed session walks past the boundary and has the whole old conversation again. So the user's words go back
 * by their handle, calls and results are spelled out, parallel ones together as one response, and thinking stays away: it
 * was sealed behind what is no longer there.
 */
import { compact, type Outcome } from "../../compact.ts";
import { estimatorFor, messageTokens } from "../../measure/count.ts";
import { modelNamed } from "../../measure/models.ts";
import { recognisePages } from "../../own-page.ts";
import { descriptionOf } from "../../plan/describe-part.ts";
import { policyNamed } from "../../plan/policies.ts";
import { isSealedThinking } from "../../plan/situation.ts";
import type { Store } from "../../store/store.ts";
import { defined, type Json, type JsonObject, list, object } from "../../transcript/json.ts";
import type { Message, Part, Transcript } from "../../transcript/message.ts";
import { refOf } from "../../transcript/ref.ts";
import { openWorkspace } from "../../workspace.ts";
import { keepParts } from "../keep-session.ts";
import { instructionsText } from "../page.ts";
import { conversationIn, ROW, type Row, rowsIn } from "./rows.ts";

export interface Compacting {
  readonly store: Store;
  readonly sessionId: string;
  readonly cwd: string;
  readonly at: number;
  /** Who compacts, as Claude Code says it: `manual`, `auto`, `plugin`. */
  readonly trigger: string;
  /** The user leaves compaction to Claude Code: everything is kept, and its summarizer is told. */
  readonly isLeft?: boolean;
  readonly focus?: string;
  readonly model?: string;
  /** As the host has them; the tokens include what it sends besides the conversation. */
  readonly windowTokens?: number;
  readonly contextTokens?: number;
}

export type TakenOver =
  /** In the host's own shape. */
  | { readonly messages: readonly Json[]; readonly notice: string }
  /** It is left to the host, which is told what its summary may not leave out. Nothing of it is lost. */
  | { readonly because: string; readonly instructions: string };

export async function takeOver(rows: Json, request: Json | undefined, how: Compacting): Promise<TakenOver> {
  const given = rowsIn(rows);
  const read: Transcript = { ...conversationIn(given, request), ...defined({ model: how.model }) };
  const { store, sessionId } = how;
  const { transcript, summaries } = recognisePages(read, await store.ledger(sessionId));
  if (how.isLeft)
    return { because: "compaction is left to Claude Code", instructions: await leftToHost(transcript, how) };
  const outcome = await compact(transcript, {
    store,
    sessionId,
    policy: policyNamed("palimpsest"),
    // What the host calls automatic is due already, by its own count.
    trigger: how.trigger === "auto" ? "overflow" : "manual",
    at: how.at,
    // The conversation has every earlier compaction in it, as the pages and stubs we wrote.
    ledger: [],
    ownPages: summaries,
    windowTokens: windowFor(transcript, how),
    workspace: openWorkspace(how.cwd),
    ...defined({ focus: how.focus }),
  });
  if (outcome.kind === "unchanged")
    return { because: outcome.detail, instructions: await leftToHost(transcript, how) };
  const said = bridged(spelled(outcome.transcript, given), transcript);
  await keepMedia(
    said.flatMap(({ media }) => media),
    how,
  );
  return { messages: said.map(({ message }) => message), notice: noticeOf(outcome) };
}

const INSTRUCTION_TOKENS = 6_000;
const MOST_ROWS = 2_000;

async function leftToHost(transcript: Transcript, { store, sessionId, at }: Compacting): Promise<string> {
  await keepParts(store, transcript, { sessionId, at });
  const { rows } = await store.list(sessionId, { limit: MOST_ROWS });
  const text = await instructionsText({ transcript, rows, maxTokens: INSTRUCTION_TOKENS });
  // Not much shorter than what it is about, it would only be in the way.
  return estimatorFor().text(text) < countedIn(transcript) / 4 ? text : "";
}

/** What the host sends besides the conversation (its prompt, its tools) is no room for us. */
function windowFor(transcript: Transcript, { windowTokens, contextTokens = 0, model }: Compacting): number {
  const window = windowTokens ?? modelNamed(model).windowTokens;
  const besides = Math.min(Math.max(0, contextTokens - countedIn(transcript)), MOST_BESIDES * window);
  return Math.round(window - besides);
}

function countedIn({ messages, model }: Transcript): number {
  const counter = estimatorFor(model);
  return messages.reduce((sum, message) => sum + messageTokens(message, counter), 0);
}

/** A count that is far off must not leave us without a window. */
const MOST_BESIDES = 0.4;

/** The host puts our name before it. */
function noticeOf({ compaction, originals }: Outcome & { kind: "compacted" }): string {
  const { tokensBefore, tokensAfter } = compaction;
  const count = (tokens: number) => tokens.toLocaleString("en-US");
  return `compacted ${count(tokensBefore)} → ${count(tokensAfter)} tokens, no model asked; ${originals.length} originals left the context and can be read back (read_ref for Claude, /refs for you).`;
}

/** What is handed back is text: an image in it is named by its ref, so it must be there. */
async function keepMedia(media: readonly Part[], { store, sessionId, at, model }: Compacting): Promise<void> {
  const counter = estimatorFor(model);
  const originals = media.map((part) => ({
    ref: refOf(part),
    part,
    description: descriptionOf(part, undefined),
    tokens: Math.round(counter.part(part)),
    at,
  }));
  if (originals.length > 0) await store.keep(sessionId, originals);
}

interface Spelled {
  readonly message: JsonObject;
  /** What could not be said in words. */
  readonly media: readonly Part[];
}

function spelled({ messages }: Transcript, rows: readonly Row[]): readonly Spelled[] {
  const handles = new Map(rows.flatMap((row) => (row.handle === undefined ? [] : [[row.handle, row]])));
  return messages.flatMap((message): readonly Spelled[] => {
    const row = message.native?.of === ROW ? handles.get(String(message.native.value)) : undefined;
    if (row && isAsSaid(message, row)) return [{ message: row.raw, media: [] }];
    const built = builtFrom(message);
    return built ? [{ message: built, media: message.parts.flatMap(mediaIn) }] : [];
  });
}

/** Said by nobody else: the model's thinking is gone from here, and what comes next is not a result. */
const BRIDGE: JsonObject = { role: "assistant", text: "(My thinking up to here was folded.)", toolUses: [] };

/**
 * The engine sends results and the words behind them as one message, and then the model is still waiting: its response must
 * show the thinking that led to the calls, which it no longer can. One line of the model's own between them ends the wait.
 */
function bridged(said: readonly Spelled[], { messages }: Transcript): readonly Spelled[] {
  const last = said.findLastIndex(({ message }) => message["role"] === "assistant");
  const isResult = ({ message }: Spelled) => message["toolResults"] !== undefined;
  const results = said.slice(last + 1).findLastIndex(isResult) + 1;
  const end = last + 1 + results;
  if (last < 0 || results === 0 || end === said.length) return said;
  const thoughtful = new Set(messages.filter(({ parts }) => parts.some(isSealedThinking)).flatMap(callsIn));
  const calls = list(said[last]?.message["toolUses"]).map((use) => object(use)["tool_use_id"]);
  if (!calls.some((id) => typeof id === "string" && thoughtful.has(id))) return said;
  return [...said.slice(0, end), { message: BRIDGE, media: [] }, ...said.slice(end)];
}

function callsIn({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
}

/** Nothing of it was cut: then the engine has it better than we could spell it. */
function isAsSaid({ parts }: Message, { text }: Row): boolean {
  const words = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return words.length > 0 && words.every((said) => text.includes(said.trim())) && covers(words, text);
}

function covers(words: readonly string[], text: string): boolean {
  const bare = (of: string) => of.replaceAll(/\s+/g, "");
  return bare(words.join("")) === bare(text);
}

function builtFrom({ role, parts }: Message): JsonObject | undefined {
  const spoken = parts.filter(({ type }) => type !== "tool-call" && type !== "tool-result");
  const text = wordsOf(spoken);
  const toolUses = parts.flatMap((part) =>
    part.type === "tool-call" ? [{ tool_use_id: part.callId, tool: part.name, input: part.input }] : [],
  );
  const toolResults = parts.flatMap((part) =>
    part.type === "tool-result"
      ? [{ tool_use_id: part.callId, text: wordsOf(part.output), isError: part.isError }]
      : [],
  );
  if (text.trim() === "" && toolUses.length === 0 && toolResults.length === 0) return undefined;
  return {
    role: role === "assistant" ? "assistant" : "user",
    text,
    toolUses,
    ...(toolResults.length > 0 ? { toolResults } : {}),
  };
}

function wordsOf(parts: readonly Part[]): string {
  const [first] = parts;
  if (parts.length === 1 && first?.type === "text") return first.text;
  return parts
    .flatMap((part) => (part.type === "text" ? [part.text] : isMedia(part) ? [mention(part)] : []))
    .join("\n\n");
}

function mediaIn(part: Part): readonly Part[] {
  return part.type === "tool-result" ? part.output.filter(isMedia) : isMedia(part) ? [part] : [];
}

function isMedia({ type }: Part): boolean {
  return type === "image" || type === "document";
}

function mention(part: Part): string {
  return `[${part.type} ${refOf(part)}: read_ref shows it]`;
}
