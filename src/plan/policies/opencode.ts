/**
 * Open Code as seed 003 tells it: for each request old results are trimmed or cleared, in memory only; at window − 20k the
 * older part becomes a summary, after a silent turn in which the agent may write down what must last.
 *
 * The seed gives no marks for soft and hard. Its other numbers (5 minutes, 3 assistant messages, 1,500 + 1,500) are the
 * documented defaults of OpenClaw's contextPruning, so the marks are taken from there. There the hard mark is judged
 * after soft trimming; here each rule looks at the whole prompt, and the hard one comes first. What the program
 * called opencode does today is `opencode-v2`.
 */
import type { AgedResultsRule, Policy, Size } from "../policy.ts";
import { SAFETY_NOTE, safetyAt } from "./borrowed.ts";

const threshold: Size = { share: 1, minusTokens: 20_000 };

/** Made anew for each request: the transcript is never touched. */
const pruning = {
  strategy: "aged-results",
  when: "request",
  isPersistent: false,
  keepMinutes: 5,
  keepAssistantMessages: 3,
} as const satisfies Partial<AgedResultsRule>;

const OPENCLAW =
  "OpenClaw docs/concepts/session-pruning.md (github.com/openclaw/openclaw), defaults: the seed's numbers are its";

export const opencode: Policy = {
  name: "opencode",
  about: "trims results older than 5 minutes per request; at window − 20k the older 60 % becomes a summary",
  source: "seed 003; marks of the trims from OpenClaw's documented defaults",
  notes: {
    "trigger.at.0": "seed 003: context window minus a 20k reserve floor",
    "prune.0.keepMinutes": "seed 003: older than 5 minutes",
    "prune.0.keepAssistantMessages": "seed 003: the last 3 assistant messages are never touched",
    "prune.0.above": `hardClearRatio 0.5: ${OPENCLAW}`,
    "prune.0.aboveResultTokens": `minPrunableToolChars 50,000, at 4 characters a token: ${OPENCLAW}`,
    "prune.0.minTokens": "seed 003: hard-cleared to a placeholder, whatever the size",
    "prune.1.keepMinutes": "seed 003: older than 5 minutes",
    "prune.1.keepAssistantMessages": "seed 003: the last 3 assistant messages are never touched",
    "prune.1.above": `softTrimRatio 0.3: ${OPENCLAW}`,
    "prune.1.minTokens": `softTrim.maxChars 4,000, at 4 characters a token: ${OPENCLAW}`,
    "prune.1.leave": "seed 003: first 1,500 and last 1,500 characters, an ellipsis between",
    "tail.shareOfMessages": "seed 003: roughly 40 % of recent messages stay",
    "tail.shareOfMessagesAtLeast": "seed 003: a floor of 15 % where messages are large",
    "summary.maxTokens": "ours: the text has no limit",
    "summary.sections": "seed 003: decisions, TODOs, open questions, constraints; intent and task are ours",
    "restore.maxFiles": "the text puts nothing back",
    "continuation.flush": "seed 003: a silent turn that writes durable state before compaction",
    "continuation.overflowRetries": "ours: the text does not say",
    safety: SAFETY_NOTE,
  },
  trigger: { at: [threshold] },
  accounting: { basis: "usage", counts: ["system", "tools", "call-inputs"] },
  prune: [
    {
      ...pruning,
      minTokens: 0,
      above: { share: 0.5 },
      aboveResultTokens: 12_500,
      leave: { kind: "text", text: "[Old tool result content cleared]" },
    },
    {
      ...pruning,
      minTokens: 1_001,
      above: { share: 0.3 },
      leave: { kind: "ends-by-characters", headChars: 1_500, tailChars: 1_500, between: "\n…\n" },
    },
  ],
  tail: { folds: "everything", shareOfMessages: 0.4, shareOfMessagesAtLeast: 0.15 },
  summary: {
    by: "same-model",
    sections: [
      { title: "Where It Stands", of: ["Session Intent", "Current Task"] },
      { title: "Decisions", of: ["Key Decisions", "Failed Approaches"] },
      { title: "TODOs", of: ["Next Steps"] },
      { title: "Open Questions", of: ["Open Questions"] },
      { title: "Constraints", of: ["Constraints and Preferences"] },
    ],
    maxTokens: { share: 0.05, atLeastTokens: 600, atMostTokens: 4_000 },
    update: "merge",
    files: "none",
    prompt:
      "Merge what is given into a single summary that reads as one. Keep decisions, TODOs, open questions and constraints.",
  },
  restore: { maxFiles: 0 },
  placement: { role: "user" },
  continuation: {
    overflowRetries: 1,
    flush:
      "The context is about to be compacted. Write what must outlast it into files now: decisions, state, what comes next. Say nothing to the user.",
  },
  safety: safetyAt(threshold),
};
