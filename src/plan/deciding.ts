/**
 * What is known while a plan is made, and how proposals become one: what `plan.ts` and `full.ts` share.
 */
import type { Part, Transcript } from "../transcript/message.ts";
import type { Place } from "../transcript/pairs.ts";
import type { Ref } from "../transcript/ref.ts";
import type { BoundStep } from "./bound.ts";
import type { Address, Edit } from "./edit.ts";
import type { CompactionTrigger } from "./ledger.ts";
import type { PageForm } from "./page-form.ts";
import type { Policy } from "./policy.ts";
import type { CacheState } from "./rent.ts";
import { byPlace, type Proposal, placeKey, type Situation } from "./situation.ts";
import type { Marks } from "./size.ts";
import { proposeThinking } from "./strategies/thinking.ts";

export interface PlanInput {
  /** The view: what would be sent now. */
  readonly transcript: Transcript;
  /** Of each part of each message, as they stand in the history; empty for the page of an earlier fold. */
  readonly addresses: readonly (readonly Address[])[];
  readonly tokensOf: (part: Part) => number;
  /** A message besides its parts: a long session has thousands of tokens of it, which leave with the messages. */
  readonly messageTokens?: number;
  /** The measured prompt: system, tools and overhead included. */
  readonly totalTokens: number;
  readonly windowTokens: number;
  /** Most the model may answer. */
  readonly outputTokens: number;
  readonly policy: Policy;
  /** Manual, agent and overflow fold even below the trigger; `arrival` looks at the newest step only. */
  readonly trigger: CompactionTrigger;
  /** In place of the policy's. */
  readonly targetTokens?: number;
  readonly cache?: CacheState;
  /** `addressKey`s never touched. */
  readonly pinned?: ReadonlySet<string>;
  readonly ownPages?: Situation["ownPages"];
  /** Nobody works on the session: calls at its end will not be answered. */
  readonly isAtRest?: boolean;
  /** Milliseconds, for rules about age; the caller has the clock. */
  readonly at: number;
  /** Where an original would lie as a file; absent where none are written. */
  readonly pathOf?: (ref: Ref) => string;
}

export interface Plan {
  /** In the order of the conversation. */
  readonly edits: readonly Edit[];
  /** Indices of messages of which something folds. */
  readonly folded: readonly number[];
  /** Results of the step in progress that had to fold: the page quotes them (`latestText`). */
  readonly carried: readonly Place[];
  /** Whose message the page can legally be, and whether an acknowledgement can follow. Set without a fold: a table only. */
  readonly page?: PageForm;
  /** What the page may come to, where the policy shares its target out. */
  readonly pageTokens?: number;
  /** For this request alone: shown, never recorded. */
  readonly isTransient?: true;
  /** Why this plan, or why none. */
  readonly because: string;
}

export interface Deciding {
  readonly input: PlanInput;
  readonly situation: Situation;
  readonly marks: Marks;
  readonly bound: BoundStep | undefined;
  /** A fold that is not forced by the window leaves the tail alone, also where the target is then not reached. */
  readonly isTailKept?: boolean;
}

/** Somebody asked, or the provider refused: done even below the trigger. */
export function isForced(trigger: CompactionTrigger): boolean {
  return trigger === "manual" || trigger === "agent" || trigger === "overflow";
}

/** With so much saved the prompt is at the target; never where the target does not matter. */
export function isEnough({ input, marks }: Deciding, savedTokens: number): boolean {
  if (isForced(input.trigger) || marks.target === 0) return false;
  return input.totalTokens - savedTokens <= marks.target;
}

/** Asked for: how far down a fold goes. Undefined: as far as the tail allows. */
export function askedTarget({ input }: Deciding): number | undefined {
  const { targetWhenAsked } = input.policy.trigger;
  if (!isForced(input.trigger) || input.trigger === "overflow") return undefined;
  return input.targetTokens ?? (targetWhenAsked && targetWhenAsked.shareOfPrompt * input.totalTokens);
}

/** While the model waits for results, only what stands behind its thinking may change. */
export function allowedNow(
  proposals: readonly Proposal[],
  bound: BoundStep | undefined,
): readonly Proposal[] {
  if (!bound) return proposals;
  return proposals.filter(({ place }) => place.messageIndex >= bound.behind);
}

/** Of two edits of one part the first stands. */
export function withoutRepeats(proposals: readonly Proposal[]): readonly Proposal[] {
  const first = new Map<number, Proposal>();
  for (const proposal of proposals) {
    const key = placeKey(proposal.place);
    if (!first.has(key)) first.set(key, proposal);
  }
  return [...first.values()];
}

export function planOf(
  situation: Situation,
  proposals: readonly Proposal[],
  because: string,
  how: { readonly movesPage?: boolean } = {},
): Plan {
  const all = [...proposals, ...proposeThinking(situation, proposals, how)].sort(byPlace);
  return { edits: all.map(({ edit }) => edit), folded: [], carried: [], because };
}

export function nothing(because: string): Plan {
  return { edits: [], folded: [], carried: [], because };
}

export function tokensOf(proposals: readonly Proposal[]): number {
  return proposals.reduce((sum, { edit }) => sum + edit.tokens, 0);
}
