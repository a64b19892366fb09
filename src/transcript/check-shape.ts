/**
 * What is wrong with a conversation message by message: empty things, things in the wrong mouth, who may speak first,
 * last and after whom. Pairs are in `check-pairs.ts`, comparisons with the original in `check-originals.ts`.
 */
import { isObject, object } from "./json.ts";
import type { Message, Part, Role, Transcript } from "./message.ts";
import { isSealed } from "./prefix.ts";
import type { Problem } from "./rules.ts";

export function findInShape(transcript: Transcript): readonly Problem[] {
  const { messages, system = [] } = transcript;
  if (messages.length === 0)
    return [{ code: "no-messages", messageIndex: 0, why: "The conversation has no messages." }];
  return [
    ...system.flatMap((part, partIndex) => findInText(part).map(at(-1, partIndex))),
    ...messages.flatMap(findInMessage),
    ...findEnds(messages),
    ...findSystemInside(messages),
    ...findRepeatedRoles(messages),
    ...messages.flatMap(findThinkingLast),
  ];
}

type Finding = Pick<Problem, "code" | "why">;

function at(messageIndex: number, partIndex: number): (finding: Finding) => Problem {
  return (finding) => ({ ...finding, messageIndex, partIndex });
}

function findInMessage(message: Message, messageIndex: number): readonly Problem[] {
  if (message.parts.length === 0)
    return [{ code: "empty-message", messageIndex, why: `A message of role ${message.role} says nothing.` }];
  return message.parts.flatMap((part, partIndex) =>
    [...findInText(part), ...findMisplaced(part, message.role), ...findInCall(part)].map(
      at(messageIndex, partIndex),
    ),
  );
}

function findInText(part: Part): readonly Finding[] {
  if (part.type !== "text" || part.text.trim() !== "") return [];
  if (part.text === "") return [{ code: "empty-text", why: "A text is empty." }];
  return [{ code: "blank-text", why: "A text is white space only." }];
}

function findMisplaced(part: Part, role: Role): readonly Finding[] {
  const isModel = role === "assistant";
  switch (part.type) {
    case "tool-call":
      return isModel
        ? []
        : [{ code: "misplaced-call", why: `A message of role ${role} calls ${part.name}.` }];
    case "thinking":
      return isModel ? [] : [{ code: "misplaced-thinking", why: `A message of role ${role} thinks.` }];
    case "tool-result":
      if (!isModel && role !== "system") return [];
      return [{ code: "misplaced-result", why: `A message of role ${role} holds a result.` }];
    case "text":
    case "image":
    case "document":
      return role === "tool"
        ? [{ code: "misplaced-words", why: `A message of results holds a part of type ${part.type}.` }]
        : [];
    case "opaque":
      return [];
  }
}

const MAX_ID_CHARS = 64;

function findInCall(part: Part): readonly Finding[] {
  if (part.type !== "tool-call" && part.type !== "tool-result") return [];
  const found: Finding[] = [];
  const { callId } = part;
  if (callId === "")
    found.push({ code: "missing-call-id", why: `A part of type ${part.type} has no call id.` });
  else if (!/^[a-zA-Z0-9_-]+$/.test(callId))
    found.push({
      code: "malformed-call-id",
      why: `The call id ${JSON.stringify(callId)} has odd characters.`,
    });
  if (callId.length > MAX_ID_CHARS)
    found.push({ code: "long-call-id", why: `The call id ${callId} has ${callId.length} characters.` });
  if (part.type === "tool-result") return found;
  if (part.name === "") found.push({ code: "missing-name", why: `Call ${callId} names no tool.` });
  if (!isObject(part.input))
    found.push({
      code: "input-not-object",
      why: `The input of call ${callId} (${part.name}) is not an object.`,
    });
  return found;
}

function findEnds(messages: readonly Message[]): readonly Problem[] {
  // A message of nothing is found as that, and is no word of anybody.
  const isSpoken = (message: Message) => message.role !== "system" && message.parts.length > 0;
  const first = messages.findIndex(isSpoken);
  const last = messages.findLastIndex(isSpoken);
  const found: Problem[] = [];
  if (messages[first]?.role === "assistant" && !isCompaction(messages[first]))
    found.push({ code: "starts-with-assistant", messageIndex: first, why: "The model speaks first." });
  // Calls at the end are open calls; they are found with the pairs.
  if (messages[last]?.role === "assistant" && !messages[last].parts.some((part) => part.type === "tool-call"))
    found.push({ code: "ends-with-assistant", messageIndex: last, why: "The model has the last word." });
  return found;
}

/** A provider's own compaction block stands first, as the model's message, in place of what it compacted. */
function isCompaction(message: Message): boolean {
  const [first] = message.parts;
  return first?.type === "opaque" && object(first.value)["type"] === "compaction";
}

/** System messages that open the conversation are everywhere legal: wires without the role move them outside. */
function findSystemInside(messages: readonly Message[]): readonly Problem[] {
  const found: Problem[] = [];
  let speaker: Role = "system";
  messages.forEach(({ role }, messageIndex) => {
    if (role !== "system") speaker = role;
    else if (speaker !== "system") {
      found.push({ code: "system-inside", messageIndex, why: "A system message stands inside." });
      if (speaker === "assistant")
        found.push({
          code: "system-not-after-user",
          messageIndex,
          why: "A system message follows the model's.",
        });
    }
  });
  return found;
}

/** As the templates count: results and responses with calls are skipped, the rest goes user, model, user, … */
function findRepeatedRoles(messages: readonly Message[]): readonly Problem[] {
  const found: Problem[] = [];
  let next: Role = "user";
  messages.forEach((message, messageIndex) => {
    if (message.role === "system" || isToolTraffic(message)) return;
    if (message.role !== next)
      found.push({
        code: "roles-do-not-alternate",
        messageIndex,
        why: `${next} should speak, not ${message.role}.`,
      });
    next = message.role === "user" ? "assistant" : "user";
  });
  return found;
}

function isToolTraffic({ role, parts }: Message): boolean {
  if (role === "assistant") return parts.some((part) => part.type === "tool-call");
  return parts.length > 0 && parts.every((part) => part.type === "tool-result");
}

/** A run of the model's messages is one response, so thinking may end any of them but the last. */
function findThinkingLast(
  { role, parts }: Message,
  messageIndex: number,
  messages: readonly Message[],
): readonly Problem[] {
  const part = parts.at(-1);
  const goesOn = messages[messageIndex + 1]?.role === "assistant";
  if (role !== "assistant" || part?.type !== "thinking" || !isSealed(part) || goesOn) return [];
  const why = "A response ends in thinking, without what it led to.";
  return [{ code: "thinking-last", messageIndex, partIndex: parts.length - 1, why }];
}
