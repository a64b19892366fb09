/**
 * A thread that ends and another that goes on from its summary: `/handoff` with a goal, or `--resume --from summary` without
 * one. Everything folds into one page, written by the better summarizer; the new thread begins with it, under the old
 * session, so what the page cites can be read. The old transcript stays as it was and can be resumed too.
 */
import { compact } from "../compact.ts";
import { liveRequestAround } from "../live-request.ts";
import { palimpsest } from "../plan/policies/palimpsest.ts";
import type { Policy } from "../plan/policy.ts";
import { materialOf } from "../summarize/prompt.ts";
import { defined } from "../transcript/json.ts";
import { aiSdk } from "../wire/ai-sdk.ts";
import type { Agent } from "./agent.ts";
import { summarizersFor } from "./summarizers.ts";

/** The default page of everything; whatever it saves, because it is asked for as a beginning and not to make room. */
const HANDOFF: Policy = {
  ...palimpsest,
  name: "handoff",
  tail: { folds: "everything" },
  summary: { ...palimpsest.summary, byWhenAsked: "same-model" },
  safety: { ...palimpsest.safety, minFoldTokens: 0, minSavedTokens: 0 },
};

const TELL_CHARS = 20_000;

/** What the next thread begins with. The originals it cites are durable when it resolves. */
export async function handoffPage(agent: Agent, goal?: string): Promise<string> {
  const { options, thread, context } = agent;
  const { id, store, model, windowTokens, now } = options;
  const transcript = { ...aiSdk.read([...thread.messages]), model: model.name };
  const outcome = await compact(transcript, {
    store,
    sessionId: id,
    policy: HANDOFF,
    trigger: "manual",
    at: now(),
    ledger: [],
    windowTokens,
    isDryRun: true,
    live: liveRequestAround("ai-sdk", [...context.messages], context),
    ...summarizersFor(HANDOFF, model, options),
    ...defined({ focus: goal }),
  });
  const opening = `This thread goes on from session ${id}; nothing of it is in view but this page.`;
  // Too short to fold: then it is short enough to be told as it was.
  if (outcome.kind === "unchanged")
    return `${opening}\n\n${materialOf(transcript.messages).slice(-TELL_CHARS)}`;
  await store.keep(id, outcome.originals);
  const { usage, costUsd, by } = outcome.compaction.summarizing ?? {};
  if (usage && by) options.spending.paid(usage, by, costUsd);
  return `${opening}\n\n${outcome.compaction.page?.text ?? ""}`;
}
