/**
 * What each message of a session weighs in the provider's tokens. What a request was reported to take, beyond what its
 * messages count up to, was added unseen by the host (reminders, attachments) beside its newest message, and is counted
 * there: it leaves with that message.
 */
import {
  calibrationOf,
  estimatorFor,
  type Message,
  measure,
  promptTokens,
  requestsOf,
  type Session,
} from "palimpsest";

export interface Weights {
  /** System prompt, tools and memory: before every first message. */
  readonly standing: number;
  /** Of it, what the first request already read from the cache: other sessions keep it warm. */
  readonly shared: number;
  /** In the provider's tokens. */
  readonly billed: (message: Message) => number;
  /** In ours, without what is unseen: what triggers are measured by. */
  readonly counted: (message: Message) => number;
}

export function weightsOf(session: Session): Weights {
  const counter = estimatorFor(session.whole.model);
  const { scale } = calibrationOf(session, counter);
  const counts = new WeakMap<Message, number>();
  const counted = (message: Message): number => {
    const known = counts.get(message) ?? measure({ messages: [message] }, { counter }).total;
    counts.set(message, known);
    return known;
  };
  const unseen = new WeakMap<Message, number>();
  const billed = (message: Message) =>
    Math.max(0, Math.round(counted(message) * scale + (unseen.get(message) ?? 0)));
  const standing = learn(session, { billed, unseen });
  return { standing, shared: Math.min(standing, firstRead(session)), billed, counted };
}

function learn(
  session: Session,
  { billed, unseen }: { readonly billed: Weights["billed"]; readonly unseen: WeakMap<Message, number> },
): number {
  let context: readonly Message[] = [];
  let total = 0;
  let standing: number | undefined;
  for (const { response, added, restart } of requestsOf(session)) {
    if (restart) total = restart.messages.reduce((sum, message) => sum + billed(message), 0);
    else for (const message of added) total += billed(message);
    context = restart?.messages ?? added;
    const newest = context.at(-1);
    if (!response.usage || response.ended === "failed" || response.ended === "aborted") continue;
    const prompt = promptTokens(response.usage);
    if (prompt === 0) continue;
    standing ??= Math.max(0, prompt - total);
    const gap = prompt - standing - total;
    if (!newest || gap === 0) continue;
    const before = billed(newest);
    unseen.set(newest, (unseen.get(newest) ?? 0) + gap);
    total += billed(newest) - before;
  }
  return standing ?? 0;
}

function firstRead({ whole }: Session): number {
  return whole.messages.find(({ usage }) => usage !== undefined)?.usage?.cacheReadTokens ?? 0;
}
