/**
 * Mastra's observational memory: what was said since is observed into a dated log that only grows at its end, so that the
 * cached prefix stays; when the log itself is too long it is written anew.
 */
import type { Policy } from "../policy.ts";
import { SAFETY_NOTE, safetyAt, upTo } from "./borrowed.ts";

const threshold = upTo(30_000, 0.5);

export const mastraOm: Policy = {
  name: "mastra-om",
  about:
    "every 30,000 tokens become dated observations behind the earlier ones; over 40,000 they are rewritten",
  source: "facts/harnesses.md §4.16 (Mastra Observational Memory)",
  notes: {
    "trigger.at.0": "§4.16: 30,000 unobserved tokens; half of smaller windows",
    "tail.tokens": "§4.16: 20 % of the threshold stays raw",
    "summary.maxTokens": "ours: what one observation may come to",
    "summary.appendUpTo": "§4.16: the reflector at 40,000 tokens of observations",
    "summary.sections": "§4.16: a log, with current task apart",
    "restore.maxFiles": "§3: none",
    "retrieval.tools": "§4.16: a recall tool over the raw messages",
    "continuation.overflowRetries": "ours: the source is well below the window",
    safety: SAFETY_NOTE,
  },
  trigger: { at: [threshold], scope: "growth" },
  accounting: { basis: "estimate", counts: ["call-inputs"] },
  prune: [],
  tail: { folds: "everything", tokens: upTo(6_000, 0.1) },
  summary: {
    by: "fast-model",
    sections: [
      {
        title: "Observations",
        of: [
          "Session Intent",
          "Constraints and Preferences",
          "Key Decisions",
          "Failed Approaches",
          "Errors Encountered",
          "Files Modified",
          "Files Read",
          "Commands and Results",
          "Critical Context",
        ],
      },
      { title: "Current Task", of: ["Current Task", "Open Questions"] },
      { title: "Suggested Response", of: ["Next Steps"] },
    ],
    maxTokens: upTo(4_000, 0.05),
    update: "append",
    appendUpTo: upTo(40_000, 0.4),
    files: "sections",
  },
  retrieval: { tools: ["read_ref", "search_refs"], prompt: "passive", descriptions: "outcome" },
  restore: { maxFiles: 0 },
  placement: { role: "user" },
  continuation: { overflowRetries: 1 },
  safety: safetyAt(threshold),
};
