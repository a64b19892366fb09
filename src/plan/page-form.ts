/** Whose message the page can be, and where it stands: a conversation may neither begin nor end with the model. */
import { cutsOf } from "./cuts.ts";
import type { Page } from "./ledger.ts";
import type { Policy } from "./policy.ts";
import { isPage, type Proposal, type Situation } from "./situation.ts";
import { tokensIn } from "./size.ts";
import type { Fold } from "./strategies/fold.ts";

/** The page but for its words. */
export type PageForm = Pick<Page, "role" | "acknowledgement" | "behind">;

export function pageForm(situation: Situation, { proposals }: Fold, { placement }: Policy): PageForm {
  const { messages } = situation.transcript;
  const gone = new Map<number, number>();
  for (const { place } of proposals) gone.set(place.messageIndex, (gone.get(place.messageIndex) ?? 0) + 1);
  const stays = messages.map(
    ({ parts }, index) => parts.length > (gone.get(index) ?? 0) && !isPage(situation, index),
  );
  // At the end it cannot be the first word, where that would be the model's.
  const first = messages.find(({ role }, index) => stays[index] && role !== "system");
  const behind = placement.at === "end" && first?.role !== "assistant" ? endOf(situation) : undefined;
  if (behind) return { role: "user", behind };
  const last = Math.max(...gone.keys());
  const isFirst = !messages.some(({ role }, index) => index <= last && stays[index] && role !== "system");
  const isLast = !messages.some((_, index) => index > last && stays[index]);
  const role = isFirst || isLast ? "user" : placement.role;
  return placement.acknowledgement === undefined || isLast
    ? { role }
    : { role, acknowledgement: placement.acknowledgement };
}

/** The last part there is; where a call waits for its result, the last before that call: nothing may come between the two. */
function endOf(situation: Situation): PageForm["behind"] {
  const end = cutsOf(situation).lastIndexOf(true);
  return situation.addresses.findLast(({ length }, index) => index < end && length > 0)?.at(-1);
}

/** Around the table: its heading, how to read back, and what a row takes. */
const FRAME_TOKENS = 160;
const ROW_TOKENS = 40;

/**
 * The page of a policy that folds nothing: its table. None where the policy shows none, or where it would take as much as
 * was saved.
 */
export function tableForm(
  situation: Situation,
  clears: readonly Proposal[],
  { summary, placement }: Policy,
): PageForm | undefined {
  if (!summary.table || clears.length === 0) return undefined;
  const saved = clears.reduce((sum, { edit }) => sum + edit.tokens, 0);
  const rows = Math.min(tokensIn(summary.table, situation.room), clears.length * ROW_TOKENS);
  if (saved <= rows + FRAME_TOKENS) return undefined;
  const behind = placement.at === "end" ? endOf(situation) : undefined;
  if (behind) return { role: "user", behind };
  const last = Math.max(...clears.map(({ place }) => place.messageIndex));
  const end = situation.steps[situation.stepOf[last] ?? -1]?.end ?? last + 1;
  return { role: end >= situation.transcript.messages.length ? "user" : placement.role };
}
