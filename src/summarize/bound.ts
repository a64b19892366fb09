/**
 * The size of a summary. Over its room, lines leave in a stated order, the oldest first and what is easiest to get again
 * first of all: paths that were read, commands, single facts, requests long done, errors that were resolved, decisions,
 * other errors. Constraints, Failed Approaches and Files Modified are never shortened for room: forgetting those is what
 * makes an agent break a rule, try the same again or lose its own work. Only past hundreds of them (a loop, a machine
 * that writes as the user) do the oldest go, because a summary must end somewhere.
 */
import { type Emptied, SECTIONS, type SectionName, type Summary, type SummaryLine } from "../plan/summary.ts";
import { factsIn } from "./extract/context.ts";
import type { SummaryForm } from "./form.ts";
import { renderLine } from "./render.ts";

export interface Room {
  readonly maxTokens: number;
  readonly tokensOf: (text: string) => number;
  /** Systems that list files in tags of their own never forget one; only past hundreds do the oldest go. */
  readonly form?: Pick<SummaryForm, "files">;
  /**
   * Where the page has a limit that holds: whether what a line says stands beside the page in the user's own words. Such
   * lines go first, and what is never shortened otherwise is, last of all.
   */
  readonly isInSight?: (line: SummaryLine) => boolean;
}

interface Rung {
  readonly section: SectionName;
  /** Lines that stay, the latest ones (for the intent: the first one too). */
  readonly keep: number;
  readonly only?: (line: SummaryLine) => boolean;
}

const isResolved = ({ text }: SummaryLine) => text.endsWith("; resolved");

const ORDER: readonly Rung[] = [
  { section: "Files Read", keep: 24 },
  { section: "Commands and Results", keep: 16 },
  { section: "Critical Context", keep: 20 },
  { section: "Files Read", keep: 8 },
  { section: "Session Intent", keep: 8 },
  { section: "Commands and Results", keep: 8 },
  { section: "Critical Context", keep: 14 },
  { section: "Key Decisions", keep: 16 },
  { section: "Files Read", keep: 3 },
  { section: "Commands and Results", keep: 4 },
  { section: "Session Intent", keep: 4 },
  { section: "Critical Context", keep: 8 },
  { section: "Errors Encountered", keep: 10, only: isResolved },
  { section: "Files Read", keep: 0 },
  { section: "Key Decisions", keep: 8 },
  { section: "Errors Encountered", keep: 3, only: isResolved },
  { section: "Critical Context", keep: 4 },
  { section: "Errors Encountered", keep: 10 },
  { section: "Commands and Results", keep: 0 },
  { section: "Session Intent", keep: 2 },
  { section: "Open Questions", keep: 3 },
  { section: "Critical Context", keep: 0 },
  { section: "Errors Encountered", keep: 4 },
  { section: "Key Decisions", keep: 3 },
  { section: "Session Intent", keep: 1 },
  { section: "Failed Approaches", keep: 100 },
  { section: "Constraints and Preferences", keep: 200 },
  { section: "Files Modified", keep: 500 },
];

/** Said by the user, and still there: the page need not repeat it. A few rules stay as long as there is room. */
const SAID: readonly Rung[] = [
  { section: "Constraints and Preferences", keep: 4 },
  { section: "Session Intent", keep: 2 },
  { section: "Current Task", keep: 0 },
  { section: "Key Decisions", keep: 0 },
];

/** Where the room is small and holds: the latest few of each. The rest is behind refs like everything else. */
const LAST: readonly Rung[] = [
  { section: "Errors Encountered", keep: 2 },
  { section: "Current Task", keep: 3 },
  { section: "Failed Approaches", keep: 6 },
  { section: "Key Decisions", keep: 2 },
  { section: "Next Steps", keep: 3 },
  { section: "Constraints and Preferences", keep: 8 },
  { section: "Failed Approaches", keep: 3 },
  { section: "Errors Encountered", keep: 1 },
];

export function bound(summary: Summary, room: Room): Summary {
  const sized = new Map(SECTIONS.map((name) => [name, sizedLines(name, summary, room)] as const));
  const headings = SECTIONS.reduce((sum, name) => sum + room.tokensOf(`## ${name}\n(none)\n\n`), 0);
  let total = headings + [...sized.values()].flat().reduce((sum, { tokens }) => sum + tokens, 0);
  if (total <= room.maxTokens) return summary;
  for (const rung of orderFor(room)) {
    if (total <= room.maxTokens) break;
    const lines = sized.get(rung.section) ?? [];
    const gone = new Set<Sized>();
    for (const line of spareOf(lines, rung)) {
      if (total <= room.maxTokens) break;
      gone.add(line);
      total -= line.tokens;
    }
    sized.set(
      rung.section,
      lines.filter((line) => !gone.has(line)),
    );
  }
  const left = Object.fromEntries([...sized].map(([name, lines]) => [name, lines.map(({ line }) => line)]));
  const sections = total > room.maxTokens && room.isInSight ? inFewWords(left) : left;
  return { sections, ...emptiedOf(summary, sections, room) };
}

/** An empty section of which there were lines says what became of them. */
function emptiedOf(
  before: Summary,
  sections: Summary["sections"],
  { isInSight }: Room,
): Pick<Summary, "emptied"> {
  const gone = SECTIONS.filter((name) => (before.sections[name] ?? []).length > 0 && !sections[name]?.length);
  const why = (name: SectionName): Emptied =>
    isInSight && before.sections[name]?.every(isInSight) ? "said" : "room";
  const emptied = { ...before.emptied, ...Object.fromEntries(gone.map((name) => [name, why(name)])) };
  return Object.keys(emptied).length > 0 ? { emptied } : {};
}

/** No changed file is left out; where there is no room for more, what was done to it is. */
function inFewWords(sections: Summary["sections"]): Summary["sections"] {
  const changed = (sections["Files Modified"] ?? []).map((line) => ({
    ...line,
    text: line.text.replace(/^(`[^`]+` [^:]*): .*$/, "$1"),
    refs: line.refs.slice(0, 1),
  }));
  return { ...sections, "Files Modified": changed };
}

function orderFor({ form, isInSight }: Room): readonly Rung[] {
  if (isInSight) {
    const said = SAID.map((rung) => ({ ...rung, only: isInSight }));
    const rules = { section: "Constraints and Preferences", keep: 0, only: isInSight } as const;
    const intent = { section: "Session Intent", keep: 0, only: isInSight } as const;
    return [...said, ...ORDER, intent, rules, ...LAST];
  }
  if (form?.files !== "tags") return ORDER;
  return [...ORDER.filter(({ section }) => section !== "Files Read"), { section: "Files Read", keep: 500 }];
}

interface Sized {
  readonly line: SummaryLine;
  readonly tokens: number;
}

/** What may go on this rung, the oldest first. The first request says what all of it is for, and stays. */
function spareOf(lines: readonly Sized[], { section, keep, only }: Rung): readonly Sized[] {
  const removable = lines.filter(({ line }) => only?.(line) ?? true);
  const isIntent = section === "Session Intent" && keep > 0;
  const oldest = isIntent
    ? removable.slice(1)
    : section === "Critical Context"
      ? byWorth(removable)
      : removable;
  return oldest.slice(0, Math.max(0, oldest.length - (isIntent ? keep - 1 : keep)));
}

/** Of single facts those go first that say least; equals, the oldest. */
function byWorth(lines: readonly Sized[]): readonly Sized[] {
  return lines.toSorted((a, b) => worthOf(a) - worthOf(b));
}

function worthOf({ line }: Sized): number {
  const worth = worths.get(line) ?? factsIn(line.text);
  worths.set(line, worth);
  return worth;
}

/** They are put in order anew on each rung. */
const worths = new WeakMap<SummaryLine, number>();

function sizedLines(name: SectionName, summary: Summary, room: Room): readonly Sized[] {
  return (summary.sections[name] ?? []).map((line) => ({
    line,
    tokens: room.tokensOf(`${renderLine(name, line)}\n`),
  }));
}
