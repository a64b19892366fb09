/**
 * Reads a policy somebody wrote. What is wrong is told by its field (`prune.2.minTokens`), with what was expected and
 * what stood there; unknown fields are errors too, because a misspelled limit would otherwise silently not hold.
 *
 * `{ "extends": "palimpsest", … }` begins with that policy: objects are merged field by field, lists are replaced.
 */
import * as v from "valibot";
import { PalimpsestError } from "../errors.ts";
import { isObject, type Json, type JsonObject, string } from "../transcript/json.ts";
import type { Policy } from "./policy.ts";
import { SECTIONS } from "./summary.ts";

export interface ParseOptions {
  /** What `extends` may name. */
  readonly known?: (name: string) => Policy | undefined;
}

export function parsePolicy(json: Json, options: ParseOptions = {}): Policy {
  if (!isObject(json)) throw refuse("a policy is a JSON object.");
  const parsed = v.safeParse(POLICY, extended(json, options));
  if (parsed.success) return parsed.output;
  throw refuse(describe(parsed.issues[0]));
}

function extended(json: JsonObject, { known }: ParseOptions): Json {
  const { extends: base, ...own } = json;
  if (base === undefined) return own;
  const found = known?.(string(base) ?? "");
  if (!found)
    throw refuse(
      `extends: there is no policy ${JSON.stringify(base)}; "palimpsest policies" lists those there are.`,
    );
  // A policy is JSON; its interface only has no index signature.
  return merged(found as unknown as JsonObject, own);
}

function merged(base: JsonObject, own: JsonObject): JsonObject {
  const fields = Object.entries(own).map(([key, value]): [string, Json | undefined] => {
    const under = base[key];
    return [key, isObject(under) && isObject(value) ? merged(under, value) : value];
  });
  return { ...base, ...Object.fromEntries(fields) };
}

function describe(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue) ?? "";
  if (issue.expected === "never") return `${path}: there is no such field.`;
  return `${path}: expected ${issue.expected ?? issue.message}, found ${issue.received}.`;
}

function refuse(why: string): PalimpsestError {
  return new PalimpsestError("policy", `Not a policy: ${why}`);
}

const named = <T extends string>(
  ...names: readonly [T, ...T[]]
): v.PicklistSchema<readonly [T, ...T[]], undefined> => v.picklist(names);
const optional = v.exactOptional;
const strict = v.strictObject;
const list = v.array;
const tokens = v.pipe(v.number(), v.minValue(0));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const text = v.string();

const SIZE = strict({
  share,
  reserveOutputUpToTokens: optional(tokens),
  minusTokens: optional(tokens),
  atLeastTokens: optional(tokens),
  atMostTokens: optional(tokens),
});

const LEAVE = v.variant("kind", [
  strict({
    kind: v.literal("stub"),
    format: optional(named("opaque", "titled", "preview")),
    previewChars: optional(count),
  }),
  strict({ kind: v.literal("text"), text, headChars: optional(count) }),
  strict({ kind: v.literal("ends"), headTokens: tokens, tailTokens: tokens }),
  strict({ kind: v.literal("ends-by-characters"), headChars: count, tailChars: count, between: text }),
  strict({ kind: v.literal("preview"), maxTokens: tokens }),
]);

const RULE = {
  when: named("arrival", "pays", "request", "full"),
  minTokens: tokens,
  tier: optional(count),
  isPersistent: optional(v.boolean()),
};

const DOES = list(
  named("read", "write", "edit", "run", "search", "fetch", "plan", "delegate", "recall", "other"),
);

const PRUNE = v.variant("strategy", [
  strict({ strategy: v.literal("superseded-reads"), ...RULE, leave: LEAVE }),
  strict({ strategy: v.literal("repeated-outputs"), ...RULE, leave: LEAVE }),
  strict({ strategy: v.literal("giant-results"), ...RULE, leave: LEAVE, orShareOfWindow: optional(share) }),
  strict({
    strategy: v.literal("aged-results"),
    ...RULE,
    leave: LEAVE,
    keepSteps: optional(count),
    keepTurns: optional(count),
    keepResults: optional(count),
    keepAssistantMessages: optional(count),
    keepMessages: optional(count),
    keepShareOfMessages: optional(share),
    keepTokens: optional(tokens),
    keepMinutes: optional(v.pipe(v.number(), v.minValue(0))),
    minSavedTokens: optional(tokens),
    downToShare: optional(share),
    tools: optional(list(text)),
    does: optional(DOES),
    exceptTools: optional(list(text)),
    areErrorsKept: optional(v.boolean()),
    above: optional(SIZE),
    aboveResultTokens: optional(tokens),
  }),
  strict({
    strategy: v.literal("assistant-texts"),
    ...RULE,
    leave: LEAVE,
    keepMessages: optional(count),
    keepShareOfMessages: optional(share),
  }),
  strict({
    strategy: v.literal("call-inputs"),
    ...RULE,
    does: DOES,
    maxChars: count,
    keepChars: count,
    mark: text,
    keepMessages: count,
  }),
  strict({
    strategy: v.literal("user-pastes"),
    ...RULE,
    headTokens: tokens,
    tailTokens: tokens,
    isReducedToDirectives: v.boolean(),
  }),
]);

const TRIGGER = strict({
  at: list(SIZE),
  pick: optional(named("smallest", "largest")),
  atBoundary: optional(SIZE),
  pays: optional(strict({ keep: SIZE, patience: v.pipe(v.number(), v.gtValue(0)) })),
  maxMessages: optional(count),
  scope: optional(named("total", "growth")),
  target: optional(SIZE),
  targetWhenAsked: optional(strict({ shareOfPrompt: share })),
  models: optional(
    list(strict({ startsWith: text, at: list(SIZE), atBoundary: optional(SIZE), target: optional(SIZE) })),
  ),
});

const ACCOUNTING = strict({
  basis: named("usage", "estimate", "characters"),
  charsPerToken: optional(v.pipe(v.number(), v.gtValue(0))),
  counts: list(named("system", "tools", "call-inputs")),
});

const TAIL = strict({
  folds: named("steps", "everything", "nothing"),
  foldsTo: optional(named("target", "tail")),
  headMessages: optional(count),
  userTokens: optional(SIZE),
  userHeadTokens: optional(SIZE),
  keepsAnswers: optional(v.boolean()),
  minMessages: optional(count),
  minSteps: optional(count),
  minTurns: optional(count),
  shareOfMessages: optional(share),
  shareOfMessagesAtLeast: optional(share),
  shareOfTokens: optional(share),
  cutsAt: optional(v.literal("user")),
  tokens: optional(SIZE),
  isCountedCleared: optional(v.boolean()),
  boundarySlack: optional(SIZE),
});

const ALLOCATION = strict({
  askedShare: share,
  askedShareOfPrompt: share,
  wordsShare: share,
  pageShare: share,
  narrativeShare: share,
  tableShare: share,
  maxLineTokens: tokens,
});

const HEADING = strict({
  title: text,
  of: list(v.picklist(SECTIONS)),
  holdsUserMessages: optional(v.boolean()),
});

const SUMMARY = strict({
  by: named("none", "extractive", "configured", "fast-model", "same-model"),
  byWhenAsked: optional(named("fast-model", "same-model")),
  sections: optional(list(v.union([v.picklist(SECTIONS), HEADING]))),
  element: optional(v.pipe(text, v.regex(/^[a-z][a-z_-]*$/))),
  maxTokens: SIZE,
  update: named("merge", "rewrite", "append"),
  appendUpTo: optional(SIZE),
  files: named("sections", "tags", "none"),
  table: optional(SIZE),
  recent: optional(SIZE),
  source: optional(SIZE),
  isVerified: optional(v.boolean()),
  prompt: optional(text),
});

const RETRIEVAL = strict({
  tools: list(named("read_ref", "list_refs", "search_refs")),
  prompt: named("prescriptive", "passive"),
  descriptions: named("outcome", "semantic"),
});

const RESTORE = strict({
  maxFiles: count,
  maxTokensEach: optional(tokens),
  maxTokens: optional(tokens),
  larger: optional(named("cut", "path")),
  as: optional(named("contents", "outline")),
});

const json: v.GenericSchema<unknown, Json> = v.lazy(() =>
  v.union([v.null(), v.boolean(), v.number(), text, list(json), v.record(text, json)]),
);

/** A name, and the options it was asked for with. */
const NAME = /^[a-z0-9][a-z0-9-]*(:[a-z-]+=[^\s:]+)*$/;

const POLICY: v.GenericSchema<unknown, Policy> = strict({
  name: v.pipe(text, v.regex(NAME)),
  about: text,
  source: optional(text),
  variables: optional(v.record(text, text)),
  options: optional(v.record(text, strict({ about: text, values: v.record(text, v.record(text, json)) }))),
  notes: optional(v.record(text, text)),
  trigger: TRIGGER,
  accounting: ACCOUNTING,
  prune: list(PRUNE),
  tail: TAIL,
  allocation: optional(ALLOCATION),
  summary: SUMMARY,
  retrieval: optional(RETRIEVAL),
  restore: RESTORE,
  placement: strict({
    role: named("user", "assistant"),
    at: optional(named("fold", "end")),
    opening: optional(text),
    acknowledgement: optional(text),
  }),
  continuation: strict({ overflowRetries: count, text: optional(text), flush: optional(text) }),
  safety: strict({
    minFoldTokens: tokens,
    minSavedTokens: tokens,
    isPageFree: optional(v.boolean()),
    isTranscriptSaved: optional(v.boolean()),
    maxFailures: count,
    waitsUpTo: SIZE,
  }),
});
