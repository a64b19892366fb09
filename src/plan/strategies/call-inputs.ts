/**
 * Long arguments of old writes and edits: what was written stands in the file by now, and what it was stands in the
 * store. Only strings inside the arguments are cut, so that the call keeps its shape and a provider its schema.
 */
import { isList, isObject, type Json } from "../../transcript/json.ts";
import { toolUse } from "../../transcript/tool-use.ts";
import type { CallInputsRule } from "../policy.ts";
import { addressAt, isPinned, type Proposal, type Situation, savingOf } from "../situation.ts";

export function proposeCallInputs(situation: Situation, rule: CallInputsRule): readonly Proposal[] {
  const end = situation.transcript.messages.length - rule.keepMessages;
  return situation.pairing.pairs.flatMap(({ call, result }): readonly Proposal[] => {
    const at = addressAt(situation, call);
    if (!result || !at || call.messageIndex >= end || isPinned(situation, call)) return [];
    if (!rule.does.includes(toolUse(call.part).does)) return [];
    if (situation.tokensOf(call.part) < rule.minTokens) return [];
    const input = shortened(call.part.input, rule);
    if (input === call.part.input) return [];
    const text = JSON.stringify(input);
    const tokens = savingOf(situation, call.part, text);
    if (tokens <= 0) return [];
    const edit = { kind: "trim", at, why: "long arguments of an old call", tokens, text } as const;
    return [{ edit, place: call, since: result.messageIndex }];
  });
}

/** No half of a surrogate pair is left over: some providers refuse it. */
function headOf(text: string, chars: number): string {
  return text.slice(0, chars).replace(/[\ud800-\udbff]$/, "");
}

/** The same value where nothing is too long. */
function shortened(value: Json, rule: CallInputsRule): Json {
  if (typeof value === "string")
    return value.length > rule.maxChars ? `${headOf(value, rule.keepChars)}${rule.mark}` : value;
  if (isList(value)) {
    const items = value.map((item) => shortened(item, rule));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, shortened(field ?? null, rule)] as const);
  return fields.every(([key, field]) => field === value[key]) ? value : Object.fromEntries(fields);
}
