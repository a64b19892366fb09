/** The shape of a JSON text: keys, types, how long lists are, and short values as examples. */

import { shorten } from "../../transcript/describe.ts";
import { isList, isObject, type Json, parseJson } from "../../transcript/json.ts";

/** Parsing more than this for a preview takes longer than the preview is worth. */
const MAX_CHARS = 8_000_000;
const MAX_DEPTH = 4;
const MAX_KEYS = 30;

export function jsonPreview(text: string): string | undefined {
  if (text.length > MAX_CHARS || !/^\s*[[{]/.test(text)) return undefined;
  const value = parseJson(text);
  return value === undefined ? undefined : `JSON, by shape:\n${shapeOf(value, 0)}`;
}

function shapeOf(value: Json, depth: number): string {
  if (isList(value)) return listShape(value, depth);
  if (isObject(value)) return objectShape(Object.entries(value), depth);
  return typeof value === "string" ? JSON.stringify(shorten(value, 60)) : String(value);
}

/** Of a list the first item stands for all: lists in tool output are mostly of one kind. */
function listShape(items: readonly Json[], depth: number): string {
  const [first] = items;
  if (first === undefined) return "[]";
  if (depth >= MAX_DEPTH) return `[${items.length} items]`;
  return `[${items.length} items, the first: ${shapeOf(first, depth + 1)}]`;
}

function objectShape(fields: readonly (readonly [string, Json | undefined])[], depth: number): string {
  if (depth >= MAX_DEPTH) return `{${fields.length} fields}`;
  const indent = "  ".repeat(depth + 1);
  const shown = fields
    .slice(0, MAX_KEYS)
    .map(
      ([key, value]) => `${indent}${JSON.stringify(shorten(key, 60))}: ${shapeOf(value ?? null, depth + 1)}`,
    );
  const more = fields.length > MAX_KEYS ? [`${indent}… ${fields.length - MAX_KEYS} more fields`] : [];
  return `{\n${[...shown, ...more].join("\n")}\n${"  ".repeat(depth)}}`;
}
