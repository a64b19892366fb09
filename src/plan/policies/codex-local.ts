/**
 * codex without its server: of the conversation only the newest words of the user stay, with a handoff note written for
 * another model. Outputs are capped when they are recorded.
 */
import type { Policy, Size } from "../policy.ts";
import { SAFETY_NOTE, safetyAt, upTo } from "./borrowed.ts";

const threshold: Size = { share: 0.9 };

export const codexLocal: Policy = {
  name: "codex-local",
  about: "at 90 % only the user's newest 20,000 tokens stay, with a handoff note; nothing else is kept",
  source: "facts/harnesses.md §4.6 (codex)",
  notes: {
    "trigger.at.0.share": "§4.6: min(config, 0.9 W)",
    "prune.0": "§3: outputs are capped at 10k tokens when recorded; half head, half tail is ours",
    "tail.userTokens": "§4.6: newest user messages within 20,000 tokens, the oldest kept one cut",
    "summary.maxTokens": "ours: its note has no limit",
    "summary.sections": "§3: progress and decisions, context and preferences, remaining, critical data",
    "restore.maxFiles": "§3: none",
    "continuation.overflowRetries": "§4.6: drops the oldest and retries",
    safety: SAFETY_NOTE,
  },
  trigger: { at: [threshold] },
  accounting: { basis: "usage", counts: ["system", "tools", "call-inputs"] },
  prune: [
    {
      strategy: "giant-results",
      when: "arrival",
      minTokens: 10_001,
      leave: { kind: "ends", headTokens: 5_000, tailTokens: 5_000 },
    },
  ],
  tail: { folds: "steps", userTokens: upTo(20_000, 0.5) },
  summary: {
    by: "same-model",
    sections: [
      {
        title: "Progress and Decisions",
        of: ["Current Task", "Key Decisions", "Files Modified", "Commands and Results", "Failed Approaches"],
      },
      { title: "Context, Constraints, Preferences", of: ["Session Intent", "Constraints and Preferences"] },
      { title: "What Remains", of: ["Next Steps", "Open Questions"] },
      { title: "Critical Data", of: ["Critical Context", "Errors Encountered"] },
    ],
    maxTokens: { share: 0.05, atLeastTokens: 600, atMostTokens: 6_000 },
    update: "rewrite",
    files: "sections",
  },
  restore: { maxFiles: 0 },
  placement: {
    role: "user",
    at: "end",
    opening: "Another model worked on this before you and left this note; build on what it did.",
  },
  continuation: { overflowRetries: 1 },
  safety: safetyAt(threshold),
};
