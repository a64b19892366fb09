/**
 * Folding before the context is full, where reading on costs more (`PaysRule`). The window says how much fits, not how much
 * is worth sending: in a window of a million tokens a session would pay for 800,000 of them with every request.
 */
import type { Deciding, Plan } from "./deciding.ts";
import { addressKey } from "./edit.ts";
import { planFull } from "./full.ts";
import { pageCap } from "./page-share.ts";
import type { Policy } from "./policy.ts";
import { looksEachTime } from "./prune.ts";
import { rentAndPrice } from "./rent.ts";
import type { Situation } from "./situation.ts";
import { type Room, tokensIn } from "./size.ts";

export interface Glance {
  readonly tokens: number;
  /** What it was when a plan was made last. */
  readonly lookedAtTokens: number;
  /** A turn has ended: a fold interrupts nothing, and no thinking forbids it. */
  readonly isBoundary: boolean;
  readonly isCold: boolean;
}

const LOOK_AGAIN_SHARE = 0.05;
const LOOK_AGAIN_TOKENS = 10_000;
/** Of what is there already: looking costs that, so it may not happen for every word a huge history grows by. */
const LEAST_GROWTH_SHARE = 0.02;

/**
 * Below the mark: whether to make a plan at all, which costs the length of the history. Now and then, as the context grows;
 * when the cache is cold, and where a turn has ended over what a fold would come down to: there it is cheapest.
 */
export function isWorthALook(policy: Policy, room: Room, glance: Glance): boolean {
  const { tokens, lookedAtTokens, isBoundary, isCold } = glance;
  const growth = tokens - lookedAtTokens;
  const least = tokens * LEAST_GROWTH_SHARE;
  const usual = Math.max(least, Math.min(room.windowTokens * LOOK_AGAIN_SHARE, LOOK_AGAIN_TOKENS));
  const { pays } = policy.trigger;
  const isOver = pays !== undefined && tokens > tokensIn(pays.keep, room);
  const mayPay = isBoundary && isOver && growth > least;
  return growth > usual || isCold || mayPay || looksEachTime(policy);
}

/** Undefined where the policy does not, or it does not pay yet, or the model waits for results it thought about. */
export function planPaying(decision: Deciding): Plan | undefined {
  const { input, situation, marks, bound } = decision;
  const { pays } = input.policy.trigger;
  if (!pays || bound || input.policy.tail.folds === "nothing") return undefined;
  const target = tokensIn(pays.keep, situation.room) + overheadOf(situation);
  const isPaid = (afterTokens: number, fromMessage: number) => {
    const { rent, price } = rentAndPrice(situation, { afterTokens, fromMessage }, input.cache);
    return rent > 0 && rent >= pays.patience * price;
  };
  // What the target would cost if it were reached and nothing stood before it but the first message: seldom less.
  if (input.totalTokens <= target || !isPaid(target, 1)) return undefined;
  const plan = planFull({ ...decision, marks: { ...marks, target }, isTailKept: true });
  const [first] = plan.edits;
  if (!first || !isPaid(tokensAfter(plan, decision), messageOf(situation, first.at))) return undefined;
  return { ...plan, because: "reading on would cost more than folding" };
}

/** System prompt, tools and what a host adds unseen. */
function overheadOf({ transcript, tokensOf, totalTokens }: Situation): number {
  const counted = transcript.messages.reduce(
    (sum, { parts }) => parts.reduce((all, part) => all + tokensOf(part), sum),
    0,
  );
  return Math.max(0, totalTokens - counted);
}

/** A page is seldom as large as it may be: of little that folds little can be told. */
function tokensAfter({ edits, page }: Plan, { input, situation }: Deciding): number {
  const saved = edits.reduce((sum, { tokens }) => sum + tokens, 0);
  const pageTokens = page ? Math.min(pageCap(input.policy, situation.room), saved / 3) : 0;
  return input.totalTokens - saved + pageTokens;
}

function messageOf({ addresses }: Situation, at: Parameters<typeof addressKey>[0]): number {
  const key = addressKey(at);
  return addresses.findIndex((parts) => parts.some((address) => addressKey(address) === key));
}
