/**
 * LangChain's messages in the AI SDK's spelling and back. An assistant message says its calls twice (`tool_calls`, and blocks
 * of the provider's own in `content`): they are read from the first and, where a message is changed, written to both.
 */
import { isList, isObject, type Json, type JsonObject, list, object, string } from "../transcript/json.ts";

/** A block that has no word here is carried in one that is never looked into. */
const CARRIED = "custom";

export function ours(message: object): JsonObject {
  const fields = object(message as Json);
  const content = blocksOf(fields["content"]);
  switch (typeOf(message)) {
    case "ai":
      return { role: "assistant", content: [...content.flatMap(assistantPart), ...callsOf(fields)] };
    case "tool":
      return { role: "tool", content: [resultOf(fields)] };
    case "system":
      return {
        role: "system",
        content: content.map((block) => string(object(block)["text"]) ?? "").join("\n"),
      };
    default:
      return { role: "user", content: content.map(userPart) };
  }
}

/** A string is one text block. */
export function blocksOf(content: Json | undefined): readonly Json[] {
  return typeof content === "string"
    ? content === ""
      ? []
      : [{ type: "text", text: content }]
    : list(content);
}

function typeOf(message: object): string {
  const { getType, type }: { readonly getType?: unknown; readonly type?: unknown } = message;
  return String(typeof getType === "function" ? getType.call(message) : type);
}

function userPart(block: Json): Json {
  return object(block)["type"] === "text" ? block : { type: CARRIED, block };
}

/** Calls stand in `tool_calls` too; there they are the same for every provider. */
function assistantPart(block: Json): readonly Json[] {
  const { type, text, thinking, signature, data } = object(block);
  if (type === "tool_use" || type === "tool_call" || type === "input_json_delta") return [];
  if (type === "text") return [{ type: "text", text: string(text) ?? "", block }];
  if (type === "thinking")
    return [
      {
        type: "reasoning",
        text: string(thinking) ?? "",
        providerOptions: { anthropic: { signature } },
        block,
      },
    ];
  if (type === "redacted_thinking")
    return [{ type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: data } }, block }];
  return [{ type: CARRIED, block }];
}

function callsOf(fields: JsonObject): readonly Json[] {
  return list(fields["tool_calls"]).map((call) => {
    const { id, name, args } = object(call);
    return { type: "tool-call", toolCallId: id ?? "", toolName: name ?? "", input: args ?? {} };
  });
}

function resultOf(fields: JsonObject): Json {
  const isError = fields["status"] === "error";
  const content = fields["content"];
  const text = { type: isError ? "error-text" : "text", value: content ?? "" };
  const value = list(content).map((block) =>
    object(block)["type"] === "text" ? block : { type: CARRIED, block },
  );
  return {
    type: "tool-result",
    toolCallId: fields["tool_call_id"] ?? "",
    toolName: fields["name"] ?? "",
    output: isList(content) ? { type: "content", value } : text,
  };
}

export function theirs(message: JsonObject, original: object | undefined): object {
  const parts = blocksOf(message["content"]).map(object);
  if (!original) {
    const content = parts.map(({ text }) => string(text) ?? "").join("\n");
    return { role: message["role"] === "assistant" ? "assistant" : "user", content };
  }
  switch (typeOf(original)) {
    case "ai":
      return copyOf(original, assistantFields(original, parts));
    case "tool":
      return copyOf(original, { content: outputOf(parts[0] ?? {}) });
    default:
      return copyOf(original, { content: parts.map(blockOf) });
  }
}

function outputOf({ output }: JsonObject): Json {
  const { value } = object(output);
  return isList(value) ? value.map((part) => blockOf(object(part))) : (value ?? "");
}

function blockOf(part: JsonObject): Json {
  const { block, type, text } = part;
  // A text that was changed has another text than the block it came from.
  if (block === undefined || (type === "text" && object(block)["text"] !== text))
    return { type: "text", text: text ?? "" };
  return block;
}

/** Raw copies of the answer are left out: a provider's class would send them instead of what was changed. */
function assistantFields(original: object, parts: readonly JsonObject[]): JsonObject {
  const before = object(original as Json);
  const calls = parts.filter(({ type }) => type === "tool-call");
  const said = parts.filter(({ type }) => type !== "tool-call").map(blockOf);
  const isSpelledTwice = list(before["content"]).some((block) => object(block)["type"] === "tool_use");
  const { tool_calls: _, ...additional } = object(before["additional_kwargs"]);
  const { output: __, ...metadata } = object(before["response_metadata"]);
  return {
    content: isSpelledTwice ? [...said, ...calls.map(toolUse)] : said,
    tool_calls: calls.map(toolCall),
    additional_kwargs: additional,
    response_metadata: metadata,
  };
}

function toolCall({ toolCallId, toolName, input }: JsonObject): JsonObject {
  return { type: "tool_call", id: toolCallId, name: toolName, args: argumentsOf(input) };
}

function toolUse({ toolCallId, toolName, input }: JsonObject): JsonObject {
  return { type: "tool_use", id: toolCallId, name: toolName, input: argumentsOf(input) };
}

function argumentsOf(input: Json | undefined): JsonObject {
  return isObject(input) ? input : {};
}

/** A message of the same class; the class keeps what it was made of beside its fields. */
function copyOf(original: object, fields: JsonObject): object {
  const { lc_kwargs } = object(original as Json);
  const copy: object = Object.create(Object.getPrototypeOf(original));
  return Object.assign(copy, original, fields, { lc_kwargs: { ...object(lc_kwargs), ...fields } });
}
