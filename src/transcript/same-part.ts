/**
 * Whether two parts say the same, whatever their natives. This is how a wire finds out what was edited:
 * it reads the native value again and compares. Strings that came from one value are one string in memory,
 * so comparing an untouched megabyte costs nothing.
 */
import { sameJson } from "./json.ts";
import type { MediaSource, Part } from "./message.ts";

export function samePart(a: Part, b: Part): boolean {
  switch (a.type) {
    case "text":
      return b.type === "text" && a.text === b.text;
    case "thinking":
      return (
        b.type === "thinking" &&
        a.text === b.text &&
        a.signature === b.signature &&
        a.encrypted === b.encrypted
      );
    case "tool-call":
      return (
        b.type === "tool-call" && a.callId === b.callId && a.name === b.name && sameJson(a.input, b.input)
      );
    case "tool-result":
      return (
        b.type === "tool-result" &&
        a.callId === b.callId &&
        a.isError === b.isError &&
        sameParts(a.output, b.output)
      );
    case "image":
      return b.type === "image" && sameSource(a.source, b.source);
    case "document":
      return b.type === "document" && a.title === b.title && sameSource(a.source, b.source);
    case "opaque":
      return b.type === "opaque" && a.of === b.of && sameJson(a.value, b.value);
  }
}

export function sameParts(a: readonly Part[], b: readonly Part[]): boolean {
  return a.length === b.length && a.every((part, index) => samePart(part, b[index] as Part));
}

function sameSource(a: MediaSource, b: MediaSource): boolean {
  return sameJson({ ...a }, { ...b });
}
