/** Roo-Code: a fresh start. One message with nine sections and the outlines of the files that were read; no tail. */
import type { Policy, Size } from "../policy.ts";
import { NINE_HEADINGS, SAFETY_NOTE, safetyAt } from "./borrowed.ts";

const threshold: Size = { share: 0.9, minusTokens: 8_192 };

export const rooFreshStart: Policy = {
  name: "roo-fresh-start",
  about: "everything becomes one message: nine sections and the outlines of the files read",
  source: "facts/harnesses.md §4.8 (Roo-Code)",
  notes: {
    "trigger.at.0": "§4.8: 100 % of W by default",
    "trigger.at.1": "§2: 0.9 W − maxTokens (8,192)",
    "summary.sections": "§4.8: nine sections",
    "summary.maxTokens": "ours: the source has no limit",
    "restore.maxFiles": "§4.8: all files read; the limit in characters decides",
    "restore.maxTokens": "§4.8: 50,000 characters, at 4 a token",
    "continuation.overflowRetries": "§4.8: at most 3 retries",
    safety: SAFETY_NOTE,
  },
  trigger: { at: [{ share: 1 }, threshold] },
  accounting: { basis: "usage", counts: ["system", "tools", "call-inputs"] },
  prune: [],
  tail: { folds: "everything" },
  summary: {
    by: "same-model",
    sections: NINE_HEADINGS,
    maxTokens: { share: 0.05, atLeastTokens: 600, atMostTokens: 6_000 },
    update: "rewrite",
    files: "sections",
  },
  restore: { maxFiles: 100, maxTokens: 12_500, as: "outline" },
  placement: { role: "user" },
  continuation: { overflowRetries: 3 },
  safety: safetyAt(threshold),
};
