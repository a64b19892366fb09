/**
 * deepagents: what is large lies in files. Arguments of old writes are cut, giant results are spooled, and the history
 * that a short summary stands for is written to a file the agent can search.
 */
import type { Policy, Size } from "../policy.ts";
import { SAFETY_NOTE, safetyAt } from "./borrowed.ts";

const threshold: Size = { share: 0.85 };

export const deepagentsOffload: Policy = {
  name: "deepagents-offload",
  about: "arguments of old writes cut, giant results and the history in files, a short summary with the path",
  source: "facts/harnesses.md §4.14 (deepagents)",
  notes: {
    "trigger.at.0.share": "§2: 0.85 of the input limit",
    "prune.0.maxChars": "§3: arguments of old writes and edits over 2,000 characters",
    "prune.0.keepChars": "§3: are cut to 20",
    "prune.0.keepMessages": "ours: the source leaves its tail alone; here the last 20 messages",
    "prune.0.minTokens": "the limit in characters decides",
    "prune.1.minTokens": "§3: results over 20k tokens go to a file",
    "prune.1.leave.headChars": "ours: enough to see what it is",
    "tail.tokens": "§3: 10 % of the input limit",
    "tail.minMessages": "§3: 6 messages where no limit is known; here at least these",
    "summary.maxTokens": "ours: short and free in form there",
    "restore.maxFiles": "§3: none; the path of the history is in the message",
    "continuation.overflowRetries": "§3: recalibrates and summarizes again",
    safety: SAFETY_NOTE,
  },
  trigger: { at: [threshold] },
  accounting: { basis: "estimate", counts: ["system", "tools", "call-inputs"] },
  prune: [
    {
      strategy: "call-inputs",
      when: "full",
      minTokens: 0,
      does: ["write", "edit"],
      maxChars: 2_000,
      keepChars: 20,
      mark: "… (cut; it stands in the file)",
      keepMessages: 20,
    },
    {
      strategy: "giant-results",
      when: "arrival",
      minTokens: 20_001,
      leave: {
        kind: "text",
        text: "Too large to show. All of it: {path}\nIt begins:\n{head}",
        headChars: 1_000,
      },
    },
  ],
  tail: { folds: "everything", tokens: { share: 0.1 }, minMessages: 6 },
  summary: {
    by: "same-model",
    maxTokens: { share: 0.02, atLeastTokens: 400, atMostTokens: 2_000 },
    update: "rewrite",
    files: "sections",
  },
  retrieval: {
    tools: ["read_ref", "list_refs", "search_refs"],
    prompt: "passive",
    descriptions: "outcome",
  },
  restore: { maxFiles: 0 },
  placement: {
    role: "user",
    opening: "The conversation up to here was saved to {transcript}; look there for details.",
  },
  continuation: { overflowRetries: 1 },
  safety: { ...safetyAt(threshold), isTranscriptSaved: true },
};
