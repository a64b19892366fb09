/**
 * OpenHands: by the number of events. The first few stay, the newest half stays, and between them stands a summary; the
 * one before is an event like any other.
 */
import type { Policy } from "../policy.ts";
import { SAFETY_NOTE, safetyAt } from "./borrowed.ts";

export const openhandsRolling: Policy = {
  name: "openhands-rolling",
  about: "over 80 messages the first 4 and the newest half stay, the middle becomes a summary",
  source: "facts/harnesses.md §4.9 (OpenHands SDK)",
  options: {
    limits: {
      about: "of the default agent (80 events, first 4) or of the class (240, first 2)",
      values: {
        agent: { "trigger.maxMessages": 80, "tail.headMessages": 4 },
        class: { "trigger.maxMessages": 240, "tail.headMessages": 2 },
      },
    },
  },
  notes: {
    "trigger.maxMessages": "§4.9: the default agent's 80 events; an event is about one of our messages",
    "tail.headMessages": "§4.9: the default agent keeps the first 4",
    "tail.shareOfMessages": "§4.9: down to half of the limit",
    "summary.sections": "§3: its template",
    "summary.maxTokens": "ours: the source has no limit",
    "restore.maxFiles": "§3: none",
    "continuation.overflowRetries": "§4.9: a hard reset, at most 5 tries",
    safety: SAFETY_NOTE,
  },
  trigger: { at: [], maxMessages: 80 },
  accounting: { basis: "estimate", counts: ["system", "tools", "call-inputs"] },
  prune: [],
  tail: { folds: "everything", headMessages: 4, shareOfMessages: 0.5 },
  summary: {
    by: "same-model",
    sections: [
      { title: "USER_CONTEXT", of: ["Session Intent", "Constraints and Preferences"] },
      { title: "TASK_TRACKING", of: ["Current Task"] },
      { title: "COMPLETED", of: ["Key Decisions", "Failed Approaches"] },
      { title: "PENDING", of: ["Next Steps", "Open Questions"] },
      { title: "CURRENT_STATE", of: ["Critical Context"] },
      { title: "CODE_STATE", of: ["Files Read"] },
      { title: "TESTS", of: ["Commands and Results", "Errors Encountered"] },
      { title: "CHANGES", of: ["Files Modified"] },
    ],
    maxTokens: { share: 0.05, atLeastTokens: 600, atMostTokens: 4_000 },
    update: "rewrite",
    files: "sections",
  },
  restore: { maxFiles: 0 },
  placement: { role: "user" },
  continuation: { overflowRetries: 5 },
  safety: safetyAt({ share: 0.85 }),
};
