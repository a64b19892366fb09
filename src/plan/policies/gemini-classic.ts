/**
 * gemini-cli: old tool output is masked each turn, and at half of the window the older 70 % becomes a state snapshot
 * that the model is asked to check once more.
 */
import type { Policy, Size } from "../policy.ts";
import { SAFETY_NOTE, safetyAt } from "./borrowed.ts";

const threshold: Size = { share: 0.5 };

export const geminiClassic: Policy = {
  name: "gemini-classic",
  about:
    "masks old output each turn; at 50 % the older 70 % becomes a state snapshot, checked by a second pass",
  source: "facts/harnesses.md §4.4 (gemini-cli)",
  notes: {
    "trigger.at.0.share": "§4.4: the last prompt at 0.5 of the limit",
    "prune.0.keepTokens": "§4.4: the newest 50,000 tokens of output are protected",
    "prune.0.minSavedTokens": "§4.4: acts from 30,000 prunable tokens on",
    "prune.0.minTokens": "ours: what is smaller than its own preview stays",
    "prune.0.leave": "§3: a preview of 250 + 250 characters, the rest in a file",
    "tail.shareOfTokens": "§4.4: the last 30 % by characters, cut at a message of the user",
    "summary.sections": "§3: the elements of <state_snapshot>",
    "summary.maxTokens": "ours: the source has no limit",
    "restore.maxFiles": "§3: none",
    "continuation.overflowRetries": "§3: none, it warns that it will overflow; here once",
    safety: SAFETY_NOTE,
  },
  trigger: { at: [threshold] },
  accounting: { basis: "usage", counts: ["system", "tools", "call-inputs"] },
  prune: [
    {
      strategy: "aged-results",
      when: "request",
      minTokens: 200,
      keepTokens: 50_000,
      minSavedTokens: 30_000,
      exceptTools: ["activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode", "write_todos"],
      leave: { kind: "ends", headTokens: 63, tailTokens: 63 },
    },
  ],
  tail: { folds: "everything", shareOfTokens: 0.3, cutsAt: "user" },
  summary: {
    by: "same-model",
    element: "state_snapshot",
    sections: [
      { title: "overall_goal", of: ["Session Intent"] },
      { title: "active_constraints", of: ["Constraints and Preferences"] },
      { title: "key_knowledge", of: ["Critical Context", "Key Decisions", "Failed Approaches"] },
      { title: "artifact_trail", of: ["Files Modified"] },
      { title: "file_system_state", of: ["Files Read"] },
      { title: "recent_actions", of: ["Commands and Results", "Errors Encountered"] },
      { title: "task_state", of: ["Current Task", "Open Questions", "Next Steps"] },
    ],
    maxTokens: { share: 0.02, atLeastTokens: 600, atMostTokens: 6_000 },
    update: "rewrite",
    files: "sections",
    isVerified: true,
  },
  restore: { maxFiles: 0 },
  placement: { role: "user", acknowledgement: "Understood; I have the state of the work." },
  continuation: { overflowRetries: 1 },
  safety: safetyAt(threshold),
};
