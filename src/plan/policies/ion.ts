/**
 * Seed 004: between tasks, at 55 % of what can be sent, in three tiers: long outputs to their ends, old outputs to a
 * reference, and only then a summary of eight sections over the oldest turns. 85 % is the safety net.
 *
 * It comes down to 45 %, the oldest first, and no further: "small gap for frequent, invisible compactions". Asked for
 * (`/compact`, a task's end) it goes to the ratio of its metrics, 3–5 ×, and always writes the summary; a recent window of
 * 5–8k stays whatever was asked. What it drops entirely (pleasantries, explanations, superseded code, raw diffs) has no
 * section to stand in; and nothing is pre-loaded.
 */
import type { Policy, Size } from "../policy.ts";
import { SAFETY_NOTE } from "./borrowed.ts";

const net = (share: number): Size => ({ share, reserveOutputUpToTokens: 16_000 });

const marks = (boundary: number, target: number) => ({
  at: [net(0.85)],
  atBoundary: net(boundary),
  target: net(target),
});

export const ion: Policy = {
  name: "ion",
  about: "between tasks at 55 %: long outputs to their ends, old ones to references, then eight sections",
  source: "seed 004 (Context Compaction Design)",
  notes: {
    "trigger.at.0": "seed 004: 85 % of capacity, the safety net; net of a 16k output reserve",
    "trigger.atBoundary": "seed 004: trigger 55 % (~101K of 200K) when a turn is complete",
    "trigger.target": "seed 004: target 45 % (~83K)",
    "trigger.targetWhenAsked":
      "seed 004, quality metrics: compression ratio 3–5 ×; 1 / 3.6, because the page is counted at its largest",
    "trigger.models.0": "seed 004: DeepSeek can trigger at 70 %, target 60 %",
    "trigger.models.1": "seed 004: Grok can trigger at 70 %, target 60 %",
    "trigger.models.2": "seed 004: Gemini triggers at 50 %; the gap of 10 points is kept",
    "prune.0.minTokens": "seed 004, tier 1: outputs over 2K",
    "prune.0.leave": "seed 004, tier 1: head and tail, about 500 each",
    "prune.0.keepSteps": "seed 004: the current turn is a region of its own",
    "prune.1.keepTokens": "seed 004: the recent window is not old",
    "prune.1.areErrorsKept":
      "seed 004: ALWAYS preserve error messages; where no summary tells them, the output does",
    "prune.1.minTokens": "ours: below this a reference is no shorter",
    "prune.2.minTokens": "seed 004: in the recent window outputs are cut to about 500 tokens",
    "prune.2.leave": "seed 004: about 500 tokens each; ours: half head, half tail",
    "prune.2.keepSteps": "seed 004: the current turn is a region of its own",
    "prune.0.tier": "seed 004: tier 1",
    "prune.1.tier": "seed 004: tier 2",
    "prune.2.tier": "with the summary, which is tier 3",
    "tail.minSteps": "seed 004: the current turn is a region of its own, behind the recent window",
    "tail.isCountedCleared": "seed 004: tool outputs of the recent window are truncated to ~500 tokens each",
    "tail.tokens": "seed 004: recent window of about 5–8K, 3–4 % of 200K",
    "summary.maxTokens": "ours: the text says concise but complete",
    "summary.sections": "seed 004: eight headings, each filled or marked empty",
    "restore.maxFiles": "seed 004: scope by default, no files pre-loaded",
    "continuation.overflowRetries": "ours: the text compacts before it overflows",
    safety: SAFETY_NOTE,
  },
  trigger: {
    ...marks(0.55, 0.45),
    targetWhenAsked: { shareOfPrompt: 0.28 },
    models: [
      { startsWith: "deepseek", ...marks(0.7, 0.6) },
      { startsWith: "grok", ...marks(0.7, 0.6) },
      { startsWith: "gemini", ...marks(0.5, 0.4) },
    ],
  },
  accounting: { basis: "usage", counts: ["system", "tools", "call-inputs"] },
  prune: [
    {
      strategy: "aged-results",
      when: "full",
      tier: 1,
      minTokens: 2_001,
      keepSteps: 1,
      leave: { kind: "ends", headTokens: 500, tailTokens: 500 },
    },
    {
      strategy: "aged-results",
      when: "full",
      tier: 2,
      minTokens: 50,
      keepTokens: 8_000,
      areErrorsKept: true,
      leave: { kind: "stub", format: "titled" },
    },
    {
      strategy: "aged-results",
      when: "full",
      tier: 3,
      minTokens: 501,
      keepSteps: 1,
      leave: { kind: "ends", headTokens: 250, tailTokens: 250 },
    },
  ],
  tail: {
    folds: "everything",
    minSteps: 1,
    isCountedCleared: true,
    tokens: { share: 0.04, atLeastTokens: 5_000, atMostTokens: 8_000 },
  },
  summary: {
    by: "fast-model",
    byWhenAsked: "same-model",
    sections: [
      { title: "Session Intent", of: ["Session Intent", "Constraints and Preferences"] },
      { title: "Current Task", of: ["Current Task", "Open Questions"] },
      { title: "Files Modified", of: ["Files Modified"] },
      { title: "Files Read (reference only)", of: ["Files Read"] },
      { title: "Key Decisions", of: ["Key Decisions", "Critical Context"] },
      { title: "Failed Approaches", of: ["Failed Approaches"] },
      { title: "Errors Encountered", of: ["Errors Encountered"] },
      { title: "Next Steps", of: ["Next Steps"] },
    ],
    maxTokens: { share: 0.05, atLeastTokens: 600, atMostTokens: 6_000 },
    update: "merge",
    files: "sections",
    prompt:
      "Write a structured summary from which this conversation can go on. Each section is a checklist: filled, or marked empty. Files by path and what was changed, never their contents; failed approaches and exact error texts always; decisions with their because. Leave out greetings, explanations, code that was replaced since, and diffs.",
  },
  restore: { maxFiles: 0 },
  placement: { role: "user" },
  continuation: { overflowRetries: 1 },
  safety: { minFoldTokens: 200, minSavedTokens: 1, maxFailures: 3, waitsUpTo: net(0.85) },
};
