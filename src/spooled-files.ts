/** What a policy wants as files beside the store, decided as data: who commits the compaction writes them. */
import { standingCompactions, type View } from "./apply/view.ts";
import type { Plan } from "./plan/plan.ts";
import type { Policy } from "./plan/policy.ts";
import type { Spool } from "./store/spool.ts";
import type { Original } from "./store/store.ts";
import { renderForm } from "./summarize/form.ts";
import type { Written } from "./summarize/summarize.ts";
import { type Part, resultText, type Transcript } from "./transcript/message.ts";

export interface SpoolFile {
  readonly path: string;
  readonly text: string;
}

export interface Spooled {
  readonly list: readonly SpoolFile[];
  /** For the page: where the transcript is; where no files are written, that the store has it. */
  readonly transcriptPath: string;
}

export interface Spooling {
  readonly policy: Policy;
  readonly spool?: Spool;
  readonly before: View;
  readonly original: Transcript;
  readonly originals: readonly Original[];
  readonly written: Written | undefined;
}

const IN_STORE = "the store (list_refs)";

export function spooledFiles(plan: Plan, spooling: Spooling): Spooled {
  const { policy, spool, before, original } = spooling;
  if (!spool) return { list: [], transcriptPath: IN_STORE };
  const isFold = plan.folded.length > 0;
  const path = spool.transcriptPath(String(standingCompactions(before.applied).length + 1));
  const isSaved = isFold && policy.safety.isTranscriptSaved === true;
  const notes = isFold && policy.continuation.flush !== undefined ? notesOf(spooling) : "";
  return {
    list: [
      ...(isSaved ? [{ path, text: linesOf(original) }] : []),
      ...demoted(plan, spool, spooling.originals),
      ...(notes === "" ? [] : [{ path: spool.notesPath, text: notes }]),
    ],
    transcriptPath: isSaved ? path : IN_STORE,
  };
}

/** The originals whose path an edit names. */
function demoted({ edits }: Plan, spool: Spool, originals: readonly Original[]): readonly SpoolFile[] {
  const named = new Set(
    edits.flatMap((edit) =>
      "text" in edit && edit.text.includes(spool.pathOf(edit.at.ref)) ? [edit.at.ref] : [],
    ),
  );
  return originals
    .filter(({ ref }) => named.has(ref))
    .map(({ ref, part }) => ({ path: spool.pathOf(ref), text: textOf(part) }));
}

function textOf(part: Part): string {
  if (part.type === "tool-result") return resultText(part);
  return part.type === "text" ? part.text : JSON.stringify(part);
}

/** One message a line, as it was. */
function linesOf({ messages }: Transcript): string {
  return messages.map((message) => `${JSON.stringify({ ...message, native: undefined })}\n`).join("");
}

/**
 * What a silent turn of the model would write down before the fold: what has to last. Where a host lets its model do that
 * (`onFlush`), the model's own notes stand beside these.
 */
function notesOf({ written }: Spooling): string {
  if (!written) return "";
  const sections = ["Constraints and Preferences", "Key Decisions", "Open Questions", "Next Steps"] as const;
  return `# Notes that last\n\n${renderForm(written.summary, { sections, files: "none", update: "merge" })}`;
}
