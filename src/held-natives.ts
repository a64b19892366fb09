/**
 * The host's messages, as they were when they were read. A host grows its list, and now and then does more: it puts another
 * message in the place of one (redacts it, shortens it), or changes one in place (a streamed answer; the user's next words
 * in the message of the results). What it holds now is what must be sent, so each request asks whether that is still what
 * was read.
 *
 * Looking through everything would make each request pay for the whole history: the newest messages are looked at closely,
 * the rest before a compaction, which pays for the history anyway.
 */
import type { Json } from "./transcript/json.ts";

/** Places compared one by one, from the end: more messages than most sessions ever have, for some microseconds. */
const COMPARED = 2_048;
/** How many places before those are compared. */
const SAMPLES = 32;
/** Messages looked into: what grows in place is at the end. */
const LOOKED_INTO = 8;
/** Of one message. What has more, or lies deeper, is looked into as far as that; it may also be a circle. */
const MOST_LEAVES = 5_000;
const DEEPEST = 64;

export class HeldNatives {
  #natives: Json[] = [];
  #leaves: (readonly unknown[])[] = [];

  get list(): readonly Json[] {
    return this.#natives;
  }

  add(native: Json): void {
    this.#natives.push(native);
    this.#leaves.push(leavesOf(native));
  }

  restart(natives: readonly Json[]): void {
    this.#natives = [];
    this.#leaves = [];
    for (const native of natives) this.add(native);
  }

  /** Whether these begin with what is held, as far as that is looked at for each request. */
  isContinuedBy(natives: readonly Json[]): boolean {
    const known = this.#natives.length;
    if (known === 0 || natives.length < known) return false;
    const compared = Math.max(0, known - COMPARED);
    const stride = Math.max(1, Math.floor(compared / SAMPLES));
    for (let index = 0; index < compared; index += stride)
      if (natives[index] !== this.#natives[index]) return false;
    return this.#isSame(natives, compared) && this.isAsRead(known - LOOKED_INTO);
  }

  /** The same, and nothing of it was changed. */
  isWhollyContinuedBy(natives: readonly Json[]): boolean {
    return natives.length >= this.#natives.length && this.#isSame(natives, 0) && this.isAsRead();
  }

  /** Whether the messages from this one on still say what they said. */
  isAsRead(from = 0): boolean {
    for (let index = Math.max(0, from); index < this.#natives.length; index += 1)
      if (!hasLeaves(this.#natives[index], this.#leaves[index] ?? [])) return false;
    return true;
  }

  #isSame(natives: readonly Json[], from: number): boolean {
    for (let index = from; index < this.#natives.length; index += 1)
      if (natives[index] !== this.#natives[index]) return false;
    return true;
  }
}

/** Whether two values say the same, as far as they are looked into. */
export function isSaid(one: Json | undefined, other: Json | undefined): boolean {
  return one === other || hasLeaves(one, leavesOf(other));
}

/** Everything that is said in it, in order: two strings that are one are compared in no time, however long. */
function leavesOf(native: Json | undefined): readonly unknown[] {
  const leaves: unknown[] = [];
  collect(native, leaves, 0);
  return leaves;
}

function hasLeaves(native: Json | undefined, leaves: readonly unknown[]): boolean {
  const now = leavesOf(native);
  return now.length === leaves.length && now.every((leaf, index) => Object.is(leaf, leaves[index]));
}

function collect(value: unknown, leaves: unknown[], depth: number): void {
  if (leaves.length >= MOST_LEAVES) return;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || depth === DEEPEST) {
    leaves.push(value);
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) collect(item, leaves, depth + 1);
    return;
  }
  // Where a cache mark stands says nothing, and hosts move it with each request.
  for (const [key, field] of Object.entries(value))
    if (!key.startsWith("cache")) collect(field, leaves, depth + 1);
}
