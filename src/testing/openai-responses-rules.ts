/**
 * What OpenAI Responses refuses, in its words. Items are looked up by id, so most of the rules are about ids: what was
 * referred to and is not stored, and what came back without the reasoning it was made from.
 */
import { check } from "../transcript/check.ts";
import { type Json, type JsonObject, list, number, object, string } from "../transcript/json.ts";
import type { Problem, ProblemCode } from "../transcript/rules.ts";
import { roleOfItem } from "../wire/openai-items.ts";
import type { Asked, Memory, Violation, ViolationCode } from "./api.ts";
import { error } from "./openai-errors.ts";
import { brokenSeals } from "./seal.ts";

export function refusals(asked: Asked, memory: Memory): readonly Violation[] {
  const items = list(object(asked.transcript.native?.value)["input"]);
  return [
    ...inFields(asked.body, memory),
    ...inReferences(items),
    ...inReasoning(items, memory),
    ...inConversation(asked),
    ...inSeals(asked),
  ];
}

function inFields(
  { model, input, previous_response_id: previous }: JsonObject,
  memory: Memory,
): readonly Violation[] {
  const id = string(previous);
  if (model === undefined) return [missing("model")];
  if (input === undefined && id === undefined) return [missing("input")];
  if (id === undefined || memory.conversations.get(id)) return [];
  const why = `Previous response with id '${id}' not found.`;
  return [
    error("unknown-item", why, { param: "previous_response_id", named: "previous_response_not_found" }),
  ];
}

function missing(param: string): Violation {
  return error("missing-field", `Missing required parameter: '${param}'.`, {
    param,
    named: "missing_required_parameter",
  });
}

/** What `read` could not look up: references, and reasoning that is named by its id alone. */
function inReferences(items: readonly Json[]): readonly Violation[] {
  return items.flatMap((item): readonly Violation[] => {
    const { type, id, encrypted_content: sealed } = object(item);
    const isLost = type === "item_reference" || (type === "reasoning" && id !== undefined && !sealed);
    if (!isLost) return [];
    const why = `Item with id '${string(id) ?? ""}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
    return [error("unknown-item", why, { status: 404, param: "input" })];
  });
}

/** Reasoning counts for every item of the same response that follows it. */
function inReasoning(items: readonly Json[], { reasonedFrom }: Memory): readonly Violation[] {
  let isReasoned = false;
  return items.flatMap((item): readonly Violation[] => {
    const { type, id } = object(item);
    if (roleOfItem(item) !== "assistant") isReasoned = false;
    if (type === "reasoning") isReasoned = true;
    const reasoning = reasonedFrom.get(string(id) ?? "");
    if (reasoning === undefined || isReasoned) return [];
    const why = `Item '${string(id)}' of type '${string(type)}' was provided without its required 'reasoning' item: '${reasoning}'.`;
    return [error("missing-reasoning", why, { param: "input" })];
  });
}

function inConversation({ transcript }: Asked): readonly Violation[] {
  return check(transcript, { provider: "openai-responses" }).map((problem) =>
    inInput(problem.code, WORDS[problem.code]?.(subjectOf(problem, transcript)) ?? problem.why),
  );
}

/** The call a problem is about, or the item. */
function subjectOf({ messageIndex, partIndex = 0 }: Problem, { messages }: Asked["transcript"]): string {
  const message = messages[messageIndex];
  const part = message?.parts[partIndex];
  if (part && "callId" in part) return part.callId;
  const item = list(message?.native?.value)[number(object(part?.native)["item"]) ?? 0];
  return string(object(item)["id"]) ?? "";
}

const WORDS: Partial<Record<ProblemCode, (subject: string) => string>> = {
  "no-messages": () => "Invalid 'input': empty array. Expected an array with minimum length 1.",
  "unanswered-call": (id) => `No tool output found for function call ${id}.`,
  "open-call": (id) => `No tool output found for function call ${id}.`,
  "orphan-result": (id) => `No tool call found for function call output with call_id ${id}.`,
  "repeated-result": (id) => `Duplicate function call output found with call_id ${id}.`,
  "repeated-call-id": (id) =>
    `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
  "missing-call-id": () => "Missing required parameter: 'input[].call_id'.",
  "long-call-id": (id) =>
    `Invalid 'input[].call_id': string too long. Expected a string with maximum length 64, but got a string with length ${id.length} instead.`,
  "missing-name": () => "Missing required parameter: 'input[].name'.",
  "thinking-last": (id) =>
    `Item '${id}' of type 'reasoning' was provided without its required following item.`,
};

function inSeals({ transcript }: Asked): readonly Violation[] {
  return brokenSeals(transcript, "openai-responses")
    .filter(({ code }) => code === "thinking-edited")
    .map(({ part }) => {
      const shown = (part.encrypted ?? "").slice(0, 8);
      const why = `The encrypted content ${shown}... could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
      return error("thinking-edited", why, { named: "invalid_encrypted_content" });
    });
}

function inInput(code: ViolationCode, message: string): Violation {
  return error(code, message, { param: "input" });
}
