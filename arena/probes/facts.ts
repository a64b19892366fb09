/** Every exact thing said before a cut, and where: what probes are drawn from. */
import { type Message, type Part, refOf } from "palimpsest";
import { type Atom, proseWords } from "./atoms.ts";
import { type Line, linesOfPart } from "./lines.ts";
import { SessionIndex } from "./session-index.ts";

export interface Fact extends Atom {
  /** Where it stands, oldest first; the first and the latest few are enough to ask by. */
  readonly places: readonly FactPlace[];
  readonly times: number;
}

export interface FactPlace {
  readonly messageIndex: number;
  readonly part: Part;
  readonly lineIndex: number;
}

const MOST_PLACES = 6;
const MOST_ANCHORS = 24;

export function factsIn(messages: readonly Message[]): ReadonlyMap<string, Fact> {
  const facts = new Map<string, Atom & { places: FactPlace[]; times: number }>();
  messages.forEach(({ parts }, messageIndex) => {
    for (const part of parts)
      linesOfPart(part).forEach(({ atoms }, lineIndex) => {
        for (const atom of atoms) {
          const fact = facts.get(atom.value) ?? { ...atom, places: [], times: 0 };
          // The first three stay; of the rest the latest.
          if (fact.places.length >= MOST_PLACES) fact.places.splice(MOST_PLACES / 2, 1);
          fact.places.push({ messageIndex, part, lineIndex });
          fact.times += 1;
          facts.set(atom.value, fact);
        }
      });
  });
  return facts;
}

/** Words near a fact in its source: of its own line first, then of the lines beside it. */
export function anchorsOf({ value, places }: Pick<Fact, "value" | "places">): readonly string[] {
  const own = new Set<string>();
  const beside = new Set<string>();
  for (const { part, lineIndex } of places) {
    const lines = linesOfPart(part);
    add(own, lines[lineIndex], value);
    add(beside, lines[lineIndex - 1], value);
    add(beside, lines[lineIndex + 1], value);
  }
  return [...new Set([...own, ...beside])].slice(0, MOST_ANCHORS);
}

/** A value that is spelled out by its own letters must not be its own anchor. */
function add(words: Set<string>, line: Line | undefined, value: string): void {
  if (!line) return;
  const lower = value.toLowerCase();
  for (const word of proseWords(line.text)) if (!lower.includes(word)) words.add(word);
}

/** Words of the place where it was said last: what a question for it would be put in. */
export function askedBy({ value, places }: Pick<Fact, "value" | "places">): readonly string[] {
  return anchorsOf({ value, places: places.slice(-1) }).slice(0, ASKED_WORDS);
}

/**
 * Whether a question for it has one answer: a word on its own line to ask by, few lines that are the same but for their
 * numbers, and few places that hold all the words of the question. "Wall time: 0.0002 seconds" stands under every command,
 * and half of a code base holds "test" and "commit": nobody could tell which was meant.
 */
export class Askable {
  readonly #times = new Map<string, number>();
  readonly #index = new SessionIndex();

  constructor(messages: readonly Message[]) {
    for (const part of messages.flatMap(({ parts }) => parts)) {
      this.#index.add({ ref: refOf(part), part, description: "" });
      for (const { text, atoms } of linesOfPart(part))
        if (atoms.some(({ kind }) => kind !== "identifier" && kind !== "path")) {
          const label = labelOf(text);
          this.#times.set(label, (this.#times.get(label) ?? 0) + 1);
        }
    }
  }

  has({ value, places }: Fact): boolean {
    const place = places.at(-1);
    const text = place ? (linesOfPart(place.part)[place.lineIndex]?.text ?? "") : "";
    const isWorded = proseWords(text).some((word) => !value.toLowerCase().includes(word));
    return isWorded && (this.#times.get(labelOf(text)) ?? 0) <= FEW && this.isOne(askedBy({ value, places }));
  }

  /** Whether few places hold all of these words. */
  isOne(words: readonly string[]): boolean {
    const [first, ...rest] = words.slice(0, ASKED_WORDS).map((word) => this.#index.refsWith(word));
    if (!first) return false;
    return [...first].filter((ref) => rest.every((refs) => refs.has(ref))).length <= FEW;
  }
}

const FEW = 2;
/** Nobody asks in more. */
export const ASKED_WORDS = 8;

/** The line but for its numbers. */
export function labelOf(line: string): string {
  return line.replaceAll(/[0-9a-f]*\d[0-9a-f]*/g, "#").replaceAll(/\s+/g, " ");
}
