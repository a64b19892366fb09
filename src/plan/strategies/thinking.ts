/**
 * Sealed thinking is valid only behind the very conversation it was made in. So behind the first edit it must go: all
 * of it, in the same plan, so that the ledger drops it in every later view too. Thinking nobody sealed is not sent.
 */
import type { Place } from "../../transcript/pairs.ts";
import { addressAt, byPlace, isSealedThinking, type Proposal, type Situation } from "../situation.ts";

export function proposeThinking(
  situation: Situation,
  edited: readonly Proposal[],
  { movesPage = false }: { readonly movesPage?: boolean } = {},
): readonly Proposal[] {
  // A page that moves is an edit where it stood.
  const page = movesPage ? situation.addresses.findIndex(({ length }) => length === 0) : -1;
  const moved = page < 0 ? [] : [{ place: { messageIndex: page, partIndex: 0 } }];
  const [first] = [...edited, ...moved].sort(byPlace);
  if (edited.length === 0 || !first) return [];
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
