/**
 * From OpenHands events to messages. Both generations keep an append-only list of events and compute what the model
 * sees from it: the actions of one response are one message, a condensation names the events that are forgotten, and
 * its summary is put back at an offset that counts the events still there. Calls without an answer, and answers
 * without a call, are left out of what is sent.
 */
import { defined, type JsonObject } from "../transcript/json.ts";
import type { Message, Part, Role, ToolSchema, Usage } from "../transcript/message.ts";
import { pairUp } from "../transcript/pairs.ts";
import type { Spot } from "./session-file.ts";
import type { NativeCompaction } from "./wire.ts";

/** An event and where it stands. */
export interface PlacedEvent {
  readonly event: JsonObject;
  readonly id: string;
  readonly spot: Spot;
  /** For an observation, the action it came from. */
  readonly cause?: PlacedEvent;
  /** Where else the response of this action is kept: parallel calls have a copy each. */
  readonly copies?: readonly Spot[];
}

/** What an event is for the conversation. */
export interface Reading {
  readonly says?: Saying;
  readonly forgets?: Forgetting;
  readonly tools?: readonly ToolSchema[];
  /** No word of it reaches the model, and the harness does not count it in its view. */
  readonly isHidden?: true;
}

export interface Saying {
  readonly role: Role;
  readonly parts: readonly Part[];
  /** Actions that share it are one response, wherever they stand. */
  readonly responseId?: string;
  readonly model?: string;
  readonly usage?: Usage;
}

export interface Forgetting {
  readonly includes: (id: string) => boolean;
  readonly summary?: Part;
  /** How many of the events that are left stand before the summary. */
  readonly offset: number;
}

export interface View {
  readonly messages: readonly Message[];
  readonly seen: readonly Message[];
  readonly compactions: readonly NativeCompaction[];
  readonly tools?: readonly ToolSchema[];
  /** The events still in view, and the message each is part of. */
  readonly live: readonly { readonly event: PlacedEvent; readonly of: Message["native"] }[];
}

type Draft = { -readonly [K in keyof Message]: Message[K] } & { parts: Part[] };
/** An event still in the view, and the message it is part of, if any. */
type Live = { readonly event: PlacedEvent; readonly draft: number | undefined };

interface State {
  readonly wire: string;
  readonly drafts: Draft[];
  readonly byResponse: Map<string, number>;
  readonly compactions: NativeCompaction[];
  live: Live[];
  summary?: { readonly message: Message; readonly offset: number };
  tools?: readonly ToolSchema[];
}

export function viewOf(events: Iterable<readonly [PlacedEvent, Reading]>, wire: string): View {
  const state: State = { wire, drafts: [], byResponse: new Map(), compactions: [], live: [] };
  for (const [event, reading] of events) {
    if (reading.tools) state.tools = reading.tools;
    const draft = reading.says && say(state, event, reading.says);
    if (reading.forgets) forget(state, event, reading.forgets);
    else if (!reading.isHidden) state.live.push({ event, draft });
  }
  const { drafts, compactions, tools } = state;
  const live = state.live.map(({ event, draft }) => ({
    event,
    of: draft === undefined ? undefined : drafts[draft]?.native,
  }));
  return { messages: drafts, seen: seenOf(state), compactions, live, ...defined({ tools }) };
}

function say(state: State, event: PlacedEvent, saying: Saying): number | undefined {
  const { role, parts, responseId, model, usage } = saying;
  const known = responseId === undefined ? undefined : state.byResponse.get(responseId);
  const draft = known === undefined ? undefined : state.drafts[known];
  if (draft) {
    // What was said and thought came with the first call.
    draft.parts.push(...parts.filter((part) => part.type === "tool-call"));
    return known;
  }
  if (parts.length === 0) return undefined;
  const native = { of: state.wire, value: [event.spot.line] };
  const at = timeOf(event.event);
  state.drafts.push({ role, parts: [...parts], ...defined({ at, model, usage }), native });
  if (responseId !== undefined) state.byResponse.set(responseId, state.drafts.length - 1);
  return state.drafts.length - 1;
}

/** Costs what is in view, not what ever was: events once forgotten are not looked at again. */
function forget(state: State, event: PlacedEvent, { includes, summary, offset }: Forgetting): void {
  const kept = state.live.filter((one) => !includes(one.event.id));
  const still = new Set(kept.map(({ draft }) => draft));
  const gone = state.live.flatMap(({ draft }) => (draft === undefined || still.has(draft) ? [] : [draft]));
  state.live = kept;
  const native = { of: state.wire, value: [event.spot.line] };
  const message: Message | undefined = summary && { role: "user", parts: [summary], native };
  // Without a summary of its own, a condensation leaves the one before it in place.
  if (message) state.summary = { message, offset };
  state.compactions.push({
    kind: "summary",
    at: state.drafts.length,
    removed: [...new Set(gone)],
    ...defined({ summary: message }),
  });
}

function seenOf(state: State): readonly Message[] {
  if (state.compactions.length === 0) return withoutLoose(state.drafts);
  const { summary, live } = state;
  const messages: Message[] = [];
  const done = new Set<number>();
  live.forEach(({ draft }, index) => {
    if (summary && index === summary.offset) messages.push(summary.message);
    const message = draft === undefined || done.has(draft) ? undefined : state.drafts[draft];
    if (draft === undefined || !message) return;
    done.add(draft);
    messages.push(message);
  });
  if (summary && summary.offset >= live.length) messages.push(summary.message);
  return withoutLoose(messages);
}

function withoutLoose(messages: readonly Message[]): readonly Message[] {
  const { pairs, orphans } = pairUp({ messages });
  const loose = new Set<Part>([
    ...pairs.flatMap(({ call, result }) => (result ? [] : [call.part])),
    ...orphans.map(({ part }) => part),
  ]);
  if (loose.size === 0) return messages;
  return messages.flatMap((message) => {
    const parts = message.parts.filter((part) => !loose.has(part));
    if (parts.length === message.parts.length) return [message];
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
}

function timeOf(event: JsonObject): number | undefined {
  const stamp = event["timestamp"];
  // Without a zone the clock of the machine was meant; the file does not say which, so it is read as UTC.
  const at =
    typeof stamp === "string" ? Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(stamp) ? stamp : `${stamp}Z`) : NaN;
  return Number.isNaN(at) ? undefined : at;
}
