/**
 * Failed approaches: what was tried, how it failed, what was done instead. They keep the next window from trying the same
 * again, so each is told from evidence that cannot be argued with: the agent says so, the user stopped it, or the same
 * thing failed, was done differently, and then worked.
 */
import type { SummaryLine } from "../../plan/summary.ts";
import { describeCall } from "../../transcript/describe.ts";
import { lineOf, quoted, said } from "../line.ts";
import { type Deed, type Event, type Said, type Story, sentencesOf } from "../story.ts";
import { attemptKey, errorsOf, plainCommand, subjectOf } from "./errors.ts";
import { firstAddedLine } from "./files.ts";

const SAYS_SO =
  /\b(?:(?:that|this|the|my) (?:first |previous )?(?:approach|attempt|idea|way) (?:is|was) wrong|wrong approach|(?:do|does|did)(?:n['’]t| not) work\b|(?:won['’]t|will not|cannot|can['’]t) work\b|(?:take|took|taking) (?:it|that|this) back|revert(?:ing|ed)? (?:it|that|this|my|the)|roll(?:ed|ing)? (?:it )?back|dead end|not viable|backfired|(?:it|things|much|made it) worse|ruled? (?:it |that )?out|different approach|another approach|that (?:broke|breaks|failed)\b)/i;
const STOPS =
  /^(?:stop|no[,.!: ]|wait|wrong|don['’]t|do not|that['’]s (?:wrong|not)|not what|revert|undo|hold on|why did you)/i;
const MAX_FOUND = 16;
const NEAR = 12;

export function failuresIn(story: Story): readonly SummaryLine[] {
  const { events } = story;
  const told = events.flatMap((event, index) => {
    if (event.kind === "deed") return event.outcome.kind === "denied" ? [deniedLine(event)] : [];
    if (event.by === "user") return stoppedLine(event, events, index);
    if (event.by === "harness") return [];
    return admittedLine(event, events, index);
  });
  // What was admitted is already told, with its error; the evidence alone is for agents that say nothing.
  const toldRefs = new Set(told.flatMap(({ refs }) => refs));
  const found = foundLines(story.deeds).filter(({ refs }) => !refs.some((ref) => toldRefs.has(ref)));
  return [...found.slice(-MAX_FOUND), ...told];
}

function deniedLine(deed: Deed): SummaryLine {
  const words = deed.outcome.userSaid === undefined ? "" : `: ${said(deed.outcome.userSaid)}`;
  return lineOf(`Tried ${quoted(describeCall(deed.call))}; denied by the user${words}`, [
    deed.call,
    deed.result,
  ]);
}

/** A message that begins with a stop turns down what the agent said or did last. */
function stoppedLine(event: Said, events: readonly Event[], index: number): readonly SummaryLine[] {
  const before = events.slice(Math.max(0, index - NEAR), index);
  const isInterrupted = before
    .slice(-2)
    .some((other) => other.kind === "said" && other.by === "harness" && /interrupted/i.test(other.text));
  if (!isInterrupted && !STOPS.test(event.text)) return [];
  const turned = before.findLast((other) => other.kind === "deed" || other.by === "assistant");
  if (!turned || (turned.kind === "deed" && !isAttempt(turned) && !STOPS.test(event.text))) return [];
  const what = turned.kind === "deed" ? quoted(describeCall(turned.call)) : said(lastOf(turned.text), 320);
  const words = sentencesOf(event.text, 2000).slice(0, 2).join(" ");
  return [
    lineOf(`Tried ${what}; stopped by the user: ${said(words, 320)}`, [
      turned.kind === "deed" ? turned.call : turned.part,
      event.part,
    ]),
  ];
}

function lastOf(text: string): string {
  return sentencesOf(text).slice(-2).join(" ");
}

/** The agent's own words, with what it had tried, the exact error, and what it did next. */
function admittedLine(event: Said, events: readonly Event[], index: number): readonly SummaryLine[] {
  if (!SAYS_SO.test(event.text)) return [];
  const before = deedsIn(events.slice(Math.max(0, index - NEAR * 2), index));
  const tried = before.findLast(isChange) ?? before.findLast(isAttempt);
  const failing = before.slice(-NEAR).filter((deed) => errorsOf(deed).length > 0);
  const isBacked = failing.length > 0 || event.by === "assistant";
  // Where the stretch begins in the middle of a turn, what was tried stands in the one before.
  const isCut =
    index < NEAR && !events.slice(0, index).some((other) => other.kind === "said" && other.by === "user");
  if (!isBacked || (!tried && !isCut) || (event.by === "thinking" && isSaidAloud(events, index))) return [];
  const words = sentencesOf(event.text)
    .filter((sentence) => SAYS_SO.test(sentence))
    .slice(0, 2)
    .join(" ");
  const instead = deedsIn(events.slice(index + 1, index + 1 + NEAR)).find(isAttempt);
  const errors = failing.slice(-2).flatMap((deed) => errorsOf(deed).slice(0, 2));
  return [
    lineOf(
      [
        ...(tried ? [`Tried ${attemptText(tried)}`] : []),
        said(words, 420),
        ...(errors.length > 0
          ? [`error ${[...new Set(errors)].map((line) => quoted(line, 200)).join(" ")}`]
          : []),
        ...(instead ? [`instead ${attemptText(instead)}`] : []),
      ].join("; "),
      [event.part, failing.at(-1)?.result ?? tried?.call, instead?.call, tried?.call, failing.at(-2)?.result],
    ),
  ];
}

/** Thoughts are often repeated in the words that follow them; then the words count. */
function isSaidAloud(events: readonly Event[], index: number): boolean {
  const next = events[index + 1];
  return next?.kind === "said" && next.by === "assistant" && SAYS_SO.test(next.text);
}

function deedsIn(events: readonly Event[]): readonly Deed[] {
  return events.filter((event) => event.kind === "deed");
}

function isChange({ use }: Deed): boolean {
  return use.does === "edit" || use.does === "write";
}

function isAttempt({ use }: Deed): boolean {
  return use.does === "edit" || use.does === "write" || use.does === "run";
}

function attemptText(deed: Deed): string {
  const { use } = deed;
  const [file] = use.files.filter(({ does }) => does !== "read");
  if (!file || use.does === "run")
    return quoted(use.command === undefined ? describeCall(deed.call) : plainCommand(use.command), 140);
  const line = firstAddedLine(deed, file.path);
  return `${use.does === "edit" ? "editing" : "writing"} ${quoted(file.path, 200)}${line === undefined ? "" : ` (${quoted(line, 120)})`}`;
}

/** A run that failed, was followed by something else, and then worked. */
function foundLines(deeds: readonly Deed[]): readonly SummaryLine[] {
  return deeds.flatMap((deed, index) => {
    const [error] = deed.use.does === "run" ? errorsOf(deed) : [];
    if (error === undefined) return [];
    const later = deeds.slice(index + 1, index + 1 + NEAR * 2);
    return redone(deed, deeds.slice(Math.max(0, index - NEAR), index), later) ?? rephrased(deed, later) ?? [];
  });
}

/** The same file was edited before the failure and after it, and then the same run worked: the first edit was wrong. */
function redone(
  deed: Deed,
  before: readonly Deed[],
  later: readonly Deed[],
): readonly SummaryLine[] | undefined {
  const end = later.findIndex(
    (other) => attemptKey(other) === attemptKey(deed) && other.outcome.kind === "done",
  );
  if (end < 0) return undefined;
  const second = later.slice(0, end).find(isChange);
  const path = second?.use.files[0]?.path;
  const first = before.findLast(
    (other) => isAttempt(other) && other.use.files.some((use) => use.path === path && use.does !== "read"),
  );
  if (!second || !first) return undefined;
  return [pairLine(first, deed, second)];
}

/** Another line of the same program worked where this one did not. */
function rephrased(deed: Deed, later: readonly Deed[]): readonly SummaryLine[] | undefined {
  const programOf = (other: Deed) =>
    /^[\w./-]+(?: (?:run|test|exec|install|build) \S+)?/.exec(subjectOf(other))?.[0];
  const change = later.findIndex(isChange);
  const other = later
    .slice(0, change < 0 ? 6 : Math.min(6, change))
    .find(
      (next) =>
        next.use.does === "run" && next.outcome.kind === "done" && programOf(next) === programOf(deed),
    );
  if (!other || attemptKey(other) === attemptKey(deed)) return undefined;
  return [pairLine(deed, deed, other)];
}

function pairLine(tried: Deed, failed: Deed, instead: Deed): SummaryLine {
  const errors = errorsOf(failed)
    .slice(0, 2)
    .map((line) => quoted(line, 200))
    .join(" ");
  const where = tried === failed ? "" : ` in ${quoted(subjectOf(failed), 100)}`;
  return lineOf(`Tried ${attemptText(tried)}; error ${errors}${where}; instead ${attemptText(instead)}`, [
    tried.call,
    failed.result,
    instead.call,
    failed.call,
  ]);
}
