/**
 * A JSON value as the model reads it: a string as it is, anything else as JSON. Wires read a value again to see
 * whether it was edited, so the text of a large value is made once and remembered as long as the value lives.
 */
import type { Json } from "../transcript/json.ts";

export function valueText(value: Json | undefined): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  texts.set(value, text);
  return text;
}

const texts = new WeakMap<object, string>();
