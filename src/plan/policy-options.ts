/**
 * Options in a policy's name: `pointerize:threshold=150:format=opaque`. A policy says which it has and which fields each
 * value sets, so a variant is data too, and what comes out is a policy like any other, under the name it was asked for.
 */
import { PalimpsestError } from "../errors.ts";
import type { Json } from "../transcript/json.ts";
import { parsePolicy } from "./parse-policy.ts";
import type { Policy } from "./policy.ts";
import { withField } from "./policy-field.ts";

export function withOptions(policy: Policy, words: readonly string[]): Policy {
  if (words.length === 0) return policy;
  // A policy is JSON; its interface only has no index signature.
  let json = policy as unknown as Json;
  for (const word of words)
    for (const [path, value] of Object.entries(fieldsOf(policy, word))) json = withField(json, path, value);
  return { ...parsePolicy(json), name: [policy.name, ...words].join(":") };
}

function fieldsOf(policy: Policy, word: string): Readonly<Record<string, Json>> {
  const { options = {}, name } = policy;
  const [option = "", value = ""] = split(word);
  const rule = Object.hasOwn(options, option) ? options[option] : undefined;
  if (!rule) throw refuse(`${name} has no option ${JSON.stringify(option)}. ${known(Object.keys(options))}`);
  const fields = Object.hasOwn(rule.values, value) ? rule.values[value] : undefined;
  if (fields) return fields;
  throw refuse(`${name}:${option} is not ${JSON.stringify(value)}. ${known(Object.keys(rule.values))}`);
}

function split(word: string): readonly [string, string] {
  const at = word.indexOf("=");
  return at < 0 ? [word, ""] : [word.slice(0, at), word.slice(at + 1)];
}

function known(names: readonly string[]): string {
  return names.length === 0 ? "It has none." : `Known: ${names.join(", ")}.`;
}

function refuse(why: string): PalimpsestError {
  return new PalimpsestError("policy", why);
}
