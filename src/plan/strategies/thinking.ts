/**
 * Sealed thinking is valid only behind the very conversation it was made in. So behind the first edit it must go: all
 * of it, in the same plan, so that the ledger drops it in every later view too. Thinking nobody sealed is not sent.
 */
import {
  addressAt,
  byPlace,
  isSealedThinking,
  type Proposal,
  placeKey,
  type Situation,
} from "../situation.ts";

export function proposeThinking(
  situation: Situation,
  edited: readonly Proposal[],
  { movesPage = false }: { readonly movesPage?: boolean } = {},
): readonly Proposal[] {
  // A page that moves is an edit where it stood.
  const page = movesPage ? situation.addresses.findIndex(({ length }) => length === 0) : -1;
  const moved = page < 0 ? [] : [{ place: { messageIndex: page, partIndex: 0 } }];
  const sealed = situation.parts.filter(({ part }) => isSealedThinking(part));
  if (edited.length === 0 || sealed.length === 0) return [];
  const first = [...edited, ...moved].reduce((least, one) => (byPlace(one, least) < 0 ? one : least));
  const taken = new Set(edited.map(({ place }) => placeKey(place)));
  return sealed.flatMap(({ place, tokens }): readonly Proposal[] => {
    const at = addressAt(situation, place);
    if (!at || taken.has(placeKey(place)) || byPlace({ place }, first) < 0) return [];
    const why = "what stood before this thinking was edited";
    return [{ edit: { kind: "drop", at, why, tokens }, place, since: place.messageIndex }];
  });
}
