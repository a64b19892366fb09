/** What a `Size` of a policy comes to for a model. */
import type { Policy, Size, TriggerRule } from "./policy.ts";

export interface Room {
  readonly windowTokens: number;
  /** Most the model may answer. */
  readonly outputTokens: number;
}

/**
 * The room a model has in a window of this size. Where a person asks for a smaller window than the model's, an answer may
 * not take all of it: a quarter is set aside at most.
 */
export function roomIn(
  windowTokens: number,
  model: { readonly windowTokens: number; readonly outputTokens: number },
): Room {
  const outputTokens =
    windowTokens < model.windowTokens
      ? Math.min(model.outputTokens, Math.floor(windowTokens / 4))
      : model.outputTokens;
  return { windowTokens, outputTokens };
}

export function tokensIn(size: Size, { windowTokens, outputTokens }: Room): number {
  const reserve = Math.min(outputTokens, size.reserveOutputUpToTokens ?? 0);
  const tokens = Math.round(size.share * Math.max(0, windowTokens - reserve)) - (size.minusTokens ?? 0);
  return Math.max(size.atLeastTokens ?? 0, Math.min(tokens, size.atMostTokens ?? tokens));
}

export interface Marks {
  /** Over this the context is full. Infinite where the policy never folds by itself. */
  readonly full: number;
  /** The lower mark that holds between turns. */
  readonly boundary: number;
  /** 0: as far as the tail allows. */
  readonly target: number;
}

export function marksOf(policy: Policy, room: Room, model?: string): Marks {
  const { at, atBoundary, target } = markRule(policy.trigger, model);
  const sizes = at.map((size) => tokensIn(size, room));
  const pick = policy.trigger.pick === "largest" ? Math.max : Math.min;
  const full = sizes.length === 0 ? Number.POSITIVE_INFINITY : pick(...sizes);
  const boundary = atBoundary ? tokensIn(atBoundary, room) : full;
  return { full, boundary: Math.min(full, boundary), target: target ? tokensIn(target, room) : 0 };
}

/** A model with marks of its own keeps the policy's mark between turns, unless it has one of its own too. */
function markRule(trigger: TriggerRule, model = ""): Pick<TriggerRule, "at" | "atBoundary" | "target"> {
  const own = trigger.models?.find(({ startsWith }) => model.startsWith(startsWith));
  if (!own) return trigger;
  return own.atBoundary || !trigger.atBoundary ? own : { ...own, atBoundary: trigger.atBoundary };
}
