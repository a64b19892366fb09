/** Errors, exactly as they were printed, where they came up, and whether the same thing worked later. */
import type { SummaryLine } from "../../plan/summary.ts";
import { describeCall } from "../../transcript/describe.ts";
import { resultText } from "../../transcript/message.ts";
import { errorLinesOf } from "../error-lines.ts";
import { lineOf, oneLine, quoted } from "../line.ts";
import type { Deed, Story } from "../story.ts";

const MAX_ERRORS = 40;

export function errorsIn(story: Story): readonly SummaryLine[] {
  const lastGood = new Map<string, number>();
  story.deeds.forEach((deed, index) => {
    if (deed.outcome.kind === "done") lastGood.set(attemptKey(deed), index);
  });
  const lines = new Map<string, SummaryLine>();
  story.deeds.forEach((deed, index) => {
    const [first, ...rest] = errorsOf(deed);
    if (first === undefined) return;
    const isResolved = (lastGood.get(attemptKey(deed)) ?? -1) > index;
    const text = [
      [first, ...rest].map((line) => quoted(line)).join(" "),
      ` in ${quoted(subjectOf(deed), 120)}`,
      deed.outcome.exitCode === undefined ? "" : `, exit ${deed.outcome.exitCode}`,
      isResolved ? "; resolved" : "; unresolved",
    ].join("");
    // The latest time it came up says where it stands.
    const key = [first, ...rest].join("\n");
    lines.delete(key);
    lines.set(key, lineOf(text, [deed.result, deed.call], { maxRefs: 1 }));
  });
  return [...lines.values()].slice(-MAX_ERRORS);
}

export function errorsOf(deed: Deed): readonly string[] {
  const known = found.get(deed);
  if (known) return known;
  const errors = lookFor(deed);
  found.set(deed, errors);
  return errors;
}

/** Failures ask again and again about the deeds around them. */
const found = new WeakMap<Deed, readonly string[]>();

function lookFor(deed: Deed): readonly string[] {
  if (deed.outcome.kind !== "failed" || !deed.result) return [];
  // A call the harness could not even read has no subject; there is nothing to learn from it.
  if (deed.use.command === undefined && JSON.stringify(deed.call.input) === "{}") return [];
  // A search that finds nothing exits with 1: an answer, not an error.
  const text = resultText(deed.result);
  if (deed.use.does === "search" && !/error|denied|no such|invalid/i.test(text.slice(0, 2000))) return [];
  return errorLinesOf(text);
}

/** What was attempted: the command without where it ran, or the tool with its file. */
export function subjectOf(deed: Deed): string {
  const { command } = deed.use;
  return oneLine(command === undefined ? describeCall(deed.call) : plainCommand(command), 120);
}

/** The same attempt again, with other flags, another environment, its output cut elsewhere. */
export function attemptKey(deed: Deed): string {
  const known = keys.get(deed) ?? keyOf(deed);
  keys.set(deed, known);
  return known;
}

/** Each deed is held against all those around it. */
const keys = new WeakMap<Deed, string>();

function keyOf(deed: Deed): string {
  if (deed.use.command === undefined) return subjectOf(deed);
  return plainCommand(deed.use.command)
    .split(/\n| \d?>| & | \| /, 1)
    .join("")
    .replace(/^(?:\w+=\S* )+/, "")
    .replaceAll(/ --?[\w-]+(?:=\S+)?/g, "")
    .replace(/ --.*$/, "")
    .trim();
}

export function plainCommand(command: string): string {
  return command
    .replace(/^\s*(?:cd\s+\S+\s*(?:&&|;)\s*)+/, "")
    .replace(/\s*(?:2>&1|\|\s*(?:tail|head)[^|]*)+\s*$/g, "")
    .trim();
}
