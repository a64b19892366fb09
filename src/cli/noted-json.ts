/**
 * A policy as JSON with its notes as comments, each above the field it is about; and back: what `policies show` prints
 * can be changed and given to `--policy`, so the reader takes comments away again.
 */
import type { Policy } from "../plan/policy.ts";
import { isList, isObject, type Json } from "../transcript/json.ts";

export function notedJson({ notes = {}, ...policy }: Policy): string {
  // A policy is JSON; its interface only has no index signature.
  return `${lines(policy as unknown as Json, { path: "", indent: "", notes }).join("\n")}\n`;
}

interface Place {
  readonly path: string;
  readonly indent: string;
  readonly notes: Readonly<Record<string, string>>;
}

function lines(json: Json, place: Place): readonly string[] {
  const isPlain = !isList(json) && !isObject(json);
  if (isPlain || !hasNotes(place)) return plainLines(json, place.indent);
  const [open, close] = isList(json) ? ["[", "]"] : ["{", "}"];
  const entries: readonly (readonly [string, Json])[] = isList(json)
    ? json.map((item, index) => [String(index), item] as const)
    : Object.entries(json).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  const inner = entries.map(([key, value]) => entryLines(key, value, { place, isKeyed: !isList(json) }));
  return [open, ...withCommas(inner).flat(), `${place.indent}${close}`];
}

interface Entry {
  readonly place: Place;
  /** In an object, not in a list. */
  readonly isKeyed: boolean;
}

function entryLines(key: string, value: Json, { place, isKeyed }: Entry): readonly string[] {
  const { notes } = place;
  const path = place.path === "" ? key : `${place.path}.${key}`;
  const indent = `${place.indent}  `;
  const [first = "", ...rest] = lines(value, { path, indent, notes });
  const note = notes[path];
  return [
    ...(note === undefined ? [] : [`${indent}// ${note.replaceAll("\n", " ")}`]),
    `${indent}${isKeyed ? `${JSON.stringify(key)}: ` : ""}${first}`,
    ...rest,
  ];
}

function withCommas(blocks: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return blocks.map((block, index) =>
    index === blocks.length - 1 ? block : [...block.slice(0, -1), `${block.at(-1) ?? ""},`],
  );
}

/** Whether a note stands on something in it. */
function hasNotes({ path, notes }: Place): boolean {
  return path === "" || Object.keys(notes).some((key) => key.startsWith(`${path}.`));
}

function plainLines(json: Json, indent: string): readonly string[] {
  const [first = "", ...rest] = JSON.stringify(json, null, 2).split("\n");
  return [first, ...rest.map((line) => `${indent}${line}`)];
}

/** JSON with its comments taken away; what stands in a string is somebody's text and stays. */
export function withoutComments(text: string): string {
  return text.replaceAll(/"(?:\\.|[^"\\])*"|\/\/.*|\/\*[\s\S]*?\*\//g, (found) =>
    found.startsWith("/") ? "" : found,
  );
}
