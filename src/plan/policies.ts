/**
 * The policies there are, by name. Each is a file of its own in `policies/`, and nothing else in the core knows any of
 * them: what one of them needs is a field of the schema that all of them could set.
 */
import { PalimpsestError } from "../errors.ts";
import type { Json } from "../transcript/json.ts";
import { parsePolicy } from "./parse-policy.ts";
import { anthropicClearTools } from "./policies/anthropic-clear-tools.ts";
import { claudeCode } from "./policies/claude-code.ts";
import { clineBasic } from "./policies/cline-basic.ts";
import { codexLocal } from "./policies/codex-local.ts";
import { deepagentsOffload } from "./policies/deepagents-offload.ts";
import { geminiClassic } from "./policies/gemini-classic.ts";
import { hybrid } from "./policies/hybrid.ts";
import { ion } from "./policies/ion.ts";
import { kimiHandoff } from "./policies/kimi-handoff.ts";
import { langchainSumm } from "./policies/langchain-summ.ts";
import { layered } from "./policies/layered.ts";
import { mastraOm } from "./policies/mastra-om.ts";
import { none } from "./policies/none.ts";
import { nucleic } from "./policies/nucleic.ts";
import { opencode } from "./policies/opencode.ts";
import { opencodeV2 } from "./policies/opencode-v2.ts";
import { openhandsRolling } from "./policies/openhands-rolling.ts";
import { palimpsest } from "./policies/palimpsest.ts";
import { pi } from "./policies/pi.ts";
import { pointerize } from "./policies/pointerize.ts";
import { qwenRestore } from "./policies/qwen-restore.ts";
import { rooFreshStart } from "./policies/roo-fresh-start.ts";
import { summarize } from "./policies/summarize.ts";
import type { Policy } from "./policy.ts";
import { withField } from "./policy-field.ts";
import { withOptions } from "./policy-options.ts";

/** Ours first, then those of the seeds in their order, then the field, then the control. */
export const policies: readonly Policy[] = [
  palimpsest,
  nucleic,
  layered,
  summarize,
  pointerize,
  hybrid,
  claudeCode,
  opencode,
  ion,
  opencodeV2,
  pi,
  qwenRestore,
  codexLocal,
  kimiHandoff,
  clineBasic,
  deepagentsOffload,
  geminiClassic,
  mastraOm,
  anthropicClearTools,
  langchainSumm,
  rooFreshStart,
  openhandsRolling,
  none,
];

export const policyNames: readonly string[] = policies.map(({ name }) => name);

/** `pointerize`, or with options `pointerize:threshold=150:format=opaque`. */
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

/** Undefined where there is none of that name; an option it does not have is an error that names those it has. */
export function findPolicy(word: string): Policy | undefined {
  const [name = "", ...options] = word.split(":");
  const found = policies.find((policy) => policy.name === name);
  return found && withOptions(found, options);
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
  for (const [variable, path] of set)
    json = withField(json, path, numberIn(variable, environment[variable], path));
  return parsePolicy(json);
}

function numberIn(variable: string, value: string | undefined, path: string): number {
  const number = Number(value);
  if (Number.isFinite(number)) return number;
  throw new PalimpsestError(
    "policy",
    `${variable} is ${JSON.stringify(value)}; it sets ${path}, which is a number.`,
  );
}
