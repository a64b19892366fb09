/**
 * cline's strategy without a model, which is also what it falls back on: the user's words and each turn's closing answer
 * stay, the rest gives way to a note of what was read, edited and run.
 */
import type { Policy, Size } from "../policy.ts";
import { SAFETY_NOTE, safetyAt } from "./borrowed.ts";

const threshold: Size = { share: 0.81 };

export const clineBasic: Policy = {
  name: "cline-basic",
  about: "no model: prompts and closing answers stay, the rest becomes a note of files and commands",
  source: "facts/harnesses.md §4.7 (cline, basic)",
  notes: {
    "trigger.at.0.share": "§2: 0.9 of the input limit, which is 0.9 W where only W is known",
    "trigger.target.share": "§4.7: 0.7 of the trigger",
    "accounting.charsPerToken": "§4.7: characters / 3 of the whole request",
    "tail.minSteps": "§4.7: the newest suffix of the latest turn, from an assistant message on",
    "tail.keepsAnswers": "§4.7: of older turns the final answer",
    "summary.sections": "§4.7: reads, edits, commands and the last assistant texts",
    "summary.maxTokens": "ours: its note has no limit",
    "restore.maxFiles": "§3: none",
    "continuation.overflowRetries": "§4.7: one retry",
    safety: SAFETY_NOTE,
  },
  trigger: { at: [threshold], target: { share: 0.567 } },
  accounting: { basis: "characters", charsPerToken: 3, counts: ["system", "tools", "call-inputs"] },
  prune: [],
  tail: { folds: "steps", keepsAnswers: true, minSteps: 1 },
  summary: {
    by: "extractive",
    sections: ["Files Read", "Files Modified", "Commands and Results", "Current Task"],
    maxTokens: { share: 0.03, atLeastTokens: 400, atMostTokens: 3_000 },
    update: "merge",
    files: "sections",
  },
  restore: { maxFiles: 0 },
  placement: { role: "user", opening: "Some work was left out here. What was done in it:" },
  continuation: { overflowRetries: 1 },
  safety: safetyAt(threshold),
};
