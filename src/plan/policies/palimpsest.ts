/**
 * The default policy: preview what is giant when it arrives, clear in batches when that pays, fold when full.
 *
 * Marks are shares of what can be sent at all (the window less the answer). 0.8 leaves room for one large step and for
 * what an estimate is off; between turns 0.7 is enough, because a fold there interrupts nothing. Down to 0.5: every
 * fold rewrites the cache and writes a summary, so it should last for a good while (30 % of the window), and
 * what is left is still more verbatim context than most systems keep.
 *
 * Before that, where reading on costs more than folding: a window says how much fits, not how much is worth sending. Then
 * down to 25,000 tokens of conversation, and where a turn ends rather than in one.
 */
import type { Policy, Size } from "../policy.ts";

/** Some models may answer with 128,000 tokens and never do; setting all of it aside would waste the window. */
const reserveOutputUpToTokens = 32_000;

const usable = (share: number): Size => ({ share, reserveOutputUpToTokens });

export const palimpsest: Policy = {
  name: "palimpsest",
  about: "nothing is lost: previews on arrival, clearing when it pays, folds with the user's words kept",
  source: "DESIGN §5",
  notes: {
    "trigger.at.0":
      "ours: room for one large step and for what an estimate is off; the output reserve is capped",
    "trigger.atBoundary": "ours: between turns a fold interrupts nothing",
    "trigger.target": "ours: a fold rewrites the cache, so it should last for a good while",
    "trigger.pays":
      "ours, measured (docs/decisions/2026-11-18-smaller-and-cold.md): below it more has to be fetched back; rent that equals the price is the cheapest saw",
    "prune.0.minTokens": "ours: below this a stub saves next to nothing",
    "prune.1.minTokens": "ours: below this a stub saves next to nothing",
    "prune.2.keepSteps": "ours: agents look back at what they just did, seldom further",
    "prune.2.minTokens": "ours: small results are not worth a rewritten prefix",
    "prune.3": "ours: below 8,000 tokens reading it back costs more than it saves",
    "prune.4": "ours: only pastes, and only when the user's words alone no longer fit",
    "prune.2.tier": "ours: after what is there twice, and only until the target is met",
    allocation:
      "ours, measured (docs/decisions/2026-11-18-exact-lines.md): exact lines and narrative 75 %, newest steps the rest",
    tail: "ours: what the model is working with, and a little slack to end between two tasks",
    "summary.maxTokens": "ours: 6 % of what can be sent, between 600 and 6,000",
    "summary.table": "ours: 3 % of what can be sent, between 300 and 2,500",
    "restore.maxFiles": "ours: a file is read again when it is needed, and then it is current",
    "continuation.overflowRetries": "ours: law 6",
    safety: "ours: law 4; over 0.9 a fold no longer waits for the turn to end",
  },
  trigger: {
    at: [usable(0.8)],
    atBoundary: usable(0.7),
    target: usable(0.5),
    pays: { keep: { ...usable(0.5), atMostTokens: 25_000 }, patience: 1 },
  },
  accounting: { basis: "usage", counts: ["system", "tools", "call-inputs"] },
  prune: [
    { strategy: "superseded-reads", when: "pays", minTokens: 100, leave: { kind: "stub" } },
    { strategy: "repeated-outputs", when: "pays", minTokens: 100, leave: { kind: "stub" } },
    // Twelve steps: agents look back at what they just did, seldom further; errors stay until the fold. Only when something has to
    // go: once there is a fold that pays, clearing them earlier saves nothing more, and takes needed facts out of sight.
    {
      strategy: "aged-results",
      when: "full",
      tier: 1,
      minTokens: 500,
      keepSteps: 12,
      areErrorsKept: true,
      leave: { kind: "stub" },
    },
    // On arrival it was never in the cache, so this costs nothing. Below 8,000 tokens reading it back costs more than it saves.
    {
      strategy: "giant-results",
      when: "arrival",
      minTokens: 8_000,
      orShareOfWindow: 0.1,
      leave: { kind: "preview", maxTokens: 2_000 },
    },
    {
      strategy: "user-pastes",
      when: "full",
      minTokens: 6_000,
      headTokens: 1_000,
      tailTokens: 500,
      isReducedToDirectives: true,
    },
  ],
  tail: {
    folds: "steps",
    minSteps: 3,
    tokens: { ...usable(0.15), atMostTokens: 20_000 },
    boundarySlack: usable(0.1),
  },
  allocation: {
    askedShare: 0.5,
    askedShareOfPrompt: 0.7,
    wordsShare: 0.8,
    pageShare: 0.75,
    narrativeShare: 0.2,
    tableShare: 0.05,
    maxLineTokens: 8_000,
  },
  summary: {
    by: "configured",
    maxTokens: { ...usable(0.06), atLeastTokens: 600, atMostTokens: 6_000 },
    update: "merge",
    files: "sections",
    table: { ...usable(0.03), atLeastTokens: 300, atMostTokens: 2_500 },
  },
  restore: { maxFiles: 0 },
  placement: { role: "user" },
  continuation: { overflowRetries: 1 },
  safety: { minFoldTokens: 1_000, minSavedTokens: 500, maxFailures: 3, waitsUpTo: usable(0.9) },
};
