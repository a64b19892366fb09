/**
 * Anthropic Messages request bodies. https://docs.anthropic.com/en/api/messages
 *
 * Results sit in user messages, the system prompt stands outside, and thinking carries a signature. Messages that
 * came from elsewhere are brought into that shape: consecutive results become one user message, thinking without a
 * signature and other providers' opaque items are left out, because the API would refuse them.
 */
import { defined, isList, type Json, list, object, string } from "../transcript/json.ts";
import type { Message, Part, ToolSchema, Transcript } from "../transcript/message.ts";
import { ANTHROPIC, readBlock, readContent, writeBlock } from "./anthropic-blocks.ts";
import { groupsOf, isNative, leadingSystem, withSendableIds } from "./foreign.ts";
import type { BodyWire, Confidence } from "./wire.ts";

const NAME = "anthropic-messages";

/** `{ model, system?, tools?, messages }`, or the bare list of messages some hosts keep on disk. */
function read(body: Json): Transcript {
  const fields = object(body);
  const messages = isList(body) ? body : list(fields["messages"]);
  return {
    ...defined({ model: string(fields["model"]) }),
    ...(fields["system"] === undefined ? {} : { system: readParts(fields["system"]) }),
    ...(isList(fields["tools"]) ? { tools: fields["tools"].map(readTool) } : {}),
    messages: messages.map(readMessage),
    native: { of: NAME, value: body },
  };
}

export function readMessage(message: Json): Message {
  const fields = object(message);
  const role = fields["role"] === "assistant" || fields["role"] === "system" ? fields["role"] : "user";
  return { role, parts: readParts(fields["content"]), native: { of: NAME, value: message } };
}

function readParts(content: Json | undefined): readonly Part[] {
  return readContent(content).map((block) => ({ ...readBlock(block), native: block }));
}

function readTool(tool: Json): ToolSchema {
  const fields = object(tool);
  return {
    name: string(fields["name"]) ?? string(fields["type"]) ?? "",
    ...defined({ description: string(fields["description"]), input: fields["input_schema"] }),
    native: tool,
  };
}

function write(original: Transcript): Json {
  const transcript = withSendableIds(original, NAME);
  const old = transcript.native?.of === NAME ? transcript.native.value : {};
  const opening = leadingSystem(transcript.messages, NAME);
  const spoken = transcript.messages.slice(opening.length);
  const messages = groupsOf(spoken, { of: NAME, roleOf }).flatMap(writeGroup);
  if (isList(old)) return messages;
  const fields = object(old);
  return {
    ...defined({ model: transcript.model }),
    ...fields,
    ...defined({ system: writeSystem(transcript, opening, fields["system"]) }),
    ...defined({ tools: transcript.tools?.map((tool) => writeTool(tool, transcript.native?.of === NAME)) }),
    messages,
  };
}

function writeSystem(
  transcript: Transcript,
  opening: readonly Message[],
  old: Json | undefined,
): Json | undefined {
  const parts = [...(transcript.system ?? []), ...opening.flatMap((message) => message.parts)];
  if (parts.length === 0) return old;
  return transcript.native?.of === NAME ? writeContent(parts, old) : parts.map((part) => writeBlock(part));
}

function writeGroup(group: readonly Message[]): readonly Json[] {
  const [first] = group;
  if (!first) return [];
  if (isNative(first, NAME)) {
    const old = object(first.native?.value);
    return [{ ...old, content: writeContent(first.parts, old["content"]) }];
  }
  const content = resultsFirst(
    group.flatMap((message) => message.parts.filter((part) => isSpeakable(part, message))),
  );
  return content.length === 0
    ? []
    : [{ role: roleOf(first), content: content.map((part) => writeBlock(part)) }];
}

function roleOf(message: Message): string {
  return message.role === "assistant" ? "assistant" : "user";
}

/** A string stays a string as long as it is one text. */
function writeContent(parts: readonly Part[], old: Json | undefined): string | Json[] {
  const [only] = parts;
  if (typeof old === "string" && parts.length === 1 && only?.type === "text") return only.text;
  return parts.map((part) => writeBlock(part, part.native));
}

function isSpeakable(part: Part, message: Message): boolean {
  if (part.type === "opaque") return part.of === ANTHROPIC;
  if (part.type === "thinking")
    return (part.signature ?? part.encrypted) !== undefined && isSealedByAnthropic(message);
  return part.type !== "text" || part.text.trim() !== "";
}

/** A seal is of use only to whoever made it. Harnesses that speak to many providers say whom they asked. */
function isSealedByAnthropic({ native, model }: Message): boolean {
  if (native?.of === "claude-code") return true;
  return model === undefined
    ? !/^(gemini|openai|codex|copilot)/.test(native?.of ?? "")
    : /claude|anthropic/i.test(model);
}

/** The API wants results at the start of the message that follows their calls. */
function resultsFirst(parts: readonly Part[]): readonly Part[] {
  const isResult = (part: Part) => part.type === "tool-result";
  return [...parts.filter(isResult), ...parts.filter((part) => !isResult(part))];
}

function writeTool(tool: ToolSchema, isNativeTool: boolean): Json {
  if (isNativeTool && tool.native !== undefined) return tool.native;
  return {
    name: tool.name,
    ...defined({ description: tool.description }),
    input_schema: tool.input ?? { type: "object" },
  };
}

function detect(body: Json): Confidence {
  const fields = object(body);
  const messages = isList(body) ? body : list(fields["messages"]);
  const blocks = messages.flatMap((message) => list(object(message)["content"]));
  if (
    blocks.some((block) =>
      ["tool_use", "tool_result", "thinking"].includes(string(object(block)["type"]) ?? ""),
    )
  )
    return 2;
  if (
    fields["anthropic_version"] !== undefined ||
    (fields["system"] !== undefined && fields["max_tokens"] !== undefined)
  )
    return 2;
  return messages.length > 0 &&
    messages.every((message) => "role" in object(message) && "content" in object(message))
    ? 1
    : 0;
}

export const anthropicMessages: BodyWire = {
  kind: "body",
  name: NAME,
  title: "Anthropic Messages",
  read,
  write,
  detect,
};
