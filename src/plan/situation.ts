/** What every strategy looks at, worked out once per plan: steps, turns, pairs, sizes and addresses. */
import type { Message, Part, ToolCallPart, Transcript } from "../transcript/message.ts";
import { callsByResult, type Pair, type Pairing, type Place, pairUp } from "../transcript/pairs.ts";
import { isSealed } from "../transcript/prefix.ts";
import type { Ref } from "../transcript/ref.ts";
import { lastResponse, type Range, stepsOf, turnsOf } from "../transcript/turns.ts";
import type { Descriptions } from "./describe-part.ts";
import { type Address, addressKey, type Edit } from "./edit.ts";
import type { Room } from "./size.ts";
import { withText } from "./with-text.ts";

export interface Situation {
  readonly transcript: Transcript;
  readonly addresses: readonly (readonly Address[])[];
  readonly tokensOf: (part: Part) => number;
  readonly totalTokens: number;
  readonly room: Room;
  readonly pinned: ReadonlySet<string>;
  readonly at: number;
  /** Refs of pages of ours that stand in the history as messages. */
  readonly ownPages?: { has(ref: Ref): boolean } | undefined;
  /** Where an original lies as a file, where files are written. */
  readonly pathOf?: (ref: Ref) => string;
  /** How stubs say what they stand for; as the default policy does where not said. */
  readonly descriptions?: Descriptions | undefined;
  readonly steps: readonly Range[];
  readonly turns: readonly Range[];
  readonly pairing: Pairing;
  readonly calls: ReadonlyMap<Part, ToolCallPart>;
  /** For each message the step it belongs to; −1 where none. */
  readonly stepOf: readonly number[];
  /** All of them, in order: rules go through them a dozen times. */
  readonly parts: readonly PlacedPart[];
}

export interface PlacedPart {
  readonly message: Message;
  readonly part: Part;
  readonly place: Place;
  readonly tokens: number;
}

export type SituationInput = Pick<
  Situation,
  "transcript" | "addresses" | "tokensOf" | "totalTokens" | "room" | "at"
> &
  Pick<Situation, "ownPages" | "pathOf" | "descriptions"> & { readonly pinned?: ReadonlySet<string> };

export function situationOf(input: SituationInput): Situation {
  const pairing = pairUp(input.transcript);
  const steps = stepsOf(input.transcript);
  const stepOf = input.transcript.messages.map(() => -1);
  for (const [step, { start, end }] of steps.entries()) stepOf.fill(step, start, end);
  return {
    ...input,
    pinned: input.pinned ?? new Set(),
    steps,
    turns: turnsOf(input.transcript),
    pairing,
    calls: callsByResult(pairing),
    stepOf,
    parts: partsOf(input),
  };
}

function partsOf({ transcript, tokensOf }: SituationInput): readonly PlacedPart[] {
  const placed: PlacedPart[] = [];
  for (const [messageIndex, message] of transcript.messages.entries())
    for (const [partIndex, part] of message.parts.entries())
      placed.push({ message, part, place: { messageIndex, partIndex }, tokens: tokensOf(part) });
  return placed;
}

/** What the parts come to of which this is true. */
export function tokensWhere({ parts }: Situation, isCounted: (placed: PlacedPart) => boolean): number {
  let tokens = 0;
  for (const placed of parts) if (isCounted(placed)) tokens += placed.tokens;
  return tokens;
}

/** An edit somebody proposes, where it stands, and since which message it could have been made. */
export interface Proposal {
  readonly edit: Edit;
  readonly place: Place;
  readonly since: number;
}

export type Answered = Pair & { readonly result: NonNullable<Pair["result"]> };

/** Calls with their results, in the order of the calls. */
export function answeredPairs({ pairing }: Situation): readonly Answered[] {
  return pairing.pairs.filter((pair): pair is Answered => pair.result !== undefined);
}

export function addressAt({ addresses }: Situation, { messageIndex, partIndex }: Place): Address | undefined {
  return addresses[messageIndex]?.[partIndex];
}

/** A page that an earlier compaction wrote into the file this history was read from: the next page replaces it too. */
export function isOwnPage(situation: Situation, place: Place): boolean {
  const address = addressAt(situation, place);
  return address !== undefined && situation.ownPages?.has(address.ref) === true;
}

export function isPinned(situation: Situation, place: Place): boolean {
  const address = addressAt(situation, place);
  return address !== undefined && situation.pinned.has(addressKey(address));
}

/** The page of an earlier fold (and its acknowledgement) has no addresses: it is ours, and the next page replaces it. */
export function isPage({ addresses }: Situation, messageIndex: number): boolean {
  return (addresses[messageIndex] ?? []).length === 0;
}

/** What came since the page: neither system prompt nor tools nor the page itself. */
export function growthTokens(situation: Pick<Situation, "transcript" | "addresses" | "tokensOf">): number {
  const { transcript, addresses, tokensOf } = situation;
  const from = addresses.findLastIndex(({ length }) => length === 0) + 1;
  return transcript.messages
    .slice(from)
    .reduce((sum, { parts }) => parts.reduce((all, part) => all + tokensOf(part), sum), 0);
}

/** With all of its response: the messages of the model that stand together, and what came of a thought that was stopped. */
export function lastStep({ transcript, steps }: Situation): Range | undefined {
  const last = steps.at(-1);
  const start = lastResponse(transcript)?.start ?? last?.start;
  return last && start !== undefined ? { start: Math.min(start, last.start), end: last.end } : undefined;
}

/** What a text in place of a part saves; not positive where the edit is not worth making. */
export function savingOf({ tokensOf }: Situation, part: Part, text: string): number {
  return tokensOf(part) - tokensOf(withText(part, text));
}

export function isSealedThinking(part: Part): boolean {
  return part.type === "thinking" && isSealed(part);
}

/** Words of a person, wherever they stand: also beside results in one message. */
export function isUserPart(message: Message, part: Part): boolean {
  if (message.role !== "user") return false;
  if (part.type === "text") return part.synthetic !== true;
  return part.type === "image" || part.type === "document" || part.type === "opaque";
}

/** A number for each place: thousands are looked up for every plan, and a text for each took longer than the rest. */
export function placeKey({ messageIndex, partIndex }: Place): number {
  // Small ones are found twice as fast; the few messages with more parts are below zero.
  if (partIndex < FEW_PARTS) return messageIndex * FEW_PARTS + partIndex;
  return -(messageIndex * MOST_PARTS + partIndex);
}

const FEW_PARTS = 1024;
const MOST_PARTS = 2 ** 26;

export function byPlace(a: { readonly place: Place }, b: { readonly place: Place }): number {
  return a.place.messageIndex - b.place.messageIndex || a.place.partIndex - b.place.partIndex;
}
