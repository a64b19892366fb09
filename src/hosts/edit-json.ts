/**
 * Edits to the text of a JSON file, comments and all: only what changes is spelled, in the way what stands beside it is spelled,
 * and taking it out again gives the bytes there were. The library reads; its own edits lay their neighbours out anew, and one of
 * them breaks a list that stands on one line (3.3.1: the last item taken out).
 */
import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import { isList, isObject, type Json, type JsonObject } from "../transcript/json.ts";

type Path = readonly (string | number)[];

/** The text of `before`, saying `after`. */
export function editJson(text: string, before: JsonObject, after: JsonObject): string {
  return editsTo(before, after, []).reduce((all, edit) => edit(all), text);
}

type Edit = (text: string) => string;

function editsTo(before: JsonObject, after: JsonObject, path: Path): readonly Edit[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => valueEdits(before[key], after[key], [...path, key]));
}

function valueEdits(before: Json | undefined, after: Json | undefined, path: Path): readonly Edit[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (after === undefined) return [(text) => taken(text, path)];
  if (before === undefined) return [(text) => added(text, path.slice(0, -1), after, path.at(-1))];
  if (isObject(before) && isObject(after)) return editsTo(before, after, path);
  if (isList(before) && isList(after)) return listEdits(before, after, path);
  return [(text) => replaced(text, path, after)];
}

/** What left goes, from the end on, so that places hold; what came is at the end, where we put it. */
function listEdits(before: readonly Json[], after: readonly Json[], path: Path): readonly Edit[] {
  const old = before.map((item) => JSON.stringify(item));
  const now = after.map((item) => JSON.stringify(item));
  const stays = old.filter((item) => now.includes(item));
  if (stays.some((item, index) => item !== now[index])) return [(text) => replaced(text, path, [...after])];
  const gone = old.flatMap((item, index) => (now.includes(item) ? [] : [index]));
  return [
    ...gone.toReversed().map(
      (index): Edit =>
        (text) =>
          taken(text, [...path, index]),
    ),
    ...after.slice(stays.length).map(
      (value): Edit =>
        (text) =>
          added(text, path, value),
    ),
  ];
}

function replaced(text: string, path: Path, value: Json): string {
  const node = nodeAt(text, path);
  return spliced(text, node.offset, endOf(node), spelled(value, lineIndent(text, node.offset), text));
}

/** Behind the last that is there: on a line of its own where that one has one. */
function added(text: string, path: Path, value: Json, key?: string | number): string {
  const holder = nodeAt(text, path);
  const name = typeof key === "string" ? `${JSON.stringify(key)}: ` : "";
  const last = holder.children?.at(-1);
  if (last === undefined) {
    const outer = lineIndent(text, holder.offset);
    const inner = `${outer}${unitOf(text)}`;
    const [eol, open] = [eolOf(text), holder.offset + 1];
    const inside = text.slice(open, endOf(holder) - 1).trimEnd();
    const said = `${inside}${eol}${inner}${name}${spelled(value, inner, text)}${eol}${outer}`;
    return spliced(text, open, endOf(holder) - 1, said);
  }
  const indent = ownLine(text, last.offset);
  const said =
    indent === undefined
      ? `, ${name}${JSON.stringify(value)}`
      : `,${eolOf(text)}${indent}${name}${spelled(value, indent, text)}`;
  return spliced(text, endOf(last), endOf(last), said);
}

/** With the comma and the line it stood in. */
function taken(text: string, path: Path): string {
  const found = nodeAt(text, path);
  const node = found.parent?.type === "property" ? found.parent : found;
  const beside = node.parent?.children ?? [];
  const index = beside.indexOf(node);
  const [previous, next] = [beside[index - 1], beside[index + 1]];
  if (previous) return spliced(text, endOf(previous), endOf(node), "");
  if (next) return spliced(text, node.offset, next.offset, "");
  const before = text.slice(0, node.offset).trimEnd();
  const after = text.slice(endOf(node)).replace(/^\s*,/, "");
  return /[{[]$/.test(before) && /^\s*[}\]]/.test(after)
    ? `${before}${after.trimStart()}`
    : `${before}${after}`;
}

function nodeAt(text: string, path: Path): Node {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root && findNodeAtLocation(root, [...path]);
  if (!node) throw new Error(`There is nothing at ${path.join(".")}.`);
  return node;
}

function spelled(value: Json, indent: string, text: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll("\n", `${eolOf(text)}${indent}`);
}

function spliced(text: string, from: number, to: number, said: string): string {
  return `${text.slice(0, from)}${said}${text.slice(to)}`;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** The white space before it, where nothing else stands on its line. */
function ownLine(text: string, offset: number): string | undefined {
  return /(?:^|\n)([ \t]*)$/.exec(text.slice(0, offset))?.[1];
}

function lineIndent(text: string, offset: number): string {
  return /(?:^|\n)([ \t]*)[^\n]*$/.exec(text.slice(0, offset))?.[1] ?? "";
}

function unitOf(text: string): string {
  return /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
