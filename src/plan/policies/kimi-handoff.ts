/** kimi-code: like codex a handoff note, but the user's first words stay as well as the last. */
import type { Policy, Size } from "../policy.ts";
import { SAFETY_NOTE, safetyAt, upTo } from "./borrowed.ts";

const threshold: Size = { share: 0.85 };

export const kimiHandoff: Policy = {
  name: "kimi-handoff",
  about: "a first-person handoff note; the user's first 2,000 and last 18,000 tokens stay, nothing else",
  source: "facts/harnesses.md §4.13 (kimi-code)",
  notes: {
    "trigger.at.0": "§4.13: 0.85 W",
    "trigger.at.1": "§4.13: or used + 50k ≥ W",
    "tail.userHeadTokens": "§4.13: the first 2,000 tokens of the user's messages",
    "tail.userTokens": "§4.13: and the last 18,000",
    "summary.maxTokens": "ours: its note has no limit",
    "summary.sections": "§4.13: no fixed headings; what its instruction asks for",
    "restore.maxFiles": "§3: none",
    "continuation.overflowRetries": "§4.13: shrinks and tries again",
    safety: SAFETY_NOTE,
  },
  trigger: { at: [threshold, { share: 1, minusTokens: 50_000 }] },
  accounting: { basis: "usage", counts: ["system", "tools", "call-inputs"] },
  prune: [],
  tail: { folds: "steps", userHeadTokens: upTo(2_000, 0.05), userTokens: upTo(18_000, 0.45) },
  summary: {
    by: "same-model",
    sections: [
      { title: "What Is Wanted", of: ["Session Intent"] },
      {
        title: "Constraints in Force, Settled and Open",
        of: ["Constraints and Preferences", "Key Decisions", "Failed Approaches"],
      },
      {
        title: "Commands, Paths, Results",
        of: [
          "Commands and Results",
          "Files Modified",
          "Files Read",
          "Errors Encountered",
          "Critical Context",
        ],
      },
      { title: "Unknowns", of: ["Open Questions"] },
      { title: "The Plan from Here", of: ["Current Task", "Next Steps"] },
    ],
    maxTokens: { share: 0.05, atLeastTokens: 600, atMostTokens: 6_000 },
    update: "rewrite",
    files: "sections",
    prompt:
      "Write a note in the first person, as you would hand this work over to yourself: what is wanted, which constraints hold, which commands, paths and results matter, what is unknown, the whole plan from here.",
  },
  restore: { maxFiles: 0 },
  placement: { role: "user", at: "end" },
  continuation: { overflowRetries: 1 },
  safety: safetyAt(threshold),
};
