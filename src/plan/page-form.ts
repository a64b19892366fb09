/** Whose message the page can be, and where it stands: a conversation may neither begin nor end with the model. */
import { largest } from "../transcript/extremes.ts";
import { hasSpoken } from "../transcript/turns.ts";
import { cutsOf } from "./cuts.ts";
import type { Page } from "./ledger.ts";
import type { Policy } from "./policy.ts";
import { isPage, type Proposal, type Situation } from "./situation.ts";
import { tokensIn } from "./size.ts";
import type { Fold } from "./strategies/fold.ts";

/** The page but for its words. */
export type PageForm = Pick<Page, "role" | "acknowledgement" | "behind" | "leadIn">;

export function pageForm(situation: Situation, { proposals }: Fold, { placement }: Policy): PageForm {
  const { messages } = situation.transcript;
  const stays = stayingMessages(situation, proposals);
  // At the end it cannot be the first word, where that would be the model's.
  const first = messages.find(({ role }, index) => stays[index] && role !== "system");
  const behind = placement.at === "end" && first?.role !== "assistant" ? endOf(situation) : undefined;
  if (behind) return { role: "user", behind, ...leadInto(situation, stays, messages.length) };
  // Behind all that ever folded: not before the page of an earlier fold.
  const before = situation.addresses.findLastIndex(({ length }) => length === 0);
  const last = Math.max(before, largest(proposals.map(({ place }) => place.messageIndex)));
  const isFirst = !messages.some(({ role }, index) => index <= last && stays[index] && role !== "system");
  const isLast = !messages.some((_, index) => index > last && stays[index]);
  const role = isFirst || isLast ? "user" : placement.role;
  if (placement.acknowledgement !== undefined && !isLast)
    return { role, acknowledgement: placement.acknowledgement };
  return { role, ...(role === "user" ? leadInto(situation, stays, last) : {}) };
}

/** For each message whether anything of it stays; nothing does of the page before. */
function stayingMessages(situation: Situation, proposals: Fold["proposals"]): readonly boolean[] {
  const gone = new Map<number, number>();
  for (const { place } of proposals) gone.set(place.messageIndex, (gone.get(place.messageIndex) ?? 0) + 1);
  return situation.transcript.messages.map(
    ({ parts }, index) => parts.length > (gone.get(index) ?? 0) && !isPage(situation, index),
  );
}

/** Said by the model, before the page: short, because it costs in every prompt, and true wherever it stands. */
const LEAD_IN = "(Steps of mine were folded; the page that follows tells of them.)";

/**
 * Where the last response before the page called tools and those behind it fold, the page would join its results, and the
 * model would seem to wait for them still, without the thinking that led to them. Its own line ends that wait. It is there
 * too where the model speaks again behind the page, for whoever rewinds to it; not behind a response that no edit precedes,
 * because that has its thinking.
 */
function leadInto(situation: Situation, stays: readonly boolean[], last: number): Pick<PageForm, "leadIn"> {
  const { messages } = situation.transcript;
  const isModels = (index: number) => messages[index]?.role === "assistant";
  const where = (test: (index: number) => boolean) => messages.some((_, index) => test(index));
  // A thought that was stopped goes with the first edit before it: it ends no wait.
  const response = stays.findLastIndex(
    (stay, index) => stay && index <= last && isModels(index) && hasSpoken(messages[index]),
  );
  const isCalling = messages[response]?.parts.some(({ type }) => type === "tool-call") ?? false;
  const isFolding = where((index) => index > response && index <= last && isModels(index));
  const isLast = !where((index) => index > last && isModels(index));
  const isEdited = where((index) => index < response && !stays[index]);
  return isCalling && isFolding && (isLast || isEdited) ? { leadIn: LEAD_IN } : {};
}

/** The table of a policy that folds nothing, where the step in progress folds all the same: the last word, never the model's. */
export function tableBehindStep(situation: Situation, table: PageForm, { proposals }: Fold): PageForm {
  const stays = stayingMessages(situation, proposals);
  return { ...table, role: "user", ...leadInto(situation, stays, situation.transcript.messages.length) };
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
  const last = largest(clears.map(({ place }) => place.messageIndex));
  const end = situation.steps[situation.stepOf[last] ?? -1]?.end ?? last + 1;
  return { role: end >= situation.transcript.messages.length ? "user" : placement.role };
}
