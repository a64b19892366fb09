/**
 * A conversation as lines, the way a model reads it: one line of an input or a result is one line here. Lines longer than
 * any sentence are cut, because "on the same line" would mean nothing in a megabyte of JSON.
 */
import { type Json, type Message, type Part, resultText } from "palimpsest";
import { type Atom, atomsIn } from "./atoms.ts";
import { normal } from "./probe.ts";

export interface Line {
  readonly text: string;
  readonly lower: string;
  /** With single spaces: what sentences and whole lines are looked for in. */
  readonly normal: string;
  readonly atoms: readonly Atom[];
}

const MAX_LINE_CHARS = 400;

/** Parts are shared between views, and never change: each is read once. */
const known = new WeakMap<Part, readonly Line[]>();

export function linesOfPart(part: Part): readonly Line[] {
  const lines = known.get(part) ?? readPart(part);
  known.set(part, lines);
  return lines;
}

/** The names of a tool and of its arguments are its schema, which every request shows: no facts of the conversation. */
function readPart(part: Part): readonly Line[] {
  const lines = linesOf(textOf(part));
  if (part.type !== "tool-call") return lines;
  const names = new Set([part.name, ...namesIn(part.input)]);
  return lines.map((line) =>
    line.atoms.some(({ value }) => names.has(value))
      ? { ...line, atoms: line.atoms.filter(({ value }) => !names.has(value)) }
      : line,
  );
}

function namesIn(input: Json): ReadonlySet<string> {
  if (typeof input !== "object" || input === null) return new Set();
  const own = Array.isArray(input) ? [] : Object.keys(input);
  return new Set([...own, ...Object.values(input).flatMap((value) => [...namesIn(value ?? null)])]);
}

export function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  for (const line of text.split("\n"))
    for (const piece of piecesOf(line)) if (piece.trim() !== "") lines.push(lineOf(piece));
  return lines;
}

/**
 * Opponents show the same lines over and over: stubs, heads of results, the page of the compaction before. Reading a line
 * for its exact things is most of the work, so it is done once for as long as there is room.
 */
const lineByText = new Map<string, Line>();
const MOST_LINES = 400_000;

function lineOf(text: string): Line {
  const known = lineByText.get(text);
  if (known) return known;
  const line = { text, lower: text.toLowerCase(), normal: normal(text), atoms: atomsIn(text) };
  if (lineByText.size >= MOST_LINES) lineByText.clear();
  lineByText.set(text, line);
  return line;
}

export function linesOfMessages(messages: readonly Message[]): readonly Line[] {
  return messages.flatMap(({ parts }) => parts.flatMap(linesOfPart));
}

function piecesOf(line: string): readonly string[] {
  if (line.length <= MAX_LINE_CHARS) return [line];
  const pieces: string[] = [];
  for (let from = 0; from < line.length; ) {
    const end = from + MAX_LINE_CHARS >= line.length ? line.length : cutBefore(line, from);
    pieces.push(line.slice(from, end));
    from = end;
  }
  return pieces;
}

/** At a blank or a sign that separates, so that no value is cut in two where it can be helped. */
function cutBefore(line: string, from: number): number {
  const limit = from + MAX_LINE_CHARS;
  for (let at = limit; at > from + MAX_LINE_CHARS / 2; at -= 1)
    if (/[\s,;{}()[\]]/.test(line.charAt(at))) return at;
  return limit;
}

export function textOf(part: Part): string {
  switch (part.type) {
    case "text":
    case "thinking":
      return part.text;
    case "tool-call":
      return `${part.name} ${leavesOf(part.input)}`;
    case "tool-result":
      return resultText(part);
    case "document":
      return part.source.kind === "text" ? part.source.text : (part.title ?? "");
    case "image":
    case "opaque":
      return "";
  }
}

/** An input as people read it: texts as they are, `key: value` elsewhere. */
function leavesOf(input: Json, key = ""): string {
  if (typeof input === "string") return key === "" ? input : `${key}: ${input}`;
  if (Array.isArray(input)) return input.map((item: Json) => leavesOf(item, key)).join("\n");
  if (typeof input === "object" && input !== null)
    return Object.entries(input)
      .map(([name, value]) => leavesOf(value ?? null, name))
      .join("\n");
  return input === null ? "" : `${key}: ${String(input)}`;
}

export function charsOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { text }) => sum + text.length + 1, 0);
}
