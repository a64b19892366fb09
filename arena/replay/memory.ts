/**
 * What the agent can still know: which facts were said before the last fold, which the fold left in sight, which have been
 * shown since. By it the replay tells what the agent would have had to get back.
 */
import { estimatorFor, type Message, type Part, refOf } from "palimpsest";
import { linesOfPart } from "../probes/lines.ts";
import { Shown } from "../probes/shown.ts";

export interface Needs {
  /** Facts it is about to write that were still in sight. */
  readonly kept: number;
  readonly gone: {
    readonly facts: number;
    /** Where they stood last: each is fetched once. */
    readonly sources: readonly { readonly key: string; readonly tokens: number }[];
  };
}

const NOTHING: Needs = { kept: 0, gone: { facts: 0, sources: [] } };

export class Memory {
  readonly #messages: readonly Message[];
  readonly #counter = estimatorFor();
  /** Of each fact said so far, the part it stood in last; as it was when the last fold was made, in `#past`. */
  readonly #latest = new Map<string, Part>();
  #past: ReadonlyMap<string, Part> = new Map();
  #shown: Shown | undefined;
  #since = new Set<string>();
  #fetched = new Set<string>();

  constructor(messages: readonly Message[]) {
    this.#messages = messages;
  }

  see(message: Message): void {
    for (const part of message.parts)
      for (const value of valuesIn(part)) {
        this.#latest.set(value, part);
        this.#since.add(value);
      }
  }

  fold(_index: number, shown: readonly Message[]): void {
    this.#past = new Map(this.#latest);
    this.#shown = Shown.of(shown);
    this.#since = new Set();
    this.#fetched = new Set();
  }

  needs(index: number, response: Message): Needs {
    if (!this.#shown || this.#messages[index] !== response) return NOTHING;
    const written = new Set(response.parts.flatMap((part) => [...valuesIn(part)]));
    const needed = [...written].filter((value) => !this.#since.has(value) && this.#past.has(value));
    const gone = needed.filter((value) => this.#shown?.linesWith(value).length === 0);
    const sources = new Map<string, number>();
    for (const value of gone) {
      const part = this.#past.get(value);
      if (part?.type !== "tool-result" && part?.type !== "tool-call") continue;
      const key = refOf(part);
      if (this.#fetched.has(key)) continue;
      this.#fetched.add(key);
      sources.set(key, this.#counter.part(part));
    }
    return {
      kept: needed.length - gone.length,
      gone: { facts: gone.length, sources: [...sources].map(([key, tokens]) => ({ key, tokens })) },
    };
  }
}

function* valuesIn(part: Part): Iterable<string> {
  for (const { atoms } of linesOfPart(part)) for (const { value } of atoms) yield value;
}
