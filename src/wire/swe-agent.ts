/**
 * SWE-agent trajectories (`.traj`): one document, `{ trajectory, history, info }`.
 *
 * `history` is the conversation; `trajectory` tells the same steps again for people, so it is left alone. Actions are
 * commands in the text (see `text-actions.ts`) up to 0.x and with the text parsers of 1.x; with function calling (1.x)
 * they are tool calls, and results name the call they answer. Demonstrations (`is_demo`) were put before the task by
 * the configuration: they are kept in the file and out of the conversation. 0.x marks no observations: the message
 * after an action is one. A run with retries holds `attempts`; those that were not chosen stand aside.
 */
import {
  defined,
  isList,
  type Json,
  type JsonObject,
  list,
  object,
  sameJson,
  string,
} from "../transcript/json.ts";
import type { Message, Part, Transcript } from "../transcript/message.ts";
import { placed, readChatContent, readChatMessage, readChatText, writeChatPart } from "./chat-completion.ts";
import { type Aligned, dropAt, isRestructured, rewriteList, wordsOf } from "./rewrite.ts";
import { type Change, changesTo, documentOf, type Spot, spotOf, writeDocument } from "./session-file.ts";
import type { Source } from "./source.ts";
import {
  actionParts,
  type Block,
  type Fence,
  fencedBlocks,
  refuseDerivedCall,
  segmentChange,
  stepOf,
} from "./text-actions.ts";
import type { Aside, Confidence, Sample, Session, SessionWire, Skipped } from "./wire.ts";

const NAME = "swe-agent";
/** Which step an item is of, "" for none: written where steps before it left, so that it is still read as it was. */
const STAMP = "palimpsest_step";
const PAGE = "palimpsest_page";
/** Commands of SWE-agent's own interface; everything else goes to the shell. */
const COMMANDS = new Set(
  `open goto scroll_up scroll_down create edit insert append search_dir search_file find_file submit
   str_replace_editor undo_edit view view_image exit_forfeit`.split(/\s+/),
);

type Path = Spot["path"];

function read(source: Source): Session {
  const skipped: Skipped[] = [];
  const document = object(documentOf(source, skipped));
  const attempts = list(document["attempts"]).map((attempt) => object(attempt)["history"]);
  const isChosen = isList(document["history"]);
  const last = attempts.length - 1;
  const whole = isChosen
    ? readHistory(document["history"], ["history"])
    : readHistory(attempts[last], ["attempts", last, "history"]);
  const others = attempts.flatMap((history, index): Aside[] => {
    if (isChosen ? sameJson(history, document["history"]) : index === last) return [];
    const transcript = readHistory(history, ["attempts", index, "history"]);
    return [{ kind: "rewound", name: `attempt-${index + 1}`, transcript }];
  });
  const id = string(document["instance_id"]) ?? string(object(document["info"])["instance_id"]);
  return {
    wire: NAME,
    whole,
    seen: whole,
    compactions: [],
    asides: others,
    skipped,
    about: defined({ id }),
  };
}

function readHistory(history: Json | undefined, path: Path): Transcript {
  const items = list(history)
    .map((item, index) => ({ item: object(item), path: [...path, index] }))
    .filter(({ item }) => isSpoken(item));
  let step = 0;
  let open: string | undefined;
  const messages = items.map(({ item, path: at }, index): Message => {
    const stamp = string(item[STAMP]);
    if (stamp !== undefined) step = Math.max(step, Number(stamp.replace("step-", "")) || 0);
    if (item["role"] === "assistant" && stamp !== undefined) {
      open = stamp === "" ? undefined : stamp;
      return messageOf("assistant", responseParts(item, at, open));
    }
    if (item["role"] === "assistant") {
      // An action is a call when it was answered, or is the last: the answer of a final `submit` is not kept.
      const isCall = index === items.length - 1 || isAnswer(items[index + 1]?.item);
      open = isCall && hasAction(item) ? `step-${++step}` : undefined;
      return messageOf("assistant", responseParts(item, at, open));
    }
    const callId = stamp === undefined ? open : stamp || undefined;
    open = undefined;
    return readAnswer(item, at, callId);
  });
  return { messages };
}

function isSpoken(item: Json): boolean {
  const { is_demo, message_type } = object(item);
  return is_demo !== true && message_type !== "demonstration";
}

function isAnswer(item: JsonObject | undefined): boolean {
  return item?.["role"] === "user" || item?.["role"] === "tool";
}

/** `exit_cost` and the like are written by the harness when it stops. */
function hasAction(item: JsonObject): boolean {
  return !/^exit_(?!forfeit)/.test(string(item["action"]) ?? "");
}

function responseParts(item: JsonObject, path: Path, callId: string | undefined): readonly Part[] {
  const parts = readChatMessage(item, { line: 1, path });
  const only = onlyText(item["content"], path);
  if (callId === undefined || !only || parts.some((part) => part.type === "tool-call")) return parts;
  const action = { ...only, fence: fenceOf(string(item["action"])) };
  const step = { callId, nameOf, ...defined({ recorded: string(item["action"]) }) };
  return [...parts.filter((part) => part.type === "thinking"), ...actionParts(action, step)];
}

function readAnswer(item: JsonObject, path: Path, openCall: string | undefined): Message {
  const role = item["role"] === "system" || item["role"] === "tool" ? item["role"] : "user";
  const spot = { line: 1, path };
  const callId = string(list(item["tool_call_ids"])[0]) ?? (role === "system" ? undefined : openCall);
  if (callId === undefined)
    return messageOf(role === "tool" ? "user" : role, readChatText(item, spot).map(markPage(item)));
  const output = readChatContent(item["content"]);
  const result: Part = { type: "tool-result", callId, output, isError: false };
  return messageOf(role, [placed(result, spot, ["content"])]);
}

function markPage(item: JsonObject): (part: Part) => Part {
  return (part) => (item[PAGE] === true && part.type === "text" ? { ...part, synthetic: true } : part);
}

/** The one string an action is looked for in, and where it stands: `content`, or the only text in its list. */
function onlyText(content: Json | undefined, path: Path): { content: string; spot: Spot } | undefined {
  if (typeof content === "string") return { content, spot: { line: 1, path: [...path, "content"] } };
  const text = list(content).length === 1 ? string(object(list(content)[0])["text"]) : undefined;
  return text === undefined
    ? undefined
    : { content: text, spot: { line: 1, path: [...path, "content", 0, "text"] } };
}

/** The parsers take the last block; where the harness recorded the action, it must be that one. */
function fenceOf(action: string | undefined): Fence {
  return (content) => {
    const last = lastBlock(content);
    const body = last && content.slice(last.body[0], last.body[1]).trim();
    return last && (action === undefined || action.trim() === body) ? [last] : [];
  };
}

function lastBlock(content: string): Block | undefined {
  return fencedBlocks(content, /^```[^\n`]*\n/).at(-1);
}

function nameOf(command: string): string {
  const [word = ""] = command.trim().split(/\s/, 1);
  return COMMANDS.has(word) ? word : "bash";
}

function messageOf(role: Message["role"], parts: readonly Part[]): Message {
  return { role, parts, native: { of: NAME, value: [1] } };
}

function write(session: Session, source: Source, next?: Transcript): Iterable<Uint8Array> {
  if (isRestructured(session, next)) {
    const spelling = { spell, drop };
    const path = pathOf(session);
    return rewriteList(source, { session, next, spelling, path, isMessage: isSpoken, insert, keep: stamped });
  }
  return writeDocument(source, changesTo(session, next, spell));
}

/** The history that was read: the document's own, or that of its last attempt. */
function pathOf(session: Session): Path {
  const [part] = session.whole.messages.flatMap(({ parts }) => parts).filter(({ native }) => native);
  const path = part ? spotOf(part, NAME).path : [];
  return path.slice(0, path.indexOf("history") + 1);
}

function insert(one: Aligned): Json {
  const { role } = one.message;
  return { role, content: wordsOf(one, NAME), agent: "main", [STAMP]: "", [PAGE]: true };
}

function stamped(item: Json, { message }: Aligned): Json {
  return message.role === "system" ? item : { ...object(item), [STAMP]: stepOf(message) };
}

/** A text that shares its string with the command leaves it empty behind; a call cannot leave without its message. */
function drop(part: Part): readonly Change[] {
  const segment = part.type === "text" ? spell({ ...part, text: "" }) : undefined;
  return segment ?? dropAt(NAME)(part);
}

function spell(part: Part): readonly Change[] {
  refuseDerivedCall(part, NAME);
  const spot = spotOf(part, NAME);
  const segment = segmentChange(part, spot, fenceOf(undefined));
  if (!segment) return [{ ...spot, to: (old) => writeChatPart(part, old) }];
  return part.type === "tool-call" ? [segment, recordedChange(part.input, spot)] : [segment];
}

/** The harness keeps the command a second time; a text and a record that disagree would read as no action. */
function recordedChange(input: Json, { line, path }: Spot): Change {
  const command = string(object(input)["command"]) ?? "";
  return { line, path: [...path.slice(0, path.lastIndexOf("content")), "action"], to: () => command };
}

/** Steps come first and may be large; one of them begun is enough. */
function detect(sample: Sample): Confidence {
  const document = object(sample.records[0]);
  if (sample.records.length !== 1) return 0;
  const attempt = object(list(document["attempts"])[0]);
  const steps = list(document["trajectory"] ?? attempt["trajectory"]).map(object);
  const isStep = steps.some((step) => typeof step["action"] === "string" && !("source" in step));
  if (isStep) return 2;
  return isList(document["history"]) && ("environment" in document || "replay_config" in document) ? 2 : 0;
}

export const sweAgent: SessionWire = {
  kind: "session",
  name: NAME,
  title: "SWE-agent trajectory",
  read,
  write,
  detect,
};
