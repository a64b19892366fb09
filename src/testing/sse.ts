/** Server-sent events, as text. */
import type { Json } from "../transcript/json.ts";

export function event(data: Json, name?: string): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** A text in pieces of so many characters; a character outside the basic plane is never split in two. */
export function slices(text: string, chars: number): readonly string[] {
  const letters = Array.from(text);
  const made: string[] = [];
  for (let start = 0; start < letters.length; start += chars)
    made.push(letters.slice(start, start + chars).join(""));
  return made;
}
