/** What a model can see, ready to be asked: its lines, by the exact things in them. */
import type { Message, Part } from "palimpsest";
import { type Line, linesOf, linesOfPart } from "./lines.ts";
import type { PairProbe, Probe } from "./probe.ts";

export class Shown {
  readonly lines: readonly Line[];
  /** Lines a compactor wrote itself, in place of what was said. */
  readonly written: readonly Line[];
  readonly #parts: ReadonlySet<Part>;
  #byAtom: Map<string, Line[]> | undefined;
  #text: string | undefined;

  constructor(lines: readonly Line[], written: readonly Line[] = [], parts: ReadonlySet<Part> = new Set()) {
    this.lines = lines;
    this.written = written;
    this.#parts = parts;
  }

  /** Of messages as they are sent; `written` is the text of the page, where there is one. */
  static of(messages: readonly Message[], written = ""): Shown {
    const parts = messages.flatMap((message) => message.parts);
    return new Shown(parts.flatMap(linesOfPart), linesOf(written), new Set(parts));
  }

  /** Whether the fact can be seen, and whether one can tell what it is. */
  find(probe: Probe): "visible" | "bare" | "wrong" | undefined {
    switch (probe.match) {
      case "atom":
        return this.#findAtom(probe.value, probe.anchors);
      case "line":
        return this.#text_.includes(probe.value) ? "visible" : undefined;
      case "sentence":
        return this.#hasSentence(probe.value) ? "visible" : undefined;
      case "pair":
        return this.#hasPair(probe) ? "visible" : undefined;
      case "update":
        return this.#findUpdate(probe);
    }
  }

  linesWith(atom: string): readonly Line[] {
    this.#byAtom ??= index(this.lines);
    return this.#byAtom.get(atom) ?? [];
  }

  #findAtom(value: string, anchors: readonly string[]): "visible" | "bare" | undefined {
    const lines = this.linesWith(value);
    if (lines.length === 0) return undefined;
    const lower = value.toLowerCase();
    return lines.some((line) => isAnchored(line, lower, anchors)) ? "visible" : "bare";
  }

  get #text_(): string {
    this.#text ??= this.lines.map(({ normal }) => normal).join(" ");
    return this.#text;
  }

  /** Word for word; or two fifths of its words on one written line, the mark at which people and overlap agree best. */
  #hasSentence(sentence: string): boolean {
    if (this.#text_.includes(sentence)) return true;
    const words = contentWords(sentence);
    const least = Math.max(2, Math.ceil(words.length * OVERLAP));
    return this.written.some(({ lower }) => words.filter((word) => lower.includes(word)).length >= least);
  }

  #hasPair({ command, value, parts }: PairProbe): boolean {
    if (parts.every((part) => this.#parts.has(part))) return true;
    const start = command.toLowerCase().slice(0, COMMAND_CHARS);
    const ending = endingPattern(value);
    return this.lines.some(({ lower, text }) => lower.includes(start) && ending.test(text));
  }

  #findUpdate({
    value,
    stale,
    anchors,
  }: Extract<Probe, { match: "update" }>): "visible" | "wrong" | undefined {
    // As words: "artifactcache" says nothing of a cache.
    const words = anchors.map((word) => new RegExp(`(?<![\\p{L}\\d])${escaped(word)}`, "u"));
    const hasLabel = ({ lower }: Line) => words.every((word) => word.test(lower));
    // At the same boundaries it was mined by: the 9 in a ref or in 1.9 is no 9.
    const says = (line: Line, number: string) =>
      new RegExp(`(?<![\\w.])${escaped(number)}(?!\\w|[.,]\\d)`).test(line.text);
    const labelled = this.lines.filter(hasLabel);
    if (labelled.some((line) => says(line, value))) return "visible";
    // A long line of a log has many words: to state a value is to say it in a line like the one it stood in.
    const isStale = this.written.some(
      (line) => line.text.length <= STATED_CHARS && hasLabel(line) && stale.some((old) => says(line, old)),
    );
    return isStale ? "wrong" : undefined;
  }
}

const STATED_CHARS = 240;
const OVERLAP = 0.4;
const COMMAND_CHARS = 40;

function index(lines: readonly Line[]): Map<string, Line[]> {
  const byAtom = new Map<string, Line[]>();
  for (const line of lines)
    for (const { value } of line.atoms) {
      const found = byAtom.get(value);
      if (found) found.push(line);
      else byAtom.set(value, [line]);
    }
  return byAtom;
}

/** An anchor beside the value; the value's own letters do not count. */
function isAnchored({ lower }: Line, value: string, anchors: readonly string[]): boolean {
  const around = lower.replaceAll(value, " ");
  return anchors.some((anchor) => around.includes(anchor));
}

function contentWords(sentence: string): readonly string[] {
  const words = sentence.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? [];
  return [...new Set(words)];
}

/** How a line says that a command ended so. */
function endingPattern(code: string): RegExp {
  const said = `(exit\\w*|code|status|returncode|→)\\D{0,16}${escaped(code)}(?!\\d)`;
  return new RegExp(code === "0" ? `${said}|\\b(ok|passed|succeeded)\\b|✓` : `${said}|\\bfailed\\b|✗`, "i");
}

export function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
