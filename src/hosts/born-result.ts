/**
 * A giant result, shortened before the model ever sees it: the original is durable first, then its preview and ref take its
 * place. It was never in the prompt cache, and no thinking stands behind it, so this costs nothing.
 */
import { estimatorFor } from "../measure/count.ts";
import { descriptionOf } from "../plan/describe-part.ts";
import { policyNamed } from "../plan/policies.ts";
import { previewOf } from "../plan/preview.ts";
import { arrivalTokens } from "../plan/prune.ts";
import { shortenedText } from "../plan/stub.ts";
import type { Store } from "../store/store.ts";
import type { ToolResultPart } from "../transcript/message.ts";
import { isRecall } from "../transcript/own-tools.ts";
import { refOf } from "../transcript/ref.ts";
import type { Born } from "./hook-host.ts";

/** Hooks are not told the model. The smallest window in use today decides, so that nothing giant slips through. */
const WINDOW_TOKENS = 200_000;
const PREVIEW_TOKENS = 2_000;

export interface Keeping {
  readonly store: Store;
  readonly sessionId: string;
  readonly at: number;
}

/** What to show instead; undefined where the result is small enough, or ours. */
export async function shortenBorn(
  { call, text, isError = false }: Born,
  keeping: Keeping,
): Promise<string | undefined> {
  // What was just read back must not be taken away again.
  if (isRecall(call.name)) return undefined;
  const part: ToolResultPart = {
    type: "tool-result",
    callId: call.callId,
    output: [{ type: "text", text }],
    isError,
  };
  const counter = estimatorFor();
  const tokens = Math.round(counter.part(part));
  const limit = arrivalTokens(policyNamed("palimpsest"), WINDOW_TOKENS) ?? Number.POSITIVE_INFINITY;
  if (tokens < limit) return undefined;
  const ref = refOf(part);
  const description = descriptionOf(part, call);
  const preview = previewOf(part, call, { maxTokens: PREVIEW_TOKENS });
  if (preview === undefined) return undefined;
  const shown = shortenedText({ ref, description, why: "too large to show whole", tokens }, preview);
  if (counter.text(shown) >= tokens) return undefined;
  const { store, sessionId, at } = keeping;
  await store.keep(sessionId, [{ ref, part, description, tokens, at }]);
  return shown;
}
