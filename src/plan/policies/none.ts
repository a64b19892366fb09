/** No compaction at all: the control every other policy is compared with. */
import type { Policy } from "../policy.ts";

export const none: Policy = {
  name: "none",
  about: "never changes anything, until the provider refuses",
  source: "the control",
  trigger: { at: [] },
  accounting: { basis: "usage", counts: ["system", "tools", "call-inputs"] },
  prune: [],
  tail: { folds: "nothing" },
  summary: { by: "none", maxTokens: { share: 0 }, update: "merge", files: "none" },
  restore: { maxFiles: 0 },
  placement: { role: "user" },
  continuation: { overflowRetries: 0 },
  safety: { minFoldTokens: 0, minSavedTokens: 0, maxFailures: 3, waitsUpTo: { share: 1 } },
};
