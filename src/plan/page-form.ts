/** Whose message the page can be: a conversation may neither begin nor end with the model. */
import type { Page } from "./ledger.ts";
import type { Policy } from "./policy.ts";
import { isPage, type Situation } from "./situation.ts";
import type { Fold } from "./strategies/fold.ts";

export function pageForm(
  situation: Situation,
  { proposals }: Fold,
  { placement }: Policy,
): Pick<Page, "role" | "acknowledgement"> {
  const { messages } = situation.transcript;
  const gone = new Map<number, number>();
  for (const { place } of proposals) gone.set(place.messageIndex, (gone.get(place.messageIndex) ?? 0) + 1);
  const stays = messages.map(
    ({ parts }, index) => parts.length > (gone.get(index) ?? 0) && !isPage(situation, index),
  );
  const last = Math.max(...gone.keys());
  const isFirst = !messages.some(({ role }, index) => index <= last && stays[index] && role !== "system");
  const isLast = !messages.some((_, index) => index > last && stays[index]);
  const role = isFirst || isLast ? "user" : placement.role;
  return placement.acknowledgement === undefined || isLast
    ? { role }
    : { role, acknowledgement: placement.acknowledgement };
}
