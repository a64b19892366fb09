/**
 * OpenHands V0 events (`{ id, source, action, args }` and `{ cause, observation, content, extras }`).
 *
 * An action of the model carries the whole response it came from (`tool_call_metadata.model_response`), once per call
 * and again on the observation. The response is what is sent back to the model, so text and calls are read there, and
 * an edit changes it in every action that carries it. Actions older than function calling have only `args`: they read
 * as a thought and a call named after the action. What the harness adds to an output when it sends it (exit code,
 * working directory, `[Error occurred …]`) is not in the file, and not here.
 */
import {
  defined,
  isList,
  type Json,
  type JsonObject,
  list,
  number,
  object,
  string,
} from "../transcript/json.ts";
import type { Part, ResultPart, ToolSchema } from "../transcript/message.ts";
import { placed, readChatCall, readChatMessage, readChatUsage } from "./chat-completion.ts";
import { sourceOfUrl, urlOfSource } from "./data-url.ts";
import type { Forgetting, PlacedEvent, Reading } from "./openhands-view.ts";
import type { Spot } from "./session-file.ts";

const HIDDEN: Reading = { isHidden: true };
const RESPONSE = ["tool_call_metadata", "model_response", "choices", 0, "message"];
/** Actions that are no calls when they carry no response: the model, or the harness, just says something. */
const SPOKEN = new Set(["message", "finish", "reject", "think", "system"]);

export function readV0Event(placedEvent: PlacedEvent): Reading {
  const { event } = placedEvent;
  return event["action"] === undefined ? readObservation(placedEvent) : readAction(placedEvent);
}

function readAction(placedEvent: PlacedEvent): Reading {
  const { event } = placedEvent;
  const args = object(event["args"]);
  switch (event["action"]) {
    case "null":
    case "change_agent_state":
    case "loop_recovery":
      return HIDDEN;
    case "condensation":
      return { forgets: readCondensation(placedEvent, args) };
    case "condensation_request":
      return HIDDEN;
    case "recall":
      return {};
    case "system":
      return { says: { role: "system", parts: textAt(placedEvent, ["args", "content"]) }, ...toolsOf(args) };
  }
  if (event["tool_call_metadata"]) return readCall(placedEvent);
  if (event["source"] === "user") return { says: { role: "user", parts: userParts(placedEvent, args) } };
  return { says: { role: "assistant", parts: spokenParts(placedEvent, args) } };
}

/** One call of a response. The first one brings what was said and thought; those that follow join it. */
function readCall(placedEvent: PlacedEvent): Reading {
  const { event, spot } = placedEvent;
  const metadata = object(event["tool_call_metadata"]);
  const response = object(metadata["model_response"]);
  const message = object(object(list(response["choices"])[0])["message"]);
  const { content, thinking_blocks, reasoning_content } = message;
  const callId = string(metadata["tool_call_id"]) ?? `event-${placedEvent.id}`;
  const said = readChatMessage(
    defined({ content, thinking_blocks, reasoning_content }),
    below(spot, RESPONSE),
  );
  const index = list(message["tool_calls"]).findIndex((call) => object(call)["id"] === callId);
  const written = list(message["tool_calls"])[index];
  const derived = { callId, name: nameOf(event, metadata), input: inputOf(object(event["args"])) };
  const call: Part = written
    ? placed(readChatCall(object(written)), spot, [...RESPONSE, "tool_calls", index])
    : { type: "tool-call", ...derived };
  const spoken = said.length > 0 || Object.keys(message).length > 0 ? said : thoughtOf(placedEvent);
  return {
    says: {
      role: "assistant",
      parts: [...spoken, call].map((part) => withCopies(part, placedEvent)),
      ...defined({
        responseId: string(response["id"]) || undefined,
        model: string(response["model"]),
        usage: readChatUsage(object(response["usage"])),
      }),
    },
  };
}

/** Parallel calls carry the response once each; an edit must reach every copy, or the harness sends the old one. */
function withCopies(part: Part, { spot, copies = [] }: PlacedEvent): Part {
  const { path } = object(part.native);
  if (copies.length === 0 || !isList(path)) return part;
  const inside = path.slice(spot.path.length) as Spot["path"]; // a path we made ourselves
  const also = copies.map((copy) => ({ ...below(copy, inside) }));
  return { ...part, native: { ...object(part.native), also } };
}

function below(spot: Spot, path: Spot["path"]): Spot {
  return { line: spot.line, path: [...spot.path, ...path] };
}

function nameOf(event: JsonObject, metadata: JsonObject): string {
  return string(metadata["function_name"]) ?? string(event["action"]) ?? "";
}

/** What the model asked for, without what the harness notes beside it. */
function inputOf(args: JsonObject): Json {
  const noted = new Set([
    "thought",
    "confirmation_state",
    "security_risk",
    "hidden",
    "is_static",
    "blocking",
  ]);
  return Object.fromEntries(
    Object.entries(args).filter(([key, value]) => !noted.has(key) && value !== null && value !== ""),
  );
}

function userParts(placedEvent: PlacedEvent, args: JsonObject): readonly Part[] {
  const key = args["content"] === undefined ? "command" : "content";
  return [...textAt(placedEvent, ["args", key]), ...imagesAt(placedEvent, args)];
}

function spokenParts(placedEvent: PlacedEvent, args: JsonObject): readonly Part[] {
  const action = string(placedEvent.event["action"]) ?? "";
  if (action === "message") return userParts(placedEvent, args);
  const said = thoughtOf(placedEvent);
  if (!SPOKEN.has(action)) {
    const call = { callId: `event-${placedEvent.id}`, name: action, input: inputOf(args) };
    return [...said, { type: "tool-call", ...call }];
  }
  return said.length > 0 ? said : textAt(placedEvent, ["args", "final_thought"]);
}

function thoughtOf(placedEvent: PlacedEvent): readonly Part[] {
  return textAt(placedEvent, ["args", "thought"]);
}

function imagesAt({ spot }: PlacedEvent, args: JsonObject): readonly Part[] {
  const key = args["image_urls"] === undefined ? "images_urls" : "image_urls";
  return list(args[key]).flatMap((url, index) =>
    typeof url === "string"
      ? [placed({ type: "image", source: sourceOfUrl(url) }, spot, ["args", key, index])]
      : [],
  );
}

function readObservation(placedEvent: PlacedEvent): Reading {
  const { event, cause } = placedEvent;
  const kind = event["observation"];
  if (["agent_state_changed", "null", "loop_detection"].includes(string(kind) ?? "null")) return HIDDEN;
  if (kind === "recall") return { says: { role: "user", parts: recallParts(placedEvent) } };
  const callId = string(object(event["tool_call_metadata"])["tool_call_id"]) ?? callIdOf(cause);
  if (callId === undefined) {
    const parts = textAt(placedEvent, ["content"]).map((part) => ({ ...part, synthetic: true as const }));
    return { says: { role: "user", parts } };
  }
  const output = outputOf(event);
  const isError = isFailure(event);
  return {
    says: {
      role: "tool",
      parts: [placed({ type: "tool-result", callId, output, isError }, placedEvent.spot)],
    },
  };
}

/** An observation without a response answers the old kind of call, if its cause was one. */
function callIdOf(cause: PlacedEvent | undefined): string | undefined {
  if (!cause || cause.event["source"] === "user" || SPOKEN.has(string(cause.event["action"]) ?? ""))
    return undefined;
  const metadata = object(cause.event["tool_call_metadata"]);
  return string(metadata["tool_call_id"]) ?? `event-${cause.id}`;
}

function outputOf(event: JsonObject): readonly ResultPart[] {
  const text = string(event["content"]) ?? "";
  const images = list(object(event["extras"])["image_urls"]).flatMap((url): ResultPart[] =>
    typeof url === "string" && url !== "" ? [{ type: "image", source: sourceOfUrl(url) }] : [],
  );
  return [{ type: "text", text }, ...images];
}

function isFailure(event: JsonObject): boolean {
  const extras = object(event["extras"]);
  const code = number(object(extras["metadata"])["exit_code"]) ?? number(extras["exit_code"]) ?? 0;
  // -1 is a command that still runs.
  const hasFailed = code !== 0 && code !== -1;
  return hasFailed || event["observation"] === "error" || event["observation"] === "user_rejected";
}

/** Repository rules and triggered knowledge are put into the prompt word for word; the frame around them is not kept. */
function recallParts(placedEvent: PlacedEvent): readonly Part[] {
  const keys = ["repo_instructions", "additional_agent_instructions", "conversation_instructions"];
  const knowledge = list(object(placedEvent.event["extras"])["microagent_knowledge"]);
  const paths = [
    ...keys.map((key) => ["extras", key]),
    ...knowledge.map((_, index) => ["extras", "microagent_knowledge", index, "content"]),
  ];
  return paths.flatMap((path) => textAt(placedEvent, path)).map((part) => ({ ...part, synthetic: true }));
}

function readCondensation({ spot }: PlacedEvent, args: JsonObject): Forgetting {
  const ids = new Set(list(args["forgotten_event_ids"]).map(String));
  const start = number(args["forgotten_events_start_id"]);
  const end = number(args["forgotten_events_end_id"]);
  const inRange = (id: number) => start !== undefined && end !== undefined && id >= start && id <= end;
  const text = string(args["summary"]);
  const summary =
    text === undefined
      ? undefined
      : placed({ type: "text" as const, text, synthetic: true as const }, spot, ["args", "summary"]);
  return {
    includes: (id) => ids.has(id) || inRange(Number(id)),
    offset: number(args["summary_offset"]) ?? 0,
    ...defined({ summary }),
  };
}

function toolsOf(args: JsonObject): { tools?: readonly ToolSchema[] } {
  const tools = list(args["tools"]).map((tool): ToolSchema => {
    const { name, description, parameters } = object(object(tool)["function"]);
    return { name: string(name) ?? "", ...defined({ description: string(description), input: parameters }) };
  });
  return tools.length === 0 ? {} : { tools };
}

/** The text at a place inside the event; nothing where there is none. */
function textAt({ event, spot }: PlacedEvent, path: readonly (string | number)[]) {
  let value: Json | undefined = event;
  for (const key of path) value = typeof key === "number" ? list(value)[key] : object(value)[key];
  const text = string(value);
  return text === undefined || text === "" ? [] : [placed({ type: "text" as const, text }, spot, path)];
}

/** The event with another result in it. */
export function writeV0Result(output: readonly ResultPart[], event: JsonObject): Json {
  const content = output.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const extras = object(event["extras"]);
  if (!isList(extras["image_urls"])) return { ...event, content };
  const urls = output.flatMap((part) => (part.type === "image" ? (urlOfSource(part.source) ?? []) : []));
  return { ...event, content, extras: { ...extras, image_urls: urls } };
}
