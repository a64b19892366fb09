/** What leaves the context, as it was: for the store, and for whoever summarizes it. */
import type { View } from "./apply/view.ts";
import { descriptionOf } from "./plan/describe-part.ts";
import { type Address, addressKey, type Edit } from "./plan/edit.ts";
import type { Policy } from "./plan/policy.ts";
import type { Summary } from "./plan/summary.ts";
import type { Original } from "./store/store.ts";
import type { Message, Part, ToolCallPart, ToolResultPart, Transcript } from "./transcript/message.ts";
import { pairUp } from "./transcript/pairs.ts";
import { addressParts } from "./transcript/ref.ts";

export interface Keeping {
  readonly tokensOf: (part: Part) => number;
  readonly at: number;
  readonly policy?: Pick<Policy, "retrieval">;
}

export interface Leaving {
  readonly edits: readonly Edit[];
  /** Refs the summary points to. Some are of parts that stay, like the user's words; a pointer must not dangle. */
  readonly cited: ReadonlySet<string>;
}

/** Every part an edit touches or a summary cites, as it was in the history, with what it is called in the ref table. */
export function originalsOf(
  transcript: Transcript,
  { edits, cited }: Leaving,
  { tokensOf, at, policy }: Keeping,
): readonly Original[] {
  const touched = new Set(edits.map((edit) => addressKey(edit.at)));
  const how = policy?.retrieval?.descriptions;
  const mates = matesIn(transcript);
  return addressParts(transcript).flatMap((addressed) => {
    if (!touched.has(addressKey(addressed)) && !cited.has(addressed.ref)) return [];
    const { native: _, ...part } = addressed.part;
    const description = descriptionOf(addressed.part, mates.get(addressed.part), how);
    return [{ ref: addressed.ref, part, description, tokens: tokensOf(addressed.part), at }];
  });
}

/** Of each result its call, of each call its result. */
function matesIn(transcript: Transcript): ReadonlyMap<Part, ToolCallPart | ToolResultPart> {
  const mates = new Map<Part, ToolCallPart | ToolResultPart>();
  for (const { call, result } of pairUp(transcript).pairs)
    if (result) mates.set(result.part, call.part).set(call.part, result.part);
  return mates;
}

export function refsCitedIn(summary: Summary | undefined): ReadonlySet<string> {
  return new Set(
    Object.values(summary?.sections ?? {}).flatMap((lines) =>
      lines.flatMap(({ refs, quotes = [] }) => [...refs, ...quotes.map(({ ref }) => ref)]),
    ),
  );
}

/** The messages of a view with the parts the history has: a stub is not what was said. */
export function originalMessages(
  messages: readonly Message[],
  { addresses }: View,
  history: Transcript,
): readonly Message[] {
  const parts = new Map(addressParts(history).map((addressed) => [addressKey(addressed), addressed.part]));
  return messages.map((message, index) => {
    const original = (part: Part, at: Address | undefined) => (at && parts.get(addressKey(at))) ?? part;
    return {
      ...message,
      parts: message.parts.map((part, place) => original(part, addresses[index]?.[place])),
    };
  });
}
