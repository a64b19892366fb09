/**
 * Seed 003, the third arm: the summary of one and the pointers of the other. The text found it no better than pointers
 * alone and dearer, because a model anchors on the summary; it is here to be compared with.
 */
import type { Policy } from "../policy.ts";
import { pointerize } from "./pointerize.ts";
import { summarize } from "./summarize.ts";

export const hybrid: Policy = {
  ...pointerize,
  name: "hybrid",
  about: "a model's summary of the older 60 %, with the table of refs behind it",
  source: "seed 003 (Lossless Compaction), the hybrid arm",
  notes: {
    ...pointerize.notes,
    "tail.shareOfMessages": "seed 003, realistic testing: 60 % compacted, 40 % recent preserved",
    "summary.maxTokens": "ours, as in `summarize`",
  },
  tail: summarize.tail,
  placement: summarize.placement,
  summary: { ...pointerize.summary, ...summarize.summary },
};
