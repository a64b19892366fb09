/**
 * Seed 003, the baseline arm: a model rewrites the older part as a condensed summary, and the next time that summary is
 * rewritten with the rest. No refs are shown and no tools to read back, so what it loses it loses; the store has it all.
 */
import type { Policy, Size } from "../policy.ts";
import { SAFETY_NOTE, safetyAt } from "./borrowed.ts";

export const threshold: Size = { share: 1, reserveOutputUpToTokens: 20_000, minusTokens: 13_000 };

/** What the three arms of the experiment have in common. */
export const ARM_NOTES: Readonly<Record<string, string>> = {
  "trigger.at.0": "seed 003: window less reserved output less a 13k buffer, about 167k of 200k",
  "restore.maxFiles": "the experiments put nothing back",
  "continuation.overflowRetries": "ours: the experiments had no overflow",
  safety: SAFETY_NOTE,
};

export const summarize: Policy = {
  name: "summarize",
  about: "the older 60 % becomes a condensed summary, rewritten each time; nothing can be read back",
  source: "seed 003 (Lossless Compaction), the baseline arm",
  notes: {
    ...ARM_NOTES,
    "tail.shareOfMessages": "seed 003, realistic testing: 60 % compacted, 40 % recent preserved",
    "summary.maxTokens": "ours: the text gives 2,366 tokens for the whole context after one compaction",
    "retrieval.tools": "seed 003: the baseline has none",
    "summary.update": "seed 003: a summary of a summary of a summary",
  },
  trigger: { at: [threshold] },
  accounting: { basis: "usage", counts: ["system", "tools", "call-inputs"] },
  prune: [],
  tail: { folds: "everything", shareOfMessages: 0.4 },
  summary: {
    by: "same-model",
    maxTokens: { share: 0.05, atLeastTokens: 600, atMostTokens: 4_000 },
    update: "rewrite",
    files: "sections",
  },
  retrieval: { tools: [], prompt: "passive", descriptions: "outcome" },
  restore: { maxFiles: 0 },
  placement: { role: "user" },
  continuation: { overflowRetries: 1 },
  safety: safetyAt(threshold),
};
