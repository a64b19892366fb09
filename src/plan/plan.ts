/**
 * Decides what leaves the context, as data: nothing is done here. Strategies propose, this file disposes: which rules
 * run now, what they may touch while the model waits for results, whether a fold is needed, and what thinking has to
 * go because of it. The same input gives the same plan.
 */
import type { Part, Transcript } from "../transcript/message.ts";
import { hasUserWords } from "../transcript/message.ts";
import type { Place } from "../transcript/pairs.ts";
import type { Ref } from "../transcript/ref.ts";
import { type BoundStep, boundStep } from "./bound.ts";
import type { Address, Edit } from "./edit.ts";
import type { CompactionTrigger, Page } from "./ledger.ts";
import { pageForm } from "./page-form.ts";
import type { Policy } from "./policy.ts";
import { proposalsFor } from "./prune.ts";
import { type CacheState, worthClearing } from "./rent.ts";
import { byPlace, type Proposal, type Situation, situationOf } from "./situation.ts";
import { type Marks, marksOf, type Room, tokensIn } from "./size.ts";
import { type Fold, proposeFold } from "./strategies/fold.ts";
import { proposeThinking } from "./strategies/thinking.ts";
import { proposeDirectives, userTokens } from "./strategies/user-pastes.ts";

export interface PlanInput {
  /** The view: what would be sent now. */
  readonly transcript: Transcript;
  /** Of each part of each message, as they stand in the history; empty for the page of an earlier fold. */
  readonly addresses: readonly (readonly Address[])[];
  readonly tokensOf: (part: Part) => number;
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
  /** Whose message the page can legally be, and whether an acknowledgement can follow. */
  readonly page?: Pick<Page, "role" | "acknowledgement">;
  /** Why this plan, or why none. */
  readonly because: string;
}

export function makePlan(input: PlanInput): Plan {
  const room: Room = input;
  const situation = situationOf({ ...input, room });
  const marks = withTarget(marksOf(input.policy, room, input.transcript.model), input.targetTokens);
  const bound = boundStep(situation);
  const decision: Deciding = { input, situation, marks, bound };
  if (input.trigger === "arrival") return planArrival(decision);
  return isForced(input.trigger) || isFull(decision) ? planFull(decision) : planClearing(decision);
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

export function isDue(input: PlanInput): boolean {
  const { policy, transcript, totalTokens, windowTokens, outputTokens } = input;
  const due = { totalTokens, windowTokens, outputTokens, messages: transcript.messages.length };
  return isDueAt(policy, transcript.model === undefined ? due : { ...due, model: transcript.model });
}

interface Deciding {
  readonly input: PlanInput;
  readonly situation: Situation;
  readonly marks: Marks;
  readonly bound: BoundStep | undefined;
}

function withTarget(marks: Marks, targetTokens: number | undefined): Marks {
  return targetTokens === undefined ? marks : { ...marks, target: targetTokens };
}

function isForced(trigger: CompactionTrigger): boolean {
  return trigger === "manual" || trigger === "agent" || trigger === "overflow";
}

/** Between turns and when idle the lower mark holds. */
function isFull({ input, marks }: Deciding): boolean {
  const last = input.transcript.messages.at(-1);
  const isBoundary = input.trigger === "idle" || (last !== undefined && hasUserWords(last));
  return isDue(input) || (isBoundary && input.totalTokens > marks.boundary);
}

function planArrival({ input, situation }: Deciding): Plan {
  const proposals = proposalsFor(situation, input.policy, { when: ["arrival"], isFull: false });
  return planOf(
    situation,
    proposals,
    proposals.length > 0 ? "a giant result arrived" : "nothing giant arrived",
  );
}

/** Below the trigger: what arrived, what the policy clears before each request, and what clearing pays for. */
function planClearing({ input, situation, bound }: Deciding): Plan {
  const now = proposalsFor(situation, input.policy, { when: ["arrival", "request"], isFull: false });
  const clearable = proposalsFor(situation, input.policy, { when: ["pays"], isFull: false });
  const batch = worthClearing(situation, clearable, input.cache);
  const proposals = allowedNow(withoutRepeats([...now, ...batch.proposals]), bound);
  if (proposals.length === 0) return nothing("the context is not full, and clearing does not pay yet");
  return planOf(situation, proposals, "clearing pays");
}

/** While the model waits for results, only what stands behind its thinking may change. */
function allowedNow(proposals: readonly Proposal[], bound: BoundStep | undefined): readonly Proposal[] {
  if (!bound) return proposals;
  return proposals.filter(({ place }) => place.messageIndex > bound.range.start);
}

function planFull(decision: Deciding): Plan {
  const { input, situation, marks, bound } = decision;
  const clears = proposalsFor(situation, input.policy, {
    when: ["arrival", "request", "pays", "full"],
    isFull: true,
  });
  if (bound && mustWait(decision, bound))
    return planOf(situation, allowedNow(clears, bound), "the model waits for results it thought about");
  const saved = tokensOf(clears);
  const isEnough = !isForced(input.trigger) && marks.target > 0 && input.totalTokens - saved <= marks.target;
  if (isEnough && !bound) return planOf(situation, clears, "full; clearing is enough");
  return planFold(decision, clears);
}

function mustWait({ input, situation }: Deciding, { isOpen }: BoundStep): boolean {
  if (isOpen || input.policy.tail.folds === "nothing") return true;
  return (
    !isForced(input.trigger) && input.totalTokens <= tokensIn(input.policy.safety.waitsUpTo, situation.room)
  );
}

function planFold(decision: Deciding, clears: readonly Proposal[]): Plan {
  const { input, situation, marks, bound } = decision;
  const pageTokens = pageTokensOf(input.policy, situation.room);
  const savedAt = new Map<number, number>();
  for (const { edit, place } of clears)
    savedAt.set(place.messageIndex, (savedAt.get(place.messageIndex) ?? 0) + edit.tokens);
  const fold = proposeFold(situation, {
    policy: input.policy,
    targetTokens: marks.target,
    isForced: isForced(input.trigger),
    savedAt,
    pageTokens,
    ...(bound ? { withStep: bound.range } : {}),
  });
  if (!isWorthAPage(fold, input.policy, pageTokens))
    return planOf(situation, allowedNow(clears, bound), "too little could be folded to be worth a page");
  const proposals = withoutRepeats([...fold.proposals, ...clears]);
  const words = shortenedWords(decision, proposals, pageTokens);
  const plan = planOf(
    situation,
    withoutRepeats([...proposals, ...words]),
    `${reasonOf(decision)}; the oldest steps fold`,
  );
  return {
    ...plan,
    folded: fold.folded,
    carried: carriedBy(fold, situation, bound),
    page: pageForm(situation, fold, input.policy),
  };
}

function reasonOf({ input }: Deciding): string {
  return isForced(input.trigger) ? `asked for (${input.trigger})` : "the context is full";
}

/** What the page may come to at most. */
export function pageBudget(
  policy: Policy,
  room: Room,
): { readonly summaryTokens: number; readonly tableTokens: number } {
  const { maxTokens, table } = policy.summary;
  return { summaryTokens: tokensIn(maxTokens, room), tableTokens: table ? tokensIn(table, room) : 0 };
}

function pageTokensOf(policy: Policy, room: Room): number {
  const { summaryTokens, tableTokens } = pageBudget(policy, room);
  return summaryTokens + tableTokens;
}

/** A page is seldom as large as it may be: of little that folds little can be told. */
function isWorthAPage({ tokens, proposals }: Fold, { safety }: Policy, pageTokens: number): boolean {
  const page = Math.min(pageTokens, tokens / 3);
  return proposals.length > 0 && tokens >= safety.minFoldTokens && tokens - page >= safety.minSavedTokens;
}

/** From this share of the room on, the user's words themselves are what no longer fits. */
const USER_WORDS_SHARE = 0.25;

/** When the user's own words no longer fit, the oldest keep their directives. */
function shortenedWords(
  { input, situation, marks }: Deciding,
  proposals: readonly Proposal[],
  pageTokens: number,
): readonly Proposal[] {
  const rule = input.policy.prune.find(({ strategy }) => strategy === "user-pastes");
  if (rule?.strategy !== "user-pastes" || !rule.isReducedToDirectives) return [];
  const after =
    input.totalTokens + pageTokens - tokensOf(proposals) - tokensOf(proposeThinking(situation, proposals));
  const room = Math.min(marks.full, input.windowTokens);
  // A large system prompt or tail is no reason to shorten what the user said: it would save next to nothing.
  if (after <= room || userTokens(situation) < room * USER_WORDS_SHARE) return [];
  const taken = new Set(proposals.map(({ place }) => keyOf(place)));
  return proposeDirectives(situation, after - marks.target).filter(({ place }) => !taken.has(keyOf(place)));
}

function carriedBy(
  { proposals }: Fold,
  { transcript }: Situation,
  bound: BoundStep | undefined,
): readonly Place[] {
  if (!bound) return [];
  return proposals
    .map(({ place }) => place)
    .filter(
      ({ messageIndex, partIndex }) =>
        messageIndex > bound.range.start &&
        transcript.messages[messageIndex]?.parts[partIndex]?.type === "tool-result",
    );
}

/** Of two edits of one part the first stands. */
function withoutRepeats(proposals: readonly Proposal[]): readonly Proposal[] {
  const first = new Map<string, Proposal>();
  for (const proposal of proposals) {
    const key = keyOf(proposal.place);
    if (!first.has(key)) first.set(key, proposal);
  }
  return [...first.values()];
}

function planOf(situation: Situation, proposals: readonly Proposal[], because: string): Plan {
  const all = [...proposals, ...proposeThinking(situation, proposals)].sort(byPlace);
  return { edits: all.map(({ edit }) => edit), folded: [], carried: [], because };
}

function nothing(because: string): Plan {
  return { edits: [], folded: [], carried: [], because };
}

function tokensOf(proposals: readonly Proposal[]): number {
  return proposals.reduce((sum, { edit }) => sum + edit.tokens, 0);
}

function keyOf({ messageIndex, partIndex }: Place): string {
  return `${messageIndex}.${partIndex}`;
}
