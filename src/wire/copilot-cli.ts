/**
 * Copilot CLI sessions: `~/.copilot/session-state/<id>/events.jsonl`, one event a line, in the order things happened.
 *
 * Most events are for the screen: turns, hooks, permissions, tools starting. Messages are four of them, and results
 * arrive one by one as tools finish; they are gathered behind the response that asked, parallel ones as one message.
 * Events of subagents lie among the others and stand aside.
 *
 * A compaction runs in the background: what had been said when it started gives way to its summary, what is said
 * until it completes stays. Truncation is not undone: its event says how many messages went, and not which. Usage is
 * not read: the events that carry it are not written to the file, and the output alone says nothing of the prompt.
 */
import { defined, isObject, list, number, object, string } from "../transcript/json.ts";
import type { Message, Part, Transcript } from "../transcript/message.ts";
import {
  assistantParts,
  COPILOT,
  type Event,
  fieldPart,
  nativeOf,
  outputPart,
  readEvents,
  resultPart,
  timeOf,
  userParts,
} from "./copilot-cli-events.ts";
import { rewriteEvents, spell } from "./copilot-cli-rewrite.ts";
import { isRestructured } from "./rewrite.ts";
import { changesTo, writeRecords } from "./session-file.ts";
import type { Source } from "./source.ts";
import type {
  About,
  Aside,
  Confidence,
  NativeCompaction,
  Sample,
  Session,
  SessionWire,
  Skipped,
} from "./wire.ts";

function read(source: Source): Session {
  const skipped: Skipped[] = [];
  const events = readEvents(source, skipped);
  const calls = callsOf(events);
  const main = events.filter((event) => event.agent === undefined);
  const told = tell(main, calls);
  const whole = transcriptOf(told.messages, main);
  return {
    wire: COPILOT,
    whole,
    seen: { ...whole, messages: seenMessages(told) },
    compactions: told.compactions,
    asides: asidesOf(events, calls),
    skipped,
    about: aboutOf(events),
  };
}

/** Which calls were made, and what came of those of each response. */
interface Calls {
  readonly made: ReadonlySet<string>;
  readonly results: ReadonlyMap<Event, readonly Event[]>;
}

/** Where an id was used again, each call takes the next result. */
function callsOf(events: readonly Event[]): Calls {
  const waiting = new Map<string, Event[]>();
  for (const event of events) {
    if (event.type !== "tool.execution_complete") continue;
    const id = string(event.data["toolCallId"]) ?? "";
    const others = waiting.get(id);
    if (others) others.push(event);
    else waiting.set(id, [event]);
  }
  const responses = events.filter(({ type }) => type === "assistant.message");
  const results = responses.map(
    (event) => [event, callIds(event).flatMap((id) => waiting.get(id)?.shift() ?? [])] as const,
  );
  return { made: new Set(responses.flatMap(callIds)), results: new Map(results) };
}

function callIds(event: Event): readonly string[] {
  return list(event.data["toolRequests"]).flatMap((request) => string(object(request)["toolCallId"]) ?? []);
}

/** The messages of one conversation, its compactions, and which messages are still in its context. */
interface Told {
  readonly messages: readonly Message[];
  readonly compactions: readonly NativeCompaction[];
  readonly context: readonly number[];
}

function tell(events: readonly Event[], calls: Calls): Told {
  const messages: Message[] = [];
  const compactions: NativeCompaction[] = [];
  let context: number[] = [];
  let told = 0;
  let started: number | undefined;
  for (const event of events) {
    messages.push(...messagesOf(event, calls));
    if (event.type === "abort") markAborted(messages);
    for (; told < messages.length; told += 1) context.push(told);
    if (event.type === "session.compaction_start") started = told;
    const compaction = compactionOf(event);
    if (!compaction) continue;
    const upTo = started ?? told;
    const removed = context.filter((index) => index < upTo);
    compactions.push({ ...compaction, at: told, removed });
    context = context.filter((index) => index >= upTo);
    started = undefined;
  }
  return { messages, compactions, context };
}

function messagesOf(event: Event, calls: Calls): readonly Message[] {
  switch (event.type) {
    case "user.message":
      return message("user", userParts(event), [event]);
    case "assistant.message":
      return stepMessages(event, calls);
    case "system.notification":
      return message("user", [fieldPart(event, "content", true)], [event]);
    case "system.message":
      // The prompt itself stands outside the messages.
      return event.data["role"] === "developer"
        ? message("system", [fieldPart(event, "content", false)], [event])
        : [];
    case "tool.execution_complete":
      return looseResult(event, calls);
    default:
      return [];
  }
}

/** A response, and the results of its calls as one message. */
function stepMessages(event: Event, calls: Calls): readonly Message[] {
  const model = string(event.data["model"]);
  const results = calls.results.get(event) ?? [];
  const response = message("assistant", assistantParts(event), [event]);
  return [
    ...response.map((said): Message => ({ ...said, ...defined({ model }), ended: "done" })),
    ...message("tool", results.map(resultPart), results),
  ];
}

/** A result no response asked for: the user ran the tool, or the response was never written. */
function looseResult(event: Event, calls: Calls): readonly Message[] {
  if (calls.made.has(string(event.data["toolCallId"]) ?? "")) return [];
  return event.data["isUserRequested"] === true
    ? message("user", [outputPart(event)], [event])
    : message("tool", [resultPart(event)], [event]);
}

function message(
  role: Message["role"],
  parts: readonly Part[],
  events: readonly Event[],
): readonly Message[] {
  if (parts.length === 0) return [];
  return [{ role, parts, ...defined({ at: events.at(-1)?.at }), native: nativeOf(events) }];
}

/** Responses are written when they are whole; what an abort cuts short is the tools of the last one. */
function markAborted(messages: Message[]): void {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const response = messages[last];
  const answers = messages[last + 1]?.role === "tool" ? (messages[last + 1]?.parts ?? []) : [];
  const answered = new Set(answers.flatMap((part) => (part.type === "tool-result" ? [part.callId] : [])));
  const isOpen = response?.parts.some((part) => part.type === "tool-call" && !answered.has(part.callId));
  if (response && isOpen) messages[last] = { ...response, ended: "aborted" };
}

type Compaction = Pick<NativeCompaction, "kind" | "trigger" | "summary" | "tokensBefore" | "tokensAfter">;

/** A compaction that failed, or that found nothing to sum up, changes nothing. */
function compactionOf(event: Event): Compaction | undefined {
  const { type, data } = event;
  if (type === "session.context_cleared") return { kind: "summary", trigger: "manual" };
  if (type !== "session.compaction_complete" || data["success"] === false) return undefined;
  if (!string(data["summaryContent"])) return undefined;
  const trigger = string(data["trigger"]);
  return {
    kind: "summary",
    ...defined({
      trigger:
        trigger === undefined ? undefined : trigger === "manual" ? ("manual" as const) : ("auto" as const),
      summary: message("user", [fieldPart(event, "summaryContent", true)], [event])[0],
      tokensBefore: number(data["preCompactionTokens"]),
      tokensAfter: number(data["postCompactionTokens"]),
    }),
  };
}

function seenMessages({ messages, compactions, context }: Told): readonly Message[] {
  const summary = compactions.at(-1)?.summary;
  return [...(summary ? [summary] : []), ...context.flatMap((index) => messages[index] ?? [])];
}

function asidesOf(events: readonly Event[], calls: Calls): readonly Aside[] {
  const agents = new Map<string, Event[]>();
  for (const event of events) {
    if (event.agent === undefined) continue;
    const own = agents.get(event.agent);
    if (own) own.push(event);
    else agents.set(event.agent, [event]);
  }
  return [...agents].flatMap(([name, own]): Aside[] => {
    const { messages } = tell(own, calls);
    return messages.length === 0 ? [] : [{ kind: "subagent", name, transcript: transcriptOf(messages, own) }];
  });
}

/** A later prompt takes the place of an earlier one: it is written again when what it is made of changes. */
function transcriptOf(messages: readonly Message[], events: readonly Event[]): Transcript {
  const prompt = events.findLast(
    ({ type, data }) => type === "system.message" && data["role"] !== "developer",
  );
  const chosen = events.findLast(({ type }) => type === "session.model_change" || type === "session.start");
  const model =
    messages.findLast((said) => said.model !== undefined)?.model ??
    string(chosen?.data["newModel"]) ??
    string(chosen?.data["selectedModel"]);
  return {
    messages,
    ...(prompt ? { system: [fieldPart(prompt, "content", false)] } : {}),
    ...defined({ model }),
  };
}

function aboutOf(events: readonly Event[]): About {
  const data = object(events.find(({ type }) => type === "session.start")?.data);
  return defined({
    id: string(data["sessionId"]),
    cwd: string(object(data["context"])["cwd"]),
    title: string(events.findLast(({ type }) => type === "session.title_changed")?.data["title"]),
    startedAt: timeOf(string(data["startTime"])),
  });
}

function write(session: Session, source: Source, next?: Transcript): Iterable<Uint8Array> {
  if (isRestructured(session, next)) return rewriteEvents(session, source, next);
  return writeRecords(source, changesTo(session, next, spell));
}

function detect(sample: Sample): Confidence {
  const events = sample.records
    .map(object)
    .filter((record) => isObject(record["data"]) && "parentId" in record);
  const types = events.map((event) => string(event["type"]) ?? "");
  return types.some((type) => /^(session|user|assistant|system|tool|hook)\.[a-z_]+$/.test(type)) ? 2 : 0;
}

export const copilotCli: SessionWire = {
  kind: "session",
  name: COPILOT,
  title: "Copilot CLI session",
  read,
  write,
  detect,
};
