/**
 * The lines that are gathered, each once, however often it was said: looking it up is most of what gathering costs. A line
 * stands where it was said last; text that an edit took out, a file that was written or read anew, and the same words
 * with another number later take it away.
 */
import type { SectionName } from "../plan/summary.ts";
import type { Ref } from "../transcript/ref.ts";
import { withoutNumbers } from "./line-shape.ts";
import { type Voice, Worths } from "./line-worth.ts";
import { Lines } from "./lines.ts";
import type { Scan } from "./scan.ts";
import { Struck } from "./struck.ts";

/** The line of the summary that quotes stand under. */
export interface Heading {
  readonly section: SectionName;
  readonly text: string;
  /** Where nothing says what it is about, those of the same text stand together. */
  readonly about?: string;
}

/** What lines of one part have in common. */
export interface Source {
  readonly heading: Heading;
  /** Number of what they stand under: one for all headings that are about the same. */
  readonly place: number;
  readonly ref: () => Ref;
  /** Whether a program printed it, and it is no file. */
  readonly isOutput: boolean;
}

export interface SourceLine {
  readonly text: string;
  readonly scan: Scan;
  readonly source: Source;
  /** In the order they were said. */
  readonly order: number;
  /** Files it stood in, as far as is known; it may have been said elsewhere since. */
  readonly files: readonly string[];
}

export interface Sourced {
  readonly lines: readonly SourceLine[];
  /** What is in sight, as often as it is. */
  readonly shown: readonly Scan[];
  readonly places: number;
  /** By the number of a thing: how likely it is to be written again. */
  readonly worths: Float64Array;
  /** All that were read, and whatever is read by the same eyes: each line is one. */
  readonly known: Lines<Known>;
  /** Whether an edit took it, or a piece of it, out of its file since. */
  readonly isStruck: (line: SourceLine) => boolean;
}

export interface From {
  readonly voice: Voice;
  /** Undefined where it is in sight anyway. */
  readonly heading: Heading | undefined;
  readonly ref: () => Ref;
  readonly isOutput?: boolean;
}

/** A line, as often as it was said. One shape for all of them: thousands are made. */
export class Known {
  readonly text: string;
  readonly scan: Scan;
  /** Where it stands now; undefined where it holds no longer, or is in sight. */
  source: Source | undefined = undefined;
  order = 0;
  files: readonly string[] = NONE;
  /** The number of the adding that said it last. */
  said = 0;
  /** Its words without their numbers; undefined until it is asked for. */
  label: number | undefined = undefined;

  constructor(text: string, scanned: Scan) {
    this.text = text;
    this.scan = scanned;
  }
}

const NONE: readonly string[] = [];

/** What quotes stand under, and the lines that stood there where it is a file. */
interface Place {
  readonly number: number;
  readonly path: string | undefined;
  /** The path alone: what most of its lines know of files. */
  readonly only: readonly string[];
  lines: Known[];
}

/** Lines that differ in nothing but numbers, as the event had them that said them last. */
interface Labelled {
  all: Known[];
  event: number;
}

export class Gathering {
  readonly lines: Lines<Known> = new Lines((text, scan) => new Known(text, scan));
  readonly #places = new Map<string, Place>();
  readonly #ofFile = new Map<string, Place[]>();
  readonly #labels = new Map<number, Labelled>();
  readonly #struck = new Map<string, Struck>();
  readonly #worths = new Worths();
  readonly #shown: Scan[] = [];
  #event = 0;
  #said = 0;
  #at = 0;
  #order = 0;

  next(): void {
    this.#event += 1;
  }

  add(lines: readonly Known[], { voice, heading, ref, isOutput = false }: From): void {
    if (lines.length === 0) return;
    this.#said += 1;
    this.#worths.hear(voice, this.#event);
    const place = heading && this.#placeOf(heading);
    const source = heading && place && { heading, ref, place: place.number, isOutput };
    for (const known of lines) {
      this.#at += known.text.length + 1;
      known.said = this.#said;
      known.source = undefined;
      const { things } = known.scan;
      if (things.length === 0) continue;
      this.#worths.note(things, this.#at);
      if (source && place) this.#stand(known, source, place);
    }
    if (voice !== "edit") this.#relabel(lines);
  }

  /** What stays in sight is quoted nowhere. */
  show(lines: readonly Known[]): void {
    for (const known of lines) {
      known.source = undefined;
      this.#shown.push(known.scan);
    }
  }

  /** The file is another now, or is shown anew. */
  forget(path: string): void {
    for (const place of this.#ofFile.get(path) ?? []) {
      for (const known of place.lines) {
        known.source = undefined;
        known.files = known.files === place.only ? NONE : known.files.filter((file) => file !== path);
      }
      place.lines = [];
    }
  }

  /** Lines an edit took out: of what stood there before. */
  strike(path: string, lines: readonly Known[]): void {
    const struck = this.#struck.get(path) ?? new Struck();
    this.#struck.set(path, struck);
    for (const { text } of lines) struck.add(text, this.#order);
  }

  done(): Sourced {
    const known = this.lines;
    const lines = known.all.filter(
      (one): one is Known & { readonly source: Source } => one.source !== undefined,
    );
    const isStruck = (line: SourceLine) =>
      line.files.some((path) => this.#struck.get(path)?.holds(line) === true);
    const places = this.#places.size;
    return { lines, shown: this.#shown, places, worths: this.#worths.at(this.#at), known, isStruck };
  }

  #placeOf({ section, text, about }: Heading): Place {
    const key = `${section} ${about ?? text}`;
    const known = this.#places.get(key);
    if (known) return known;
    const only = about === undefined ? NONE : [about];
    const place: Place = { number: this.#places.size, path: about, only, lines: [] };
    this.#places.set(key, place);
    if (about !== undefined) this.#ofFile.set(about, [...(this.#ofFile.get(about) ?? []), place]);
    return place;
  }

  #stand(known: Known, source: Source, place: Place): void {
    this.#order += 1;
    known.order = this.#order;
    known.source = source;
    const { path, only } = place;
    if (path === undefined || known.files === only || known.files.includes(path)) return;
    place.lines.push(known);
    known.files = known.files === NONE ? only : [...known.files, path];
  }

  /**
   * The same words with another number: the latest holds. Where they come several times at once, all of those do: which of
   * them took whose place nobody can say, but what was printed before is old.
   */
  #relabel(lines: readonly Known[]): void {
    for (const known of lines) {
      const { isNumbered, words } = known.scan;
      if (!isNumbered || words === 0) continue;
      known.label ??= withoutNumbers(known.text);
      if (known.label === 0) continue;
      const labelled = this.#labels.get(known.label);
      if (!labelled) this.#labels.set(known.label, { all: [known], event: this.#event });
      else if (labelled.event === this.#event) labelled.all.push(known);
      else {
        for (const earlier of labelled.all) if (earlier.said !== this.#said) earlier.source = undefined;
        labelled.all = [known];
        labelled.event = this.#event;
      }
    }
  }
}
