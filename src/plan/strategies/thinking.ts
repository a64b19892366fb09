/**
 * Sealed thinking is valid only behind the very conversation it was made in. So behind the first edit it must go: all
 * of it, in the same plan, so that the ledger drops it in every later view too. Thinking nobody sealed is not sent.
 */
import { addressAt, isSealedThinking, type Proposal, placeKey, type Situation } from "../situation.ts";

export function proposeThinking(
  situation: Situation,
  edited: readonly Proposal[],
  { movesPage = false }: { readonly movesPage?: boolean } = {},
): readonly Proposal[] {
  // A page that moves is an edit where it stood.
  const page = movesPage ? situation.addresses.findIndex(({ length }) => length === 0) : -1;
  const moved = page < 0 ? [] : [{ place: { messageIndex: page, partIndex: 0 } }];
  const places = [...edited, ...moved].map(({ place }) => placeKey(place));
  if (edited.length === 0) return [];
  const first = places.reduce((least, key) => Math.min(least, key));
  const taken = new Set(places);
  return situation.parts.flatMap(({ part, place }): readonly Proposal[] => {
    if (!isSealedThinking(part) || taken.has(placeKey(place)) || placeKey(place) < first) return [];
    const at = addressAt(situation, place);
    const tokens = situation.tokensOf(part);
    const why = "what stood before this thinking was edited";
    return at ? [{ edit: { kind: "drop", at, why, tokens }, place, since: place.messageIndex }] : [];
  });
}
