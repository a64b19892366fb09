/**
 * Sealed thinking is valid only behind the very conversation it was made in. So behind the first edit it must go: all
 * of it, in the same plan, so that the ledger drops it in every later view too. Thinking nobody sealed is not sent.
 */
import type { Place } from "../../transcript/pairs.ts";
import { addressAt, byPlace, isSealedThinking, type Proposal, type Situation } from "../situation.ts";

export function proposeThinking(situation: Situation, edited: readonly Proposal[]): readonly Proposal[] {
  const [first] = [...edited].sort(byPlace);
  if (!first) return [];
  const taken = new Set(edited.map(({ place }) => keyOf(place)));
  const proposals: Proposal[] = [];
  situation.transcript.messages.forEach(({ parts }, messageIndex) => {
    parts.forEach((part, partIndex) => {
      const place = { messageIndex, partIndex };
      const at = addressAt(situation, place);
      if (!at || !isSealedThinking(part) || taken.has(keyOf(place)) || byPlace({ place }, first) < 0) return;
      const tokens = situation.tokensOf(part);
      const edit = { kind: "drop", at, why: "what stood before this thinking was edited", tokens } as const;
      proposals.push({ edit, place, since: messageIndex });
    });
  });
  return proposals;
}

function keyOf({ messageIndex, partIndex }: Place): string {
  return `${messageIndex}.${partIndex}`;
}
