/** What OpenAI Chat Completions refuses, in its words. Reasoning is not sealed here, and so not judged. */
import { check } from "../transcript/check.ts";
import { isList, type JsonObject, list, object, string } from "../transcript/json.ts";
import type { Message } from "../transcript/message.ts";
import type { Problem, ProblemCode } from "../transcript/rules.ts";
import type { Asked, Violation } from "./api.ts";
import { type ErrorFields, error } from "./openai-errors.ts";

const ROLES = ["system", "assistant", "user", "function", "tool", "developer"];

export function refusals(asked: Asked): readonly Violation[] {
  return [...inFields(asked.body), ...inMessages(asked.body), ...inConversation(asked)];
}

function inFields({ model, messages }: JsonObject): readonly Violation[] {
  return [
    ...(model === undefined ? [error("missing-field", "you must provide a model parameter")] : []),
    ...(messages === undefined
      ? [
          error("missing-field", "Missing required parameter: 'messages'.", {
            param: "messages",
            named: "missing_required_parameter",
          }),
        ]
      : []),
  ];
}

function inMessages({ messages }: JsonObject): readonly Violation[] {
  return list(messages).flatMap((message, index): readonly Violation[] => {
    const { role, tool_calls: calls } = object(message);
    if (!ROLES.includes(string(role) ?? "")) {
      const supported = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'";
      const why = `Invalid value: '${string(role) ?? ""}'. Supported values are: ${supported}.`;
      return [error("bad-role", why, { param: `messages[${index}].role`, named: "invalid_value" })];
    }
    return isList(calls) && calls.length === 0 ? [emptyList(`messages[${index}].tool_calls`)] : [];
  });
}

function emptyList(param: string): Violation {
  const why = `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
  return error(param === "messages" ? "no-messages" : "bad-field", why, { param, named: "empty_array" });
}

function inConversation({ transcript }: Asked): readonly Violation[] {
  const { messages } = transcript;
  return check(transcript, { provider: "openai-chat" }).map((problem) => {
    if (problem.code === "no-messages") return emptyList("messages");
    const [message, fields] = WORDS[problem.code]?.(spotOf(problem, messages)) ?? [problem.why, {}];
    return error(problem.code, message, fields);
  });
}

interface Spot {
  readonly index: number;
  readonly id: string;
  /** Which of the message's calls. */
  readonly call: number;
}

function spotOf({ messageIndex, partIndex = 0 }: Problem, messages: readonly Message[]): Spot {
  const { parts = [] } = messages[messageIndex] ?? {};
  const part = parts[partIndex];
  const calls = parts.slice(0, partIndex).filter(({ type }) => type === "tool-call");
  return { index: messageIndex, id: part && "callId" in part ? part.callId : "", call: calls.length };
}

type Words = (spot: Spot) => readonly [string, ErrorFields];

const unanswered: Words = ({ index, id }) => [
  `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${id}`,
  { param: `messages.[${index}].role` },
];

const WORDS: Partial<Record<ProblemCode, Words>> = {
  "empty-message": ({ index }) => [
    "Invalid value for 'content': expected a string, got null.",
    { param: `messages.[${index}].content` },
  ],
  "unanswered-call": unanswered,
  "open-call": unanswered,
  "late-result": unanswered,
  "orphan-result": ({ index }) => [
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    { param: `messages.[${index}].role` },
  ],
  "repeated-result": ({ index, id }) => [
    `Duplicate value for 'tool_call_id' of '${id}' in message[${index}].`,
    { param: `messages.[${index}].tool_call_id` },
  ],
  "missing-call-id": ({ index }) => [
    `Missing required parameter: 'messages[${index}].tool_call_id'.`,
    { param: `messages[${index}].tool_call_id`, named: "missing_required_parameter" },
  ],
  "long-call-id": ({ index, id, call }) => [
    `Invalid 'messages[${index}].tool_calls[${call}].id': string too long. Expected a string with maximum length 64, but got a string with length ${id.length} instead.`,
    { param: `messages[${index}].tool_calls[${call}].id`, named: "string_above_max_length" },
  ],
  "missing-name": ({ index, call }) => [
    `Missing required parameter: 'messages[${index}].tool_calls[${call}].function.name'.`,
    { param: `messages[${index}].tool_calls[${call}].function.name`, named: "missing_required_parameter" },
  ],
};
