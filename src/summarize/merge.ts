/**
 * Two summaries into one that is no longer than it may be. A later line about the same thing takes the place of the
 * earlier one; what describes the present (task, next steps) is replaced as a whole; the rest is joined once. Merging
 * the same summary again changes nothing.
 */
import { SECTIONS, type SectionName, type Summary, type SummaryLine } from "../plan/summary.ts";
import type { Label } from "./about.ts";
import { bound, type Room } from "./bound.ts";
import { unionOfRefs } from "./line.ts";
import { ruleOf, supersede } from "./supersede.ts";

export type { Room } from "./bound.ts";

export function mergeSummaries(earlier: Summary | undefined, later: Summary, room?: Room): Summary {
  const sections: { [name in SectionName]?: readonly SummaryLine[] } = {};
  const told = toldIn(later);
  for (const name of SECTIONS) {
    const before = standing(name, earlier?.sections[name] ?? [], told);
    const merged = joined(name, before, later.sections[name] ?? []);
    if (merged.length > 0) sections[name] = merged;
  }
  const merged = resolve(apart(withEmptied({ sections }, earlier, later)), later);
  return room ? bound(merged, room) : merged;
}

/** What an earlier page had no room for, or left to the user's words, is there still; it is not said of what has lines now. */
function withEmptied(merged: Summary, ...before: readonly (Summary | undefined)[]): Summary {
  const known = before.flatMap((summary) => Object.entries(summary?.emptied ?? {}));
  const still = known.filter(([name]) => merged.sections[name as SectionName] === undefined);
  return still.length === 0 ? merged : { ...merged, emptied: Object.fromEntries(still) };
}

interface Told {
  readonly hasRequest: boolean;
  readonly hasTodos: boolean;
  readonly hasSteps: boolean;
}

const TODO_LABELS: ReadonlySet<string> = new Set<Label>(["In progress", "Open tasks", "Done"]);

function toldIn(later: Summary): Told {
  const now = [...(later.sections["Current Task"] ?? []), ...(later.sections["Next Steps"] ?? [])];
  return {
    hasRequest: now.some(({ about }) => about === "Request"),
    hasTodos: now.some(({ about }) => about !== undefined && TODO_LABELS.has(about)),
    hasSteps: (later.sections["Next Steps"] ?? []).some(({ about }) => about === undefined),
  };
}

/** Of what was true then, what may still be: a new request answers questions and ends plans, a new list ends the old one. */
function standing(name: SectionName, lines: readonly SummaryLine[], told: Told): readonly SummaryLine[] {
  if (name === "Open Questions") return told.hasRequest ? [] : lines;
  if (name !== "Current Task" && name !== "Next Steps") return lines;
  return lines.filter(({ about }) => {
    if (about === undefined) return !told.hasRequest && !(name === "Next Steps" && told.hasSteps);
    return TODO_LABELS.has(about) ? !told.hasTodos : about === "Request" || !told.hasRequest;
  });
}

function joined(
  name: SectionName,
  before: readonly SummaryLine[],
  after: readonly SummaryLine[],
): readonly SummaryLine[] {
  const lines = new Map<string, SummaryLine>();
  for (const line of [...before, ...after]) {
    const key = keyOf(name, line);
    const known = lines.get(key);
    // Requests keep their order; of everything else the latest word stands last.
    if (known && name !== "Session Intent") lines.delete(key);
    lines.set(key, known ? overtaken(name, known, line) : line);
  }
  const all = [...lines.values()];
  return name === "Constraints and Preferences" ? supersede(all) : all;
}

function keyOf(name: SectionName, { text, about, quotes, refs }: SummaryLine): string {
  if (about !== undefined) return `about ${about}`;
  // "Said", and what: two of them are two.
  if (quotes) return `quotes ${refs.join(" ")}`;
  if (name === "Constraints and Preferences") return ruleOf(text);
  // The same error in the same place, whatever became of it since.
  if (name === "Errors Encountered") return text.replace(/(?:, exit -?\d+)?; (?:un)?resolved$/, "");
  return text;
}

function overtaken(name: SectionName, earlier: SummaryLine, later: SummaryLine): SummaryLine {
  if (name === "Files Modified")
    return { ...later, text: filesText(earlier.text, later.text), refs: later.refs };
  // What a rule replaced is known to the line that once saw both.
  if (name === "Constraints and Preferences" && earlier.text.length > later.text.length)
    return { ...earlier, refs: unionOfRefs(earlier.refs, later.refs) };
  return later;
}

/** That a file is new, and that there were edits before, is not forgotten when it is edited again. */
function filesText(earlier: string, later: string): string {
  if (earlier === later) return later;
  const path = /^(?:`[^`]+`|"[^"]+"|“[^”]+”) /.exec(later)?.[0];
  if (path === undefined || !earlier.startsWith(path)) return later;
  const rest = later.slice(path.length);
  const marks = ["created", "also edited earlier"].filter(
    (mark) => earlier.includes(mark) && !rest.includes(mark),
  );
  const isMore = !rest.includes("also edited earlier") && !marks.includes("also edited earlier");
  const all = [...marks.filter((mark) => mark === "created"), rest.split(", also edited earlier").join("")];
  return `${path}${all.join(", ")}${isMore || earlier.includes("also edited earlier") ? ", also edited earlier" : ""}`;
}

/** A file that was changed is no longer one that was only read. */
function apart(summary: Summary): Summary {
  const changed = new Set((summary.sections["Files Modified"] ?? []).map(({ about }) => about));
  const read = (summary.sections["Files Read"] ?? []).filter(
    ({ about }) => about === undefined || !changed.has(about),
  );
  return { ...summary, sections: { ...summary.sections, "Files Read": read } };
}

/** An error of an earlier stretch is resolved when its command has worked since. */
function resolve(summary: Summary, later: Summary): Summary {
  const working = (later.sections["Commands and Results"] ?? []).flatMap(({ text }) => {
    const found = /^`([^`]+)` → (?:ok|exit 0)/.exec(text)?.[1];
    return found === undefined ? [] : [found];
  });
  if (working.length === 0) return summary;
  const own = new Set(
    (later.sections["Errors Encountered"] ?? []).map((line) => keyOf("Errors Encountered", line)),
  );
  const errors = (summary.sections["Errors Encountered"] ?? []).map((line) => {
    const isOlder = !own.has(keyOf("Errors Encountered", line));
    const isWorking = working.some((command) => line.text.includes(` in \`${command}\``));
    return isOlder && isWorking ? { ...line, text: line.text.replace(/; unresolved$/, "; resolved") } : line;
  });
  return { ...summary, sections: { ...summary.sections, "Errors Encountered": errors } };
}
