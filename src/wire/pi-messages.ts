/**
 * pi's messages as an extension is handed them before a request: what its session file holds (see `pi.ts`), after its own
 * compactions and without the file around it. Not a body that is sent anywhere, and so in no list of wires: it is for the
 * extension, which shows the list through the ledger and hands it back.
 *
 * A message that nothing was done to goes back as the very same object.
 */
import { defined, type Json, type JsonObject, list, object, string } from "../transcript/json.ts";
import type { Message, Part, Transcript } from "../transcript/message.ts";
import { usageOf } from "./pi.ts";
import { contentOf, readBlock, readResult, writeBlock } from "./pi-blocks.ts";
import type { BodyWire } from "./wire.ts";

const NAME = "pi-messages";

/** What was read from each, so that what comes back whole goes back as it came. */
const READ: WeakMap<object, Message> = new WeakMap();

function read(body: Json): Transcript {
  const messages = list(body).flatMap((value) => {
    const native = object(value);
    const message = readMessage(native);
    if (message) READ.set(native, message);
    return message ?? [];
  });
  const model = messages.findLast((message) => message.model !== undefined)?.model;
  return { messages, ...defined({ model }), native: { of: NAME, value: body } };
}

function readMessage(fields: JsonObject): Message | undefined {
  const native = { of: NAME, value: fields };
  switch (fields["role"]) {
    case "user":
      return { role: "user", parts: partsOf(fields), native };
    case "custom":
      return { role: "user", parts: partsOf(fields).map(asSynthetic), native };
    case "assistant":
      return readAnswer(fields);
    case "toolResult":
      return { role: "tool", parts: [{ ...readResult(fields, NAME), native: fields }], native };
    case "compactionSummary":
    case "branchSummary":
      return { role: "user", parts: [words(string(fields["summary"]) ?? "", fields)], native };
    case "bashExecution":
      return fields["excludeFromContext"] === true
        ? undefined
        : { role: "user", parts: [words(ranText(fields), fields)], native };
    default:
      return undefined;
  }
}

/** Responses that failed or were aborted are not sent again. */
function readAnswer(fields: JsonObject): Message | undefined {
  if (fields["stopReason"] === "error" || fields["stopReason"] === "aborted") return undefined;
  const more = defined({ model: string(fields["model"]), usage: usageOf(object(fields["usage"])) });
  return { role: "assistant", parts: partsOf(fields), ...more, native: { of: NAME, value: fields } };
}

function partsOf({ content }: JsonObject): readonly Part[] {
  return contentOf(content).map((block) => ({ ...readBlock(block, NAME), native: block }));
}

function asSynthetic(part: Part): Part {
  return part.type === "text" ? { ...part, synthetic: true } : part;
}

function words(text: string, native: JsonObject): Part {
  return { type: "text", text, synthetic: true, native };
}

/** What counts here is its size: pi words it when it sends it. */
function ranText({ command, output }: JsonObject): string {
  return `Ran \`${string(command) ?? ""}\`\n${string(output) ?? ""}`;
}

function write({ messages }: Transcript): Json {
  const answer = object(messages.findLast(isAnswer)?.native?.value);
  return messages.map((message) => {
    const native = message.native?.of === NAME ? object(message.native.value) : undefined;
    if (!native) return made(message, answer);
    return READ.get(native) === message ? native : written(message, native);
  });
}

function isAnswer({ role, native }: Message): boolean {
  return role === "assistant" && native?.of === NAME;
}

function written({ parts }: Message, native: JsonObject): Json {
  const [only] = parts;
  if (native["role"] === "toolResult" && only) return writeBlock(only, native);
  const untouched = new Set(READ.get(native)?.parts);
  const { content } = native;
  // A summary or a command has a form of its own, whatever stands in it: an edit of those is a text.
  if (content === undefined)
    return { role: "user", content: parts.map((part) => writeBlock(part, undefined)) };
  if (typeof content === "string" && parts.length === 1 && only?.type === "text")
    return { ...native, content: only.text };
  return {
    ...native,
    content: parts.map((part) =>
      untouched.has(part) ? (part.native ?? null) : writeBlock(part, part.native),
    ),
  };
}

/** A page of ours. One in the model's name has the model's own form. */
function made({ role, parts }: Message, answer: JsonObject): Json {
  const content = parts.map((part) => writeBlock(part, undefined));
  return role === "assistant" ? { ...answer, role, content } : { role: "user", content };
}

export const piMessages: BodyWire = {
  kind: "body",
  name: NAME,
  title: "pi messages",
  read,
  write,
  detect: (body) => (list(body).some((one) => object(one)["role"] === "toolResult") ? 2 : 0),
};
