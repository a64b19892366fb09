/** What the policies of other systems share: sizes as they state them, and the limits our laws add to each of them. */
import type { SafetyRule, Size } from "../policy.ts";

/** So many, whatever the window. */
export const exactly = (tokens: number): Size => ({ share: 0, atLeastTokens: tokens });

/** So many, but no more than this share: a constant made for 200k must not fill a small window. */
export const upTo = (tokens: number, share: number): Size => ({ share, atMostTokens: tokens });

/**
 * None of the texts has these limits, law 4 does: a page in place of a few words would be larger than they are. A fold
 * does not wait past the system's own trigger.
 */
export const safetyAt = (waitsUpTo: Size): SafetyRule => ({
  minFoldTokens: 200,
  minSavedTokens: 1,
  maxFailures: 3,
  waitsUpTo,
});

export const SAFETY_NOTE =
  "ours: law 4, a page must be smaller than what it stands for; waits no longer than the trigger";

/** The nine headings that Claude Code asks for and others copied, and which of our sections stand under each. */
export const NINE_HEADINGS = [
  { title: "Primary Request and Intent", of: ["Session Intent"] },
  { title: "Key Technical Concepts", of: ["Critical Context"] },
  { title: "Files and Code Sections", of: ["Files Modified", "Files Read"] },
  { title: "Errors and Fixes", of: ["Errors Encountered"] },
  { title: "Problem Solving", of: ["Key Decisions", "Failed Approaches", "Commands and Results"] },
  { title: "All User Messages", of: ["Constraints and Preferences"], holdsUserMessages: true },
  { title: "Pending Tasks", of: ["Open Questions"] },
  { title: "Current Work", of: ["Current Task"] },
  { title: "Optional Next Step", of: ["Next Steps"] },
] as const;
