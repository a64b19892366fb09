/**
 * Facts that replaced others: the same command run again or the same file read again, and the same short line with another
 * number in it. Only the latest is true, and a compactor that writes down an earlier one as if it were is wrong, not
 * merely forgetful. The same line said of another command is another fact: two searches found what each found.
 */
import { type Message, type Pair, type Part, pairUp, toolUse } from "palimpsest";
import { sample } from "../cases/seeded.ts";
import { proseWords } from "./atoms.ts";
import { linesOfPart } from "./lines.ts";
import type { UpdateProbe } from "./probe.ts";

const MOST = 30;
const LINE_CHARS = 120;
const NUMBER = /(?<![\w.])\d[\d.,]*(?![\w])/g;
/** Clocks and durations differ with every run and replace nothing. */
const TIMING = /\d\s?(ms|s|sec|seconds?|minutes?)\b|\d:\d\d|\btime\b|duration|elapsed/i;

/** The number of a line, of an item or of a test in its list ("ok 9 - …") says where it stands, not what it is. */
const PLACE = /^\s*(?:(?:not )?ok\s+)?\d+\s*(?:→|\t|[-:.)])|:\d+(?:[:)]|$)/;
/** What a harness says about an output, and what is drawn anew each time: true of that output alone. */
const ABOUT_OUTPUT =
  /token count|output lines|total lines|showing lines|characters? (?:elided|truncated)|truncated (?:to|after)|random seed|hash ?(?:randomization|seed)|session id|process (?:group|running)|\bpid\b/i;

interface Value {
  readonly value: string;
  readonly at: number;
  readonly part: Part;
  readonly words: readonly string[];
}

export function mineUpdates(messages: readonly Message[]): readonly UpdateProbe[] {
  const probes = [...valuesByLabel(messages).values()].flatMap((bySubject) => {
    const [values = [], ...others] = bySubject.values();
    // Said of several things, its words would ask for one of them and mean another.
    if (others.length > 0) return [];
    const latest = values.at(-1);
    const stale = [...new Set(values.map(({ value }) => value))].filter((value) => value !== latest?.value);
    if (!latest || stale.length === 0 || values[0]?.at === latest.at) return [];
    return [probeOf(latest, stale, messages.length)];
  });
  return sample(probes, MOST, ({ value, anchors }) => `${anchors.join(" ")} ${value}`);
}

type BySubject = Map<string, Value[]>;

function valuesByLabel(messages: readonly Message[]): ReadonlyMap<string, BySubject> {
  const labels = new Map<string, BySubject>();
  for (const pair of pairUp({ messages }).pairs) {
    if (!pair.result) continue;
    const { part, messageIndex: at } = pair.result;
    const subject = subjectOf(pair);
    for (const [label, { value, words }] of valuesIn(part)) {
      const bySubject = labels.get(label) ?? new Map<string, Value[]>();
      bySubject.set(subject, [...(bySubject.get(subject) ?? []), { value, at, part, words }]);
      labels.set(label, bySubject);
    }
  }
  return labels;
}

/** What it is a value of: the file that was read, the command as far as it says what is run, or the call as it is. */
function subjectOf({ call: { part } }: Pair): string {
  const { does, files, command } = toolUse(part);
  const [file] = files;
  if (does === "read" && file) return file.path;
  if (command === undefined) return `${part.name} ${JSON.stringify(part.input)}`;
  // How much of an output is shown is no part of what was run.
  return command
    .replace(/\s*2>&1/g, "")
    .replace(/\|\s*(?:tail|head|cat|less|tee)\b[^|]*$/, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** A label that stands several times in one output names no single value there. */
function valuesIn(part: Part): ReadonlyMap<string, Read> {
  const found = new Map<string, Read>();
  const repeated = new Set<string>();
  for (const { text } of linesOfPart(part))
    for (const read of readLine(text)) {
      if (found.has(read.label)) repeated.add(read.label);
      found.set(read.label, read);
    }
  for (const label of repeated) found.delete(label);
  return found;
}

interface Read {
  readonly label: string;
  readonly value: string;
  readonly words: readonly string[];
}

/** One of them is the value, the others are part of what it is called; a longer row of numbers is a table. */
const MOST_NUMBERS = 3;

function readLine(text: string): readonly Read[] {
  if (text.length > LINE_CHARS || TIMING.test(text) || PLACE.test(text) || ABOUT_OUTPUT.test(text)) return [];
  const numbers = text.match(NUMBER) ?? [];
  const words = proseWords(text);
  if (numbers.length === 0 || numbers.length > MOST_NUMBERS || words.length < 2) return [];
  return numbers.map((number, at) => ({
    ...{ label: labelWithout(text, at), value: number.replace(/[.,]+$/, ""), words },
  }));
}

/** The line with the number at this place left open. */
function labelWithout(text: string, place: number): string {
  let at = -1;
  const open = text.replaceAll(NUMBER, (number) => {
    at += 1;
    return at === place ? "#" : number;
  });
  return open.replaceAll(/\s+/g, " ").trim().toLowerCase();
}

function probeOf({ value, words, part, at }: Value, stale: readonly string[], of: number): UpdateProbe {
  return {
    type: "update",
    sets: ["ALL", "UPDATE"],
    match: "update",
    value,
    anchors: words,
    stale,
    source: part,
    isEarly: at < of / 4,
  };
}
