/**
 * The summarizer that asks no model: default, fallback and test double in one. Everything it says stands in the source,
 * word for word; it only chooses. The same extraction is the list of must-haves that grounding holds others to.
 */
import type { Summary, SummaryLine } from "../plan/summary.ts";
import { commandsIn } from "./extract/commands.ts";
import { constraintsIn } from "./extract/constraints.ts";
import { contextIn } from "./extract/context.ts";
import { decisionsIn } from "./extract/decisions.ts";
import { errorsIn } from "./extract/errors.ts";
import { failuresIn } from "./extract/failures.ts";
import { filesModifiedIn, filesReadIn } from "./extract/files.ts";
import { currentTaskIn, intentIn } from "./extract/intent.ts";
import { nextStepsIn, questionsIn } from "./extract/questions.ts";
import { doingLines, doneLines, openLines, todosIn } from "./extract/todos.ts";
import { storyOf } from "./story.ts";
import type { SummarizeInput, Summarizer } from "./summarizer.ts";

export const extractive: Summarizer = {
  name: "extractive",
  isLocal: true,
  write: async (input) => ({ summary: extract(input), by: "extractive", notes: [] }),
};

export function extract(input: SummarizeInput): Summary {
  const known = extracted.get(input);
  if (known) return known;
  const summary = read(input);
  extracted.set(input, summary);
  return summary;
}

/** Asked for twice, as the summary and as the must-haves. */
const extracted = new WeakMap<SummarizeInput, Summary>();

function read(input: SummarizeInput): Summary {
  const story = storyOf(input);
  const todos = todosIn(story);
  const decisions = distinct(decisionsIn(story));
  const failures = distinct(failuresIn(story));
  const next = distinct([...openLines(todos), ...nextStepsIn(story)]);
  return {
    sections: {
      "Session Intent": distinct(intentIn(story)),
      "Constraints and Preferences": distinct(constraintsIn(story)),
      "Current Task": [...currentTaskIn(story), ...doingLines(todos), ...doneLines(todos)],
      "Key Decisions": decisions,
      "Failed Approaches": failures,
      "Errors Encountered": errorsIn(story),
      "Files Modified": filesModifiedIn(story),
      "Files Read": filesReadIn(story),
      "Commands and Results": commandsIn(story),
      "Open Questions": distinct(questionsIn(story)),
      "Next Steps": next,
      "Critical Context": distinct(contextIn(story)).filter(
        ({ text }) => !isTold(text, [...decisions, ...failures, ...next]),
      ),
    },
  };
}

/** What stands in another section need not be said again. */
function isTold(text: string, lines: readonly SummaryLine[]): boolean {
  const words = text.slice(1, -1);
  return lines.some((line) => line.text.includes(words));
}

function distinct(lines: readonly SummaryLine[]): readonly SummaryLine[] {
  const seen = new Map<string, SummaryLine>();
  for (const line of lines) if (!seen.has(line.text)) seen.set(line.text, line);
  return [...seen.values()];
}
