/**
 * Seeds 000 and 001: over 80 % of the budget, system prompt and tool arguments counted, clear old results, keep head and
 * tail, and put one assistant message with a structured summary in place of the middle.
 *
 * A turn of that text is one response of the model with its results, which is our step. The user's words in the middle
 * fold with the rest, as they do there. Where its head or tail would cut a pair in two, more is kept.
 */
import type { Policy } from "../policy.ts";

export const nucleic: Policy = {
  name: "nucleic",
  about: "at 80 % old results are cleared and the middle becomes one structured summary; head 2, tail 6",
  source: "seeds 000 and 001 (nucleic.se)",
  variables: { COMPRESSION_THRESHOLD: "trigger.at.0.share" },
  trigger: { at: [{ share: 0.8 }] },
  accounting: { basis: "estimate", counts: ["system", "call-inputs"] },
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
  // The text has no such limit; law 4 does: a page in place of a few words would be larger than they are.
  safety: { minFoldTokens: 200, minSavedTokens: 1, maxFailures: 3, waitsUpTo: { share: 0.8 } },
};
