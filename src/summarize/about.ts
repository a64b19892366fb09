/**
 * What a line is about, told from its words: a path, a command, an error, the label of a state. Two lines about the
 * same thing are one fact at two times, and the later takes the place of the earlier.
 */
import type { SectionName } from "../plan/summary.ts";

/** States: there is only one of each, and it changes. */
export const LABELS = [
  "Request",
  "In progress",
  "Last said",
  "Open tasks",
  "Done",
  "Next",
  "Names in use",
] as const;
export type Label = (typeof LABELS)[number];

/** Their lines begin with what they are about, in code quotes. */
const SUBJECT_FIRST: ReadonlySet<SectionName> = new Set([
  "Files Modified",
  "Files Read",
  "Commands and Results",
]);

export function aboutOf(section: SectionName, text: string): string | undefined {
  if (SUBJECT_FIRST.has(section)) return /^`([^`]+)`/.exec(text)?.[1] ?? /^"([^"]+)"/.exec(text)?.[1];
  return LABELS.find((label) => text.startsWith(`${label}: `));
}
