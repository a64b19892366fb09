/**
 * What a host that resends its whole list before each request shows the model: the list, seen through the ledger. The host
 * keeps none of it, so the ledger is the memory: the same history gets the same edits, in this process and in the next.
 */
import { viewOf } from "../apply/view.ts";
import { type AgentSession, openSession } from "../session.ts";
import type { Store } from "../store/store.ts";
import { defined, type Json, list } from "../transcript/json.ts";
import type { BodyWire } from "../wire/wire.ts";

export interface Viewed {
  readonly sessionId: string;
  readonly model?: string | undefined;
  /** What the host itself sends before it compacts: its window, less what it keeps free for the answer. */
  readonly windowTokens?: number | undefined;
}

export interface Shown {
  readonly messages: readonly Json[];
  /** Whether the list is another than the host's. */
  readonly isEdited: boolean;
  /** What the user should be told: something left the context. */
  readonly notices: readonly string[];
}

export interface Viewing {
  readonly store: Store;
  readonly wire: BodyWire;
  readonly onError: (error: unknown) => void;
}

export class SessionView {
  readonly #viewing: Viewing;
  #of: Viewed | undefined;
  #session: AgentSession | undefined;
  /** How many messages the last request had, and its last: what follows that is the answer, and says what it took. */
  #asked = { count: 0, last: "" };
  #wanted: { readonly focus?: string } | undefined;
  #notices: string[] = [];

  constructor(viewing: Viewing) {
    this.#viewing = viewing;
  }

  /** Before a request: what to send instead. */
  async show(messages: readonly Json[], of: Viewed): Promise<Shown> {
    const session = await this.#sessionFor(of);
    this.#observe(session, messages);
    let { messages: shown } = await session.prepare(messages);
    const wanted = this.#wanted;
    if (wanted) {
      this.#wanted = undefined;
      await session.compact({ trigger: "agent", ...wanted });
      shown = (await session.prepare(messages)).messages;
    }
    this.#asked = { count: messages.length, last: JSON.stringify(messages.at(-1)) };
    const notices = this.#notices.splice(0);
    return { messages: shown, isEdited: isOther(shown, messages), notices };
  }

  /** The same list through the ledger, with nothing decided: for what a host reads to its own summarizer. */
  async only(messages: readonly Json[], { sessionId }: Viewed): Promise<Shown> {
    const { store, wire } = this.#viewing;
    const read = wire.read([...messages]);
    const { transcript } = viewOf(read, await store.ledger(sessionId));
    const shown = transcript === read ? messages : list(wire.write(transcript));
    return { messages: shown, isEdited: isOther(shown, messages), notices: [] };
  }

  /**
   * The agent asked for it, in the middle of a step: done before the next request, when its call has its answer and the step
   * can be told from what came before. Answers what the agent is told.
   */
  want(focus: string | undefined): string {
    this.#wanted = defined({ focus });
    return "Before your next step everything up to here is compacted; what leaves can be read back.";
  }

  /** Another model has another window and counts otherwise: the ledger says all that has to be known. */
  async #sessionFor(of: Viewed): Promise<AgentSession> {
    const isSame = this.#of?.model === of.model && this.#of?.windowTokens === of.windowTokens;
    if (this.#session && isSame) return this.#session;
    const { store, wire, onError } = this.#viewing;
    const { sessionId: id, model, windowTokens } = of;
    const onNotice = (notice: string) => this.#notices.push(notice);
    const given = { store, id, wire, onError, onNotice, ...defined({ model, windowTokens }) };
    this.#of = of;
    this.#asked = { count: 0, last: "" };
    this.#session = await openSession(given);
    return this.#session;
  }

  /** Not where the host has compacted or rewound since: then another message stands in that place. */
  #observe(session: AgentSession, messages: readonly Json[]): void {
    const { count, last } = this.#asked;
    const answer = messages[count];
    if (answer === undefined || JSON.stringify(messages[count - 1]) !== last) return;
    const usage = this.#viewing.wire.read([answer]).messages[0]?.usage;
    if (usage) session.observe(usage);
  }
}

function isOther(shown: readonly Json[], given: readonly Json[]): boolean {
  return shown.length !== given.length || shown.some((message, index) => message !== given[index]);
}
