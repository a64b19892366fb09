/**
 * Who writes summaries, where nobody was named: the agent's own model, on the request it would send next, for policies that
 * have a model write them; the extractor for all others, because a summary nobody asked for should cost nothing.
 */
import type { Policy } from "../plan/policy.ts";
import { modelSummarizer } from "../summarize/model.ts";
import type { Summarizer } from "../summarize/summarizer.ts";
import { defined } from "../transcript/json.ts";
import type { AgentModel } from "./models.ts";

export interface Summarizers {
  readonly summarizer?: Summarizer;
  readonly fullSummarizer?: Summarizer;
}

export function summarizersFor(
  { summary }: Pick<Policy, "summary">,
  { model }: AgentModel,
  given: { readonly summarizer?: Summarizer | undefined; readonly fullSummarizer?: Summarizer | undefined },
): Summarizers {
  const own = modelSummarizer({ model, isLive: true });
  const isAsked =
    summary.by === "fast-model" || summary.by === "same-model" || summary.byWhenAsked !== undefined;
  if (!isAsked) return defined({ summarizer: given.summarizer, fullSummarizer: given.fullSummarizer });
  const summarizer = given.summarizer ?? own;
  return { summarizer, fullSummarizer: given.fullSummarizer ?? given.summarizer ?? own };
}
