/**
 * Facts that replaced others: the same short line of output with another number in it, later. Only the latest is true, and
 * a compactor that writes down an earlier one as if it were is wrong, not merely forgetful.
 */
import type { Message, Part } from "palimpsest";
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
const PLACE = /^\s*(?:(?:not )?ok\s+)?\d+\s*(?:→|\t|[-:.)])/;

interface Value {
  readonly value: string;
  readonly at: number;
  readonly part: Part;
  readonly words: readonly string[];
}

export function mineUpdates(messages: readonly Message[]): readonly UpdateProbe[] {
  const probes = [...valuesByLabel(messages).values()].flatMap((values) => {
    const latest = values.at(-1);
    const stale = [...new Set(values.map(({ value }) => value))].filter((value) => value !== latest?.value);
    if (!latest || stale.length === 0 || values[0]?.at === latest.at) return [];
    return [probeOf(latest, stale, messages.length)];
  });
  return sample(probes, MOST, ({ value, anchors }) => `${anchors.join(" ")} ${value}`);
}

function valuesByLabel(messages: readonly Message[]): ReadonlyMap<string, readonly Value[]> {
  const labels = new Map<string, Value[]>();
  messages.forEach(({ parts }, at) => {
    for (const part of parts) {
      if (part.type !== "tool-result") continue;
      for (const [label, { value, words }] of valuesIn(part)) {
        const values = labels.get(label) ?? [];
        values.push({ value, at, part, words });
        labels.set(label, values);
      }
    }
  });
  return labels;
}

/** A label that stands several times in one output names no single value there. */
function valuesIn(part: Part): ReadonlyMap<string, Read> {
  const found = new Map<string, Read>();
  const repeated = new Set<string>();
  for (const { text } of linesOfPart(part)) {
    const read = readLine(text);
    if (!read) continue;
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

function readLine(text: string): Read | undefined {
  if (text.length > LINE_CHARS || TIMING.test(text) || PLACE.test(text)) return undefined;
  const numbers = text.match(NUMBER) ?? [];
  const words = proseWords(text);
  if (numbers.length !== 1 || words.length < 2) return undefined;
  const value = (numbers[0] ?? "").replace(/[.,]+$/, "");
  return { label: text.replaceAll(NUMBER, "#").replaceAll(/\s+/g, " ").trim().toLowerCase(), value, words };
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
