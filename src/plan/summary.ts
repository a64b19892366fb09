/**
 * A summary as data: sections of lines, each with the refs it came from. Typed so that it can be merged again and
 * again without growing, checked against its sources, and rendered the same way each time.
 */
import type { Ref } from "../transcript/ref.ts";

/** In the order they are shown. Each is filled or marked empty: the list is a checklist. */
export const SECTIONS = [
  "Session Intent",
  "Constraints and Preferences",
  "Current Task",
  "Key Decisions",
  "Failed Approaches",
  "Errors Encountered",
  "Files Modified",
  "Files Read",
  "Commands and Results",
  "Open Questions",
  "Next Steps",
  "Critical Context",
] as const;

export type SectionName = (typeof SECTIONS)[number];

export interface SummaryLine {
  readonly text: string;
  /** Where it came from; at least one, unless a person wrote it. */
  readonly refs: readonly Ref[];
  /** What the line is about (a path, a command, a decision): a later line about the same takes its place. */
  readonly about?: string;
  /** Lines of its sources, word for word, oldest source first. */
  readonly quotes?: readonly Quote[];
}

/** One line as it stands in the part `ref`. */
export interface Quote {
  readonly text: string;
  readonly ref: Ref;
}

export interface Summary {
  readonly sections: { readonly [name in SectionName]?: readonly SummaryLine[] };
  /** Sections that had lines and show none: what became of them. An empty one says so, not that there is nothing. */
  readonly emptied?: { readonly [name in SectionName]?: Emptied };
}

/** Its lines stand beside the summary in the user's own words, or there was no room for them. */
export type Emptied = "said" | "room";
