/**
 * pi session files: `~/.pi/agent/sessions/<cwd>/<time>_<id>.jsonl`, versions 1 to 3.
 *
 * The file is an append-only tree. The last entry is the leaf, and the conversation is the path from the root to it;
 * what branches off was rewound. A compaction adds an entry that names the first entry it kept: the model is sent the
 * summary, the path from there on, and what came after.
 *
 * pi frames summaries in two fixed sentences when it sends them. The frame is left out here, because it is not in the
 * file, and an edit could not be written there. Responses that failed or were aborted are kept and not sent again.
 */
import { defined, type Json, type JsonObject, number, object, string } from "../transcript/json.ts";
import type { Message, Part, Transcript, Usage } from "../transcript/message.ts";
import { appendBranch, NO_USAGE, spell } from "./pi-append.ts";
import { contentOf, readBlock, readResult } from "./pi-blocks.ts";
import { branchesOf, type Entry, firstKept, livePath, noteOf, readTree } from "./pi-tree.ts";
import { isRestructured } from "./rewrite.ts";
import { blankAt, changesTo, writeRecords } from "./session-file.ts";
import type { Source } from "./source.ts";
import type { Aside, Confidence, NativeCompaction, Sample, Session, SessionWire, Skipped } from "./wire.ts";

const NAME = "pi";

function read(source: Source): Session {
  const skipped: Skipped[] = [];
  const tree = readTree(source, skipped);
  const path = livePath(tree);
  const stops = path.map((entry) => ({ entry, message: messageOf(entry) }));
  const written = new Map(path.flatMap((entry) => [...(noteOf(entry)?.written ?? [])]));
  const whole = transcriptOf(stops.filter(({ entry }) => !written.has(entry.id)));
  return {
    wire: NAME,
    whole,
    seen: { ...whole, messages: seenMessages(stops) },
    compactions: compactionsOf(stops, written),
    asides: [...branchesOf(tree, path)].flatMap(([name, entries]) => asideOf(name, entries)),
    skipped,
    about: tree.about,
  };
}

/** An entry of the path, and the message it is, if it is one. */
interface Stop {
  readonly entry: Entry;
  readonly message: Message | undefined;
}

/** Settings, labels, names and the state of extensions are entries too, and no model sees them. */
function messageOf(entry: Entry): Message | undefined {
  switch (entry.type) {
    case "message":
      return spokenMessage(entry, object(entry.record["message"]));
    case "custom_message":
      return user(entry, contentParts(entry, ["content"], true));
    case "branch_summary":
      return string(entry.record["summary"]) ? summaryMessage(entry) : undefined;
    default:
      return undefined;
  }
}

function spokenMessage(entry: Entry, message: JsonObject): Message | undefined {
  switch (message["role"]) {
    case "user":
      return user(entry, contentParts(entry, ["message", "content"], false));
    case "assistant":
      return assistantMessage(entry, message);
    case "toolResult":
      return toolMessage(entry, message);
    case "bashExecution":
      return message["excludeFromContext"] === true ? undefined : bashMessage(entry, message);
    // Version 2 called it hookMessage.
    case "custom":
    case "hookMessage":
      return user(entry, contentParts(entry, ["message", "content"], true));
    default:
      return undefined;
  }
}

function user(entry: Entry, parts: readonly Part[]): Message | undefined {
  if (parts.length === 0) return undefined;
  return { role: "user", parts, ...defined({ at: entry.at }), native: nativeOf(entry) };
}

/** The summary of a compaction, or of a branch that was left. */
function summaryMessage(entry: Entry): Message {
  const text = string(entry.record["summary"]) ?? "";
  const part: Part = { type: "text", text, synthetic: true, native: { line: entry.line, path: ["summary"] } };
  return { role: "user", parts: [part], ...defined({ at: entry.at }), native: nativeOf(entry) };
}

function assistantMessage(entry: Entry, message: JsonObject): Message {
  const { stopReason } = message;
  return {
    role: "assistant",
    parts: contentParts(entry, ["message", "content"], false),
    ...defined({ at: entry.at, model: string(message["model"]), usage: usageOf(object(message["usage"])) }),
    ended: stopReason === "error" ? "failed" : stopReason === "aborted" ? "aborted" : "done",
    native: nativeOf(entry),
  };
}

function toolMessage(entry: Entry, message: JsonObject): Message {
  const native = { line: entry.line, path: ["message"] };
  return {
    role: "tool",
    parts: [{ ...readResult(message, NAME), native }],
    ...defined({ at: entry.at }),
    native: nativeOf(entry),
  };
}

/**
 * A command the user ran with `!`, in the words pi sends it in. Synthetic: the user typed the command, but nearly all
 * of it is a program's output, and what counts as the user's words is kept for good.
 */
function bashMessage(entry: Entry, message: JsonObject): Message {
  const { exitCode, cancelled, truncated } = message;
  const output = string(message["output"]);
  const path = string(message["fullOutputPath"]);
  const text = [
    `Ran \`${string(message["command"]) ?? ""}\`\n`,
    output ? `\`\`\`\n${output}\n\`\`\`` : "(no output)",
    cancelled === true ? "\n\n(command cancelled)" : "",
    cancelled !== true && typeof exitCode === "number" && exitCode !== 0
      ? `\n\nCommand exited with code ${exitCode}`
      : "",
    truncated === true && path ? `\n\n[Output truncated. Full output: ${path}]` : "",
  ].join("");
  const native = { line: entry.line, path: ["message"] };
  const parts: readonly Part[] = [{ type: "text", text, synthetic: true, native }];
  return { role: "user", parts, ...defined({ at: entry.at }), native: nativeOf(entry) };
}

function contentParts(entry: Entry, path: readonly string[], isSynthetic: boolean): readonly Part[] {
  const content = path.reduce<Json | undefined>((value, key) => object(value)[key], entry.record);
  return contentOf(content).map((block, index) => {
    const part = readBlock(block, NAME);
    const native = { line: entry.line, path: [...path, ...(typeof content === "string" ? [] : [index])] };
    return { ...part, ...(isSynthetic && part.type === "text" ? { synthetic: true } : {}), native };
  });
}

export function usageOf(fields: JsonObject): Usage | undefined {
  const tokens = (key: string) => number(fields[key]) ?? 0;
  const usage: Usage = {
    uncachedTokens: tokens("input"),
    cacheReadTokens: tokens("cacheRead"),
    cacheWriteTokens: tokens("cacheWrite"),
    outputTokens: tokens("output"),
    ...defined({
      cacheWrite1hTokens: number(fields["cacheWrite1h"]),
      costUsd: number(object(fields["cost"])["total"]) || undefined,
    }),
  };
  return usage.uncachedTokens + usage.cacheReadTokens + usage.cacheWriteTokens > 0 ? usage : undefined;
}

function nativeOf(entry: Entry): NonNullable<Message["native"]> {
  return { of: NAME, value: [entry.line] };
}

/** The last compaction decides; the ones before it are part of what it summed up. */
function seenMessages(path: readonly Stop[]): readonly Message[] {
  const stops = path.slice(path.findLastIndex(({ entry }) => noteOf(entry)) + 1);
  const last = stops.findLastIndex(({ entry }) => entry.type === "compaction");
  const compaction = stops[last];
  const inContext = compaction
    ? [
        { entry: compaction.entry, message: summaryMessage(compaction.entry) },
        ...stops.slice(keptFrom(stops, last), last),
        ...stops.slice(last + 1),
      ]
    : stops;
  return inContext.flatMap(({ message }) =>
    message && message.ended !== "failed" && message.ended !== "aborted" ? [message] : [],
  );
}

/** Where the kept entries of the compaction at `index` begin; if they cannot be found, pi keeps none. */
function keptFrom(stops: readonly Stop[], index: number): number {
  const compaction = stops[index];
  const id = compaction && firstKept(compaction.entry);
  const found = stops.findIndex(({ entry }) => entry.id === id);
  return found < 0 ? index : Math.min(found, index);
}

function compactionsOf(
  stops: readonly Stop[],
  written: ReadonlyMap<string, string>,
): readonly NativeCompaction[] {
  const indices = wholeIndices(stops, written);
  const indicesOf = (some: readonly Stop[]) => some.flatMap(({ entry }) => indices.get(entry.id) ?? []);
  const compactions: NativeCompaction[] = [];
  let context: readonly Stop[] = [];
  let from = 0;
  for (const [place, { entry }] of stops.entries()) {
    const isOurs = noteOf(entry) !== undefined;
    if (!isOurs && (entry.type !== "compaction" || written.has(entry.id))) continue;
    const kept = isOurs ? repeatedBelow(entry, stops) : stops.slice(keptFrom(stops, place), place);
    const staying = new Set(indicesOf(kept));
    const left = new Set(indicesOf([...context, ...stops.slice(from, place)]));
    const page = isOurs ? kept.find((stop) => written.get(stop.entry.id) === "")?.entry : entry;
    compactions.push({
      kind: "summary",
      at: stops.slice(0, place).filter((stop) => stop.message && !written.has(stop.entry.id)).length,
      removed: [...left].filter((index) => !staying.has(index)),
      ...defined({ summary: page && (messageOf(page) ?? summaryMessage(page)) }),
      ...defined({ tokensBefore: number(entry.record["tokensBefore"]) }),
    });
    context = isOurs ? [] : kept;
    from = place;
  }
  return compactions;
}

/** What we wrote behind a note of ours: all that was still sent. */
function repeatedBelow(note: Entry, stops: readonly Stop[]): readonly Stop[] {
  const written = noteOf(note)?.written;
  return stops.filter(({ entry }) => written?.has(entry.id));
}

/** Where the message of each entry stands in `whole`: of a copy, where its original does. */
function wholeIndices(
  stops: readonly Stop[],
  written: ReadonlyMap<string, string>,
): ReadonlyMap<string, number> {
  const indices = new Map<string, number>();
  let count = 0;
  for (const { entry, message } of stops) {
    const original = indices.get(written.get(entry.id) ?? "");
    if (original !== undefined) indices.set(entry.id, original);
    else if (message && !written.has(entry.id)) indices.set(entry.id, count++);
  }
  return indices;
}

function asideOf(name: string, entries: readonly Entry[]): readonly Aside[] {
  const transcript = transcriptOf(entries.map((entry) => ({ entry, message: messageOf(entry) })));
  return transcript.messages.length === 0 ? [] : [{ kind: "rewound", name, transcript }];
}

function transcriptOf(stops: readonly Stop[]): Transcript {
  const messages = stops.flatMap(({ message }) => message ?? []);
  return {
    messages,
    ...defined({ model: messages.findLast((message) => message.model !== undefined)?.model }),
  };
}

function write(session: Session, source: Source, next?: Transcript): Iterable<Uint8Array> {
  if (isRestructured(session, next)) return appendBranch(session, source, next);
  return writeRecords(source, changesTo(session, next, spell, blankAt(["message", "usage"], NO_USAGE)));
}

function detect(sample: Sample): Confidence {
  const records = sample.records.map(object);
  const hasHeader = records.some(
    (record) => record["type"] === "session" && "id" in record && "timestamp" in record,
  );
  const hasEntry = records.some((record) => record["type"] === "message" && "parentId" in record);
  return hasHeader || hasEntry ? 2 : 0;
}

export const pi: SessionWire = {
  kind: "session",
  name: NAME,
  title: "pi session",
  read,
  write,
  detect,
};
