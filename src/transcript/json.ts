/**
 * JSON as it comes off a wire. Wires look into values of which nothing is known yet; these few readers
 * are the only place where "is it an object, is it a string" is asked, so that no wire needs a cast.
 */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json | undefined };

const NOTHING: JsonObject = Object.freeze({});

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object, or an empty one: `object(record["message"])["role"]` is safe on anything. */
export function object(value: Json | undefined): JsonObject {
  return isObject(value) ? value : NOTHING;
}

export function list(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function string(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function number(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/**
 * Parses, or answers `undefined`: half-written lines and foreign text are expected, not exceptional. What is nested deeper than
 * anything people or models write counts as foreign: `JSON.stringify` fails on it from some 4,000 levels on, so nothing that
 * holds it could be hashed, kept or written again.
 */
export function parseJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return text.length > 2 * MOST_LEVELS && isDeeper(value, MOST_LEVELS) ? undefined : value;
  } catch {
    return undefined;
  }
}

export const MOST_LEVELS = 1_000;

function isDeeper(value: Json | undefined, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (isList(value)) return value.some((item) => isDeeper(item, levels - 1));
  for (const key in value) if (isDeeper(value[key], levels - 1)) return true;
  return false;
}

/** `{ a: undefined }` without the key: what `exactOptionalPropertyTypes` asks of optional fields. */
export function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const kept: Record<string, unknown> = {};
  // A plain loop: this runs for every part of every session, and Object.entries makes two arrays each time.
  for (const key in fields) if (fields[key] !== undefined) kept[key] = fields[key];
  // The mapped type says exactly what the loop did; TypeScript cannot follow it.
  return kept as { [K in keyof T]: Exclude<T[K], undefined> };
}

/** Equal as JSON: key order does not matter, a missing key and an undefined one are the same. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isList(a) && isList(b))
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => sameJson(a[key], b[key]));
}

/** JSON text with sorted keys: the same value always has the same spelling, so that it can be hashed. */
export function canonical(value: Json | undefined): string {
  if (isList(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  let fields = "";
  for (const key of sortedKeys(value)) {
    const field = value[key];
    if (field === undefined) continue;
    fields += `${fields === "" ? "" : ","}${JSON.stringify(key)}:${canonical(field)}`;
  }
  return `{${fields}}`;
}

/** Mostly there are few, and in order. */
function sortedKeys(value: JsonObject): readonly string[] {
  const keys = Object.keys(value);
  return keys.every((key, index) => index === 0 || (keys[index - 1] ?? "") < key) ? keys : keys.sort();
}
