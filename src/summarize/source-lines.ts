/**
 * Every line of what folds that could be quoted, under the section it belongs to, with what it mentions. A line that no
 * longer holds is not among them: text that an edit took out, a file that was written or read anew, the same words with
 * another number later.
 */
import { SECTIONS, type SectionName, type Summary } from "../plan/summary.ts";
import { describeCall } from "../transcript/describe.ts";
import { type Message, type Part, resultText } from "../transcript/message.ts";
import { refOf } from "../transcript/ref.ts";
import { toolUse } from "../transcript/tool-use.ts";
import { commandText } from "./extract/commands.ts";
import { plainCommand } from "./extract/errors.ts";
import { addedText, removedText } from "./extract/files.ts";
import { Gathering, type Heading, type Known, type Sourced } from "./gathering.ts";
import { beyond } from "./heading-repeats.ts";
import { quoted } from "./line.ts";
import type { Voice } from "./line-worth.ts";
import type { Lines } from "./lines.ts";
import { type Deed, type Said, storyOf } from "./story.ts";

export interface Stretch {
  readonly messages: readonly Message[];
  /** What came after and stays: it tells what is old, and is quoted nowhere. */
  readonly behind: readonly Message[];
  /** What the model will see beside the page. */
  readonly staying: readonly Message[];
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
  for (const messages of [stretch.staying, stretch.behind])
    for (const { parts } of messages)
      for (const part of parts) gathering.show(linesIn(part, gathering.lines));
  return gathering.done();
}

function linesIn(part: Part, lines: Lines<Known>): readonly Known[] {
  if (part.type === "text" || part.type === "thinking") return lines.of(part.text, true);
  if (part.type === "tool-result") return lines.of(resultText(part));
  return part.type === "tool-call" ? lines.of(wordsOf({ use: toolUse(part), call: part })) : [];
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
        gathering.add(gathering.lines.each([text]), { voice: "call", heading, ref: () => ref });
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
  gathering.add(gathering.lines.of(text, true), { voice, heading, ref: () => refOf(part) });
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
    gathering.strike(file.path, gathering.lines.of(removedText(call.input, file.path)));
    const added = gathering.lines.of(addedText(call.input, file.path));
    gathering.add(added, { voice: "edit", heading, ref: () => refOf(call) });
    return;
  }
  gatherAsked(gathering, deed, heading);
  if (!result) return;
  const isFile = use.does === "read" && file !== undefined;
  if (isFile && file.fromLine === undefined) gathering.forget(file.path);
  const printed = { voice: "tool", heading, ref: () => refOf(result), isOutput: !isFile } as const;
  gathering.add(gathering.lines.of(resultText(result)), printed);
}

/** What a heading shows is said, and not quoted under it again; nor is what a file was read with. */
function gatherAsked(gathering: Gathering, deed: Deed, heading: Heading | undefined): void {
  const lines = gathering.lines.of(wordsOf(deed));
  const from = { voice: "call", ref: () => refOf(deed.call) } as const;
  gathering.add(lines, { ...from, heading: undefined });
  if (!heading || deed.use.does === "read") return;
  gathering.add(gathering.lines.each(beyond(heading, lines)), { ...from, heading });
}

/**
 * What the agent wrote in a call, texts as they are and numbers with their names; the subject of a short one is in its
 * heading. Which lines of a file were asked for is nothing to know.
 */
function wordsOf({ use, call }: Pick<Deed, "use" | "call">): string {
  const leaves: Leaves = { areNumbersTold: use.does !== "read", found: [] };
  addLeaves(call.input, "", leaves);
  return leaves.found.join("\n");
}

interface Leaves {
  readonly areNumbersTold: boolean;
  readonly found: string[];
}

function addLeaves(value: unknown, name: string, leaves: Leaves): void {
  if (typeof value === "string") leaves.found.push(value);
  else if (typeof value === "number") {
    if (leaves.areNumbersTold) leaves.found.push(`"${name}": ${value}`);
  } else if (typeof value === "object" && value !== null)
    for (const [inner, item] of Object.entries(value)) addLeaves(item, inner, leaves);
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
