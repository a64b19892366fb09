/**
 * LangChain's summarization middleware: the last 20 messages stay, and of what leaves only the newest 4,000 tokens are
 * shown to the one who summarizes. Known to lose the beginning; it is here to be compared with.
 */
import type { Policy } from "../policy.ts";
import { exactly, SAFETY_NOTE } from "./borrowed.ts";

export const langchainSumm: Policy = {
  name: "langchain-summ",
  about: "keeps 20 messages; of the rest only the newest 4,000 tokens are summarized",
  source: "facts/harnesses.md §4.14 (LangChain 1.5.14)",
  options: {
    trigger: {
      about: "when it fires; LangChain has no default, so by itself this policy never does",
      values: {
        "4000": { "trigger.at": [{ share: 0, atLeastTokens: 4_000 }] },
        "85%": { "trigger.at": [{ share: 0.85 }] },
      },
    },
  },
  notes: {
    "trigger.at": "§2: none unless configured; langchain-summ:trigger=85% sets one",
    "accounting.charsPerToken": "§5: characters / 4, messages only",
    "tail.minMessages": "§4.14: keep 20 messages",
    "summary.source": "§4.14: only the last 4,000 tokens of the old part are summarized",
    "summary.maxTokens": "ours: free in form there",
    "restore.maxFiles": "§3: none",
    "continuation.overflowRetries": "§3: it has no recovery",
    safety: SAFETY_NOTE,
  },
  trigger: { at: [] },
  accounting: { basis: "characters", charsPerToken: 4, counts: ["call-inputs"] },
  prune: [],
  tail: { folds: "everything", minMessages: 20 },
  summary: {
    by: "same-model",
    maxTokens: { share: 0.02, atLeastTokens: 400, atMostTokens: 2_000 },
    update: "rewrite",
    files: "none",
    source: exactly(4_000),
  },
  restore: { maxFiles: 0 },
  placement: { role: "user", opening: "A summary of the conversation so far:" },
  continuation: { overflowRetries: 0 },
  safety: { minFoldTokens: 200, minSavedTokens: 1, maxFailures: 3, waitsUpTo: { share: 0.85 } },
};
