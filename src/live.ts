/**
 * The conversation of a running session, held so that one more message costs what that message costs: read once,
 * measured once, written once. A host that resends its whole list is recognised by its message objects; where they are
 * others (a rewind, a fork, a host that parses anew each time) or say something else (an edit in place), everything is read
 * again, which is linear and correct.
 */
import { type View, viewOf } from "./apply/view.ts";
import { Arrivals } from "./arrivals.ts";
import { HeldNatives, isSaid } from "./held-natives.ts";
import { type Counter, estimatorFor } from "./measure/count.ts";
import { Meter } from "./measure/measure.ts";
import { addressKey } from "./plan/edit.ts";
import type { Compaction, LedgerEntry } from "./plan/ledger.ts";
import { defined, isList, isObject, type Json, list } from "./transcript/json.ts";
import type { Message, Part, Transcript } from "./transcript/message.ts";
import { type Ref, refOf } from "./transcript/ref.ts";
import type { BodyWire } from "./wire/wire.ts";

/** What stands around the messages of a request. Counted, never changed. */
export interface Around {
  readonly system?: Json | undefined;
  readonly tools?: Json | undefined;
  readonly model?: string | undefined;
  /** The wire the messages are in. Default: found from them. */
  readonly wire?: string | BodyWire | undefined;
}

export class LiveConversation {
  readonly #wire: BodyWire;
  readonly #counter: Counter;
  readonly #arrivals: Arrivals;
  #ledger: readonly LedgerEntry[] = [];
  #around: Around = {};
  readonly #natives = new HeldNatives();
  /** What the last update was given. */
  #given: readonly Json[] | undefined;
  #messages: Message[] = [];
  #seen: Message[] = [];
  #written: Json[] = [];
  /** The last of what is written, and their number: hosts have put more behind it, or marks into it. */
  #ending: { readonly count: number; readonly last: Json | undefined } = { count: 0, last: undefined };
  #meter: Meter = new Meter();
  #whole: Meter = new Meter();
  #counts: Map<Ref, number> = new Map();
  #edited: ReadonlySet<string> = new Set();
  #isEdited = false;
  #folded: Compaction | undefined;

  constructor(wire: BodyWire, model: string | undefined, now: () => number = Date.now) {
    this.#wire = wire;
    this.#counter = estimatorFor(model);
    this.#arrivals = new Arrivals(now);
  }

  /** The history as the host has it. */
  get transcript(): Transcript {
    return { ...this.#standing(), messages: this.#messages };
  }

  /** The same as the host spells it. */
  get natives(): readonly Json[] {
    return this.#natives.list;
  }

  /** What the model is sent: the history seen through the ledger. */
  get view(): View {
    return viewOf(this.transcript, this.#ledger);
  }

  /** The same in the host's own spelling. Read it, do not change it: it grows with the next request. */
  get written(): readonly Json[] {
    return this.#written;
  }

  /** The compaction whose page is shown. */
  get folded(): Compaction | undefined {
    return this.#folded;
  }

  /** What stands around the messages, as last told. */
  get around(): Around {
    return this.#around;
  }

  get wire(): string {
    return this.#wire.name;
  }

  /** Tokens of what is sent, as counted. */
  get countedTokens(): number {
    return this.#meter.total;
  }

  /** Tokens of the whole history, had nothing been compacted. */
  get countedWithoutUs(): number {
    return this.#whole.total;
  }

  tokensOf(part: Part): number {
    return this.#counter.part(part);
  }

  /** Whether the last update was given just this: then there is nothing to update. */
  isOf(natives: readonly Json[], { system, tools }: Around): boolean {
    const isAround = system === this.#around.system && tools === this.#around.tools;
    return isAround && natives === this.#given && natives.length === this.#natives.list.length;
  }

  /** The messages that joined by the last update. */
  update(natives: readonly Json[], around: Around): readonly Message[] {
    this.#given = natives;
    this.#takeBack(natives);
    const before = this.#around;
    this.#around = around;
    // Hosts make their list of tools anew for each request; what says the same is not counted again.
    const isAround = isSaid(around.system, before.system) && isSaid(around.tools, before.tools);
    try {
      if (isAround && this.#natives.isContinuedBy(natives)) return this.#grow(natives);
      this.#rebuild(natives);
      return this.#messages;
    } catch (error) {
      // Half read is not read: the next time it is begun anew.
      this.#natives.restart([]);
      throw error;
    }
  }

  /** Before a compaction: what the host changed, wherever it stands, is read anew. */
  readAgain(natives: readonly Json[] = this.#natives.list): void {
    if (!this.#natives.isWhollyContinuedBy(natives)) this.#rebuild([...natives]);
  }

  /** After a compaction, an undo or a resume: everything is seen anew. What was read, hashed and counted stays so. */
  look(ledger: readonly LedgerEntry[]): void {
    this.#ledger = ledger;
    // What is written anew must not undo what the host has changed since.
    if (this.#natives.isAsRead()) this.#see();
    else this.#rebuild([...this.#natives.list]);
  }

  /** What was handed out is ours to go on with, unless the host has made it its own. */
  #takeBack(natives: readonly Json[]): void {
    const { count, last } = this.#ending;
    if (natives === this.#written || this.#written.length !== count || this.#written.at(-1) !== last)
      this.#spell();
  }

  #grow(natives: readonly Json[]): readonly Message[] {
    const known = this.#natives.list.length;
    if (natives.length === known) return [];
    const added = this.#wire.read(natives.slice(known)).messages;
    // What reads as no message is sent all the same.
    if (added.length === 0 || this.#mustRebuild(added)) {
      this.#rebuild(natives);
      return added;
    }
    for (const native of natives.slice(known)) {
      this.#natives.add(native);
      this.#written.push(native);
    }
    for (const message of added) this.#append(message);
    this.#endsHere();
    return added;
  }

  /** A response that goes on in a new list item belongs to the message before; an edited part may have come back. */
  #mustRebuild(added: readonly Message[]): boolean {
    const [first] = added;
    if (this.#wire.name === "openai-responses" && first && first.role === this.#messages.at(-1)?.role)
      return true;
    return (
      this.#isEdited &&
      added.some((message) =>
        message.parts.some((part) =>
          this.#edited.has(keyFor(refOf(part), this.#counts.get(refOf(part)) ?? 0)),
        ),
      )
    );
  }

  #append(said: Message): void {
    const message = this.#arrivals.timed(said);
    for (const part of message.parts) this.#count(refOf(part));
    this.#messages.push(message);
    this.#seen.push(message);
    this.#meter.add(message);
    this.#whole.add(message);
  }

  #count(ref: Ref): void {
    this.#counts.set(ref, (this.#counts.get(ref) ?? 0) + 1);
  }

  #rebuild(natives: readonly Json[]): void {
    // First read: where that fails, what was held stands.
    const { messages } = this.#wire.read([...natives]);
    this.#natives.restart(natives);
    this.#arrivals.restart();
    this.#messages = messages.map((said) => this.#arrivals.timed(said));
    this.#counts = new Map();
    for (const message of this.#messages) for (const part of message.parts) this.#count(refOf(part));
    this.#whole = new Meter({ ...this.#standing(), messages: this.#messages }, this.#counter);
    this.#see();
  }

  #see(): void {
    const { transcript, applied, folded } = this.view;
    this.#folded = folded;
    this.#seen = [...transcript.messages];
    this.#isEdited = applied.length > 0;
    this.#edited = new Set(
      this.#ledger.flatMap((entry) =>
        entry.kind === "compaction" ? entry.edits.map(({ at }) => addressKey(at)) : [],
      ),
    );
    this.#spell();
    this.#meter = new Meter({ ...this.#standing(), messages: this.#seen }, this.#counter);
  }

  #spell(): void {
    const natives = this.#natives.list;
    this.#written = [...(this.#isEdited ? writtenBy(this.#wire, { messages: this.#seen }) : natives)];
    this.#endsHere();
  }

  #endsHere(): void {
    this.#ending = { count: this.#written.length, last: this.#written.at(-1) };
  }

  /** System prompt and tools as text: their spelling is the host's, their size is what counts here. */
  #standing(): Transcript {
    const { system, tools, model } = this.#around;
    return {
      messages: [],
      ...(model === undefined ? {} : { model }),
      ...(system === undefined ? {} : { system: [{ type: "text", text: textOf(system) }] }),
      ...(isList(tools)
        ? { tools: tools.map((tool, index) => ({ name: `tool ${index}`, input: tool })) }
        : {}),
      // By name, as the AI SDK has them: objects with functions, of which only the wire knows what is sent.
      ...(isObject(tools) ? defined({ tools: this.#wire.read({ messages: [], tools }).tools }) : {}),
    };
  }
}

/** The messages of a body without what stands around them. */
function writtenBy(wire: BodyWire, transcript: Transcript): readonly Json[] {
  const bare: Transcript = { messages: transcript.messages, native: { of: wire.name, value: [] } };
  return list(wire.write(bare));
}

function keyFor(ref: Ref, occurrence: number): string {
  return addressKey({ ref, occurrence });
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
