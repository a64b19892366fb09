/**
 * Every line of what folds that could be quoted, under the section it belongs to, with what it mentions. A line that no
 * longer holds is not among them: text that an edit took out, a file that was written or read anew, the same words with
 * another number later.
 */
import { SECTIONS, type SectionName, type Summary } from "../plan/summary.ts";
import { describeCall } from "../transcript/describe.ts";
import { type Message, resultText } from "../transcript/message.ts";
import { type Ref, refOf } from "../transcript/ref.ts";
import { quotableLines } from "./clean-lines.ts";
import { commandText } from "./extract/commands.ts";
import { plainCommand } from "./extract/errors.ts";
import { addedText, removedText } from "./extract/files.ts";
import { quoted } from "./line.ts";
import { type Mention, type Voice, Worths } from "./line-worth.ts";
import { type Deed, type Said, storyOf } from "./story.ts";
import { Struck } from "./struck.ts";
import { type Scan, scan } from "./things.ts";

/** The line of the summary that quotes stand under. */
export interface Heading {
  readonly section: SectionName;
  readonly text: string;
  /** Where nothing says what it is about, those of the same text stand together. */
  readonly about?: string;
}

export interface SourceLine {
  readonly text: string;
  readonly ref: () => Ref;
  readonly heading: Heading;
  readonly scan: Scan;
  /** What it stands under. */
  readonly key: string;
  /** In the order they were said. */
  readonly order: number;
}

export interface Sourced {
  readonly lines: readonly SourceLine[];
  /** By thing: how likely it is to be written again. */
  readonly worths: ReadonlyMap<string, number>;
  /** Of any line; those that were gathered are scanned already. */
  readonly scanOf: (text: string) => Scan;
  /** Whether an edit took it, or a piece of it, out of its file since. */
  readonly isStruck: (line: SourceLine) => boolean;
}

export interface Stretch {
  readonly messages: readonly Message[];
  /** What came after and stays: it tells what is old, and is quoted nowhere. */
  readonly behind: readonly Message[];
  readonly previous?: Summary | undefined;
}

export function sourceLinesOf(stretch: Stretch): Sourced {
  const gathering = new Gathering();
  gatherPrevious(gathering, stretch.previous);
  const stays = new Set(stretch.behind.flatMap(({ parts }) => parts));
  const { events } = storyOf({ messages: [...stretch.messages, ...stretch.behind], userMessages: [] });
  const changed = new Set(
    events
      .flatMap((event) => (event.kind === "deed" ? event.use.files.filter(isChange) : []))
      .map(({ path }) => path),
  );
  for (const event of events) {
    gathering.next();
    const isQuoted = !stays.has(event.kind === "deed" ? event.call : event.part);
    if (event.kind === "said") gatherSaid(gathering, event, isQuoted);
    else gatherDeed(gathering, event, { isQuoted, changed });
  }
  return gathering.done();
}

function isChange({ does }: Deed["use"]["files"][number]): boolean {
  return does !== "read";
}

/** What was quoted before may be quoted again, where nothing has overtaken it. */
function gatherPrevious(gathering: Gathering, previous: Summary | undefined): void {
  for (const section of SECTIONS)
    for (const line of previous?.sections[section] ?? []) {
      if (!line.quotes) continue;
      gathering.next();
      const heading = {
        section,
        text: line.text,
        ...(line.about === undefined ? {} : { about: line.about }),
      };
      for (const { text, ref } of line.quotes)
        gathering.add([text], { voice: "call", heading, ref: () => ref });
    }
}

const SAYING: Readonly<Record<Said["by"], readonly [Voice, SectionName, string]>> = {
  user: ["user", "Session Intent", "The user also said"],
  assistant: ["said", "Critical Context", "Said"],
  thinking: ["said", "Critical Context", "Thought"],
  harness: ["harness", "Critical Context", "The harness said"],
};

function gatherSaid(gathering: Gathering, { by, text, part }: Said, isQuoted: boolean): void {
  const [voice, section, label] = SAYING[by];
  const heading = isQuoted ? { section, text: label } : undefined;
  gathering.add(quotableLines(text, true), { voice, heading, ref: () => refOf(part) });
}

interface Deeds {
  readonly isQuoted: boolean;
  readonly changed: ReadonlySet<string>;
}

function gatherDeed(gathering: Gathering, deed: Deed, { isQuoted, changed }: Deeds): void {
  const { use, call, result, outcome } = deed;
  const [file] = use.files;
  const isDone = outcome.kind === "done" || outcome.kind === "open";
  const heading = isQuoted ? headingOf(deed, changed) : undefined;
  if (file && isChange(file)) {
    // What was not done is no fact.
    if (!isDone) return;
    if (use.does === "write") gathering.forget(file.path);
    gathering.strike(file.path, quotableLines(removedText(call.input, file.path)));
    const added = quotableLines(addedText(call.input, file.path));
    gathering.add(added, { voice: "edit", heading, ref: () => refOf(call) });
    return;
  }
  gathering.add(quotableLines(wordsOf(deed)), { voice: "call", heading, ref: () => refOf(call) });
  if (!result) return;
  if (use.does === "read" && file && file.fromLine === undefined) gathering.forget(file.path);
  gathering.add(quotableLines(resultText(result)), { voice: "tool", heading, ref: () => refOf(result) });
}

/**
 * What the agent wrote in a call, texts as they are and numbers with their names; the subject of a short one is in its
 * heading. Which lines of a file were asked for is nothing to know.
 */
function wordsOf({ use, call }: Deed): string {
  return leavesOf(call.input, { areNumbersTold: use.does !== "read" }).join("\n");
}

interface Leaves {
  readonly areNumbersTold: boolean;
  readonly name?: string;
}

function leavesOf(value: unknown, leaves: Leaves): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return leaves.areNumbersTold ? [`"${leaves.name ?? ""}": ${value}`] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => leavesOf(item, { ...leaves, name }));
}

function headingOf(deed: Deed, changed: ReadonlySet<string>): Heading {
  const { use, call } = deed;
  const [file] = use.files;
  if (file && (isChange(file) || use.does === "read")) {
    const text = quoted(file.path, 300);
    const section = changed.has(file.path) ? "Files Modified" : "Files Read";
    return { section, text, about: file.path };
  }
  const command = use.command === undefined ? "" : plainCommand(use.command);
  if (command !== "") return { section: "Commands and Results", ...commandText(deed) };
  const text = quoted(describeCall(call), 160);
  const about = text.startsWith("`") ? { about: text.slice(1, -1) } : {};
  return { section: "Commands and Results", text, ...about };
}

interface From {
  readonly voice: Voice;
  /** Undefined where it is in sight anyway. */
  readonly heading: Heading | undefined;
  readonly ref: () => Ref;
}

/** A line, as often as it was said. */
interface Known {
  readonly text: string;
  readonly scan: Scan;
  /** Where it stands now; undefined where it holds no longer, or is in sight. */
  line?: SourceLine | undefined;
  /** Its words without their numbers; empty where it has none. */
  label?: string;
  /** Files it stands in, as far as is known; it may have been said elsewhere since. */
  readonly files: Set<string>;
}

/** One entry for each line, whatever is asked of it: looking it up is most of what gathering costs. */
class Gathering {
  readonly #known = new Map<string, Known>();
  readonly #ofFile = new Map<string, Known[]>();
  readonly #labels = new Map<string, { readonly all: Known[]; readonly event: number }>();
  readonly #struck = new Map<string, Struck>();
  readonly #worths = new Worths();
  #event = 0;
  #at = 0;
  #order = 0;

  next(): void {
    this.#event += 1;
  }

  add(texts: readonly string[], { voice, heading, ref }: From): void {
    // Lines about nothing in particular stand together.
    const key = heading && `${heading.section} ${heading.about ?? heading.text}`;
    const all = texts.map((text) => this.#knowing(text));
    for (const known of all) {
      const { text, scan } = known;
      this.#at += text.length + 1;
      const mention: Mention = { event: this.#event, at: this.#at, voice };
      for (const thing of scan.things) this.#worths.note(thing, mention);
      known.line = undefined;
      if (!heading || !key || scan.things.length === 0) continue;
      this.#order += 1;
      known.line = { text, ref, heading, scan, key, order: this.#order };
      if (heading.about !== undefined) this.#note(heading.about, known);
    }
    if (voice !== "edit") this.#relabel(all);
  }

  /** The file is another now, or is shown anew. */
  forget(path: string): void {
    for (const known of this.#ofFile.get(path) ?? []) {
      known.line = undefined;
      known.files.delete(path);
    }
    this.#ofFile.delete(path);
  }

  /** Lines an edit took out: of what stood there before. */
  strike(path: string, texts: readonly string[]): void {
    const struck = this.#struck.get(path) ?? new Struck();
    this.#struck.set(path, struck);
    for (const text of texts) struck.add(text, this.#order);
  }

  done(): Sourced {
    const lines = [...this.#known.values()].flatMap(({ line }) => (line ? [line] : []));
    const scanOf = (text: string) => this.#known.get(text)?.scan ?? scan(text);
    const isStruck = (line: SourceLine) =>
      [...(this.#known.get(line.text)?.files ?? [])].some((path) => this.#struck.get(path)?.holds(line));
    return { lines, worths: this.#worths.at(this.#at), scanOf, isStruck };
  }

  #knowing(text: string): Known {
    const known = this.#known.get(text);
    if (known) return known;
    const made: Known = { text, scan: scan(text), files: new Set() };
    this.#known.set(text, made);
    return made;
  }

  #note(path: string, known: Known): void {
    if (known.files.has(path)) return;
    known.files.add(path);
    const all = this.#ofFile.get(path);
    if (all) all.push(known);
    else this.#ofFile.set(path, [known]);
  }

  /**
   * The same words with another number: the latest holds. Where they come several times at once, all of those do: which of
   * them took whose place nobody can say, but what was printed before is old.
   */
  #relabel(all: readonly Known[]): void {
    const now = new Set(all);
    for (const known of all) {
      known.label ??= labelOf(known);
      if (known.label === "") continue;
      const labelled = this.#labels.get(known.label);
      if (labelled?.event === this.#event) {
        labelled.all.push(known);
        continue;
      }
      for (const earlier of labelled?.all ?? []) if (!now.has(earlier)) earlier.line = undefined;
      this.#labels.set(known.label, { all: [known], event: this.#event });
    }
  }
}

function labelOf({ text, scan: { words } }: Known): string {
  if (words < 1 || !/\d/.test(text)) return "";
  const label = text.replaceAll(/(?<![\w.])\d[\d.,]*(?!\w)/g, "#").toLowerCase();
  return label.includes("#") ? label : "";
}
