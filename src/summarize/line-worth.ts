/**
 * What a thing is worth: how likely the agent is to write it again before anything shows it to it. Told from who spoke of
 * it, how lately, how often and what kind of thing it is; by odds that were fitted on one half of thirty recorded
 * sessions and held on the other (docs/decisions/2026-11-18-exact-lines.md). Whoever wrote a name writes it again; what
 * only stood in some output mostly never comes up; and everything fades with what is said after it.
 */
import type { Thing, ThingKind } from "./things.ts";

/** Who brought a line up. `edit`: the agent, as text of a file; it can be looked up there. */
export type Voice = "user" | "said" | "call" | "edit" | "tool" | "harness";

interface Seen {
  readonly kind: ThingKind;
  times: number;
  events: number;
  lastEvent: number;
  lastAt: number;
  byAgent: number;
  lastByAgent: number;
  lastAgentAt: number;
  isEdited: boolean;
  isSaid: boolean;
  isUsers: boolean;
}

const KIND_ODDS: Readonly<Record<ThingKind, number>> = {
  name: 0,
  path: 0.4,
  issue: 0,
  url: -0.9,
  number: -1.3,
  flag: -1.3,
  hash: -1.6,
};

export class Worths {
  /** By the number of the thing. */
  readonly #seen: Seen[] = [];
  #voice: Voice = "harness";
  #event = 0;

  /** Who speaks from here on, and the number of the event. */
  hear(voice: Voice, event: number): void {
    this.#voice = voice;
    this.#event = event;
  }

  /** @param at characters said before */
  note(things: readonly Thing[], at: number): void {
    for (const thing of things) this.#noteOne(thing, at);
  }

  #noteOne({ kind, id }: Thing, at: number): void {
    const voice = this.#voice;
    const event = this.#event;
    const seen = this.#seen[id] ?? unseen(kind);
    this.#seen[id] = seen;
    seen.times += 1;
    if (seen.lastEvent !== event) seen.events += 1;
    seen.lastEvent = event;
    seen.lastAt = at;
    if (voice === "user") seen.isUsers = true;
    if (voice !== "said" && voice !== "call" && voice !== "edit") return;
    if (seen.lastByAgent !== event) seen.byAgent += 1;
    seen.lastByAgent = event;
    seen.lastAgentAt = at;
    if (voice === "edit") seen.isEdited = true;
    if (voice === "said") seen.isSaid = true;
  }

  /** Of everything noted, by its number, when so many characters have been said. */
  at(end: number): Float64Array {
    const worths = new Float64Array(this.#seen.length);
    for (let id = 0; id < worths.length; id += 1) {
      const seen = this.#seen[id];
      if (seen) worths[id] = chanceOf(seen, end);
    }
    return worths;
  }
}

function unseen(kind: ThingKind): Seen {
  const never = { lastEvent: -1, lastAt: 0, lastByAgent: -1, lastAgentAt: 0 };
  return { kind, times: 0, events: 0, byAgent: 0, isEdited: false, isSaid: false, isUsers: false, ...never };
}

function chanceOf(seen: Seen, end: number): number {
  const byAgent =
    seen.byAgent === 0 ? 0 : 2.2 + 0.9 * Math.log2(1 + seen.byAgent) - 0.3 * ageOf(seen.lastAgentAt, end);
  const odds =
    -2 -
    ageOf(seen.lastAt, end) +
    byAgent -
    0.55 * Math.log2(1 + seen.events) +
    0.25 * Math.log2(1 + seen.times) -
    (seen.isEdited ? 1 : 0) -
    (seen.isSaid ? 0.7 : 0) +
    (seen.isUsers ? 0.8 : 0) +
    KIND_ODDS[seen.kind];
  return 1 / (1 + Math.exp(-odds));
}

/** Each tenfold distance makes it 2.7 times as unlikely. */
function ageOf(at: number, end: number): number {
  return Math.log10(1 + Math.max(0, end - at) / 1000);
}
