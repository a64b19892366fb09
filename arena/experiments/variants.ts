/**
 * The arms of seed 003 and what was varied in them. A policy says itself what may be varied (`options`, values to set at
 * named places), so the four formats, the thresholds and the interfaces come from the policies that are registered.
 */
import { type Json, type Policy, parsePolicy, policyNamed, policyNames } from "palimpsest";
import type { Interface } from "../probes/reader.ts";

export interface Variant {
  readonly name: string;
  readonly policy: Policy;
  readonly tools: Interface;
}

const ARMS: readonly string[] = ["summarize", "pointerize", "hybrid", "opencode", "palimpsest"];

export function variants(arms: readonly string[] = ARMS): readonly Variant[] {
  return arms.flatMap((name) => {
    const policy = policyNamed(name);
    return [{ name, policy, tools: toolsOf(policy) }, ...variantsOf(policy)];
  });
}

/** The policy itself, nothing in it varied. */
export function isArm({ name }: Variant): boolean {
  return policyNames.includes(name);
}

export function variantsOf(policy: Policy): readonly Variant[] {
  // A policy is JSON; its interface only has no index signature.
  const { options: varied, notes: _notes, ...rest } = fieldsOf(policy as unknown as Json);
  const json = rest as Json;
  const options = fieldsOf(varied);
  return Object.entries(options).flatMap(([option, rule]) =>
    Object.entries(fieldsOf(fieldsOf(rule)["values"])).map(([value, places]) => {
      let changed: Json = json;
      for (const [path, set] of Object.entries(fieldsOf(places)))
        changed = withField(changed, path.split("."), set ?? null);
      const made = parsePolicy(changed);
      return { name: `${policy.name} ${option}=${value}`, policy: made, tools: toolsOf(made) };
    }),
  );
}

/** How much stays as it was at the end; nothing where not said otherwise, as in the seed's short sessions. */
export const RECENT: Readonly<Record<string, number>> = { "40%": 0.4, none: 0 };

/**
 * OpenCode's 60/40, the seed's realistic test: the oldest 60 % of the messages are compacted, the recent 40 % preserved; beside it the
 * same arm with nothing preserved, so that what the split does can be told from what the arm does.
 */
export function splitVariants(arms: readonly string[] = ARMS): readonly Variant[] {
  return arms
    .map(policyNamed)
    .filter(({ tail, prune }) => [tail, ...prune].some(isKeepingAShare))
    .flatMap((policy) =>
      Object.entries(RECENT).map(([recent, share]) => {
        const made = withRecent(policy, share);
        return { name: `${policy.name} recent=${recent}`, policy: made, tools: toolsOf(made) };
      }),
    );
}

function isKeepingAShare(rule: Policy["tail"] | Policy["prune"][number]): boolean {
  return "shareOfMessages" in rule || "keepShareOfMessages" in rule;
}

function withRecent(policy: Policy, share: number): Policy {
  const { tail, prune } = policy;
  return {
    ...policy,
    tail: tail.shareOfMessages === undefined ? tail : { ...tail, shareOfMessages: share },
    prune: prune.map((rule) =>
      "keepShareOfMessages" in rule ? { ...rule, keepShareOfMessages: share } : rule,
    ),
  };
}

function fieldsOf(json: Json | undefined): Readonly<Record<string, Json | undefined>> {
  return typeof json === "object" && json !== null && !Array.isArray(json)
    ? (json as Record<string, Json>)
    : {};
}

/** Null takes a field away. */
function withField(json: Json, [key = "", ...rest]: readonly string[], value: Json): Json {
  const inner = (under: Json | undefined): Json =>
    rest.length === 0 ? value : withField(under ?? {}, rest, value);
  if (Array.isArray(json))
    return json.map((item: Json, index) => (index === Number(key) ? inner(item) : item));
  const { [key]: before, ...others } = fieldsOf(json);
  return rest.length === 0 && value === null ? others : { ...others, [key]: inner(before) };
}

function toolsOf(policy: Policy): Interface {
  const tools = JSON.stringify(
    fieldsOf(fieldsOf(policy as unknown as Json)["retrieval"])["tools"] ?? ["read_ref", "list_refs"],
  );
  const [isListing, isSearching] = [tools.includes("list_refs"), tools.includes("search_refs")];
  if (isListing && isSearching) return "all";
  return isListing ? "read+list" : isSearching ? "read+search" : "read";
}
