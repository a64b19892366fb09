/**
 * Controls: what costs no thought. `full` is the ceiling, `random lines` the floor, `fact index` shows how far a bare list
 * of strings goes: far in a probe without anchors, nowhere in one with. Each sees what it left before and what came since.
 */
import type { Message, Transcript } from "palimpsest";
import { growthOf, TARGET } from "../cases/cuts.ts";
import { hashOf, randomFrom } from "../cases/seeded.ts";
import { factsIn } from "../probes/facts.ts";
import { charsOf, type Line, linesOf, linesOfPart } from "../probes/lines.ts";
import { Shown } from "../probes/shown.ts";
import type { Arranged, Left, Opponent } from "./opponent.ts";

interface Context {
  readonly lines: readonly Line[];
  readonly written: readonly Line[];
}

interface Growing {
  readonly before: Context;
  readonly added: readonly Message[];
  readonly whole: readonly Message[];
  readonly budgetChars: number;
  readonly seed: string;
}

type Shorten = (growing: Growing) => Context;

export const controls: readonly Opponent[] = [
  control("full", ({ whole }) => plain(whole.flatMap(linesOfMessage))),
  control("tail", (growing) => plain(tailOf(linesIn(growing), growing.budgetChars))),
  control("head+tail", headAndTail),
  control("mask last 10", maskOld),
  control("random lines", randomLines),
  control("fact index", factIndex),
];

function control(name: string, shorten: Shorten): Opponent {
  return { name, kind: "control", run: async (arranged) => runControl(name, shorten, arranged) };
}

function runControl(name: string, shorten: Shorten, arranged: Arranged): Left {
  const { session, cuts, windowTokens, seed } = arranged;
  // Half the window: what a policy with these marks comes down to.
  const budgetChars = arranged.budgetChars ?? windowTokens * TARGET * charsPerToken(session.whole);
  const stages: Shown[] = [];
  let context: Context = { lines: [], written: [] };
  let from = 0;
  for (const cut of cuts) {
    const { messages } = session.whole;
    const growing = {
      added: messages.slice(from, cut),
      whole: messages.slice(0, cut),
      budgetChars,
      seed: `${seed} ${cut}`,
    };
    context = shorten({ ...growing, before: context });
    stages.push(
      new Shown(context.lines, context.written, new Set(name === "full" ? partsOf(growing.whole) : [])),
    );
    from = cut;
  }
  return leftOf(stages, arranged.budgetChars);
}

function leftOf(stages: readonly Shown[], budgetChars: number | undefined): Left {
  const shown = stages.at(-1) ?? new Shown([]);
  const chars = charsOf(shown.lines);
  return { shown, chars, refused: 0, stages, fits: budgetChars === undefined || chars <= budgetChars };
}

function charsPerToken(transcript: Transcript): number {
  const tokens = growthOf(transcript).at(-1) ?? 0;
  return tokens === 0 ? 0 : charsOf(transcript.messages.flatMap(linesOfMessage)) / tokens;
}

function partsOf(messages: readonly Message[]): readonly Message["parts"][number][] {
  return messages.flatMap(({ parts }) => parts);
}

function linesOfMessage({ parts }: Message): readonly Line[] {
  return parts.flatMap(linesOfPart);
}

function linesIn({ before, added }: Growing): readonly Line[] {
  return [...before.lines, ...added.flatMap(linesOfMessage)];
}

function plain(lines: readonly Line[]): Context {
  return { lines, written: [] };
}

function tailOf(lines: readonly Line[], budgetChars: number): readonly Line[] {
  let chars = 0;
  let from = lines.length;
  while (from > 0 && chars + (lines[from - 1]?.text.length ?? 0) + 1 <= budgetChars) {
    from -= 1;
    chars += (lines[from]?.text.length ?? 0) + 1;
  }
  return lines.slice(from);
}

function headOf(lines: readonly Line[], budgetChars: number): readonly Line[] {
  let chars = 0;
  return lines.filter(({ text }) => {
    chars += text.length + 1;
    return chars <= budgetChars;
  });
}

function headAndTail(growing: Growing): Context {
  const lines = linesIn(growing);
  if (charsOf(lines) <= growing.budgetChars) return plain(lines);
  return plain([...headOf(lines, growing.budgetChars / 2), ...tailOf(lines, growing.budgetChars / 2)]);
}

/** Results older than the last ten give way to a word; what is still too much goes from the front. */
function maskOld({ whole, budgetChars }: Growing): Context {
  const results = whole.flatMap((message) => message.parts.filter(({ type }) => type === "tool-result"));
  const kept = new Set(results.slice(-10));
  const [masked] = linesOf("[Old tool result content cleared]");
  const lines = whole.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.type !== "tool-result" || kept.has(part) ? linesOfPart(part) : masked ? [masked] : [],
    ),
  );
  return plain(tailOf(lines, budgetChars));
}

function randomLines(growing: Growing): Context {
  const lines = linesIn(growing);
  const random = randomFrom(hashOf(growing.seed));
  const order = lines.map((_, at) => ({ at, by: random() })).sort((a, b) => a.by - b.by);
  const taken = new Set<number>();
  let chars = 0;
  for (const { at } of order) {
    chars += (lines[at]?.text.length ?? 0) + 1;
    if (chars > growing.budgetChars) break;
    taken.add(at);
  }
  return plain(lines.filter((_, at) => taken.has(at)));
}

/** A quarter of the budget is a list of values without a word about them, the latest first; the rest is tail. */
function factIndex({ whole, budgetChars }: Growing): Context {
  const facts = [...factsIn(whole).values()].sort(
    (a, b) => (b.places.at(-1)?.messageIndex ?? 0) - (a.places.at(-1)?.messageIndex ?? 0),
  );
  const listed = facts
    .map(({ value }) => value)
    .join("\n")
    .slice(0, budgetChars / 4);
  const written = linesOf(listed);
  return { lines: [...written, ...tailOf(whole.flatMap(linesOfMessage), (budgetChars * 3) / 4)], written };
}
