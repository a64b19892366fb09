/**
 * What Anthropic refuses, in its words. The conversation is judged by `check`; here is what only the body shows, what
 * only the sealer knows, and the sentence for each. Where the real sentence names a place, so does this one.
 */
import { modelNamed } from "../measure/models.ts";
import { check } from "../transcript/check.ts";
import {
  isList,
  isObject,
  type Json,
  type JsonObject,
  list,
  number,
  object,
  string,
} from "../transcript/json.ts";
import { isSealed } from "../transcript/prefix.ts";
import type { Problem, ProblemCode } from "../transcript/rules.ts";
import { lastResponse } from "../transcript/turns.ts";
import type { Asked, Headers, Memory, Violation, ViolationCode } from "./api.ts";
import { type BrokenSeal, brokenSeals } from "./seal.ts";

const BINDING_BETA = "thinking-binding-controls-2026-08-01";
const MAX_MARKS = 4;
/** Models that take system messages inside the conversation. */
const TAKES_SYSTEM = /opus-(4-[89]|[5-9])|fable|mythos|(sonnet|haiku)-(5-[5-9]|[6-9])/;

export type Refuse = (code: ViolationCode, message: string) => Violation;

export function refusals(
  asked: Asked,
  {
    headers,
    memory,
    refuse,
  }: { readonly headers: Headers; readonly memory: Memory; readonly refuse: Refuse },
): readonly Violation[] {
  const found: (readonly [ViolationCode, string])[] = [
    ...inHeaders(headers),
    ...inFields(asked),
    ...inThinkingOptions(asked.body, headers),
    ...inRoles(asked),
    ...inMarks(asked.body),
    ...inConversation(asked),
    ...inSeals(asked),
    ...inLastResponse(asked, memory),
  ];
  return found.map(([code, message]) => refuse(code, message));
}

type Found = readonly (readonly [ViolationCode, string])[];

function inHeaders(headers: Headers): Found {
  return headers["anthropic-version"] ? [] : [["missing-field", "anthropic-version: header is required"]];
}

function inFields({ body, route, model }: Asked): Found {
  const required = ["model", "messages", ...(route.asks === "answer" ? ["max_tokens"] : [])];
  const missing = required.filter((field) => body[field] === undefined);
  if (missing.length > 0) return missing.map((field) => ["missing-field", `${field}: Field required`]);
  const asked = number(body["max_tokens"]) ?? 1;
  const { outputTokens, isFallback } = modelNamed(model);
  if (asked < 1) return [["bad-field", "max_tokens: Input should be greater than or equal to 1"]];
  if (isFallback || asked <= outputTokens) return [];
  const why = `${asked} > ${outputTokens}, which is the maximum allowed number of output tokens for ${model}`;
  return [["bad-field", `max_tokens: ${why}`]];
}

function inThinkingOptions(body: JsonObject, headers: Headers): Found {
  const thinking = object(body["thinking"]);
  const budget = number(thinking["budget_tokens"]);
  const most = number(body["max_tokens"]);
  if (thinking["block_binding"] !== undefined && !headers["anthropic-beta"]?.includes(BINDING_BETA))
    return [["bad-field", "thinking.block_binding: Extra inputs are not permitted"]];
  if (budget === undefined) return [];
  if (budget < 1024)
    return [["bad-field", "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"]];
  return most !== undefined && budget >= most
    ? [["bad-field", "`max_tokens` must be greater than `thinking.budget_tokens`."]]
    : [];
}

function inRoles({ body, model }: Asked): Found {
  return list(body["messages"]).flatMap((message): Found => {
    const role = string(object(message)["role"]) ?? "";
    if (role === "user" || role === "assistant" || (role === "system" && TAKES_SYSTEM.test(model))) return [];
    const advice =
      role === "system"
        ? 'The Messages API accepts a top-level `system` parameter, not "system" as an input message role.'
        : 'Allowed roles are "user" or "assistant".';
    return [["bad-role", `messages: Unexpected role "${role}". ${advice}`]];
  });
}

function inMarks(body: JsonObject): Found {
  const marks = [body["tools"], body["system"], body["messages"]].reduce<number>(
    (sum, value) => sum + marksIn(value),
    body["cache_control"] ? 1 : 0,
  );
  if (marks <= MAX_MARKS) return [];
  const why = `A maximum of ${MAX_MARKS} blocks with cache_control may be provided. Found ${marks}.`;
  return [["too-many-cache-marks", why]];
}

/** In blocks and in what they hold; what a tool was called with is the tool's affair. */
function marksIn(value: Json | undefined): number {
  if (isList(value)) return value.reduce<number>((sum, item) => sum + marksIn(item), 0);
  if (!isObject(value)) return 0;
  return (value["cache_control"] ? 1 : 0) + marksIn(value["content"]);
}

function inConversation({ transcript }: Asked): Found {
  const problems = check(transcript, { provider: "anthropic" });
  return problems.map((problem) => {
    const spot = spotOf(problem, problems, transcript.messages);
    return [problem.code, WORDS[problem.code]?.(spot) ?? `${spot.part}: ${problem.why}`];
  });
}

type Messages = Asked["transcript"]["messages"];

/** Where a problem is, as Anthropic names places, and the ids it is about. */
interface Spot {
  /** `messages`, or `system`. */
  readonly list: string;
  readonly message: string;
  readonly part: string;
  readonly id: string;
  /** All calls of the same message with the same problem. */
  readonly ids: string;
  readonly idField: string;
  /** The response before. */
  readonly caller: string;
}

function spotOf(problem: Problem, all: readonly Problem[], messages: Messages): Spot {
  const { code, messageIndex, partIndex = 0 } = problem;
  const isSystem = messageIndex < 0;
  const partAt = (index: number) => messages[messageIndex]?.parts[index];
  const idAt = (index: number) => {
    const part = partAt(index);
    return part && "callId" in part ? part.callId : "";
  };
  const together = all.filter((other) => other.code === code && other.messageIndex === messageIndex);
  const caller = messages
    .slice(0, Math.max(0, messageIndex))
    .findLastIndex(({ role }) => role === "assistant");
  return {
    list: isSystem ? "system" : "messages",
    message: isSystem ? "system" : `messages.${messageIndex}`,
    part: isSystem ? `system.${partIndex}` : `messages.${messageIndex}.content.${partIndex}`,
    id: idAt(partIndex),
    ids: together.map(({ partIndex: index = 0 }) => idAt(index)).join(", "),
    idField: partAt(partIndex)?.type === "tool-call" ? "tool_use.id" : "tool_result.tool_use_id",
    caller: `messages.${caller}`,
  };
}

const unanswered = (place: string, ids: string): string =>
  `${place}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
const unexpected = ({ part, id }: Spot): string =>
  `${part}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;

/** Sentences as the API was seen to say them (`docs/legality.md` names where); a code without one is not Anthropic's. */
const WORDS: Partial<Record<ProblemCode, (spot: Spot) => string>> = {
  "no-messages": () => "messages: at least one message is required",
  "empty-message": ({ message }) =>
    `${message}: all messages must have non-empty content except for the optional final assistant message`,
  "empty-text": ({ list }) => `${list}: text content blocks must be non-empty`,
  "blank-text": ({ list }) => `${list}: text content blocks must contain non-whitespace text`,
  "misplaced-call": ({ message }) => `${message}: \`tool_use\` blocks can only be in \`assistant\` messages`,
  "misplaced-result": ({ message }) => `${message}: \`tool_result\` blocks can only be in \`user\` messages`,
  "misplaced-thinking": ({ message }) =>
    `${message}: \`thinking\` blocks can only be in \`assistant\` messages`,
  "unanswered-call": ({ message, ids }) => unanswered(message, ids),
  "open-call": ({ message, ids }) => unanswered(message, ids),
  "result-after-words": ({ caller, id }) => unanswered(caller, id),
  "orphan-result": unexpected,
  "late-result": unexpected,
  "repeated-result": ({ part, id }) =>
    `${part}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
  "repeated-call-id": () => "messages: `tool_use` ids must be unique",
  "missing-call-id": ({ part, idField }) => `${part}.${idField}: Field required`,
  "malformed-call-id": ({ part, idField }) =>
    `${part}.${idField}: String should match pattern '^[a-zA-Z0-9_-]+$'`,
  "missing-name": ({ part }) => `${part}.tool_use.name: String should have at least 1 character`,
  "input-not-object": ({ part }) => `${part}.tool_use.input: Input should be a valid dictionary`,
  "starts-with-assistant": () => 'messages: first message must use the "user" role',
  "ends-with-assistant": () =>
    "This model does not support assistant message prefill. The conversation must end with a user message.",
  "thinking-last": ({ message }) =>
    `${message}: The final block in an assistant message cannot be \`thinking\`.`,
};

/** Where the request says so, thinking with another prefix is left out instead of refused. */
function inSeals(asked: Asked): Found {
  const latest = asked.transcript.messages.findLastIndex(({ role }) => role === "assistant");
  return brokenSeals(asked.transcript, "anthropic").flatMap((broken): Found => {
    const place = pathOf(broken);
    if (broken.code === "prefix-changed")
      return dropsBlocks(asked)
        ? []
        : [
            [
              "prefix-changed",
              `${place}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`,
            ],
          ];
    if (broken.messageIndex !== latest)
      return [["thinking-edited", `${place}: Invalid \`signature\` in \`thinking\` block`]];
    const why =
      "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.";
    return [["thinking-edited", `${place}: ${why}`]];
  });
}

function pathOf({ messageIndex, partIndex }: BrokenSeal): string {
  return `messages.${messageIndex}.content.${partIndex}`;
}

function dropsBlocks({ body }: Asked): boolean {
  const binding = object(object(body["thinking"])["block_binding"]);
  return binding["prefix_mismatch_behavior"] === "drop_block";
}

/** The answer says which thinking was left out. */
export function droppedThinking(asked: Asked): readonly Json[] {
  if (!dropsBlocks(asked)) return [];
  return brokenSeals(asked.transcript, "anthropic")
    .filter(({ code }) => code === "prefix-changed")
    .map((broken) => ({
      type: "thinking_dropped",
      path: pathOf(broken),
      reason: "prefix_binding_mismatch",
    }));
}

/** Neighbours of one role are joined first: words behind results belong to the message with the results. */
function inLastResponse({ body, transcript }: Asked, { thoughtful }: Memory): Found {
  const response = lastResponse(transcript);
  const isThinking = ["enabled", "adaptive"].includes(string(object(body["thinking"])["type"]) ?? "");
  if (!isThinking || !response) return [];
  const parts = transcript.messages.slice(response.start, response.end).flatMap((message) => message.parts);
  const isKept = parts.some((part) => part.type === "thinking" && isSealed(part));
  if (isKept || !parts.some((part) => part.type === "tool-call" && thoughtful.get(part.callId))) return [];
  const found = parts[0]?.type === "text" ? "text" : "tool_use";
  const why = `Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`;
  return [["missing-thinking", `messages.${response.start}.content.0.type: ${why}`]];
}
