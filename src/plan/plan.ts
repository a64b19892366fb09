/**
 * Decides what leaves the context, as data: nothing is done here. Strategies propose, this file disposes: which rules
 * run now, what they may touch while the model waits for results, whether a fold is needed, and what thinking has to
 * go because of it. The same input gives the same plan.
 */
import { hasUserWords } from "../transcript/message.ts";
import { boundStep } from "./bound.ts";
import {
  allowedNow,
  type Deciding,
  isForced,
  nothing,
  type Plan,
  type PlanInput,
  planOf,
  tokensOf,
  withoutRepeats,
} from "./deciding.ts";
import { planFull } from "./full.ts";
import { planPaying } from "./pays.ts";
import type { Policy, When } from "./policy.ts";
import { proposalsFor, rulesOf } from "./prune.ts";
import { worthClearing } from "./rent.ts";
import { growthTokens, type Proposal, situationOf } from "./situation.ts";
import { type Marks, marksOf, type Room } from "./size.ts";

export type { Plan, PlanInput } from "./deciding.ts";

export function makePlan(input: PlanInput): Plan {
  const room: Room = input;
  const situation = situationOf({ ...input, room, descriptions: input.policy.retrieval?.descriptions });
  const marks = withTarget(marksOf(input.policy, room, input.transcript.model), input.targetTokens);
  const decision: Deciding = {
    input,
    situation,
    marks,
    bound: boundStep(situation, input.isAtRest ?? false),
  };
  if (input.trigger === "arrival") return planArrival(decision);
  const isDone = isForced(input.trigger) || isFull(decision, tokensOf(passing(decision, ["full"])));
  const plan = isDone ? planFull(decision) : (planPaying(decision) ?? planClearing(decision));
  return plan.edits.length > 0 ? plan : (planPassing(decision, isDone) ?? plan);
}

export interface Due extends Room {
  readonly totalTokens: number;
  readonly model?: string;
  readonly messages?: number;
}

/** Over the trigger: the cheap question before each request. */
export function isDueAt(policy: Policy, { totalTokens, model, messages = 0, ...room }: Due): boolean {
  return (
    totalTokens > marksOf(policy, room, model).full ||
    messages > (policy.trigger.maxMessages ?? Number.POSITIVE_INFINITY)
  );
}

function withTarget(marks: Marks, targetTokens: number | undefined): Marks {
  return targetTokens === undefined ? marks : { ...marks, target: targetTokens };
}

/** Between turns and when idle the lower mark holds. What is cut for each request anew is not sent, so it does not count. */
function isFull({ input, situation, marks }: Deciding, passingTokens: number): boolean {
  const { policy, transcript, windowTokens, outputTokens } = input;
  const counted = policy.trigger.scope === "growth" ? growthTokens(situation) : input.totalTokens;
  const totalTokens = counted - passingTokens;
  const due = { totalTokens, windowTokens, outputTokens, messages: transcript.messages.length };
  const last = transcript.messages.at(-1);
  const isBoundary = input.trigger === "idle" || (last !== undefined && hasUserWords(last));
  return (
    isDueAt(policy, transcript.model === undefined ? due : { ...due, model: transcript.model }) ||
    (isBoundary && totalTokens > marks.boundary)
  );
}

function planArrival({ input, situation }: Deciding): Plan {
  const proposals = proposalsFor(situation, rulesOf(input.policy, { when: ["arrival"] }), {
    isFull: false,
  });
  return planOf(
    situation,
    proposals,
    proposals.length > 0 ? "a giant result arrived" : "nothing giant arrived",
  );
}

/** Below the trigger: what arrived, what the policy clears before each request, and what clearing pays for. */
function planClearing({ input, situation, bound }: Deciding): Plan {
  const due = (...when: readonly When[]) =>
    proposalsFor(situation, rulesOf(input.policy, { when }), { isFull: false });
  const now = due("arrival", "request");
  const batch = worthClearing(situation, due("pays"), input.cache);
  const proposals = allowedNow(withoutRepeats([...now, ...batch.proposals]), bound);
  if (proposals.length === 0) return nothing("the context is not full, and clearing does not pay yet");
  return planOf(situation, proposals, "clearing pays");
}

/** What holds for this request alone, and is made anew for the next. */
function passing({ input, situation, bound }: Deciding, except: readonly When[]): readonly Proposal[] {
  const when = (["arrival", "request", "pays", "full"] as const).filter((one) => !except.includes(one));
  const rules = rulesOf(input.policy, { when, isTransient: true });
  return allowedNow(proposalsFor(situation, rules, { isFull: true }), bound);
}

/** Never together with what is recorded: that would be read as if it stood on the shortened text. */
function planPassing(decision: Deciding, isDone: boolean): Plan | undefined {
  const proposals = passing(decision, isDone ? [] : ["full"]);
  if (proposals.length === 0) return undefined;
  return { ...planOf(decision.situation, proposals, "shortened for this request"), isTransient: true };
}
