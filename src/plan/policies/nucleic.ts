/**
 * Seeds 000 and 001: over 80 % of the budget, system prompt and tool arguments counted, clear old results, keep head and
 * tail, and put one assistant message with a structured summary in place of the middle.
 *
 * A turn of that text is one response of the model with its results, which is our step. The user's words in the middle
 * fold with the rest, as they do there. Where its head or tail would cut a pair in two, more is kept.
 */
import type { Policy } from "../policy.ts";
import { SAFETY_NOTE, safetyAt } from "./borrowed.ts";

export const nucleic: Policy = {
  name: "nucleic",
  about: "at 80 % old results are cleared and the middle becomes one structured summary; head 2, tail 6",
  source: "seeds 000 and 001 (nucleic.se)",
  variables: { COMPRESSION_THRESHOLD: "trigger.at.0.share" },
  notes: {
    "trigger.at.0.share":
      "seed 000: over 80 % of the context budget; COMPRESSION_THRESHOLD sets it (seed 001)",
    "accounting.counts":
      "seed 001: system prompt (its tool catalog is part of it) and the arguments of calls",
    "prune.0.keepSteps": "seed 000: results older than 4 turns; its turn is one response with its results",
    "prune.0.minTokens": "seed 000: any result, whatever its size",
    "tail.headMessages": "seed 000: the first 2 messages stay verbatim",
    "tail.minMessages": "seed 000: the last 6 messages stay verbatim",
    "summary.sections":
      "seed 000 names Key Decisions and Critical Context; the rest of its list is not in the text, so ours stand there",
    "summary.update": "seed 000: later middles are integrated into the summary that is there",
    "summary.files": "seed 000: <read-files> and <modified-files>, merged, never reset",
    "summary.maxTokens": "ours: the text has no limit",
    "placement.role": "seed 000: a single synthetic assistant message",
    "restore.maxFiles": "the text puts nothing back",
    "continuation.overflowRetries": "seed 000: compress at once, then retry",
    safety: SAFETY_NOTE,
  },
  trigger: { at: [{ share: 0.8 }] },
  accounting: { basis: "estimate", counts: ["system", "tools", "call-inputs"] },
  prune: [
    {
      strategy: "aged-results",
      when: "full",
      minTokens: 0,
      keepSteps: 4,
      leave: { kind: "text", text: "[Cleared for context space]" },
    },
  ],
  tail: { folds: "everything", headMessages: 2, minMessages: 6 },
  summary: {
    by: "fast-model",
    sections: [
      "Session Intent",
      "Constraints and Preferences",
      "Current Task",
      "Key Decisions",
      "Errors Encountered",
      "Next Steps",
      "Critical Context",
    ],
    maxTokens: { share: 0.05, atLeastTokens: 600, atMostTokens: 4_000 },
    update: "merge",
    files: "tags",
  },
  restore: { maxFiles: 0 },
  placement: { role: "assistant" },
  continuation: { overflowRetries: 1 },
  safety: safetyAt({ share: 0.8 }),
};
