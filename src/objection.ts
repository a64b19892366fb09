/** The last word before a compaction is committed: whatever was planned, what would come out is looked at. */
import type { View } from "./apply/view.ts";
import { addressKey } from "./plan/edit.ts";
import type { Compaction } from "./plan/ledger.ts";
import { check, type Problem, type ProblemCode } from "./transcript/check.ts";

export type Objection = "not-smaller" | "not-legal";

/**
 * Why a compaction may not be committed: it saves nothing, or what comes out would be refused by a provider. It is held
 * against what was sent until now, not against the history: thinking made behind an earlier compaction was sealed there.
 */
export function objectionTo(
  { tokensBefore, tokensAfter }: Pick<Compaction, "tokensBefore" | "tokensAfter">,
  before: View,
  after: View,
): readonly [Objection, string] | undefined {
  if (tokensAfter >= tokensBefore)
    return ["not-smaller", `${tokensAfter} tokens would follow ${tokensBefore}`];
  const original = before.transcript;
  const problems = check(after.transcript, { as: "record", original });
  if (problems.length === 0) return undefined;
  // What the host itself got wrong before is not ours to judge here; the same mistake elsewhere is.
  const known = new Set(check(original, { as: "record" }).map((problem) => problemKey(problem, before)));
  const problem = problems.find((found) => !known.has(problemKey(found, after)));
  return problem && ["not-legal", `${problem.code} at message ${problem.messageIndex}: ${problem.why}`];
}

/** What is wrong with which part: places shift when something before them leaves, addresses do not. */
function problemKey({ code, messageIndex, partIndex }: Problem, { addresses }: View): string {
  const kind = SAME.get(code) ?? code;
  if (OF_ALL.has(kind)) return kind;
  const at = addresses[messageIndex]?.[partIndex ?? 0];
  return `${kind} ${at ? addressKey(at) : "page"}`;
}

/** A second answer to one call answers nothing; once the call has left with the first, it is an orphan. */
const SAME: ReadonlyMap<ProblemCode, ProblemCode> = new Map([["repeated-result", "orphan-result"]]);

/** Wrong with the conversation, whichever part shows it: what the model said first may leave, and it still speaks first. */
const OF_ALL: ReadonlySet<ProblemCode> = new Set(["starts-with-assistant"]);
