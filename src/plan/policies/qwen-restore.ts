/**
 * qwen-code, the open re-implementation of Claude Code's shape: results are cleared after an idle hour or when they
 * pile up; then the whole history becomes one snapshot, and the files last touched are read from disk again.
 */
import type { AgedResultsRule, Policy, Size } from "../policy.ts";
import { SAFETY_NOTE, safetyAt, upTo } from "./borrowed.ts";

const threshold: Size = { share: 0.85 };

const clearing = {
  strategy: "aged-results",
  when: "request",
  minTokens: 50,
  keepResults: 5,
  areErrorsKept: true,
  does: ["read", "run", "search", "fetch", "edit", "write"],
  leave: { kind: "text", text: "[Old tool result content cleared]" },
} as const satisfies AgedResultsRule;

export const qwenRestore: Policy = {
  name: "qwen-restore",
  about: "clears after an idle hour or 500k characters, then one snapshot, with 5 files read from disk again",
  source: "facts/harnesses.md §4.12 (qwen-code)",
  notes: {
    "trigger.at.0": "§2: min(0.85 W, W − 33k)",
    "trigger.at.1": "§2: min(0.85 W, W − 33k)",
    "prune.0":
      "§4.12: idle for 60 minutes, all older than the newest 5; errors never; the least size is ours",
    "prune.1": "§4.12: over 500,000 characters of results the oldest go until half is left; keeps 5",
    "summary.maxTokens": "§4.12: at most 20,000; a tenth of smaller windows",
    "summary.sections": "§3: nine tags; their names are ours, after what they hold",
    "restore.maxFiles": "§4.12: up to 5 most recently touched files",
    "restore.maxTokensEach": "§4.12: at most 5k tokens each, else the path",
    "restore.maxTokens": "§4.12: 50k in all",
    "continuation.overflowRetries": "§3: a forced compaction",
    "safety.maxFailures": "§4.12: 3 failures in a row stop it",
    safety: SAFETY_NOTE,
  },
  trigger: { at: [threshold, { share: 1, minusTokens: 33_000 }] },
  accounting: { basis: "usage", counts: ["system", "tools", "call-inputs"] },
  prune: [
    { ...clearing, keepMinutes: 60 },
    { ...clearing, aboveResultTokens: 125_000, downToShare: 0.5 },
  ],
  tail: { folds: "everything" },
  summary: {
    by: "same-model",
    element: "state_snapshot",
    sections: [
      { title: "overall_goal", of: ["Session Intent"] },
      { title: "key_knowledge", of: ["Critical Context", "Key Decisions"] },
      { title: "file_system_state", of: ["Files Modified", "Files Read"] },
      { title: "errors", of: ["Errors Encountered", "Failed Approaches"] },
      { title: "recent_actions", of: ["Commands and Results"] },
      { title: "user_messages", of: ["Constraints and Preferences"], holdsUserMessages: true },
      { title: "pending_tasks", of: ["Open Questions"] },
      { title: "current_work", of: ["Current Task"] },
      { title: "next_step", of: ["Next Steps"] },
    ],
    maxTokens: upTo(20_000, 0.1),
    update: "rewrite",
    files: "sections",
  },
  restore: { maxFiles: 5, maxTokensEach: 5_000, maxTokens: 50_000, larger: "path" },
  placement: { role: "user", acknowledgement: "Understood; going on from this state." },
  continuation: { overflowRetries: 1, text: "Resume at once where the work was left, without a recap." },
  safety: safetyAt(threshold),
};
