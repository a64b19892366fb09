/**
 * Seed 002: three layers. Each turn old large outputs of four tools are cleared; near the limit the transcript is saved
 * and everything but the last five messages becomes a summary, with the files last read put back; by hand the same with
 * a focus.
 *
 * Its estimator counts four tokens for three characters, so all of its numbers are in that unit, and so are they here:
 * 1,000 of its tokens are 750 characters. It fires much earlier than its percentages look.
 */
import type { Policy, Size } from "../policy.ts";

const threshold: Size = { share: 1, reserveOutputUpToTokens: 20_000, minusTokens: 13_000 };

export const layered: Policy = {
  name: "layered",
  about: "clears old results each turn; near the limit a summary, the last 5 messages and 5 files put back",
  source: "seed 002 (v5: Context Compression)",
  notes: {
    "trigger.at.0.share": "seed 002: context_window − output_reserve − 13000",
    "trigger.at.0.reserveOutputUpToTokens": "seed 002: min(max_output, 20000)",
    "trigger.at.0.minusTokens": "seed 002: 13000 buffer for system prompt, tool definitions, overhead",
    "accounting.charsPerToken": "seed 002: len(text) * 4 // 3, an overestimate on purpose",
    "accounting.counts": "seed 002: the sum over messages; system and tools are in the buffer",
    "prune.0.minTokens": "seed 002: a single output over 40000",
    "prune.0.leave.headChars": "seed 002: output[:2000]",
    "prune.1.keepResults": "seed 002: KEEP_RECENT = 3",
    "prune.1.minTokens": "seed 002: over 1000",
    "prune.1.tools": "seed 002: COMPACTABLE_TOOLS; `does` stands for other spellings of the same four",
    "tail.minMessages": "seed 002: messages[-5:]",
    "summary.maxTokens": "ours: the text has no limit; 5 % of the window in its own unit",
    "restore.maxFiles": "seed 002: MAX_RESTORE_FILES",
    "restore.maxTokensEach": "seed 002: MAX_RESTORE_TOKENS_PER_FILE",
    "restore.maxTokens": "seed 002: MAX_RESTORE_TOKENS_TOTAL",
    "continuation.overflowRetries": "ours: the text compacts before it overflows and has no retry",
    "safety.minSavedTokens": "seed 002: MIN_SAVINGS over all but the last 5 messages",
    "safety.minFoldTokens": "seed 002: the same guard; no other",
    "safety.maxFailures": "ours",
    "safety.waitsUpTo": "ours: waits no longer than the trigger",
  },
  trigger: { at: [threshold] },
  accounting: { basis: "characters", charsPerToken: 0.75, counts: ["call-inputs"] },
  prune: [
    {
      strategy: "giant-results",
      when: "arrival",
      minTokens: 40_001,
      leave: {
        kind: "text",
        text: "Output too large. Saved to: {path}\nPreview:\n{head}...",
        headChars: 2_000,
      },
    },
    {
      strategy: "aged-results",
      when: "request",
      minTokens: 1_001,
      keepResults: 3,
      tools: ["bash", "read_file", "write_file", "edit_file"],
      does: ["read", "write", "edit", "run"],
      leave: { kind: "text", text: "[Output compacted - re-read if needed]" },
    },
  ],
  tail: { folds: "everything", minMessages: 5 },
  summary: {
    by: "same-model",
    sections: [
      { title: "Goals", of: ["Session Intent", "Constraints and Preferences"] },
      {
        title: "Actions",
        of: ["Files Modified", "Files Read", "Commands and Results", "Errors Encountered"],
      },
      { title: "Decisions", of: ["Key Decisions", "Failed Approaches"] },
      { title: "Current State", of: ["Current Task", "Open Questions", "Next Steps", "Critical Context"] },
    ],
    maxTokens: { share: 0.05, atLeastTokens: 600 },
    update: "rewrite",
    files: "sections",
    prompt:
      "Tell this conversation in the order it happened: goals, actions, decisions, where it stands now.",
  },
  restore: { maxFiles: 5, maxTokensEach: 5_000, maxTokens: 50_000 },
  placement: {
    role: "user",
    opening: "[Conversation compressed]",
    acknowledgement: "Understood. Continuing with compressed context.",
  },
  continuation: { overflowRetries: 1 },
  safety: {
    minFoldTokens: 0,
    minSavedTokens: 20_000,
    isPageFree: true,
    isTranscriptSaved: true,
    maxFailures: 3,
    waitsUpTo: threshold,
  },
};
