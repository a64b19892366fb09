/**
 * Claude Code as seed 003 tells it, with what is documented elsewhere: old results of the eligible tools are cleared as
 * the context grows; when that is not enough the whole conversation becomes a summary of nine sections, framed as a
 * session that goes on, and the files last touched are put back.
 */
import type { Policy, Size } from "../policy.ts";
import { NINE_HEADINGS, SAFETY_NOTE, safetyAt, upTo } from "./borrowed.ts";

const threshold: Size = { share: 1, reserveOutputUpToTokens: 20_000, minusTokens: 13_000 };

export const claudeCode: Policy = {
  name: "claude-code",
  about: "clears old results of its own tools, then nine sections in place of everything, 5 files put back",
  source: "seed 003; facts/harnesses.md §2 and §4.20",
  notes: {
    "trigger.at.0":
      "seed 003: about 167k of 200k, window less output less a 13k buffer; the reserve is capped at 20k (§2)",
    "prune.0.above": "§2: the warning mark, 20k below the threshold; the seed says only 'as it grows'",
    "prune.0.keepResults": "seed 002, whose constants are read from the same program",
    "prune.0.minSavedTokens": "seed 002: savings under 20,000 are not worth it",
    "prune.0.minTokens": "ours: the text says large; a smaller one gains nothing over its placeholder",
    "prune.0.does": "seed 003: file reads, shell output, grep, glob, web fetches and file edits",
    "tail.folds": "seed 003: the summary replaces the entire history",
    "summary.sections": "seed 003: nine sections, all user messages verbatim among them",
    "summary.maxTokens": "§2: 20k are reserved for it; a tenth of smaller windows",
    "restore.maxFiles": "§4.20: up to five files, most recent first",
    "restore.maxTokensEach": "§4.20: what is over 5,000 tokens is named by its path only",
    "restore.maxTokens": "§3, qwen-code, which states it copied the values: 50,000 in all",
    "continuation.overflowRetries": "§4.20: compacts on the error and goes on",
    "safety.maxFailures": "§4.20: stops after 3 failures",
    safety: SAFETY_NOTE,
  },
  trigger: { at: [threshold] },
  accounting: { basis: "usage", counts: ["system", "tools", "call-inputs"] },
  prune: [
    {
      strategy: "aged-results",
      when: "request",
      minTokens: 100,
      above: { ...threshold, minusTokens: 33_000 },
      keepResults: 3,
      minSavedTokens: 20_000,
      does: ["read", "run", "search", "fetch", "edit", "write"],
      leave: { kind: "text", text: "[Old tool result content cleared]" },
    },
  ],
  tail: { folds: "everything" },
  summary: {
    by: "same-model",
    sections: NINE_HEADINGS,
    maxTokens: upTo(20_000, 0.1),
    update: "rewrite",
    files: "sections",
  },
  restore: { maxFiles: 5, maxTokensEach: 5_000, maxTokens: 50_000, larger: "path" },
  placement: {
    role: "user",
    opening: "This session is being continued from a previous conversation that ran out of context.",
  },
  continuation: { overflowRetries: 1, text: "Go on with the last task where it was left; do not recap." },
  safety: safetyAt(threshold),
};
