/**
 * What a provider would reject, and why. An empty list means legal.
 *
 * The rules are about the conversation, not about its spelling: results stand in `tool` messages or in `user` messages,
 * one each or many in one, and the wires join and split them when they write. So the run of messages with results
 * behind a response counts as "the next message", and a run of the model's messages counts as one response.
 *
 * `check` does not repair, and it does not know models: where newer models forbid what older ones took (a prefilled
 * answer, a changed prefix), the newer rule holds.
 */
import { findAgainstOriginal } from "./check-originals.ts";
import { findInPairs } from "./check-pairs.ts";
import { findInShape } from "./check-shape.ts";
import type { Transcript } from "./message.ts";
import { isForeign, type Problem, type Provider, rejects } from "./rules.ts";

export type { Problem, ProblemCode, Provider } from "./rules.ts";

export interface CheckOptions {
  /** Whose rules; everything any hosted provider rejects, where not said. */
  readonly provider?: Provider;
  /** A request asks for an answer; a record may end with one, or with tools still running. */
  readonly as?: "request" | "record";
  /** The conversation in which sealed thinking and opaque items were produced. Without it they are not compared. */
  readonly original?: Transcript;
}

export function check(transcript: Transcript, options: CheckOptions = {}): readonly Problem[] {
  const { provider = "strictest", as = "request", original } = options;
  return [
    ...findInShape(transcript),
    ...findInPairs(transcript),
    ...(original ? findAgainstOriginal(transcript, original) : []),
    ...findForeign(transcript, provider),
  ]
    .filter(({ code }) => rejects(provider, code, as))
    .sort(byPlace);
}

function findForeign(transcript: Transcript, provider: Provider): readonly Problem[] {
  return transcript.messages.flatMap((message, messageIndex) =>
    message.parts.flatMap((part, partIndex): readonly Problem[] => {
      if (part.type !== "opaque" || !isForeign(part.of, provider)) return [];
      const why = `An item made by ${part.of} cannot be sent to ${provider}.`;
      return [{ code: "foreign-opaque", messageIndex, partIndex, why }];
    }),
  );
}

function byPlace(a: Problem, b: Problem): number {
  return a.messageIndex - b.messageIndex || (a.partIndex ?? -1) - (b.partIndex ?? -1);
}
