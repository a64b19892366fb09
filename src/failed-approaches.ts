/**
 * Failed approaches that a summary of what folds would not have: what failed before the cut and worked behind it, and what
 * failed behind it and loses its output in the same compaction. The model would try the same again.
 */

import type { View } from "./apply/view.ts";
import { originalMessages } from "./originals.ts";
import type { Plan } from "./plan/plan.ts";
import type { Summary, SummaryLine } from "./plan/summary.ts";
import { failuresIn as failuresOf } from "./summarize/extract/failures.ts";
import { missingFrom } from "./summarize/ground.ts";
import { storyOf } from "./summarize/story.ts";
import { largest } from "./transcript/extremes.ts";
import { hasUserWords, type Message, type Transcript } from "./transcript/message.ts";

/** Messages before the cut: the extractor looks for what was done instead in the next two dozen deeds. */
const NEAR = 50;

export interface Leaving {
  readonly before: View;
  readonly plan: Pick<Plan, "folded" | "edits">;
  readonly original: Transcript;
}

export function withFailures(summary: Summary, { before, plan, original }: Leaving): Summary {
  const { messages } = before.transcript;
  const cut = largest(plan.folded) + 1;
  if (cut >= messages.length) return summary;
  const near = originalMessages(messages, before, original).slice(Math.max(0, cut - NEAR));
  const left = new Set(plan.edits.flatMap(({ kind, at }) => (kind === "drop" ? [] : [at.ref])));
  const stated = summary.sections["Failed Approaches"] ?? [];
  const found = failuresIn(near).filter(({ refs }) => refs.some((ref) => left.has(ref)));
  const missing = missingFrom(stated, found);
  if (missing.length === 0) return summary;
  return { ...summary, sections: { ...summary.sections, "Failed Approaches": [...stated, ...missing] } };
}

/** Those the extractor finds in a conversation. */
export function failuresIn(messages: readonly Message[]): readonly SummaryLine[] {
  return failuresOf(storyOf({ messages, userMessages: messages.filter(hasUserWords) }));
}
