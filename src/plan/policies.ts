/** The policies there are, by name. */
import { PalimpsestError } from "../errors.ts";
import { isList, isObject, type Json } from "../transcript/json.ts";
import { parsePolicy } from "./parse-policy.ts";
import { none } from "./policies/none.ts";
import { nucleic } from "./policies/nucleic.ts";
import { palimpsest } from "./policies/palimpsest.ts";
import type { Policy } from "./policy.ts";

export const policies: readonly Policy[] = [palimpsest, nucleic, none];

export const policyNames: readonly string[] = policies.map(({ name }) => name);

export function policyNamed(name: string): Policy {
  const found = findPolicy(name);
  if (found) return found;
  throw new PalimpsestError(
    "policy",
    `There is no policy ${JSON.stringify(name)}. Known: ${policyNames.join(", ")}.`,
  );
}

/** A policy somebody wrote, which may extend one of ours. */
export function readPolicy(json: Json): Policy {
  return parsePolicy(json, { known: findPolicy });
}

function findPolicy(name: string): Policy | undefined {
  return policies.find((policy) => policy.name === name);
}

/** The policy with the fields its variables set, as `COMPRESSION_THRESHOLD` does. The edge has the environment. */
export function withVariables(
  policy: Policy,
  environment: Readonly<Record<string, string | undefined>>,
): Policy {
  const set = Object.entries(policy.variables ?? {}).filter(([variable]) => environment[variable]);
  if (set.length === 0) return policy;
  // A policy is JSON; its interface only has no index signature.
  let json = policy as unknown as Json;
  for (const [variable, path] of set) json = withField(json, path.split("."), Number(environment[variable]));
  return parsePolicy(json);
}

function withField(json: Json, [key = "", ...rest]: readonly string[], value: Json): Json {
  const inner = (under: Json | undefined): Json =>
    rest.length === 0 ? value : withField(under ?? {}, rest, value);
  if (isList(json)) return json.map((item, index) => (index === Number(key) ? inner(item) : item));
  return isObject(json) ? { ...json, [key]: inner(json[key]) } : json;
}
