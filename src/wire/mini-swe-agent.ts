/**
 * mini-swe-agent trajectories (`.traj.json`): one document, `{ info, messages, trajectory_format }`.
 *
 * v1 has no tools: each response holds one fenced command (see `text-actions.ts`), and the message after it says what
 * came of it. A response with no command or several is answered with a complaint, so it reads as an attempt that
 * failed. v2 keeps that as one way among others: it also has tool calls with results by id, and whole responses of
 * the Responses API with the items they were made of. What a person types in between starts with words of the
 * harness and is a message of the user, never a result. `exit` closes the file: it is what the last command printed.
 */
import { defined, type Json, type JsonObject, list, object, string } from "../transcript/json.ts";
import type { Part, Transcript } from "../transcript/message.ts";
import { writeChatPart } from "./chat-completion.ts";
import { commandFence, FAILED, readMessages, STAMP } from "./mini-swe-agent-messages.ts";
import { writeValue } from "./openai-items.ts";
import { type Aligned, dropAt, isRestructured, rewriteList, wordsOf } from "./rewrite.ts";
import {
  blankItem,
  type Change,
  changesTo,
  documentOf,
  type Spot,
  spotOf,
  writeDocument,
} from "./session-file.ts";
import type { Source } from "./source.ts";
import { refuseDerivedCall, segmentChange, stepOf } from "./text-actions.ts";
import type { Confidence, Sample, Session, SessionWire, Skipped } from "./wire.ts";

const NAME = "mini-swe-agent";

function read(source: Source): Session {
  const skipped: Skipped[] = [];
  const document = object(documentOf(source, skipped));
  const config = object(object(document["info"])["config"]);
  const messages = readMessages(list(document["messages"]).map(object), NAME);
  const model =
    messages.findLast((message) => message.model !== undefined)?.model ??
    string(object(config["model"])["model_name"]);
  const whole: Transcript = { messages, ...defined({ model }) };
  return {
    wire: NAME,
    whole,
    seen: whole,
    compactions: [],
    asides: [],
    skipped,
    about: defined({
      id: string(document["instance_id"]),
      cwd: string(object(config["environment"])["cwd"]),
      startedAt: messages.find((message) => message.at !== undefined)?.at,
    }),
  };
}

function write(session: Session, source: Source, next?: Transcript): Iterable<Uint8Array> {
  if (isRestructured(session, next)) {
    const spelling = { spell, drop };
    return rewriteList(source, { session, next, spelling, path: ["messages"], insert, keep: stamped });
  }
  return writeDocument(source, changesTo(session, next, spell, blankItem(NAME, withoutUsage)));
}

function insert(one: Aligned): Json {
  return {
    role: one.message.role,
    content: wordsOf(one, NAME),
    extra: { [STAMP]: "", palimpsest_page: true },
  };
}

function stamped(item: Json, { message, isBehindEdit }: Aligned): Json {
  if (message.role === "system") return item;
  const record = isBehindEdit ? withoutUsage(object(item)) : object(item);
  const { extra } = record;
  return { ...record, extra: { ...object(extra), [STAMP]: stepOf(message) } };
}

function withoutUsage(record: JsonObject): JsonObject {
  const { extra } = record;
  const { response } = object(extra);
  if (record["object"] === "response") return { ...record, usage: null };
  if (object(response)["usage"] === undefined) return record;
  return { ...record, extra: { ...object(extra), response: { ...object(response), usage: null } } };
}

/** A text that shares its string with the command leaves it empty behind; a call cannot leave without its message. */
function drop(part: Part): readonly Change[] {
  return part.type === "text" ? spell({ ...part, text: "" }) : dropAt(NAME)(part);
}

function spell(part: Part): readonly Change[] {
  refuseDerivedCall(part, NAME);
  const spot = spotOf(part, NAME);
  const to = (old: Json | undefined) =>
    object(old)["type"] === "reasoning" ? writeValue(part, old) : writeChatPart(part, old);
  return [segmentChange(part, spot, commandFence) ?? { ...spot, to }, ...failure(part, spot)];
}

/** That a command failed is read from what it printed, and in a shortened result that may be gone: it is noted. */
function failure(part: Part, { line, path }: Spot): readonly Change[] {
  if (part.type !== "tool-result" || !part.isError) return [];
  const to = (extra: Json | undefined) => ({ ...object(extra), [FAILED]: true });
  return [{ line, path: [...path.slice(0, 2), "extra"], to }];
}

/** `info` comes first, and a submission in it may be larger than the sample: it must do alone. */
function detect(sample: Sample): Confidence {
  const document = object(sample.records[0]);
  if (sample.records.length !== 1) return 0;
  if (string(document["trajectory_format"])?.startsWith("mini-swe-agent")) return 2;
  const isStep = list(document["messages"]).map(object).some(hasOwnExtra);
  return isStep || isInfo(object(document["info"])) ? 2 : 0;
}

function isInfo(info: JsonObject): boolean {
  const agentType = string(object(info["config"])["agent_type"]) ?? "";
  return (
    "mini_version" in info ||
    /swe-?a(gent)?\b/.test(agentType) ||
    ("exit_status" in info && "submission" in info) ||
    "system_template" in object(object(info["config"])["agent"])
  );
}

function hasOwnExtra(message: JsonObject): boolean {
  const extra = object(message["extra"]);
  return "actions" in extra || "response" in extra || "interrupt_type" in extra || "raw_output" in extra;
}

export const miniSweAgent: SessionWire = {
  kind: "session",
  name: NAME,
  title: "mini-swe-agent trajectory",
  read,
  write,
  detect,
};
