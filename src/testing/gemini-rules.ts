/**
 * What Gemini refuses, in its words. Calls and answers are paired by position, so one sentence serves most breaches.
 * Thought signatures stand on calls and texts, where the neutral conversation does not show them; they are judged on
 * the body. Since Gemini 3 a call of the running turn must come back with its signature.
 */
import { check } from "../transcript/check.ts";
import { type Json, type JsonObject, list, object, string } from "../transcript/json.ts";
import type { ProblemCode } from "../transcript/rules.ts";
import { callIn, oneOrMany, responseIn } from "../wire/gemini-parts.ts";
import type { Asked, Violation, ViolationCode } from "./api.ts";
import { openSeal } from "./seal.ts";

export type Refuse = (code: ViolationCode, message: string) => Violation;

/** What Google takes in place of a signature, for conversations that began elsewhere. */
const STAND_INS = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

export function isGemini3(model: string): boolean {
  return /gemini-([3-9]|\d\d)/.test(model);
}

export function refusals(asked: Asked, refuse: Refuse): readonly Violation[] {
  const contents = oneOrMany(asked.body["contents"]).map(object);
  const found: Found = [
    ...inRoles(contents),
    ...inConversation(asked),
    ...inSignatures(contents),
    ...(isGemini3(asked.model) ? inRunningTurn(contents) : []),
  ];
  return found.map(([code, message]) => refuse(code, message));
}

type Found = readonly (readonly [ViolationCode, string])[];

function inRoles(contents: readonly JsonObject[]): Found {
  const known = ["user", "model", "function", undefined];
  return contents
    .filter(({ role }) => !known.includes(role === undefined ? undefined : String(role)))
    .map(() => ["bad-role", "Please use a valid role: user, model."]);
}

function inConversation({ transcript }: Asked): Found {
  return check(transcript, { provider: "gemini" }).map(({ code, messageIndex, partIndex = 0, why }) => [
    code,
    WORDS[code]?.(messageIndex, partIndex) ?? why,
  ]);
}

const UNEQUAL =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
const NOT_AFTER_CALL =
  "Please ensure that function response turn comes immediately after a function call turn.";

const WORDS: Partial<Record<ProblemCode, (content: number, part: number) => string>> = {
  "no-messages": () => "* GenerateContentRequest.contents: contents is not specified\n",
  "empty-message": (content) =>
    `* GenerateContentRequest.contents[${content}].parts: contents.parts must not be empty.\n`,
  "empty-text": (content, part) =>
    `* GenerateContentRequest.contents[${content}].parts[${part}].data: required oneof field 'data' must have one initialized field\n`,
  "unanswered-call": () => UNEQUAL,
  "open-call": () => UNEQUAL,
  "repeated-result": () => UNEQUAL,
  "orphan-result": () => NOT_AFTER_CALL,
  "late-result": () => NOT_AFTER_CALL,
  "starts-with-assistant": () =>
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
  "ends-with-assistant": () =>
    "Please ensure that multiturn requests ends with a user role or a function response.",
  "system-inside": () => "Please use a valid role: user, model.",
};

function inSignatures(contents: readonly JsonObject[]): Found {
  return contents
    .flatMap(({ parts }) => oneOrMany(parts))
    .flatMap((part): Found => {
      const signature = signatureOf(part);
      if (signature === undefined || STAND_INS.includes(signature) || openSeal("gemini", signature))
        return [];
      return [["thinking-edited", "Corrupted thought signature."]];
    });
}

function signatureOf(part: Json): string | undefined {
  const fields = object(part);
  return string(fields["thoughtSignature"]) ?? string(fields["thought_signature"]);
}

/** A turn runs since the user last said something that is no function's answer. */
function inRunningTurn(contents: readonly JsonObject[]): Found {
  const start = contents.findLastIndex(
    ({ role, parts }) => role !== "model" && oneOrMany(parts).some((part) => !responseIn(part)),
  );
  return contents.flatMap(({ role, parts }, index): Found => {
    const call = role === "model" && index > start ? list(parts).find((part) => callIn(part)) : undefined;
    if (call === undefined || signatureOf(call) !== undefined) return [];
    const name = string(callIn(call)?.["name"]) ?? "";
    const why = `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`;
    return [["missing-signature", why]];
  });
}
