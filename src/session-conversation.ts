/**
 * The conversation a session holds: the one the last request was about. Requests of two conversations may be under way at
 * once (a title is asked for while the agent works), so whoever waited for something asks for its own again.
 */
import { type Around, LiveConversation } from "./live.ts";
import type { SessionLedger } from "./session-ledger.ts";
import type { RequestAround } from "./session-options.ts";
import type { SessionRequests } from "./session-requests.ts";
import { SessionWire } from "./session-wire.ts";
import { defined, type Json } from "./transcript/json.ts";
import type { Message } from "./transcript/message.ts";
import type { BodyWire } from "./wire/wire.ts";

export interface Holding {
  readonly wire?: string | BodyWire | undefined;
  readonly now: () => number;
}

/** What a request was asked with. */
export interface Asked {
  readonly natives: readonly Json[];
  readonly around: Around;
  readonly signal?: AbortSignal | undefined;
}

export class SessionConversation {
  readonly #holding: Holding;
  readonly #requests: SessionRequests;
  readonly #ledger: SessionLedger;
  readonly #wire = new SessionWire();
  #live: LiveConversation | undefined;

  constructor(holding: Holding, requests: SessionRequests, ledger: SessionLedger) {
    this.#holding = holding;
    this.#requests = requests;
    this.#ledger = ledger;
  }

  get live(): LiveConversation | undefined {
    return this.#live;
  }

  /** As the host has it now, for a compaction. What cannot be read any more stays as it was read: the next request says so. */
  get fresh(): LiveConversation | undefined {
    try {
      this.#live?.readAgain();
    } catch {
      // Said by `prepare`, which is given the same.
    }
    return this.#live;
  }

  /** Held from now on; answers what joined. */
  hold(asked: Asked): readonly Message[] {
    return this.#update(this.#liveFor(asked), asked);
  }

  /** The same, where nothing else was asked since; else it is read anew. */
  of(asked: Asked): LiveConversation {
    const live = this.#liveFor(asked);
    if (!live.isOf(asked.natives, asked.around)) this.#update(live, asked);
    return live;
  }

  look(): void {
    this.#live?.look(this.#ledger.seen);
  }

  #update(live: LiveConversation, { natives, around }: Asked): readonly Message[] {
    return live.update(natives, { ...around, model: this.#requests.model });
  }

  /** Another model counts otherwise, another wire reads otherwise: then the history is read and counted anew. */
  #liveFor({ natives, around: { model, wire = this.#holding.wire } }: Asked): LiveConversation {
    const isSwitched = this.#requests.goesTo(model);
    const found = this.#wire.of(natives, wire);
    if (this.#live?.wire === found.name && !isSwitched) return this.#live;
    this.#live = new LiveConversation(found, this.#requests.model, this.#holding.now);
    this.#live.look(this.#ledger.entries);
    return this.#live;
  }
}

/** SDKs type messages as interfaces, which no index signature fits; what is in them is JSON but for bytes and URLs, which wires carry unlooked-at. */
export function askedOf(messages: readonly unknown[], around: RequestAround): Asked {
  const { system, tools, signal, ...rest } = around;
  return {
    signal,
    natives: messages as readonly Json[],
    around: { ...rest, ...defined({ system: asJson(system), tools: asJson(tools) }) },
  };
}

function asJson(value: Json | object | undefined): Json | undefined {
  return value === null ? undefined : (value as Json | undefined);
}
