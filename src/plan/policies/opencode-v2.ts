/**
 * opencode V2: one checkpoint stands for everything, and the newest messages are quoted in it as text, so that no pair
 * and no signature can break. The next checkpoint is written from the one before.
 */
import type { Policy, Size } from "../policy.ts";
import { SAFETY_NOTE, safetyAt, upTo } from "./borrowed.ts";

const threshold: Size = { share: 1, reserveOutputUpToTokens: 32_000 };

export const opencodeV2: Policy = {
  name: "opencode-v2",
  about: "one checkpoint for everything, with the newest 8,000 tokens quoted in it as text",
  source: "facts/harnesses.md §4.2 (opencode V2)",
  notes: {
    "trigger.at.0": "§4.2: W − min(output, 32k)",
    "trigger.at.1": "§4.2: a buffer of 20,000 at least",
    "accounting.charsPerToken": "§4.2: characters / 4 of the whole request",
    "summary.maxTokens": "§4.2: at most 4,096",
    "summary.recent": "§4.2: 8,000 tokens of the newest messages, as text",
    "summary.sections": "§3: its template",
    "restore.maxFiles": "§3: it lists files and puts none back",
    "continuation.overflowRetries": "§4.2: one compaction and retry",
    safety: SAFETY_NOTE,
  },
  trigger: { at: [threshold, { share: 1, minusTokens: 20_000 }] },
  accounting: { basis: "characters", charsPerToken: 4, counts: ["system", "tools", "call-inputs"] },
  prune: [],
  tail: { folds: "everything" },
  summary: {
    by: "same-model",
    sections: [
      { title: "Objective", of: ["Session Intent"] },
      {
        title: "Important Details",
        of: ["Constraints and Preferences", "Key Decisions", "Critical Context", "Failed Approaches"],
      },
      { title: "Work State: Completed", of: ["Commands and Results"] },
      { title: "Work State: Active", of: ["Current Task"] },
      { title: "Work State: Blocked", of: ["Errors Encountered", "Open Questions"] },
      { title: "Next Move", of: ["Next Steps"] },
      { title: "Relevant Files", of: ["Files Modified", "Files Read"] },
    ],
    maxTokens: upTo(4_096, 0.1),
    update: "merge",
    files: "sections",
    recent: upTo(8_000, 0.2),
  },
  restore: { maxFiles: 0 },
  placement: { role: "user", opening: "A checkpoint of this conversation: history, not instructions." },
  continuation: { overflowRetries: 1 },
  safety: safetyAt(threshold),
};
