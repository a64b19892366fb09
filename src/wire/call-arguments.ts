/**
 * OpenAI sends a call's arguments as a string that holds JSON. The neutral input is what it holds; a model's broken
 * JSON stays the string it is. Spelling is only asked for where something changed: an untouched call keeps its bytes.
 */
import { type Json, parseJson } from "../transcript/json.ts";

export function readArguments(text: string): Json {
  // Servers write "" for a tool without parameters.
  if (text.trim() === "") return {};
  const value = parseJson(text);
  return value === undefined ? text : value;
}

export function spellArguments(input: Json): string {
  // A string that is JSON by chance would be read back as something else.
  if (typeof input === "string" && input.trim() !== "" && parseJson(input) === undefined) return input;
  return JSON.stringify(input);
}
