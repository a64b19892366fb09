/** A part with the words of an edit in place of its content. Whatever else the part is stays. */
import { parseJson } from "../transcript/json.ts";
import type { Part } from "../transcript/message.ts";

export function withText(part: Part, text: string): Part {
  switch (part.type) {
    case "text":
    case "thinking":
      return { ...part, text };
    case "tool-result":
      return { ...part, output: [{ type: "text", text }] };
    case "image":
    case "document":
    case "opaque":
      return { type: "text", text, ...(part.native === undefined ? {} : { native: part.native }) };
    case "tool-call":
      // A call's arguments are what the tool was given; a stub there could be run. Where a policy cuts them, the text is
      // JSON of the same shape.
      return { ...part, input: parseJson(text) ?? part.input };
  }
}
