/**
 * The messages of an OpenCode export, each with the neutral messages it stands for. See `opencode.ts`.
 */
import { largest } from "../transcript/extremes.ts";
import { defined, type Json, type JsonObject, list, number, object, string } from "../transcript/json.ts";
import type { Message, Part, Usage } from "../transcript/message.ts";
import { prunedAt, readPart, readResult } from "./opencode-parts.ts";

export const OPENCODE = "opencode";
/** What OpenCode sends in place of a pruned result. */
const CLEARED = "[Old tool result content cleared]";

/** One OpenCode message: a user's, or one or more model responses with the results of their calls. */
export interface Entry {
  readonly id: string;
  readonly parent: string | undefined;
  readonly at: number | undefined;
  readonly messages: readonly Said[];
  /** The question a compaction begins with. */
  readonly question: Question | undefined;
  /** A finished answer to such a question. */
  readonly isSummary: boolean;
  /** Failed responses are shown to the person and not sent again. */
  readonly isSent: boolean;
}

export interface Said {
  readonly whole: Message;
  /** The same, unless results in it were pruned. */
  readonly seen: Message;
  readonly prunedAt: readonly number[];
}

interface Question {
  readonly trigger: "auto" | "manual";
  /** The message from which on everything stays verbatim behind the summary. */
  readonly tailStart: string | undefined;
}

/** A part and where it stands in the document. */
interface Placed {
  readonly fields: JsonObject;
  readonly path: readonly (string | number)[];
}

interface Stored {
  readonly info: JsonObject;
  readonly parts: readonly Placed[];
}

/** The live messages, and those the user has undone: OpenCode keeps them until the next prompt. */
export function readEntries(document: JsonObject): { live: readonly Entry[]; undone: readonly Entry[] } {
  const records = list(document["messages"]).map(readRecord);
  const { messageID, partID } = object(object(document["info"])["revert"]);
  const cut = records.findIndex(({ info }) => typeof messageID === "string" && info["id"] === messageID);
  const first = records[cut];
  if (!first) return { live: records.map(readEntry), undone: [] };
  const partCut = first.parts.findIndex(({ fields }) => fields["id"] === partID);
  const kept = partID === undefined || partCut < 0 ? 0 : partCut;
  const before = kept > 0 ? [{ ...first, parts: first.parts.slice(0, kept) }] : [];
  const after = [{ ...first, parts: first.parts.slice(kept) }, ...records.slice(cut + 1)];
  return { live: [...records.slice(0, cut), ...before].map(readEntry), undone: after.map(readEntry) };
}

function readRecord(message: Json, index: number): Stored {
  const { info, parts } = object(message);
  return {
    info: object(info),
    parts: list(parts).map((part, place) => ({
      fields: object(part),
      path: ["messages", index, "parts", place],
    })),
  };
}

function readEntry(record: Stored): Entry {
  const { info, parts } = record;
  const asked = parts.find(({ fields }) => fields["type"] === "compaction")?.fields;
  const { created, completed } = object(info["time"]);
  const isDone = info["error"] === undefined && (info["finish"] ?? completed) !== undefined;
  return {
    id: string(info["id"]) ?? "",
    parent: string(info["parentID"]),
    at: number(created),
    messages: info["role"] === "user" ? userMessage(record) : stepsOf(parts).flatMap(stepMessages(record)),
    question: asked && {
      trigger: asked["auto"] === false ? "manual" : "auto",
      tailStart: string(asked["tail_start_id"]),
    },
    // On user messages `summary` is an object of diffs.
    isSummary: info["role"] === "assistant" && info["summary"] === true && isDone,
    isSent: isSent(record),
  };
}

/** Of failed responses only those are sent again that the user aborted after something had come. */
function isSent({ info, parts }: Stored): boolean {
  if (info["error"] === undefined) return true;
  const hasCome = parts.some(
    ({ fields }) => fields["type"] !== "step-start" && fields["type"] !== "reasoning",
  );
  return isAborted(info) && hasCome;
}

function isAborted(info: JsonObject): boolean {
  return object(info["error"])["name"] === "MessageAbortedError";
}

function userMessage({ info, parts }: Stored): readonly Said[] {
  const content = partsOf(parts);
  if (content.length === 0) return [];
  const at = number(object(info["time"])["created"]);
  return [unpruned({ role: "user", parts: content, ...defined({ at }), native: nativeOf() })];
}

/** Each `step-start` opens a response; files without the mark hold one response per message. */
function stepsOf(parts: readonly Placed[]): readonly (readonly Placed[])[] {
  const steps: Placed[][] = [[]];
  for (const part of parts) {
    if (part.fields["type"] === "step-start") steps.push([]);
    else steps.at(-1)?.push(part);
  }
  return steps.filter((step) => partsOf(step).length > 0);
}

/** A response, and the results of its calls as one message: parallel calls are one unit. */
function stepMessages({ info }: Stored) {
  return (step: readonly Placed[], index: number, steps: readonly (readonly Placed[])[]): readonly Said[] => {
    const finish = step.find(({ fields }) => fields["type"] === "step-finish")?.fields;
    const model = string(info["modelID"]);
    const usage = usageOf(finish ?? (steps.length === 1 ? info : {}));
    const response: Message = {
      role: "assistant",
      parts: partsOf(step),
      ...defined({ at: number(object(info["time"])["created"]), model, usage }),
      ended: index === steps.length - 1 ? endOf(info) : "done",
      native: nativeOf(),
    };
    return [unpruned(response), ...resultsOf(step)];
  };
}

function endOf(info: JsonObject): "done" | "failed" | "aborted" {
  if (info["error"] === undefined) return "done";
  return isAborted(info) ? "aborted" : "failed";
}

function resultsOf(step: readonly Placed[]): readonly Said[] {
  const answered = step.flatMap((placed) => {
    const result = placed.fields["type"] === "tool" ? readResult(placed.fields) : undefined;
    return result ? [{ placed, part: { ...result, native: spot(placed) } }] : [];
  });
  if (answered.length === 0) return [];
  const ends = answered.flatMap(
    ({ placed }) => number(object(object(placed.fields["state"])["time"])["end"]) ?? [],
  );
  const whole: Message = {
    role: "tool",
    parts: answered.map(({ part }) => part),
    ...(ends.length > 0 ? { at: largest(ends) } : {}),
    native: nativeOf(),
  };
  const pruned = answered.flatMap(({ placed }) => prunedAt(placed.fields) ?? []);
  if (pruned.length === 0) return [unpruned(whole)];
  const parts = answered.map(
    ({ placed, part }): Part =>
      prunedAt(placed.fields) === undefined ? part : { ...part, output: [{ type: "text", text: CLEARED }] },
  );
  return [{ whole, seen: { ...whole, parts }, prunedAt: pruned }];
}

function partsOf(parts: readonly Placed[]): readonly Part[] {
  return parts.flatMap((placed) => {
    const part = readPart(placed.fields);
    return part ? [{ ...part, native: spot(placed) }] : [];
  });
}

/** `input` is without what was cached, `output` without reasoning. A cost of 0 is a price OpenCode does not know. */
function usageOf(fields: JsonObject): Usage | undefined {
  const tokens = object(fields["tokens"]);
  const cache = object(tokens["cache"]);
  const count = (value: Json | undefined) => number(value) ?? 0;
  const usage: Usage = {
    uncachedTokens: count(tokens["input"]),
    cacheReadTokens: count(cache["read"]),
    cacheWriteTokens: count(cache["write"]),
    outputTokens: count(tokens["output"]) + count(tokens["reasoning"]),
    ...defined({ costUsd: number(fields["cost"]) || undefined }),
  };
  return usage.uncachedTokens + usage.cacheReadTokens + usage.cacheWriteTokens > 0 ? usage : undefined;
}

function unpruned(message: Message): Said {
  return { whole: message, seen: message, prunedAt: [] };
}

function spot({ path }: Placed): Json {
  return { line: 1, path };
}

/** A new object each time: it is by this that `changesTo` knows one message from another. */
function nativeOf(): NonNullable<Message["native"]> {
  return { of: OPENCODE, value: [1] };
}
