/**
 * What each message of a session weighs in the provider's tokens. What a request was reported to take, beyond what its
 * messages count up to, was added unseen by the host (reminders, attachments) beside its newest message, and is counted
 * there: it leaves with that message.
 */
import {
  calibrationOf,
  estimatorFor,
  type Message,
  measure,
  promptTokens,
  type Request,
  requestsOf,
  type Session,
} from "palimpsest";

export interface Weights {
  /** System prompt, tools and memory: before every first message. */
  readonly standing: number;
  /** Of it, what is a prefix of its own: the least that was ever read, after a compaction or a miss. */
  readonly system: number;
  /** Of it, what the first request already read from the cache: other sessions keep it warm. */
  readonly shared: number;
  /** In the provider's tokens. */
  readonly billed: (message: Message) => number;
  /** In ours, without what is unseen: what triggers are measured by. */
  readonly counted: (message: Message) => number;
  /** By index of the response before which it happened. */
  readonly shrinks: ReadonlyMap<number, Shrink>;
}

/**
 * Hosts also leave out what the file still shows: thinking of earlier turns, outputs they trimmed, what the user took
 * back. Which messages weigh less from there on, and to which share they shrank.
 */
export interface Shrink {
  readonly messages: ReadonlySet<Message>;
  readonly to: number;
}

export function weightsOf(session: Session): Weights {
  const counter = estimatorFor(session.whole.model);
  const { scale } = calibrationOf(session, counter);
  const counts = new WeakMap<Message, number>();
  const counted = (message: Message): number => {
    const known = counts.get(message) ?? measure({ messages: [message] }, { counter }).total;
    counts.set(message, known);
    return known;
  };
  const unseen = new WeakMap<Message, number>();
  const billed = (message: Message) =>
    Math.max(0, Math.round(counted(message) * scale + (unseen.get(message) ?? 0)));
  const learned = new Learning(billed, unseen);
  for (const request of requestsOf(session)) learned.see(request);
  const { standing = 0, shrinks } = learned;
  const system = Math.min(standing, leastRead(session) ?? standing);
  const shared = Math.min(system, firstRead(session));
  return { standing, system, shared, billed, counted, shrinks };
}

/** What a message weighs now, after all that the host has left out since. */
export class Shrinking {
  readonly #billed: Weights["billed"];
  readonly #factors = new WeakMap<Message, number>();

  constructor(billed: Weights["billed"]) {
    this.#billed = billed;
  }

  factorOf(message: Message): number {
    return this.#factors.get(message) ?? 1;
  }

  billed(message: Message): number {
    return Math.round(this.#billed(message) * this.factorOf(message));
  }

  shrink({ messages, to }: Shrink): void {
    for (const message of messages) this.#factors.set(message, this.factorOf(message) * to);
  }
}

/** A smaller difference is how tokens are counted. */
const LEAST_SHRINK = { tokens: 1_024, share: 0.01 } as const;

class Learning {
  readonly shrinks = new Map<number, Shrink>();
  readonly #unseen: WeakMap<Message, number>;
  readonly #shrinking: Shrinking;
  standing: number | undefined;
  #context: Message[] = [];

  constructor(billed: Weights["billed"], unseen: WeakMap<Message, number>) {
    this.#unseen = unseen;
    this.#shrinking = new Shrinking(billed);
  }

  see({ response, responseIndex, added, restart }: Request): void {
    this.#context = restart ? [...restart.messages] : [...this.#context, ...added];
    const { usage, ended } = response;
    const prompt = usage === undefined ? 0 : promptTokens(usage);
    if (prompt === 0 || ended === "failed" || ended === "aborted") return;
    this.standing ??= Math.max(0, prompt - this.#total(this.#context));
    const earlier = this.#context.slice(0, this.#context.length - added.length);
    const gap = prompt - this.standing - this.#total(this.#context);
    const isShrunk = gap < -Math.max(LEAST_SHRINK.tokens, prompt * LEAST_SHRINK.share);
    const shrink =
      isShrunk && -gap > this.#total(added)
        ? this.#shrinkBy(-gap, earlier, usage?.cacheReadTokens ?? 0)
        : undefined;
    if (shrink) {
      this.shrinks.set(responseIndex, shrink);
      this.#shrinking.shrink(shrink);
    } else this.#correct(gap, added.length === 0 ? this.#context.slice(-1) : added);
  }

  /** More than was counted came with the newest message; less is spread over all that are new. */
  #correct(gap: number, added: readonly Message[]): void {
    const total = this.#total(added);
    const newest = added.at(-1);
    for (const message of added) {
      const share =
        gap < 0 && total > 0 ? this.#shrinking.billed(message) / total : Number(message === newest);
      this.#unseen.set(message, (this.#unseen.get(message) ?? 0) + gap * share);
    }
  }

  /** What the cache still had was left as it was; where the rest is not enough, everything shrank. */
  #shrinkBy(tokens: number, earlier: readonly Message[], readTokens: number): Shrink | undefined {
    let end = this.standing ?? 0;
    const behind = earlier.filter((message) => {
      end += this.#shrinking.billed(message);
      return end > readTokens;
    });
    for (const messages of [behind, earlier]) {
      const before = this.#total(messages);
      if (before > tokens) return { messages: new Set(messages), to: (before - tokens) / before };
    }
    return undefined;
  }

  #total(messages: readonly Message[]): number {
    return messages.reduce((sum, message) => sum + this.#shrinking.billed(message), 0);
  }
}

function firstRead({ whole }: Session): number {
  return whole.messages.find(({ usage }) => usage !== undefined)?.usage?.cacheReadTokens ?? 0;
}

function leastRead({ whole }: Session): number | undefined {
  const reads = whole.messages
    .flatMap(({ usage }) => usage?.cacheReadTokens ?? [])
    .filter((read) => read > 0);
  return reads.length === 0 ? undefined : Math.min(...reads);
}
