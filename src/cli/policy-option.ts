/** `--policy P`: the name of one of ours, which may hold options, or a JSON file somebody wrote. */
import { existsSync, readFileSync } from "node:fs";
import { PalimpsestError } from "../errors.ts";
import { policyNamed, policyNames, readPolicy, withVariables } from "../plan/policies.ts";
import type { Policy } from "../plan/policy.ts";
import { parseJson } from "../transcript/json.ts";
import { named } from "./arguments.ts";
import type { Io } from "./io.ts";
import { withoutComments } from "./noted-json.ts";

export const DEFAULT_POLICY = "palimpsest";

export function policyOption(word: string | undefined, io: Io): Policy {
  const name = word ?? DEFAULT_POLICY;
  const isOurs = policyNames.includes(name.split(":", 1)[0] ?? "");
  const isFile = !isOurs && (existsSync(name) || /[/\\]|\.json$/.test(name));
  return withVariables(isFile ? policyFromFile(name) : named(() => policyNamed(name)), io.env);
}

function policyFromFile(path: string): Policy {
  const text = withoutComments(textOf(path));
  const json = parseJson(text);
  if (json === undefined) throw new PalimpsestError("policy", `${path} is not JSON: ${whyNot(text)}.`);
  try {
    return readPolicy(json);
  } catch (error) {
    if (!(error instanceof PalimpsestError)) throw error;
    throw new PalimpsestError(error.code, `${path}: ${error.message}`);
  }
}

/** What the parser objects to, in one line. */
function whyNot(text: string): string {
  try {
    JSON.parse(text);
    return "it holds nothing";
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ");
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PalimpsestError("unreadable", `Cannot read the policy ${path}: ${why}.`);
  }
}
