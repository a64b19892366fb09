/** What leaves the context, as it was: for the store, and for whoever summarizes it. */
import type { View } from "./apply/view.ts";
import { descriptionOf } from "./plan/describe-part.ts";
import { type Address, addressKey, type Edit } from "./plan/edit.ts";
import type { Policy } from "./plan/policy.ts";
import type { Summary } from "./plan/summary.ts";
import type { Original } from "./store/store.ts";
import type { Message, Part, ToolCallPart, ToolResultPart, Transcript } from "./transcript/message.ts";
import { pairUp } from "./transcript/pairs.ts";
import { addressesIn, withoutNative } from "./transcript/ref.ts";

export interface Keeping {
  readonly tokensOf: (part: Part) => number;
  readonly at: number;
  readonly policy?: Pick<Policy, "retrieval">;
  /** The addresses of the transcript, where they are known. */
  readonly history?: View["history"];
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
  { tokensOf, at, policy, history = addressesIn(transcript) }: Keeping,
): readonly Original[] {
  const touched = new Set(edits.map((edit) => addressKey(edit.at)));
  const how = policy?.retrieval?.descriptions;
  const mates = matesIn(transcript);
  const originals: Original[] = [];
  for (const [index, { parts }] of transcript.messages.entries())
    for (const [place, part] of parts.entries()) {
      const address = history[index]?.[place];
      if (!address || !(touched.has(addressKey(address)) || cited.has(address.ref))) continue;
      const description = descriptionOf(part, mates.get(part), how);
      originals.push({
        ref: address.ref,
        part: withoutNative(part),
        description,
        tokens: tokensOf(part),
        at,
      });
    }
  return originals;
}

/** Of each result its call, of each call its result. */
function matesIn(transcript: Transcript): ReadonlyMap<Part, ToolCallPart | ToolResultPart> {
  const mates = new Map<Part, ToolCallPart | ToolResultPart>();
  for (const { call, result } of pairUp(transcript).pairs)
    if (result) mates.set(result.part, call.part).set(call.part, result.part);
  return mates;
}

export function refsCitedIn(summary: Summary | undefined): ReadonlySet<string> {
  const cited = new Set<string>();
  for (const lines of Object.values(summary?.sections ?? {}))
    for (const { refs, quotes = [] } of lines) {
      for (const ref of refs) cited.add(ref);
      for (const { ref } of quotes) cited.add(ref);
    }
  return cited;
}

/** The messages of a view with the parts the history has: a stub is not what was said. */
export function originalMessages(
  messages: readonly Message[],
  { transcript, addresses, history }: View,
  original: Transcript,
): readonly Message[] {
  // Nothing was changed yet: what is seen is the history.
  if (transcript === original) return messages;
  const known = new Map<string, Part>();
  for (const [index, { parts }] of original.messages.entries())
    for (const [place, at] of (history[index] ?? []).entries()) {
      const part = parts[place];
      if (part) known.set(addressKey(at), part);
    }
  const originalOf = (part: Part, at: Address | undefined) => (at && known.get(addressKey(at))) ?? part;
  return messages.map((message, index) => ({
    ...message,
    parts: message.parts.map((part, place) => originalOf(part, addresses[index]?.[place])),
  }));
}
