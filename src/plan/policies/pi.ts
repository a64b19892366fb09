/** pi: a structured summary that is updated, never rewritten, 20,000 tokens verbatim, file lists kept by the program. */
import type { Policy, Size } from "../policy.ts";
import { SAFETY_NOTE, safetyAt, upTo } from "./borrowed.ts";

const threshold: Size = { share: 1, minusTokens: 16_384 };

export const pi: Policy = {
  name: "pi",
  about: "at window − 16,384 everything but the newest 20,000 tokens becomes a summary that is updated",
  source: "facts/harnesses.md §4.3 (pi 1.5.0)",
  notes: {
    "trigger.at.0": "§4.3: contextTokens > W − reserveTokens (16,384)",
    "tail.tokens": "§4.3: keepRecentTokens 20,000; a quarter of smaller windows",
    "summary.maxTokens": "ours: its limit is what the model may answer",
    "summary.sections": "§3: Goal … Critical Context",
    "restore.maxFiles": "§3: it lists files and puts none back",
    "continuation.overflowRetries": "§4.3: compact, retry once",
    safety: SAFETY_NOTE,
  },
  trigger: { at: [threshold] },
  accounting: { basis: "usage", counts: ["system", "tools", "call-inputs"] },
  prune: [],
  tail: { folds: "everything", tokens: upTo(20_000, 0.25) },
  summary: {
    by: "same-model",
    sections: [
      { title: "Goal", of: ["Session Intent"] },
      { title: "Constraints & Preferences", of: ["Constraints and Preferences"] },
      { title: "Progress", of: ["Current Task", "Commands and Results", "Failed Approaches"] },
      { title: "Key Decisions", of: ["Key Decisions"] },
      { title: "Next Steps", of: ["Next Steps", "Open Questions"] },
      { title: "Critical Context", of: ["Critical Context", "Errors Encountered"] },
    ],
    maxTokens: { share: 0.05, atLeastTokens: 600, atMostTokens: 6_000 },
    update: "merge",
    files: "tags",
  },
  restore: { maxFiles: 0 },
  placement: { role: "user" },
  continuation: { overflowRetries: 1 },
  safety: safetyAt(threshold),
};
