/**
 * When each message was first seen. Request bodies have no times, and some policies go by age ("older than 5 minutes"): in a
 * running session a message is as old as our knowledge of it. After a restart everything is new again.
 */
import type { Message } from "./transcript/message.ts";
import { type Ref, refOf } from "./transcript/ref.ts";

export class Arrivals {
  readonly #now: () => number;
  /** By the first part of a message, for each message that begins so, in order. */
  readonly #seenAt = new Map<Ref, number[]>();
  #met = new Map<Ref, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The whole history anew: what was seen before keeps its time. */
  restart(): void {
    this.#met = new Map();
  }

  /** The message with its time; as it is where the wire has one. */
  timed(message: Message): Message {
    const [first] = message.parts;
    if (message.at !== undefined || !first) return message;
    const ref = refOf(first);
    const count = this.#met.get(ref) ?? 0;
    this.#met.set(ref, count + 1);
    const times = this.#seenAt.get(ref) ?? [];
    this.#seenAt.set(ref, times);
    times[count] ??= this.#now();
    return { ...message, at: times[count] };
  }
}
