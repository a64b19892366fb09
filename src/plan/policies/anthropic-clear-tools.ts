/** Anthropic's context editing: over 100,000 tokens all but the last three tool results go; no summary. */
import type { Policy } from "../policy.ts";
import { exactly, SAFETY_NOTE, safetyAt } from "./borrowed.ts";

const threshold = exactly(100_000);

export const anthropicClearTools: Policy = {
  name: "anthropic-clear-tools",
  about: "over 100,000 tokens all results but the last 3 are cleared; nothing is summarized",
  source: "facts/harnesses.md §4.18 (clear_tool_uses_20250919)",
  notes: {
    "trigger.at.0": "§4.18: 100k input tokens, whatever the window",
    "prune.0.keepResults": "§4.18: keep 3",
    "prune.0.minTokens": "§4.18: any size",
    "summary.maxTokens": "no summary",
    "restore.maxFiles": "nothing is put back",
    "continuation.overflowRetries": "ours: clearing again may be enough",
    safety: SAFETY_NOTE,
  },
  trigger: { at: [threshold] },
  accounting: { basis: "usage", counts: ["system", "tools", "call-inputs"] },
  prune: [
    {
      strategy: "aged-results",
      when: "full",
      minTokens: 0,
      keepResults: 3,
      leave: { kind: "text", text: "[cleared]" },
    },
  ],
  tail: { folds: "nothing" },
  summary: { by: "none", maxTokens: { share: 0 }, update: "merge", files: "none" },
  restore: { maxFiles: 0 },
  placement: { role: "user" },
  continuation: { overflowRetries: 1 },
  safety: safetyAt(threshold),
};
